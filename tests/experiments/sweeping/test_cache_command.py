import json
import os

import numpy as np
import pytest

from automl import PreparedStore
from experiments import Home
from experiments.commands._root import run


def test_prepared_tables_are_listed_and_cleared(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "cache", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entries"] == []
    store = PreparedStore(home.prepared)
    for key in ("a" * 32, "b" * 32):
        store.write(key, tuple({"x": np.zeros(10)} for _ in range(3)), {}, {"dataset": f"set {key[0]}", "target": "y"})
    os.utime(home.prepared / ("a" * 32) / "last_hit", (1e9, 1e9))

    assert run(["sweep", "cache", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["about"]["dataset"] for each in told["entries"]] == ["set a", "set b"]
    assert told["bytes"] == sum(each["size"] for each in told["entries"])
    assert run(["sweep", "cache", "list"]) == 0
    assert "set a" in capsys.readouterr().out

    assert run(["sweep", "cache", "clear", "--older-than", "2d", "--dry-run", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert ([each["key"][0] for each in told["removed"]], len(store.entries())) == (["a"], 2)
    assert run(["sweep", "cache", "clear", "--older-than", "2d"]) == 0
    assert "1 prepared tables were removed" in capsys.readouterr().err
    use = store.hold("b" * 32)
    assert run(["sweep", "cache", "clear"]) == 0
    assert "1 kept, 1 of them in use" in capsys.readouterr().err
    use.close()
    assert run(["sweep", "cache", "clear"]) == 0
    assert store.entries() == []


@pytest.mark.parametrize("age", ["soon", "-3d", "3w"])
def test_an_age_that_is_none_is_one_line(home: Home, capsys: pytest.CaptureFixture[str], age: str) -> None:
    assert run(["sweep", "cache", "clear", f"--older-than={age}"]) == 2
    assert "is no age" in capsys.readouterr().err
