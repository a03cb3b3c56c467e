"""Dataset cards: one YAML file each, saying where a dataset comes from, what is predicted, and on which side it stands."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from dataset_catalog._errors import CatalogError

Task = Literal["binary", "multiclass", "regression", "text_classification"]
Role = Literal["training", "held_out", "unused"]
Modality = Literal["tabular", "text"]
Metric = Literal["auc", "log_loss", "rmse"]
METRICS: dict[str, Metric] = {"binary": "auc", "multiclass": "log_loss", "regression": "rmse", "text_classification": "log_loss"}
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
SHIPPED_CARDS = Path(__file__).parent / "cards"


class Strict(BaseModel):
    """Base of everything read from the catalogue's own files: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Reader = Literal[
    "parquet",
    "csv",
    "keel",
    "keel_arff",
    "r_frame",
    "orange",
    "lines",
    "messages",
    "questions",
    "ratings",
    "mails",
    "glosses",
    "packages",
]


class Members(Strict):
    """Members of an archive that are read together: ``names``, or patterns with ``*``, and what each of their rows ``adds`` by column."""

    names: tuple[str, ...] = Field(min_length=1)
    adds: dict[str, str] = {}


class Loader(Strict):
    """How a dataset is read; which keys count depends on the card's source.

    ``packaged``: ``member`` of the archive ``package``, or several ``members``, by ``reader``. Of the rows read, those that lack a value
    in a ``needed`` column are left out, and those whose column holds none of the values that ``keep`` names for it; ``columns`` gives the
    columns that stay new names (new: old); of rows alike in the column ``distinct`` the first stays.

    ``file``: ``path``, or ``url`` (``https://``, ``s3://``, ``gs://`` and whatever else fsspec opens) with its ``sha256`` when it is known.
    ``openml``: ``data_id``. ``huggingface``: ``dataset`` (owner/name), ``config`` and ``revision``. ``ludwig``: ``dataset``, a name in
    Ludwig's own zoo.
    """

    package: str | None = None
    member: str | None = None
    members: tuple[Members, ...] = ()
    reader: Reader | None = None
    separator: str = ","
    encoding: str = "utf-8"
    needed: tuple[str, ...] = ()
    keep: dict[str, tuple[str, ...]] = {}
    columns: dict[str, str] = {}
    distinct: str | None = None
    missing: tuple[str, ...] = ()
    as_text: tuple[str, ...] = ()
    last_column: str | None = None
    path: Path | None = None
    url: str | None = None
    sha256: str | None = None
    data_id: int | None = Field(default=None, ge=1)
    dataset: str | None = None
    config: str | None = None
    revision: str | None = None


class SplitRule(Strict):
    """How rows are parted.

    ``stratified``: at random under ``seed``, rows in canonical order, each class keeping its share. ``column``: a ``column`` says training,
    validation or test for each row. ``group``: rows alike in ``column`` stay together. ``time``: the latest rows by ``column`` are the
    test part, those before them the validation part. The column is never a feature.
    """

    kind: Literal["stratified", "column", "group", "time"] = "stratified"
    seed: int = 0
    validation_share: float = Field(default=0.1, ge=0, lt=1)
    test_share: float = Field(default=0.2, ge=0, lt=1)
    column: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> SplitRule:
        if (self.column is not None) != (self.kind != "stratified"):
            raise ValueError(f"a {self.kind} split {'takes no column' if self.kind == 'stratified' else 'needs its column'}")
        return self


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
    what we tried ourselves stands under ``checks``. A dataset whose content ``drifts`` with its source has no fingerprint: it is shown,
    and never used where results are compared.
    """

    name: Name
    title: str
    source: Literal["packaged", "file", "openml", "huggingface", "ludwig"]
    loader: Loader
    target: str
    task: Task
    role: Role
    family: Name
    licence: str
    citation: str
    metric: Metric
    split: SplitRule = SplitRule()
    rows: int = Field(ge=1)
    fingerprint: str | None = None
    drifts: bool = False
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
        if (self.fingerprint is None) != self.drifts:
            raise ValueError("a dataset has a fingerprint unless it drifts, and only then")
        if self.split.column == self.target:
            raise ValueError(f"the target {self.target!r} cannot part the rows")
        self._check_loader()
        return self

    def _check_loader(self) -> None:
        loader = self.loader
        if self.source == "packaged" and not (loader.package and (loader.member or loader.members) and loader.reader):
            raise ValueError("a packaged dataset needs loader.package, loader.member (or members) and loader.reader")
        if self.source == "file" and (loader.path is None) == (loader.url is None):
            raise ValueError("a dataset in a file needs loader.path or loader.url")
        if self.source == "openml" and loader.data_id is None:
            raise ValueError("an OpenML dataset needs loader.data_id")
        if self.source in ("huggingface", "ludwig") and not loader.dataset:
            raise ValueError(f"a {self.source} dataset needs loader.dataset")

    @property
    def modality(self) -> Modality:
        """Whether it is learnt from as text or as a table."""
        return "text" if self.task == "text_classification" else "tabular"

    @property
    def parting(self) -> tuple[str, ...]:
        """The columns that are no features since they part the rows: one or none."""
        return () if self.split.column is None else (self.split.column,)


def read_card(path: Path) -> DatasetCard:
    """Read a card from a YAML file; a relative ``loader.path`` counts from the card's folder. Raises :class:`CatalogError`."""
    try:
        content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CatalogError(f"{path}: no such card") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogError(f"{path}: the card cannot be read ({error})") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # PyYAML lets through what Python says of dates, digits and depth
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
def read_cards(folder: Path = SHIPPED_CARDS) -> dict[str, DatasetCard]:
    """Return all cards of ``folder`` by name, in the order of their names. Read once: cards that ship with the project never change."""
    return {each.name: each for each in sorted(map(read_card, folder.glob("*.yaml")), key=lambda each: each.name)}
