"""Writers of the heuristics database that race for a channel 200 times, and that are killed in the midst of writing 100 times."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from itertools import count, pairwise

import pytest

from heuristics_db import ConflictError, HeuristicsStore
from tests.heuristics_db.at_once import at_once

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROUNDS = 200
KILLS = 100
SECONDS = 600
"""Far more than it takes, which is about ten seconds; on a busy machine nothing is to fail for being slow."""


def _race(start, url, mine, by):
    """Promote ``mine`` in each round from what stood there at its start; return, per round, whether it won."""
    won = []
    with HeuristicsStore(url) as opened:
        for number in range(ROUNDS):
            before = opened.channels()["staging"]
            start.wait(SECONDS)
            try:
                opened.promote(mine[number % len(mine)], "staging", by=by, expected=before)
                won.append(True)
            except ConflictError:
                won.append(False)
            start.wait(SECONDS)
    return by, won


def test_of_two_who_promote_at_once_exactly_one_wins_each_time(url, store, validated):
    versions = [validated(seed) for seed in range(5)]
    store.promote(versions[4], "staging", by="eve")
    # two versions each, so that nobody ever promotes what already stands there
    outcomes = dict(at_once(_race, (url, versions[:2], "ada"), (url, versions[2:4], "bob"), seconds=SECONDS))
    winners = ["ada" if ada else "bob" for ada, bob in zip(outcomes["ada"], outcomes["bob"], strict=True) if ada != bob]
    assert len(winners) == ROUNDS
    moves = store.history("staging")
    assert [entry.by for entry in moves] == ["eve", *winners]
    assert all(later.previous == earlier.version for earlier, later in pairwise(moves))
    assert store.audit().sound


def _write_until_killed(url, begun, kill, make_document, make_summary):
    with HeuristicsStore(url) as opened:
        for number in count():
            document = make_document({"provenance/recipe/seed": 1_000_000 * kill + number})
            version = opened.add(document, note="mined", by="ada")
            begun.set()
            opened.record_validation(version.id, make_summary(document), by="ada")
            opened.promote(version.id, "staging", by="ada")


def test_killed_in_the_midst_of_writing_it_has_written_whole_rows_or_none(url, store, make_document, make_summary):
    fork = multiprocessing.get_context("fork")
    store.close()
    dice = random.Random(0)
    for kill in range(KILLS):
        begun = fork.Event()
        writer = fork.Process(target=_write_until_killed, args=(url, begun, kill, make_document, make_summary))
        writer.start()
        assert begun.wait(SECONDS)
        time.sleep(dice.uniform(0, 0.1))
        os.kill(writer.pid, signal.SIGKILL)
        writer.join(SECONDS)
        assert writer.exitcode == -signal.SIGKILL
        with HeuristicsStore(url) as after:
            audit = after.audit()
            assert audit.sound, (kill, audit.faults)
    assert not any(store.verify().values())
    actions = [entry.action for entry in store.history()]
    assert audit.rows == len(actions)
    assert {"added", "validated", "promoted"} <= set(actions)
    assert len(store.versions()) == actions.count("added") >= KILLS
