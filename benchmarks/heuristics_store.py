"""How the heuristics database fares as it grows: list, show, channel look-up with up to 10,000 versions and 100,000 rows of history.

Run: ``python -m benchmarks.heuristics_store [--versions 100 1000 10000] [--only sqlite] [--json]``. Each size is ten rows of history a
version: additions, validations, looks, refusals, and moves of twelve channels. Rows are written as the store writes them, chained, and the
chain is verified. SQLite is a file in a temporary folder below the working directory, PostgreSQL a server of its own on this machine. Each
figure is the median of several calls on an open store, caches warm, as in a process that goes on; a command pays Python's start besides.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from automl import untuned_space_hash, untuned_spaces
from heuristics_db import HeuristicsDocument, HeuristicsStore, canonical_json
from heuristics_db._canonical import hash_of
from heuristics_db._chain import GENESIS, link
from heuristics_db._opening import writing
from heuristics_db._tables import EVENTS, HEAD_OF_HISTORY, VALIDATIONS, VERSIONS
from tests.postgres import NoPostgresError, throwaway_postgres

CHANNELS = ("staging", "production", *(f"team-{number}" for number in range(10)))
ROWS_A_VERSION = 10
WANTED = 0.1
CALLS = 7
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--versions", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = {kind: [measure(kind, size) for size in arguments.versions] for kind in _kinds(arguments.only)}
    if arguments.json:
        print(json.dumps(figures, indent=1, sort_keys=True))
    else:
        for kind, sizes in figures.items():
            _show(kind, sizes)


def _kinds(only: str | None) -> Sequence[str]:
    return ("sqlite", "postgresql") if only is None else (only,)


def measure(kind: str, versions: int) -> dict[str, Any]:
    """Return the seconds of each operation on a database of this many versions, and how it was filled."""
    with _database(kind) as url, HeuristicsStore(url) as store:
        began = time.perf_counter()
        ids = _fill(store, versions)
        filled = time.perf_counter() - began
        middle = ids[len(ids) // 2]
        seconds = {
            "list all": _median(store.versions),
            "list the newest 50": _median(lambda: store.versions(limit=50)),
            "show": _median(lambda: (store.version(middle), store.get(middle))),
            "show by 12 digits": _median(lambda: (store.version(middle[:12]), store.get(middle[:12]))),
            "channel look-up": _median(lambda: store.get("production")),
            "all channels": _median(store.channels),
            "history of a version": _median(lambda: store.history(middle)),
            "newest 50 of the history": _median(lambda: store.history(limit=50)),
            "newest 50 of a channel": _median(lambda: store.history("staging", limit=50)),
        }
        began = time.perf_counter()
        audit = store.audit()
        audited = time.perf_counter() - began
        if not audit.sound or len(store.versions()) != versions:
            raise SystemExit(f"the benchmark's own database is not sound: {audit.faults[:1]}")
        return {"versions": versions, "rows": audit.rows, "filled": filled, "audited": audited, "seconds": seconds}


@contextmanager
def _database(kind: str) -> Iterator[str]:
    if kind == "sqlite":
        with tempfile.TemporaryDirectory(prefix="lode-benchmark-", dir=Path.cwd()) as folder:
            yield f"sqlite:///{folder}/heuristics.db"
        return
    try:
        with throwaway_postgres() as url:
            yield url
    except NoPostgresError as error:
        raise SystemExit(f"{error}: --only sqlite measures without") from error


def _median(call: Callable[[], Any]) -> float:
    call()
    taken = []
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _fill(store: HeuristicsStore, versions: int) -> list[str]:
    """Write so many versions and ten times as many rows of history, in bulk; return the versions' ids."""
    content = canonical_json(_document()).decode()
    written = [content.replace('"trials":424242', f'"trials":{number + 1}', 1) for number in range(versions)]
    ids = [hash_of(each) for each in written]
    events = _chained(_events(ids))
    with writing(store._engine) as connection:
        for start in range(0, versions, 500):
            chosen = range(start, min(start + 500, versions))
            rows = [
                {"id": ids[each], "schema_version": 1, "document": written[each], "note": f"number {each}", "created_at": _at(each * 10)}
                for each in chosen
            ]
            connection.execute(VERSIONS.insert(), rows)
            records = [
                {
                    "id": hash_of(_summary(ids[each])),
                    "version": ids[each],
                    "suite_hash": "s" * 64,
                    "summary": _summary(ids[each]),
                    "imported": 0,
                    "created_at": _at(each * 10 + 2),
                }
                for each in chosen
            ]
            connection.execute(VALIDATIONS.insert(), records)
        for start in range(0, len(events), 2000):
            connection.execute(EVENTS.insert(), events[start : start + 2000])
        connection.execute(HEAD_OF_HISTORY.update().values(sequence=len(events), hash=events[-1]["hash"]))
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("ANALYZE")  # what autovacuum does of itself after a while
    return ids


def _events(ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    moves, heads = dict.fromkeys(CHANNELS, 0), dict[str, str | None].fromkeys(CHANNELS)
    for number, version in enumerate(ids):
        yield {"action": "added", "version": version, "note": f"number {number}"}
        yield {"action": "looked", "version": version, "detail": json.dumps({"fingerprints": [f"f{each}" for each in range(8)]})}
        record = hash_of(_summary(version))
        detail = {"imported": False, "look": 1, "suite": "large", "validation": record}
        yield {"action": "validated", "version": version, "detail": json.dumps(detail, sort_keys=True)}
        for turn in range(ROWS_A_VERSION - 3):
            channel = CHANNELS[(number * 7 + turn) % len(CHANNELS)]
            if turn % 3 == 0:
                yield {"action": "refused", "version": version, "channel": channel}
                continue
            moves[channel] += 1
            yield {"action": "promoted", "version": version, "channel": channel, "move": moves[channel], "previous": heads[channel]}
            heads[channel] = version


def _chained(rows: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    chained, digest = [], GENESIS
    usual = {"channel": None, "move": None, "previous": None, "by": "ada", "note": "", "detail": "{}"}
    for number, row in enumerate(rows):
        whole = {**usual, **row, "sequence": number + 1, "at": _at(number)}
        digest = whole["hash"] = link(digest, whole)
        chained.append(whole)
    return chained


def _at(number: int) -> str:
    return (BEGAN + timedelta(seconds=number)).isoformat(timespec="microseconds")


def _summary(version: str) -> str:
    return json.dumps({"suite_hash": "s" * 64, "version": version, "words": "x" * 3500}, sort_keys=True, separators=(",", ":"))


def _document() -> HeuristicsDocument:
    """Return a document with the committed spaces and as many datasets as the catalogue has: about as large as a mined one."""
    evidence = {"method": "leave one family out", "trials": 400, "datasets": ["adult"], "effect": -0.1, "interval": [-0.2, -0.02]}
    spaces = untuned_spaces()
    dataset = {"task": "binary", "metric": "auc", "role": "training", "best_score": 0.9, "reference_score": 0.5, "rows": 1000, "trials": 20}
    named = [
        {"name": f"d{each}", "fingerprint": hash_of(str(each)), "family": f"f{each}", "sketch": list(range(64)), **dataset}
        for each in range(20)
    ]
    return HeuristicsDocument.model_validate(
        {
            "modalities": {
                "tabular": {
                    "model_choice": {"order": list(spaces), "regret": dict.fromkeys(spaces, 0.2), "reason": "lowest", "evidence": evidence},
                    "model_types": {name: {"space": space.model_dump(mode="json"), "portfolio": []} for name, space in spaces.items()},
                    "portfolio": [],
                    "early_stopping": {"grace_period": 2, "reduction_factor": 3, "max_epochs": 9},
                    "limits": {"trials": 16, "epochs": 9},
                }
            },
            "provenance": {
                "trial_set_hash": "t" * 64,
                "trials": 424242,
                "failed_trials": 1,
                "sweeps": ["s1"],
                "datasets": named,
                "versions": {"ludwig": "0.17.10", "torch": "2.14.1", "motherlode": "0.1.0"},
                "recipe": {"seed": 0},
                "untuned_space_hash": untuned_space_hash(),
            },
        }
    )


def _show(kind: str, sizes: Sequence[dict[str, Any]]) -> None:
    print(f"{kind}: milliseconds (wanted: below {WANTED * 1000:.0f}) with")
    print(f"{'':26}" + "".join(f"{each['versions']:>9,} versions" for each in sizes) + "    times the first")
    for name in sizes[0]["seconds"]:
        taken = [each["seconds"][name] for each in sizes]
        late = "" if taken[-1] < WANTED else "  TOO SLOW"
        print(f"{name:26}" + "".join(f"{seconds * 1000:18.1f}" for seconds in taken) + f"{taken[-1] / taken[0]:15.1f}{late}")
    last = sizes[-1]
    print(f"{last['rows']:,} rows of history, written in {last['filled']:.0f} s, audited in {last['audited']:.1f} s\n")


if __name__ == "__main__":
    main()
