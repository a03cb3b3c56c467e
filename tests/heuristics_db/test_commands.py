"""The ``lode db`` commands, on a database in a folder of the test's own."""

from __future__ import annotations

import json

import pytest

from experiments._home import Home
from experiments.commands import run
from heuristics_db import HeuristicsStore


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home"))
    return Home.find()


@pytest.fixture
def versions(home, make_document, make_summary):
    """Two versions with a passing validation, and one whose search does worse."""
    with HeuristicsStore(home.database_url) as store:
        found = []
        for seed, differences in enumerate([{"bank": -0.2, "credit": -0.1}, {"bank": -0.3, "credit": -0.1}, {"bank": 0.4, "credit": 0.1}]):
            document = make_document({"provenance/recipe/seed": seed})
            found.append(store.add(document, note=f"number {seed}").id)
            store.record_validation(found[-1], make_summary(document, differences))
    return found


@pytest.fixture
def lode(capsys):
    """Run a command; return its exit code, stdout and stderr."""

    def call(*arguments):
        code = run(["db", *arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


@pytest.fixture
def ask(lode):
    """Run a command with ``--json``, and return what it prints."""

    def call(*arguments, code=0):
        found, out, err = lode(*arguments, "--json")
        assert found == code, err
        return json.loads(out)

    return call


def test_an_empty_database_is_not_a_fault(lode, ask):
    code, out, err = lode("list")
    assert (code, out) == (0, "")
    assert "lode mine" in err
    assert ask("list") == {"versions": [], "channels": {"staging": None, "production": None}}
    assert ask("verify")["sound"] is True


def test_list_and_show(lode, ask, versions):
    assert [version["id"] for version in ask("list")["versions"]] == versions[::-1]
    code, out, _ = lode("list")
    assert code == 0
    assert all(version[:12] in out for version in versions)
    code, out, _ = lode("show", versions[0][:8])
    assert code == 0
    for expected in (versions[0], "trainer.learning_rate", "0.001 … 0.05 (log)", "fixed at 0.1", "adult", "census", "one in 3 goes on"):
        assert expected in out
    assert ask("show", versions[0])["document"]["provenance"]["recipe"]["seed"] == 0


def test_explain_shows_the_evidence_of_each_choice(lode, ask, versions):
    choices = ask("explain", versions[0], "learning_rate")["choices"]
    assert [each["where"] for each in choices] == ["tabular.concat.trainer.learning_rate", "tabular.tabnet.trainer.learning_rate"]
    assert choices[0]["evidence"]["trials"] == 24
    code, out, _ = lode("explain", versions[0])
    assert code == 0
    assert "leave one family out" in out
    code, out, _ = lode("explain", versions[0], "tabular.tabnet.trainer.learning_rate")
    assert code == 0
    for expected in (
        "0.001 … 0.05 (log)",
        "over 24 trials",
        "-0.1 normalised regret, from -0.2 to -0.02",
        "adult, wine",
        "tabular.tabnet.portfolio[0]",
    ):
        assert expected in out
    assert "has 'nowhere' in its place" in lode("explain", versions[0], "nowhere")[2]


def test_diff(lode, ask, versions):
    found = ask("diff", versions[0], versions[1])
    assert found["differences"] == [{"path": "provenance.recipe.seed", "kind": "changed", "before": 0, "after": 1}]
    assert [(each["place"], each["kind"]) for each in found["changes"]] == [("provenance.recipe.seed", "provenance changed")]
    for more in ([], ["--leaves"]):
        code, out, _ = lode("diff", versions[0][:8], versions[1][:8], *more)
        assert code == 0
        assert "provenance.recipe.seed" in out
    assert lode("diff", versions[0], versions[0])[2].strip() == "the two are the same version"


def test_diff_speaks_of_ranges_and_seeds_with_their_evidence(lode, home, versions, make_document):
    space = "modalities/tabular/model_types/tabnet/space/hyperparameters/0"
    portfolio = make_document().model_dump(mode="json")["modalities"]["tabular"]["portfolio"]
    with HeuristicsStore(home.database_url) as store:
        other = store.add(make_document({f"{space}/domain/high": 0.5, "modalities/tabular/portfolio": portfolio[::-1]})).id
    code, out, _ = lode("diff", versions[0], other)
    assert code == 0
    for expected in ("range widened", "0.001 … 0.05 (log)", "0.001 … 0.5 (log)", "seed moved", "24 trials, 2 datasets"):
        assert expected in out


def test_export_for_other_tools(lode, ask, versions, tmp_path):
    code, out, _ = lode("export", versions[0], "--format", "ray")
    assert code == 0
    assert "tune.loguniform(0.001, 0.05)" in out
    assert ask("export", versions[0], "--format", "optuna", "--out", str(tmp_path / "study.log"))["file"] == str(tmp_path / "study.log")
    assert (tmp_path / "study.log").read_text().startswith('{"op_code": 0')
    found = ask("export", versions[0], "--format", "ludwig", "--out", str(tmp_path / "new" / "defaults"))
    assert "combiner/tabnet_config.yaml" in found["files"]
    assert all((tmp_path / "new" / "defaults" / name).is_file() for name in found["files"])


def test_promotion_rollback_and_history(lode, ask, versions):
    first, second, worse = versions
    assert ask("promote", first, "--dry-run")["channels"]["staging"] is None
    assert ask("promote", first, "--by", "ada")["channels"]["staging"] == first
    assert ask("promote", second, "--expected", "staging")["channels"]["staging"] == second
    code, out, _ = lode("promote", worse)
    assert code == 1
    assert "against the version in staging" in out
    assert "FAILED" in out
    assert ask("promote", second, "--channel", "production", code=1)["verdict"]["passed"] is False
    assert ask("rollback", "--dry-run")["version"]["id"] == first
    code, out, _ = lode("rollback")
    assert (code, out.strip()) == (0, f"staging points at {first[:12]} again")
    actions = [entry["action"] for entry in ask("history", "staging")["history"]]
    assert actions == ["promoted", "promoted", "refused", "rolled_back"]
    code, out, _ = lode("history")
    assert code == 0
    assert "rolled back" in out
    assert lode("retire", second)[0] == 0
    assert ask("show", second)["version"]["state"] == "retired"


def test_a_conflict_is_one_line(lode, versions):
    code, out, err = lode("promote", versions[0], "--expected", versions[1])
    assert (code, out) == (2, "")
    assert "somebody else moved staging first" in err
    assert len(err.strip().splitlines()) == 1


def test_a_version_goes_from_home_to_home(lode, ask, versions, tmp_path, monkeypatch):
    path = tmp_path / "version.json"
    assert lode("export", versions[0], "--out", str(path))[0] == 0
    assert lode("export", versions[0])[1] == path.read_text()
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "elsewhere"))
    assert ask("import", str(path), "--dry-run")["version"] == versions[0]
    assert ask("list")["versions"] == []
    assert ask("import", str(path))["version"] == versions[0]
    assert ask("list")["versions"][0]["state"] == "candidate"
    assert ask("import", str(path), "--trust-validations")["version"] == versions[0]
    assert ask("list")["versions"][0]["state"] == "validated"


def test_held_out_datasets_of_the_catalogue_are_refused(lode, tmp_path, make_document):
    from dataset_catalog import RoleBook

    fingerprint = min(RoleBook.load().fingerprints())
    path = tmp_path / "leak.json"
    path.write_text(make_document({"provenance/datasets/0/fingerprint": fingerprint}).model_dump_json())
    for more in ([], ["--dry-run"]):
        code, _, err = lode("import", str(path), *more)
        assert code == 2
        assert "adult is a held-out dataset" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "staging"],
        ["show", "nonsense"],
        ["show", "0000000"],
        ["diff", "0000", "staging"],
        ["promote", "0000"],
        ["promote", "{version}", "--channel", "Prod"],
        ["promote", "{version}", "--override"],
        ["promote", "{version}", "--reason", "why"],
        ["rollback"],
        ["rollback", "--channel", "prod"],
        ["rollback", "--steps", "0"],
        ["rollback", "--steps", "9"],
        ["history", "0000"],
        ["export", "{version}", "--out", "{tmp}/none/version.json"],
        ["export", "{version}", "--format", "vizier"],
        ["export", "{version}", "--format", "ludwig"],
        ["export", "{version}", "--format", "ludwig", "--out", "{tmp}/empty.json"],
        ["export", "{version}", "--format", "ray", "--modality", "text"],
        ["export", "{version}", "--format", "ray", "--task", "juggling"],
        ["import", "{tmp}/none.json"],
        ["import", "{tmp}"],
        ["import", "{tmp}/empty.json"],
        ["frobnicate"],
        ["show"],
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(lode, versions, tmp_path, arguments):
    (tmp_path / "empty.json").touch()
    code, out, err = lode(*(each.format(tmp=tmp_path, version=versions[0]) for each in arguments))
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1, err


def test_a_broken_database_address_is_one_line(lode, monkeypatch):
    monkeypatch.setenv("LODE_DB_URL", "postgresql://me:hidden@127.0.0.1:1/none")
    code, _, err = lode("list")
    assert code == 2
    assert "can't be used" in err
    assert "hidden" not in err
    assert len(err.strip().splitlines()) == 1


def test_the_gate_shows_its_policy_and_simulates_its_error_rates(lode, ask, versions):
    assert ask("gate")["rules"]["seeds"] == 3
    code, out, _ = lode("gate", "--channel", "production")
    assert code == 0
    assert "reserved: 3" in out
    rates = ask("gate", "--simulate", "--noise", "0.05")["rates"]
    assert rates[0]["scenario"] == "identical to the version in the channel"
    code, out, err = lode("gate", "--simulate", "--noise", "0.3", "--seeds", "2")
    assert code == 1
    assert "FAILS" in out
    code, out, err = lode("gate", "--simulate")
    assert code == 0
    assert "noise measured by the 3 validations" in err


def test_an_override_is_loud_and_stays_in_the_history(lode, ask, versions):
    worse = versions[2]
    code, out, err = lode("promote", worse, "--override", "--reason", "for a trial", "--dry-run")
    assert code == 0
    assert ask("list")["channels"]["staging"] is None
    code, out, err = lode("promote", worse, "--override", "--reason", "for a trial", "--by", "ada")
    assert code == 0
    assert "FAILED" in out
    assert "refuses" in err
    assert "is overridden: for a trial" in err
    assert ask("list")["channels"]["staging"] == worse
    assert "gate overridden" in lode("history")[1]


def test_steps_limits_and_any_channel(lode, ask, versions):
    for version in versions[:2]:
        assert ask("promote", version, "--channel", "canary")["channels"]["canary"] == version
    assert ask("promote", versions[2], "--channel", "canary", "--override", "--reason", "x")["overridden"] is True
    assert ask("rollback", "--channel", "canary", "--steps", "2")["version"]["id"] == versions[0]
    assert [version["id"] for version in ask("list", "--limit", "1")["versions"]] == versions[2:]
    assert len(ask("history", "--limit", "2")["history"]) == 2


def test_verify_finds_a_history_that_was_tampered_with(lode, ask, versions, home):
    import sqlite3

    head = ask("verify")["history"]["head"]
    assert lode("verify", "--head", head)[0] == 0
    assert lode("verify", "--head", "beef")[0] == 1
    with sqlite3.connect(home.database_url.removeprefix("sqlite:///")) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE sequence = 3")
    code, out, _ = lode("verify")
    assert code == 1
    assert "rows 3 to 3 before it are missing" in out
    assert ask("verify", code=1)["sound"] is False


def test_gc_and_upgrade(lode, ask, versions):
    assert ask("upgrade") == {"before": "0002", "after": "0002", "copy": None, "dry_run": False}
    assert "already" in lode("upgrade")[1]
    lode("retire", versions[2])
    assert ask("gc", "--dry-run")["versions"] == [versions[2]]
    assert lode("gc")[1].strip() == versions[2][:12]
    assert ask("gc")["versions"] == []
    assert lode("show", versions[2])[0] == 2


def test_what_a_strangers_version_says_can_not_command_the_terminal(lode, tmp_path, make_document):
    evil = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202eright"
    path = tmp_path / "version.json"
    document = make_document(
        {"modalities/tabular/early_stopping/reason": evil, "provenance/sweeps": [evil], "provenance/recipe": {evil: evil}}
    )
    other = make_document({"modalities/tabular/limits/reason": evil})
    ids = []
    for each in (document, other):
        path.write_text(each.model_dump_json())
        ids.append(json.loads(lode("import", str(path), "--json")[1])["version"])
    for command in (
        ["show", ids[0]],
        ["explain", ids[0]],
        ["explain", ids[1], "tabular.limits"],
        ["diff", *ids],
        ["diff", *ids, "--leaves"],
    ):
        code, out, err = lode(*command)
        assert code == 0
        assert "owned" in out
        assert not set(out + err) & set("\x1b\x07\u009b\u202e"), command
