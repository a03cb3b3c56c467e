"""The command's exit codes, and what it says on the way out."""

import json
import os
import subprocess
import sys
import types
import warnings
from pathlib import Path

import pytest

import automl
import experiments.commands._root as root
import heuristics_db
import mining
from experiments._errors import ExperimentError, ExperimentWarning
from experiments.commands import run


@pytest.fixture
def command(monkeypatch):
    """Put a command of the test's own into the table and return a function that calls it."""

    def install(action):
        module = types.ModuleType("experiments.commands._probe")

        def probe() -> None:
            action()

        module.probe = probe  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(root._COMMANDS, "probe", "_probe:probe")
        return run(["probe"])

    return install


def fail_with(exc):
    def action():
        raise exc

    return action


@pytest.mark.parametrize(
    "fault",
    [
        heuristics_db.HeuristicsError("no such version: ab12"),
        heuristics_db.ConflictError("staging was moved"),
        mining.MiningError("no trials"),
        automl.AutoMLError("no such target column"),
        ExperimentError("unknown key in sweep.yaml"),
    ],
)
def test_a_users_fault_is_one_line_and_exit_2(command, capsys, fault):
    assert command(fail_with(fault)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.rstrip("\n") == f"lode: {fault}"


def test_a_path_of_the_users_that_is_not_there_is_one_line_and_exit_2(command, capsys, tmp_path):
    missing = tmp_path / "no [such] table.csv"
    assert command(missing.read_bytes) == 2
    assert capsys.readouterr().err == f"lode: {missing}: no such file or directory\n"


def test_a_failed_check_is_exit_1(command):
    import typer

    assert command(fail_with(typer.Exit(1))) == 1


def test_an_interruption_is_exit_3(command, capsys):
    assert command(fail_with(KeyboardInterrupt())) == 3
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_from_outside_is_an_interruption(signal_name):
    code = (
        "import os, signal, sys, types, typer\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background inherits one that is ignored
        "import experiments.commands._root as root\n"
        "module = types.ModuleType('experiments.commands._probe')\n"
        f"module.probe = lambda: os.kill(os.getpid(), signal.{signal_name})\n"
        "sys.modules[module.__name__] = module\n"
        "root._COMMANDS['probe'] = '_probe:probe'\n"
        "sys.argv = ['lode', 'probe']\n"
        "root.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 3, done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_our_own_fault_is_told_in_one_line_and_its_traceback_kept(command, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LODE_HOME", str(tmp_path))
    assert command(fail_with(ZeroDivisionError("two\nlines"))) == 70
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "ZeroDivisionError" in said
    (crash,) = (tmp_path / "crash").iterdir()
    assert "Traceback" in crash.read_text()
    assert str(crash) in said


def test_debug_shows_the_traceback(command, capsys, monkeypatch):
    monkeypatch.setenv("LODE_DEBUG", "1")
    command(fail_with(ExperimentError("odd")))
    assert "Traceback" in capsys.readouterr().err


def test_done_is_exit_0(command):
    assert command(lambda: None) == 0


@pytest.mark.parametrize("arguments", [["no-such-command"], ["--no-such-option"], ["doctor", "--no-such-option"], ["doctor", "stray"]])
def test_wrong_use_is_one_line_and_exit_2(capsys, arguments):
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.startswith("lode: ")


def test_a_near_miss_is_suggested(capsys):
    run(["docto"])
    assert "did you mean 'doctor'" in capsys.readouterr().err


def test_the_command_starts_without_the_heavy_libraries():
    heavy = ["ludwig", "torch", "ray", "mlflow", "transformers", "sklearn", "scipy", "pandas", "numpy", "sqlalchemy", "datasketch"]
    code = (
        "import sys, experiments.commands as c; code = c.run(['--help']);"
        f"print('heavy:', [name for name in {heavy} if name in sys.modules]); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "heavy: []" in done.stdout


def leaves(name, command):
    for child in getattr(command, "commands", {}).values():
        yield from leaves(f"{name} {child.name}", child)
    if not hasattr(command, "commands"):
        yield name, command


@pytest.mark.parametrize("name", root._COMMANDS)
def test_every_command_explains_itself_and_speaks_json(name):
    for full_name, command in leaves(name, root._load(name)):
        assert command.help, full_name
        assert any("--json" in parameter.opts for parameter in command.params), full_name


@pytest.mark.parametrize("form", [["--json"], []], ids=["json", "table"])
def test_a_reader_that_goes_away_is_no_traceback(tmp_path, form):
    lode = Path(sys.executable).parent / "lode"
    with subprocess.Popen(
        [lode, "datasets", "list", *form], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LODE_HOME": str(tmp_path)}
    ) as child:
        child.stdout.close()
        said = child.stderr.read().decode()
    assert "Traceback" not in said
    assert child.returncode == 141


def test_doctor_reports_each_finding_with_a_verdict(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "home with spaces"))
    code = run(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert code == (0 if report["healthy"] else 1)
    found = {finding["name"]: finding["verdict"] for finding in report["findings"]}
    assert set(found.values()) <= {"ok", "warn", "fail"}
    assert {"python", "ludwig", "torch", "ray", "devices", "memory", "disk", "database", "tracking server", "package clients"} <= set(found)
    assert not (tmp_path / "home with spaces").exists()


@pytest.mark.parametrize("damage", ["not a database at all" * 200, None])
def test_doctor_fails_for_a_database_that_cannot_be_used(capsys, monkeypatch, tmp_path, damage):
    if damage is None:
        monkeypatch.setenv("LODE_DB_URL", "postgresql://lode:secret@127.0.0.1:1/none")
    else:
        (tmp_path / "broken.db").write_text(damage)
        monkeypatch.setenv("LODE_DB_URL", f"sqlite:///{tmp_path / 'broken.db'}")
    assert run(["doctor", "--json"]) == 1
    said = capsys.readouterr().out
    assert "secret" not in said
    (finding,) = [finding for finding in json.loads(said)["findings"] if finding["name"] == "database"]
    assert finding["verdict"] == "fail"


def test_doctor_only_warns_when_the_tracking_server_is_down(capsys, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://someone:secret@127.0.0.1:1")
    run(["doctor", "--json"])
    said = capsys.readouterr().out
    assert "secret" not in said
    (finding,) = [finding for finding in json.loads(said)["findings"] if finding["name"] == "tracking server"]
    assert finding["verdict"] == "warn"


def test_a_home_of_nobody_is_one_line(monkeypatch, capsys):
    monkeypatch.setenv("LODE_HOME", "~no_such_user/lode")
    assert run(["sweep", "status"]) == 2
    assert capsys.readouterr().err == "lode: LODE_HOME is ~no_such_user/lode, and there is no such home directory; write the path in full\n"


def test_a_home_behind_a_link_to_itself_is_one_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    monkeypatch.setenv("LODE_HOME", str(tmp_path / "loop"))
    assert run(["sweep", "status"]) == 2
    assert capsys.readouterr().err == f"lode: LODE_HOME is {tmp_path / 'loop'}, a link that leads back to itself; name a folder\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
@pytest.mark.parametrize("form", [["--json"], []], ids=["json", "table"])
def test_a_full_disk_behind_stdout_is_one_line(tmp_path, form):
    lode = Path(sys.executable).parent / "lode"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [lode, "sweep", "status", *form], stdout=full, stderr=subprocess.PIPE, text=True, env={**os.environ, "LODE_HOME": str(tmp_path)}
        )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no space left on device" in done.stderr


def test_a_working_directory_that_is_gone_is_one_line(tmp_path, monkeypatch):
    monkeypatch.delenv("LODE_HOME", raising=False)
    gone = tmp_path / "gone"
    gone.mkdir()
    lode = "import os, sys; os.rmdir(os.getcwd()); from experiments.commands import run; sys.exit(run(['sweep', 'status']))"
    ended = subprocess.run([sys.executable, "-c", lode], cwd=gone, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == ["lode: the working directory is gone; go to one that is there, or set LODE_HOME to a full path"]


def test_standard_streams_that_are_closed_are_no_fault():
    lode = "import sys; from experiments.commands import main; sys.argv = ['lode', 'datasets', 'list']; main()"
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        ended = subprocess.run(["sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, lode], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")


def test_warnings_of_ours_are_told_and_those_of_libraries_are_not(command, capsys):
    def action():
        warnings.warn("one record could not be read", ExperimentWarning, stacklevel=1)
        warnings.warn("a library is getting old", UserWarning, stacklevel=1)

    with warnings.catch_warnings():
        assert command(action) == 0
    assert capsys.readouterr().err == "warning: one record could not be read\n"
