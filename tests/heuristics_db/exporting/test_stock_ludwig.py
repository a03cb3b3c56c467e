"""Stock Ludwig, its defaults overlaid with an export, makes configurations and trains: seeds first, in the spaces, without a failed trial.

Slow, and fetches what ``ludwig.automl`` imports and Ludwig does not declare (Dask and others) into a folder of the test's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from heuristics_db.exporting import export_document
from tests.heuristics_db.exporting.conftest import SPACES, VERSION, seeds_of

PROGRAM = Path(__file__).parent / "stock_ludwig.py"
UNDECLARED = ("dask==2026.8.0", "partd==1.4.2", "locket==1.0.0", "toolz==1.2.0", "tblib==3.2.2", "gputil==1.4.0")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def undeclared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undeclared")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), *UNDECLARED]
    if find_spec("pip") is None:
        pytest.skip("no pip in this environment to fetch Dask with")
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"Dask can't be fetched here: {done.stderr[-300:]}")
    return folder


def copied_ludwig(folder):
    """A copy of the installed Ludwig, whose defaults may be overlaid."""
    installed = Path(find_spec("ludwig").origin).parent
    shutil.copytree(installed, folder / "ludwig")
    return folder / "ludwig" / "automl" / "defaults"


@pytest.fixture
def overlaid(undeclared, tmp_path, document):
    """A copy with the export laid over its defaults; return how to run the program in it."""
    made = export_document(document, "ludwig", version=VERSION)
    defaults = copied_ludwig(tmp_path / "copy")
    for name, data in made.files.items():
        (tmp_path / "export" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "export" / name).write_bytes(data)
        if name.startswith("combiner/") or name == "reference_configs.yaml":
            (defaults / name).write_bytes(data)
    return lambda *arguments: asked(tmp_path, [tmp_path / "copy", undeclared], *arguments)


def asked(folder, path, *arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path)), "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=800)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    assert lines, done.stdout[-2000:] + done.stderr[-4000:]
    answer = json.loads(lines[-1].removeprefix("ANSWER "))
    assert Path(answer["ludwig"]).is_relative_to(path[0]), "another Ludwig was imported"
    return answer["answer"]


def test_stock_ludwig_s_own_seed_transfer_is_broken_as_the_docs_say(undeclared, tmp_path):
    """What the export works around. Where one of these fails, Ludwig has mended it: mend docs/reference/exports.md."""
    copied_ludwig(tmp_path / "copy")
    found = asked(tmp_path, [tmp_path / "copy", undeclared], "configs")
    assert found["tabnet True"] == "KeyError: 'categories'"  # B
    assert "points_to_evaluate" not in found["ft_transformer True"]["hyperopt"]["search_alg"]  # A: no reference of the default combiner
    assert "combiner.hidden_size" in found["tabnet False"]["hyperopt"]["parameters"]  # E: ft_transformer's, in tabnet's search


def test_configurations_made_with_the_export_carry_seeds_and_spaces(overlaid, tmp_path):
    found = overlaid("configs", tmp_path / "export" / "user_config")
    for model_type in SPACES:
        config = found[f"{model_type} False"]
        assert config["combiner"]["type"] == model_type
        own = {each["name"] for each in SPACES[model_type] if each.get("searched", True)} - {"combiner.relaxation_factor"}
        assert config["hyperopt"]["parameters"].keys() == own
        assert len(config["hyperopt"]["search_alg"]["points_to_evaluate"]) == len(seeds_of(model_type))
        (point,) = found[f"{model_type} True"]["hyperopt"]["search_alg"][
            "points_to_evaluate"
        ]  # Ludwig's own transfer: no KeyError any more
        assert point["trainer.learning_rate"] == seeds_of(model_type)[0]["trainer.learning_rate"]


@pytest.mark.parametrize("model_type", ["tabnet", "concat"])
def test_stock_ludwig_trains_the_seeds_first_and_then_from_the_space(overlaid, document, tmp_path, model_type):
    found = overlaid("train", model_type, tmp_path / "export" / "user_config" / f"{model_type}.yaml", tmp_path / "out")
    trials = found["trials"]
    assert [trial["status"] for trial in trials] == ["TERMINATED"] * 3
    assert all(trial["score"] is not None for trial in trials)
    assert found["predicted"] == 40
    space = document.modalities["tabular"].model_types[model_type].space
    fixed = {each.name: each.fixed for each in space.hyperparameters if not each.searched}
    tried = [fixed | as_values(trial["config"], space) for trial in trials]
    names = [{each.name for each in space.active(one)} for one in tried]
    tried = [{name: value for name, value in one.items() if name in active} for one, active in zip(tried, names, strict=True)]
    assert tried[:2] == seeds_of(model_type)
    assert space.misfit(tried[2]) is None


def as_values(config, space):
    """What Ray drew, decoded as Ludwig decodes it; a range of one value is a default and is not drawn."""
    texts = {
        each.name
        for each in space.hyperparameters
        if each.domain.kind == "categorical" and not isinstance(each.domain.choices[0], int | float)
    }
    drawn = {name: json.loads(value) if name in texts else value for name, value in config.items()}
    single = {
        each.name: each.domain.low
        for each in space.hyperparameters
        if each.domain.kind != "categorical" and each.domain.low == each.domain.high
    }
    return single | drawn
