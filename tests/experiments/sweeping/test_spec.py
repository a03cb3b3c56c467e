from pathlib import Path

import pytest

from experiments import ExperimentError
from experiments.commands._root import run
from experiments.sweeping import DatasetChoice, Limits, find_sweep, load_sweep

GOOD = "name: toy\ndatasets: [adult]\nmodel_types: [concat]\nconfigurations: {count: 2}\nepochs: 2\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "sweep.yaml"
    path.write_text(text)
    return path


def test_a_sweep_is_read_with_its_defaults(tmp_path: Path) -> None:
    spec = load_sweep(write(tmp_path, GOOD))
    assert spec.datasets == ("adult",)
    assert (spec.configurations.sampler, spec.seeds, spec.row_cap) == ("random", (0,), None)
    assert load_sweep(write(tmp_path, GOOD.replace("[adult]", "{role: training}"))).datasets == DatasetChoice(role="training")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "epoch: 3\n", "unknown key 'epoch'; did you mean 'epochs'?"),
        (GOOD.replace("{count: 2}", "{count: 2, n: 3}"), "unknown key 'configurations.n'"),
        (GOOD.replace("epochs: 2", ""), "the key 'epochs' is missing"),
        (GOOD.replace("epochs: 2", "epochs: 0"), "epochs: Input should be greater than or equal to 1"),
        (GOOD.replace("[adult]", "{role: held_out}"), "held-out datasets may not be swept"),
        (GOOD.replace("[adult]", "adult"), "datasets: give a list of dataset names"),
        (GOOD.replace("[adult]", "[adult, adult]"), "dataset adult is named twice"),
        (GOOD.replace("[adult]", "[]"), "name at least one"),
        (GOOD.replace("name: toy", "name: ../toy"), "name: String should match pattern"),
        ("- a\n", "a sweep is a mapping with the keys name"),
        ("a: [\n", "not valid YAML"),
        (GOOD + "epochs: 3\n", "the key 'epochs' is given twice"),
        (GOOD.replace("{count: 2}", "{count: 2, count: 3}"), "the key 'count' is given twice"),
        ("a: " + "[" * 5000, "nested hundreds of levels deep"),
        (GOOD + "seeds: 3\n", "seeds: give a list"),
        (GOOD.replace("{count: 2}", "2"), "configurations: give a mapping"),
        (GOOD + "limits: {trial_memory: 4 gigs}\n", "limits.trial_memory: give a number of bytes, or a number with its unit, such as 4GiB"),
        (
            GOOD + "portfolio: [{model_type: concat, configuration: {trainer: {learning_rate: 0.1}}}]\n",
            "portfolio.seeds.0.configuration: write dotted paths: trainer.learning_rate",
        ),
        (GOOD + "portfolio: [{model_type: concat, configuration: {combiner.dropout: [0.1]}}]\n", "combiner.dropout takes one value"),
        (GOOD + "seeds: [-1]\n", "seeds.0: Input should be greater than or equal to 0"),
        (GOOD + "seeds: [4294967296]\n", "seeds.0: Input should be less than 4294967296"),
        ("!!python/object/apply:os.system [true]\n", "not valid YAML"),
        (GOOD + "retries: {failed: 3, factor: 1.0e+308}\n", "retries.factor: Input should be less than or equal to 100"),
        (GOOD + "stopping: {grace_period: 1, reduction_factor: 1.0000001}\n", "stopping.reduction_factor: Input should be greater than"),
        (GOOD + "? [a, b]\n: c\n", "not valid YAML"),
        (GOOD + "description: !!bool maybe\n", "'maybe' is no bool"),
        (GOOD + 'split_seed: !!int ""\n', "'' is no int"),
        (GOOD + "description: !!timestamp soon\n", "'soon' is no timestamp"),
        (GOOD + "split_seed: 1" + ":00" * 300 + ".5\n", "is no float"),
        (GOOD + "base: &b {x: 1}\nx: {<<: *b, x: 2, x: 3}\n", "the key 'x' is given twice"),
        (GOOD + "description: " + "x" * 10**7, "larger than 10 MB"),
        (GOOD.replace("epochs: 2", "epochs: yes"), "epochs: give a number, not true or false"),
        (GOOD.replace("{count: 2}", "{count: true}"), "configurations.count: give a number, not true or false"),
        (GOOD + "seeds: [false]\n", "seeds.0: give a number, not true or false"),
        (GOOD + "limits: {parallel: 10001}\n", "limits.parallel: Input should be less than or equal to 10000"),
        (GOOD + "limits: {trial_memory: .inf}\n", "limits.trial_memory: give a number of bytes"),
        (GOOD + "limits: {trial_memory: yes}\n", "limits.trial_memory: give a number, not true or false"),
        (GOOD + "limits: {trial_memory: '4,5GiB'}\n", "limits.trial_memory: give a number of bytes"),
        (GOOD + "limits: {trial_memory: 4GiB/s}\n", "limits.trial_memory: give a number of bytes"),
        (GOOD + "limits: {trial_memory: 4}\n", "trial_memory: 4 bytes hold no trial"),
        (GOOD + "limits: {trial_memory: 999999999999999999999}\n", "limits.trial_memory: Input should be less than"),
    ],
)
def test_a_fault_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, told: str) -> None:
    path = write(tmp_path, text)
    assert run(["sweep", "run", str(path)]) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(f"lode: {path}: ")
    assert told in lines[0]


def test_sizes_are_read_as_people_write_them() -> None:
    for text, size in (("'4 GiB '", 4 * 2**30), ("1.5gib", 3 * 2**29), ("2GB", 2 * 10**9), ("4294967296", 2**32)):
        assert Limits.model_validate({"trial_memory": text.strip("'")}).trial_memory == size


def test_keys_merged_from_elsewhere_may_be_given_anew(tmp_path: Path) -> None:
    text = GOOD.replace("{count: 2}", "&c {count: 2, seed: 5}")
    with pytest.raises(ExperimentError, match="unknown key 'x'"):
        load_sweep(write(tmp_path, text + "x: {<<: *c, count: 3}\n"))


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "run", str(tmp_path / "demos.yaml")]) == 2
    assert "did you mean demo?" in capsys.readouterr().err
    with pytest.raises(ExperimentError, match="is a folder"):
        find_sweep(str(tmp_path))


@pytest.mark.parametrize("name", ["demo", "small", "tabular"])
def test_the_shipped_sweeps_are_valid(name: str) -> None:
    assert load_sweep(find_sweep(name)).name == name
