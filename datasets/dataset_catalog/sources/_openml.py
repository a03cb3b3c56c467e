"""Datasets of OpenML, by their number, through scikit-learn's client: it checks each file against the MD5 that OpenML states.

The other client, openml-python, waits for ever for a server that hangs, and fetches its Parquet files unencrypted and unchecked.
"""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pandas as pd

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell
from dataset_catalog.sources._facts import UNSTATED, SourceFacts, stated
from dataset_catalog.sources._kept import Fetched, Place, kept
from dataset_catalog.sources._openml_server import OWN, ask, reaching, server

_MOST_CELLS = 200_000_000


def openml_table(loader: Loader, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> Fetched:
    """Return the table of OpenML's dataset ``loader.data_id``, and what OpenML says of it; fetched once, then kept under ``cache``.

    Columns that OpenML declares a row's identity or to be ignored are left out; what it declares a set of values is text, even where
    the values look like numbers. The server is ``OPENML_SERVER``, or else openml.org's own. Raises :class:`CatalogError` for a number
    that OpenML does not know, a dataset that it has taken back or that is no table, and a server that cannot be reached.
    """
    number = loader.data_id
    if number is None:
        raise CatalogError("an OpenML dataset needs loader.data_id")
    what = f"openml:{number}"
    place = Place(cache, "openml", _key(number))
    return kept(place, what, lambda work: _fetch(number, what, work, progress), offline=offline, progress=progress)


def _key(number: int) -> str:
    """Return what the table is kept under: a number is another dataset at another server."""
    there = server()
    return str(number) if there == OWN else f"{number}-{hashlib.sha256(there.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _fetch(number: int, what: str, work: Path, progress: Progress | None) -> Fetched:
    tell(progress, f"fetching {what} from {server()}")
    with reaching(what, progress):
        details = ask(f"data/{number}", "data_set_description", what)
        status = str(details.get("status") or "active")
        if status != "active":
            name = details.get("name", "it")
            raise CatalogError(f"{what}: OpenML marks this dataset {status.replace('_', ' ')}; look for another version of {name} there")
        kinds = _kinds(ask(f"data/features/{number}", "data_features", what).get("feature"), what)
        bunch, warned = _client(number, what, work, kinds)
    frame = bunch.get("frame")
    table = _dense(bunch, what) if frame is None else _unquoted(frame)
    return table, _facts(number, details, table, warned)


def _kinds(features: Any, what: str) -> list[str]:
    """Return the kind of each column, as the server tells them."""
    if not isinstance(features, list) or not all(isinstance(each, dict) for each in features):
        raise CatalogError(f"{what}: {server()} did not answer as OpenML does about the columns; is OPENML_SERVER right?")
    return [str(each.get("data_type", "")).lower() for each in features]


def _client(number: int, what: str, work: Path, kinds: list[str]) -> tuple[Any, list[str]]:
    """Let scikit-learn fetch, check and parse the file; return its answer, and what OpenML warns of."""
    from sklearn.datasets import fetch_openml

    # Left alone it would take "01" in a declared set of values for 1, and (scikit-learn 1.9.1 under pandas 3.1) fail over it.
    types = {position: str for position, kind in enumerate(kinds) if kind not in ("numeric", "real", "integer")}
    # Its own cache keeps whatever a server answered, nonsense too: it gets a folder that goes, and the table is kept by us.
    with tempfile.TemporaryDirectory(dir=work) as scratch, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header, which pandas would cut
        try:
            bunch = fetch_openml(
                data_id=number, data_home=scratch, target_column=None, parser="auto", n_retries=1, read_csv_kwargs={"dtype": types}
            )
        except Exception as error:
            raise CatalogError(_line(what, error)) from None
    return bunch, [str(each.message) for each in warned if "OpenML" in str(each.message)]


def _line(what: str, error: Exception) -> str:
    """Tell in one line why a dataset could not be fetched."""
    if isinstance(error, CatalogError):
        return str(error)
    text = " ".join(str(error).split())
    if "md5 checksum" in text:
        return f"{what}: the file as fetched differs from the MD5 that OpenML states; it was thrown away, try again later"
    if isinstance(error, OSError | HTTPException):
        return f"{what}: {server()} broke off while sending ({text or type(error).__name__}); try again later"
    if isinstance(error, pd.errors.ParserError | pd.errors.ParserWarning):
        return f"{what}: the file is not the table that OpenML describes ({text})"
    return f"{what}: {server()} sent what could not be read as a dataset ({type(error).__name__}: {text[:200]})"


def _unquoted(frame: pd.DataFrame) -> pd.DataFrame:
    """Take away the single quotes that ARFF may put around a text, and the client leaves."""
    texts = {name: frame[name].astype(object) for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])}
    return frame.assign(**{name: column.map(_inside, na_action="ignore") for name, column in texts.items()})


def _inside(cell: Any) -> Any:
    return cell[1:-1] if isinstance(cell, str) and len(cell) > 1 and cell[0] == cell[-1] == "'" else cell


def _dense(bunch: Any, what: str) -> pd.DataFrame:
    """Spread out what OpenML keeps sparse; sets of values come as their positions, and are read back."""
    sparse, names = bunch["data"], [str(name) for name in bunch["feature_names"]]
    if sparse.shape[0] * sparse.shape[1] > _MOST_CELLS:
        raise CatalogError(f"{what}: {sparse.shape[0]} rows of {sparse.shape[1]} sparse columns are too many for a table")
    frame = pd.DataFrame(sparse.toarray(), columns=pd.Index(names, dtype=object))
    values = {name: each for name, each in (bunch.get("categories") or {}).items() if name in frame.columns}
    return frame.assign(**{name: frame[name].map(dict(enumerate(map(str, each)))) for name, each in values.items()})


def _facts(number: int, details: dict[str, Any], frame: pd.DataFrame, warned: list[str]) -> SourceFacts:
    target = str(details.get("default_target_attribute") or "")
    version = details.get("version", "?")
    notes = [f"OpenML dataset {number}, version {version}, MD5 {details.get('md5_checksum', 'unstated')}", *warned]
    if target and target not in frame.columns:
        notes.append(f"OpenML names {target!r} as its target, which is no single column of the table")
    ignored = [stated(details.get(key)) for key in ("row_id_attribute", "ignore_attribute")]
    if any(each != UNSTATED for each in ignored):
        notes.append(f"left out, as OpenML says: {', '.join(each for each in ignored if each != UNSTATED)}")
    return SourceFacts(
        title=f"{details.get('name', 'unnamed')} (OpenML {number}, version {version})",
        loader=Loader(data_id=number),
        target=target if target in frame.columns else None,
        licence=stated(details.get("licence")),
        citation=stated(details.get("citation") or details.get("paper_url") or details.get("creator")),
        notes=tuple(" ".join(note.split()) for note in notes),
    )
