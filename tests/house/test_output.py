"""JSON for machines."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from experiments.commands import _output
from heuristics_db import FloatDomain


@dataclass(frozen=True)
class Row:
    score: float
    place: Path


def test_print_json_takes_what_commands_hold(capsys):
    _output.print_json(
        {
            "z": np.float32(0.5),
            "a": [np.int64(3), np.array([1.0, np.nan])],
            "row": Row(float("inf"), Path("x/y")),
            "model": FloatDomain(low=0, high=1),
            "when": datetime(2020, 1, 2, tzinfo=UTC),
            "set": {"b", "a"},
            "flag": np.bool_(True),
            "text": "é [red]",
        }
    )
    said = capsys.readouterr().out
    assert list(json.loads(said)) == sorted(json.loads(said))
    assert json.loads(said) == {
        "z": 0.5,
        "a": [3, [1.0, None]],
        "row": {"score": None, "place": "x/y"},
        "model": {"kind": "float", "low": 0, "high": 1, "log": False},
        "when": "2020-01-02T00:00:00+00:00",
        "set": ["a", "b"],
        "flag": True,
        "text": "é [red]",
    }


def test_a_table_shows_brackets_as_they_stand(capsys):
    _output.print_table("domains", ["name", "range"], [["x", "[0, 1]"], ["y", None], ["z", 0.123456]])
    said = capsys.readouterr().out
    assert "[0, 1]" in said
    assert "–" in said
    assert "0.1235" in said
