"""What a profile holds: every field with its unit, its definition and where its name comes from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

PROFILE_VERSION = 2
"""Raised whenever a figure of the same table would change."""

Origin = Literal["pymfe", "pymfe, changed", "own"]


class Summary(BaseModel):
    """Mean, standard deviation (n - 1), least and greatest of several values; ``None`` where there are none, or one alone (``sd``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    mean: float | None = None
    sd: float | None = None
    min: float | None = None
    max: float | None = None


class Lengths(Summary):
    """A summary with the median and the 95th percentile beside it."""

    median: float | None = None
    p95: float | None = None


def _field(unit: str, definition: str, origin: Origin = "own", **more: Any) -> Any:
    return Field(description=definition, json_schema_extra={"unit": unit, "origin": origin}, **more)


def _of_columns(count: str) -> Any:
    return _field("share of columns", f"`{count}` over `nr_attr`")


class Profile(BaseModel):
    """What a table is like, as a table to predict its target from; ``None`` where a figure has no meaning.

    Written out (``model_dump``) it is one flat mapping, summaries under pymfe's names: ``skewness.mean``, ``skewness.sd`` and so on; such a
    mapping is read back by ``model_validate``. What each field means: docs/reference/profile.md.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int = _field("", "version of these definitions: figures of two versions are not comparable", default=PROFILE_VERSION)

    nr_inst: int = _field(
        "rows", "rows that have a target (a regression's: a finite one); all other rows are left out of every figure", "pymfe"
    )
    nr_attr: int = _field("columns", "columns that may be learnt from: without the target and the ignored ones", "pymfe")
    inst_to_attr: float = _field("ratio", "rows over columns", "pymfe")
    attr_to_inst: float = _field("ratio", "columns over rows", "pymfe")
    target_missing_share: float = _field("share of all rows", "rows left out for want of a target")
    repeated_row_share: float = _field("share of rows", "rows whose features repeat those of another row, all but one of each kind")

    nr_num: int = _field("columns", "columns of numbers (durations count, in seconds), true and false are none", "pymfe")
    nr_cat: int = _field("columns", "columns of categories: true and false, text that is not prose, cells of mixed types", "pymfe")
    nr_bin: int = _field("columns", "columns of whatever type with exactly two distinct values, missing cells aside", "pymfe")
    nr_text: int = _field(
        "columns",
        "columns of prose: three tokens a cell or more on average, a fifth of the cells or more distinct, and more than 20 distinct cells "
        "unless the task is one of text",
    )
    nr_date: int = _field("columns", "columns of dates or times")
    nr_empty: int = _field("columns", "columns without a single value")
    numeric_share: float = _of_columns("nr_num")
    categorical_share: float = _of_columns("nr_cat")
    binary_share: float = _of_columns("nr_bin")
    text_share: float = _of_columns("nr_text")
    date_share: float = _of_columns("nr_date")
    constant_share: float = _field("share of columns", "columns with fewer than two distinct values, a missing cell being a value")
    cat_to_num: float | None = _field("ratio", "`nr_cat` over `nr_num`", "pymfe")
    num_to_cat: float | None = _field("ratio", "`nr_num` over `nr_cat`", "pymfe")

    cardinality: Summary = _field("values", "distinct values of each column of categories")
    distinct_share: Summary = _field("share of cells", "distinct values of each column of numbers over its cells that are not missing")

    missing_share: float = _field("share of cells", "missing cells")
    missing_row_share: float = _field("share of rows", "rows with a missing cell")
    missing_column_share: float = _field("share of columns", "columns with a missing cell")
    attr_missing: Summary = _field("share of rows", "missing cells of each column")
    infinite_share: float | None = _field(
        "share of cells", "infinite cells among the numbers that are not missing; figures of numbers leave them out"
    )

    nr_class: int | None = _field("classes", "distinct values of the target; none for a regression", "pymfe")
    freq_class: Summary = _field("share of rows", "rows of each class", "pymfe")
    class_ent: float | None = _field("bits", "entropy of the target's classes", "pymfe")
    class_entropy: float | None = _field(
        "share", "`class_ent` over its greatest possible value, log2 of the classes: 1 is balanced; 0 for a single class"
    )
    imbalance: float | None = _field("ratio", "rows of the largest class over those of the smallest")
    target_skewness: float | None = _field("", "a regression target's `skewness`")
    target_kurtosis: float | None = _field("", "a regression target's `kurtosis`")
    target_distinct_share: float | None = _field("share of rows", "distinct values of a regression's target over rows")

    skewness: Summary = _field(
        "", "third standardised moment of each column of numbers that is not constant, deviations by n - 1 (b1)", "pymfe"
    )
    kurtosis: Summary = _field(
        "", "fourth standardised moment less 3 of each column of numbers that is not constant, deviations by n - 1 (b2)", "pymfe"
    )
    nr_outliers: int | None = _field(
        "columns", "columns of numbers with a value beyond 1.5 interquartile ranges from the quartiles", "pymfe"
    )
    cor: Summary = _field(
        "",
        "absolute correlation (Pearson) of each pair of columns of numbers, on the sample; a missing cell counts as the column's mean; "
        "of more than 500 columns, 500 drawn by name count",
        "pymfe",
    )
    nr_cor_attr: float | None = _field("share of pairs", "pairs correlated by a half or more, of those of `cor`", "pymfe")

    attr_ent: Summary = _field(
        "bits",
        "entropy of each column but prose, on the sample; numbers and dates in bins of equal frequency, "
        "as many as the cube root of the sample's rows; missing cells are a value",
        "pymfe",
    )
    joint_ent: Summary = _field("bits", "entropy of each such column together with the target (a regression's in bins too)", "pymfe")
    mut_inf: Summary = _field("bits", "mutual information of each such column with the target, by plain counts", "pymfe")
    eq_num_attr: float | None = _field("columns", "the target's entropy over the mean of `mut_inf`", "pymfe")
    ns_ratio: float | None = _field(
        "ratio", "the sum of `attr_ent` less that of `mut_inf`, over that of `mut_inf`: noise to signal", "pymfe"
    )

    text_tokens: Lengths = _field(
        "tokens",
        "length of each cell of prose; a token is a run of letters and digits, a punctuation sign, or one Chinese or Japanese character",
    )
    text_chars: Lengths = _field("characters", "length of each cell of prose")
    languages: tuple[str, ...] | None = _field(
        "ISO 639 codes", "languages of a tenth or more of the cells that can be told, the most frequent first"
    )

    landmark_rows: int | None = _field("rows", "rows that the landmarkers were measured on")
    one_nn: Summary = _field("score over folds", "the nearest neighbour", "pymfe, changed")
    best_node: Summary = _field("score over folds", "a tree of one split", "pymfe, changed")
    linear_discr: Summary = _field(
        "score over folds", "a linear model: least squares on the classes or the target with a ridge of 1", "pymfe, changed"
    )
    naive_bayes: Summary = _field(
        "score over folds", "naive Bayes with normal distributions; not for regressions, nor beside prose", "pymfe, changed"
    )

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        flat: dict[str, Any] = {}
        for name, value in handler(self).items():
            flat |= {f"{name}.{part}": each for part, each in value.items()} if isinstance(value, dict) else {name: value}
        return flat

    @model_validator(mode="before")
    @classmethod
    def _unflattened(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        nested: dict[str, Any] = {name: value for name, value in values.items() if "." not in name}
        for name, value in values.items():
            field, dot, part = name.partition(".")
            if dot:
                nested.setdefault(field, {})[part] = value
        return nested


def described_fields() -> list[tuple[str, str, str, str]]:
    """Return the fields of a profile in order: name (a summary's with its parts), unit, definition, origin of the name."""
    told = Profile.model_json_schema()["properties"]
    return [
        (_with_parts(name, field.annotation), told[name]["unit"], told[name]["description"], told[name]["origin"])
        for name, field in Profile.model_fields.items()
    ]


def _with_parts(name: str, kind: Any) -> str:
    return f"{name}." + ", .".join(kind.model_fields) if isinstance(kind, type) and issubclass(kind, Summary) else name
