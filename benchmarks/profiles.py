"""How long profiles take and how much memory: of catalogued datasets, of a table as large as covertype, and beside pymfe's own code.

    python -m benchmarks.profiles [--all]

Each is profiled in a process of its own, so that its peak of memory (imports, reading and table included) is its own. Without ``--all``, of
the catalogued datasets only a few; always only those whose archives are here. The ratio's baseline is pymfe's code for the same figures on
the same table of 20,000 rows and 30 columns of numbers, with its defaults: it samples nothing, and its landmarkers have ten folds where
ours have five on 2,000 rows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

_LARGE = "a table like covertype"
_OURS = "20,000 x 30, this project"
_PYMFE = "20,000 x 30, pymfe's code"
_FEW = ("adult", "covertype", "diamonds", "fars", "give_me_credit", "news20", "zh_reviews")
_LIMIT_SECONDS, _LIMIT_MIB = 30.0, 2048.0


def main() -> int:
    """Print one line a table and, last, the figures for the large one; exit 1 when it takes more than 30 seconds or 2 GiB."""
    parser = argparse.ArgumentParser(description="Seconds and peak memory of profiles.")
    parser.add_argument("--all", action="store_true", help="every catalogued dataset whose archive is here")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(_measured(arguments.one)))
        return 0
    print(f"{'table':<28} {'rows':>8} {'columns':>7} {'read s':>7} {'profile s':>9} {'processor s':>11} {'peak MiB':>8}")
    found = {name: _in_its_own_process(name) for name in [*_datasets(every=arguments.all), _LARGE, _OURS, _PYMFE]}
    ours, theirs, large = found[_OURS], found[_PYMFE], found[_LARGE]
    if ours and theirs:
        print(
            f"beside pymfe's code: {ours['processor'] / theirs['processor']:.3f} of its processor time "
            f"({ours['processor']:.2f} s against {theirs['processor']:.2f} s), {ours['peak'] / theirs['peak']:.2f} of its memory"
        )
    if not large:
        return 1
    whole = large["process"]
    print(
        f"{large['rows']:,} x {large['columns']} profiled in {large['seconds']:.1f} s ({large['processor']:.1f} s of processor; the whole "
        f"process {whole:.1f} s), peak {large['peak']:.0f} MiB, on {os.cpu_count()} processors (limits: {_LIMIT_SECONDS:.0f} s, 2 GiB)"
    )
    return 0 if large["seconds"] <= _LIMIT_SECONDS and large["peak"] <= _LIMIT_MIB else 1


def _datasets(*, every: bool) -> list[str]:
    from experiments._home import Home

    names = [card.name for card in Home.find().catalog.cards()]
    return [name for name in names if every or name in _FEW]


def _in_its_own_process(name: str) -> dict[str, Any] | None:
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "benchmarks.profiles", "--one", name], capture_output=True, text=True, check=False)
    if done.returncode:
        fault = done.stderr.strip().splitlines()
        print(f"{name:<28} not measured: {fault[-1][:100] if fault else done.returncode}")
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    found["process"] = time.perf_counter() - started
    shown = (found["rows"], found["columns"], found["read"], found["seconds"], found["processor"], found["peak"])
    print(f"{name:<28} {shown[0]:>8} {shown[1]:>7} {shown[2]:>7.2f} {shown[3]:>9.2f} {shown[4]:>11.2f} {shown[5]:>8.0f}", flush=True)
    return found


def _measured(name: str) -> dict[str, Any]:
    started = time.perf_counter()
    frame, job = _task(name)
    read = time.perf_counter() - started
    began, before = time.perf_counter(), time.process_time()
    job()
    return {
        "rows": len(frame),
        "columns": frame.shape[1] - 1,
        "read": read,
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - before,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _task(name: str) -> tuple[Any, Callable[[], object]]:
    """Return a table, and what is to be timed on it."""
    from dataset_catalog import profile

    if name == _LARGE:
        frame = _like_covertype()
        return frame, lambda: profile(frame, "y", "multiclass")
    if name in (_OURS, _PYMFE):
        frame = _middling()
        return frame, (lambda: profile(frame, "y", "multiclass")) if name == _OURS else (lambda: _by_pymfe(frame))
    from experiments._home import Home

    dataset = Home.find().catalog.load(name, offline=True)
    card = dataset.card
    return dataset.frame, lambda: profile(dataset.frame, card.target, card.task, ignore=card.parting)


def _like_covertype() -> Any:
    import numpy as np
    import pandas as pd

    rng, rows = np.random.default_rng(0), 581_012
    columns: dict[str, Any] = {f"number{position}": rng.normal(1000, 300, rows).round(position % 3) for position in range(10)}
    columns |= {f"flag{position}": (rng.random(rows) < 0.03).astype(np.int64) for position in range(44)}
    columns["y"] = 1 + np.searchsorted([0.36, 0.85, 0.91, 0.915, 0.93, 0.96], rng.random(rows))
    return pd.DataFrame(columns)


def _middling() -> Any:
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    values = rng.normal(size=(20_000, 30))
    return pd.DataFrame(values, columns=[f"x{position}" for position in range(30)]).assign(
        y=np.digitize(values[:, :3].sum(axis=1), [-1, 1])
    )


def _by_pymfe(frame: Any) -> None:
    """Take by pymfe's functions, with their defaults, what a profile holds under pymfe's names."""
    import warnings

    import numpy as np
    from pymfe.general import MFEGeneral
    from pymfe.info_theory import MFEInfoTheory
    from pymfe.landmarking import MFELandmarking
    from pymfe.statistical import MFEStatistical
    from sklearn.metrics import accuracy_score

    warnings.simplefilter("ignore")
    values, classes = frame.drop(columns="y").to_numpy(), frame["y"].to_numpy()
    MFEGeneral.ft_nr_bin(values)
    MFEGeneral.ft_freq_class(classes)
    for name in ("skewness", "kurtosis", "cor", "nr_cor_attr", "nr_outliers"):
        getattr(MFEStatistical, f"ft_{name}")(values)
    bins = np.linspace(0, 1, int(len(values) ** (1 / 3)) + 1)[1:]
    codes = np.apply_along_axis(lambda column: np.digitize(column, np.unique(np.quantile(column, bins)), right=True), 0, values)
    bits, alone = MFEInfoTheory.ft_class_ent(classes), MFEInfoTheory.ft_attr_ent(codes)
    together = MFEInfoTheory.ft_joint_ent(codes, classes)
    shared = MFEInfoTheory.ft_mut_inf(codes, classes, attr_ent=alone, class_ent=bits, joint_ent=together)
    MFEInfoTheory.ft_ns_ratio(codes, classes, attr_ent=alone, mut_inf=shared)
    MFEInfoTheory.ft_eq_num_attr(codes, classes, class_ent=bits, mut_inf=shared)
    for name in ("one_nn", "best_node", "linear_discr", "naive_bayes"):
        getattr(MFELandmarking, f"ft_{name}")(values, classes, accuracy_score)


if __name__ == "__main__":
    sys.exit(main())
