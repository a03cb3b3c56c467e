"""Dataset cards: one YAML file each, saying where a dataset comes from, what is predicted, and on which side it stands."""

from __future__ import annotations

import difflib
import functools
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from dataset_catalog._errors import CatalogError

Task = Literal["binary", "multiclass", "regression", "text_classification"]
Role = Literal["training", "held_out"]
Metric = Literal["auc", "log_loss", "rmse"]
METRICS: dict[str, Metric] = {"binary": "auc", "multiclass": "log_loss", "regression": "rmse", "text_classification": "log_loss"}
_FOLDER = Path(__file__).parent / "cards"


class Strict(BaseModel):
    """Base of everything read from the catalogue's own files: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Loader(Strict):
    """How a dataset is read: ``member`` of the archive ``package`` by ``reader``, or the file ``path``."""

    package: str | None = None
    member: str | None = None
    reader: Literal["parquet", "csv", "keel", "keel_arff", "r_frame"] | None = None
    separator: str = ","
    missing: tuple[str, ...] = ()
    as_text: tuple[str, ...] = ()
    last_column: str | None = None
    path: Path | None = None


class SplitRule(Strict):
    """How rows are parted: stratified under ``seed``, rows in canonical order; or by a ``column`` of training, validation and test."""

    kind: Literal["stratified", "column"] = "stratified"
    seed: int = 0
    validation_share: float = Field(default=0.1, ge=0, lt=1)
    test_share: float = Field(default=0.2, ge=0, lt=1)
    column: str | None = None


class Reference(Strict):
    """A score that somebody reached on this dataset, and where it was read."""

    metric: str
    value: float
    method: str
    source: str
    note: str = ""


class OwnCheck(Strict):
    """A score that a quick, untuned model of our own reached: a sign that the table is the right one, not a reference to compare with."""

    metric: str
    value: float
    method: str
    how: str
    note: str = ""


class DatasetCard(Strict):
    """One dataset: its origin, its task, its role and family, and what loading it must give.

    ``rows`` and ``fingerprint`` are of the table as loaded, ``dropped`` columns left out. ``positive`` is the positive class of a
    binary task, as text. Every reference names where somebody else published it;
    what we tried ourselves stands under ``checks``.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    source: Literal["packaged", "file", "openml", "huggingface", "ludwig"]
    loader: Loader
    target: str
    task: Task
    role: Role
    family: str
    licence: str
    citation: str
    metric: Metric
    split: SplitRule = SplitRule()
    rows: int = Field(ge=1)
    fingerprint: str
    references: tuple[Reference, ...] = ()
    checks: tuple[OwnCheck, ...] = ()
    positive: str | None = None
    dropped: tuple[str, ...] = ()
    notes: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> DatasetCard:
        if self.metric != METRICS[self.task]:
            raise ValueError(f"the metric of a {self.task} task is {METRICS[self.task]}, not {self.metric}")
        if (self.positive is not None) != (self.task == "binary"):
            raise ValueError("a binary task, and only that, names its positive class")
        if self.source == "packaged" and not (self.loader.package and self.loader.member and self.loader.reader):
            raise ValueError("a packaged dataset needs loader.package, loader.member and loader.reader")
        if self.source == "file" and self.loader.path is None:
            raise ValueError("a dataset in a file needs loader.path")
        return self


def card(name: str) -> DatasetCard:
    """Return the card of the catalogued dataset ``name``; raise :class:`CatalogError` with the nearest name when there is none."""
    known = catalogue()
    if name not in known:
        near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.55)
        raise CatalogError(f"there is no dataset {name!r}" + (f"; did you mean {near[0]!r}?" if near else "") + " (lode datasets list)")
    return known[name]


def read_card(path: Path) -> DatasetCard:
    """Read a card from a YAML file; a relative ``loader.path`` counts from the card's folder. Raises :class:`CatalogError`."""
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CatalogError(f"{path}: no such card") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(f"{path}: the card cannot be read ({error})") from None
    except yaml.YAMLError as error:
        raise CatalogError(f"{path}: the card is not YAML ({' '.join(str(error).split())})") from None
    try:
        read = DatasetCard.model_validate(content)
    except ValidationError as error:
        raise CatalogError(f"{path}: {first_fault(error)}") from None
    if read.loader.path is not None and not read.loader.path.is_absolute():
        absolute = read.loader.model_copy(update={"path": path.parent / read.loader.path})
        return read.model_copy(update={"loader": absolute})
    return read


def first_fault(error: ValidationError) -> str:
    """Tell the first fault that pydantic found in one line: where, and what."""
    fault = error.errors()[0]
    where = ".".join(map(str, fault["loc"]))
    return (f"{where}: " if where else "") + fault["msg"].removeprefix("Value error, ")


@functools.cache
def catalogue() -> dict[str, DatasetCard]:
    """Return all cards that ship with the project, by name and in its order."""
    read = [read_card(path) for path in sorted(_FOLDER.glob("*.yaml"))]
    return {each.name: each for each in sorted(read, key=lambda each: each.name)}
