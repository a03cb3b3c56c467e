"""Profiles are computed once, kept beside the archives, and never taken from a file that is not whole."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from dataset_catalog import PROFILE_VERSION, CatalogError, Dataset, NotHereError, archives, card, profile
from experiments import _mine, _profiles
from experiments._errors import ExperimentWarning
from experiments._home import Home
from experiments._profiles import kept_profile, profile_of


@pytest.fixture
def dataset():
    described = card("phoneme")
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4] * 5, described.target: ["a", "b", "a", "b"] * 5})
    return Dataset(described, frame, described.fingerprint)


@pytest.fixture
def loads(dataset, monkeypatch):
    asked = []

    def load(name, *, cache, offline):
        assert offline
        asked.append(name)
        return dataset

    monkeypatch.setattr(_profiles, "load", load)
    return asked


def kept_file(cache):
    (path,) = (cache / "profiles").iterdir()
    return path


def test_a_profile_is_computed_once(dataset, loads, tmp_path):
    found = kept_profile(dataset.card, tmp_path)
    assert found == profile(dataset.frame, dataset.card.target, "binary").model_dump(mode="json")
    assert kept_profile(dataset.card, tmp_path) == found
    assert loads == ["phoneme"]
    assert f"p{PROFILE_VERSION}" in kept_file(tmp_path).name
    assert dataset.fingerprint in kept_file(tmp_path).name


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b'{"version": 2}', b"\xff\xfe", "half", "older", "stray"])
def test_what_is_not_whole_is_computed_anew(dataset, loads, tmp_path, damage):
    kept_profile(dataset.card, tmp_path)
    path = kept_file(tmp_path)
    whole = path.read_bytes()
    spoilt = {
        "half": whole[: len(whole) // 2],
        "older": json.dumps(json.loads(whole) | {"version": PROFILE_VERSION - 1}).encode(),
        "stray": json.dumps(json.loads(whole) | {"colour": 1}).encode(),
    }
    path.write_bytes(spoilt.get(damage, damage))
    assert kept_profile(dataset.card, tmp_path)["nr_inst"] == 20
    assert path.read_bytes() == whole
    assert len(loads) == 2


def test_what_is_predicted_and_left_out_makes_another_profile(dataset, tmp_path):
    parts = dataset.frame.assign(part=["training", "test"] * 10)
    rule = dataset.card.split.model_copy(update={"kind": "column", "column": "part"})
    parted = Dataset(dataset.card.model_copy(update={"split": rule}), parts, dataset.fingerprint)
    assert (profile_of(dataset, tmp_path).nr_attr, profile_of(parted, tmp_path).nr_attr) == (1, 1)
    assert len(list((tmp_path / "profiles").iterdir())) == 2


def test_without_an_archive_there_is_no_profile(dataset, monkeypatch, tmp_path):
    def load(name, *, cache, offline):
        raise NotHereError("not here")

    monkeypatch.setattr(_profiles, "load", load)
    assert kept_profile(dataset.card, tmp_path) == {}
    assert not (tmp_path / "profiles").exists()


def test_an_archive_that_cannot_be_used_is_told(dataset, monkeypatch, tmp_path):
    def load(name, *, cache, offline):
        raise CatalogError("phoneme: its archive is damaged")

    monkeypatch.setattr(_profiles, "load", load)
    with pytest.raises(CatalogError, match="damaged"):
        kept_profile(dataset.card, tmp_path)
    with pytest.warns(ExperimentWarning, match="mined without a profile: phoneme: its archive is damaged"):
        assert _mine._profile(Home(tmp_path), "phoneme") == {}


def test_what_was_never_fetched_is_not_here_and_what_is_damaged_is(dataset, tmp_path):
    assert kept_profile(dataset.card, tmp_path) == {}
    (tmp_path / archives()[dataset.card.loader.package].file).write_bytes(b"half")
    with pytest.raises(CatalogError, match=r"phoneme: .* differs from the pinned one"):
        kept_profile(dataset.card, tmp_path)


def test_a_place_that_cannot_be_written_keeps_nothing(dataset, tmp_path):
    (tmp_path / "profiles").write_text("a file where the folder should be")
    assert profile_of(dataset, tmp_path).nr_inst == 20


def test_two_processes_at_once(tmp_path):
    code = (
        "import sys, pathlib, pandas as pd\n"
        "from dataset_catalog import Dataset, card\n"
        "from experiments._profiles import profile_of\n"
        "described = card('phoneme')\n"
        "frame = pd.DataFrame({'x': [0.1, 0.2, 0.3, 0.4] * 500, described.target: ['a', 'b', 'a', 'b'] * 500})\n"
        "print(profile_of(Dataset(described, frame, described.fingerprint), pathlib.Path(sys.argv[1])).model_dump_json())"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [each.communicate(timeout=120)[0].strip() for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert answers[0] == answers[1] == kept_file(tmp_path).read_text()
