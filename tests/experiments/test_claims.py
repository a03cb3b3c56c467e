"""Claims of the living are kept, claims of the dead are taken over: of this machine's processes, and of other machines."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from experiments import _claims
from experiments._claims import Claims
from experiments.journaling import JournalRecorder
from tests.experiments.journaling.test_journal import make_request

ELSEWHERE = {"token": "theirs", "host": "another/machine", "pid": 1, "began": 0.0}


def leave(root: Path, trial_id: str, silent: float) -> None:
    """Leave what an owner on another machine does, who was last heard of ``silent`` seconds ago."""
    (root / "owners").mkdir(parents=True, exist_ok=True)
    for path in (root / "owners" / "theirs", root / trial_id):
        path.write_text(json.dumps(ELSEWHERE))
        moment = time.time() - silent
        os.utime(path, (moment, moment))


def test_a_claim_left_by_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    code = (
        "import os, sys, pathlib; from experiments._claims import Claims; c = Claims(pathlib.Path(sys.argv[1])); c.__enter__(); "
        "assert c.take('abc'); os._exit(0)"
    )
    with Claims(tmp_path) as first, Claims(tmp_path) as second:
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)  # after both began: who begins clears away what is left
        assert (tmp_path / "abc").exists()
        assert first.take("abc")
        assert first.take("abc")
        assert not second.take("abc")
        assert first.others
        first.release("abc")
        assert second.take("abc")
    assert not (tmp_path / "abc").exists()


def test_a_claim_of_another_machine_expires_when_its_owner_is_silent(tmp_path: Path) -> None:
    with Claims(tmp_path) as ours:
        leave(tmp_path, "abc", silent=_claims._STALE_SECONDS - 60)
        assert not ours.take("abc")
        leave(tmp_path, "abc", silent=_claims._STALE_SECONDS + 60)
        assert ours.take("abc")
        ours.release("abc")
        leave(tmp_path, "abc", silent=0)
        (tmp_path / "owners" / "theirs").unlink()
        assert ours.take("abc")


def test_a_torn_claim_expires_too(tmp_path: Path) -> None:
    with Claims(tmp_path) as ours:
        (tmp_path / "abc").write_text('{"tok')
        assert not ours.take("abc")
        long_ago = time.time() - _claims._STALE_SECONDS - 60
        os.utime(tmp_path / "abc", (long_ago, long_ago))
        assert ours.take("abc")


def test_who_begins_clears_away_what_a_machine_left_that_was_started_anew(tmp_path: Path) -> None:
    leave(tmp_path, "abc", silent=_claims._STALE_SECONDS + 60)
    with Claims(tmp_path) as ours:
        assert not (tmp_path / "abc").exists()
        assert [path.name for path in (tmp_path / "owners").iterdir()] == [ours._token]
        assert not ours.others
    leave(tmp_path, "abc", silent=0)
    with Claims(tmp_path) as ours:
        assert (tmp_path / "abc").exists()
        assert ours.others


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="where no clock but the one that is set tells when a process began")
def test_a_clock_that_is_set_ends_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Claims(tmp_path) as first:
        assert first.take("abc")
        told = psutil._pslinux.boot_time()
        monkeypatch.setattr(psutil._pslinux, "boot_time", lambda: told + 60)  # a machine woke up and set its clock
        with Claims(tmp_path) as second:
            assert not second.take("abc")
            assert second.others


def test_a_wait_that_is_broken_off_leaves_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    with Claims(tmp_path / "claims") as first:
        assert first.take("abc123")
        monkeypatch.setattr("experiments.journaling._recorder.time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            JournalRecorder(tmp_path / "journal").claim(make_request("abc123"))
        assert [path.name for path in (tmp_path / "claims" / "owners").iterdir()] == [first._token]


def test_a_claim_from_the_future_is_one_left_behind(tmp_path: Path) -> None:
    with Claims(tmp_path) as claims:
        for trial_id, content in (("torn", ""), ("deep", "[" * 100_000), ("elsewhere", '{"host": "another", "token": "t"}')):
            (tmp_path / trial_id).write_text(content)
            assert not (trial_id != "elsewhere" and claims.take(trial_id))  # just made: it may be another's in the making
            os.utime(tmp_path / trial_id, (time.time() + 86400,) * 2)
        (tmp_path / "owners" / "t").write_text("{}")
        os.utime(tmp_path / "owners" / "t", (time.time() + 86400,) * 2)
        assert [claims.take(each) for each in ("torn", "deep", "elsewhere")] == [True, True, True]
