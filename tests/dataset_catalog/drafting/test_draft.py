"""Cards drafted for tables: what is guessed, and what is found wrong."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dataset_catalog import CatalogError, Loader, LockedRole, RoleBook, fingerprint, sketch
from dataset_catalog.drafting import Draft, Wishes, draft, name_after

NOBODY = RoleBook(version=1, datasets=())
ROWS = 600


def people(**columns) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=ROWS)
    frame = pd.DataFrame({"age": rng.integers(18, 90, ROWS), "x": x.round(4), "city": rng.choice(["Rome", "Oslo", "Lima"], ROWS)})
    return frame.assign(**columns, churned=np.where(x + rng.normal(size=ROWS) > 0.5, "yes", "no"))


def drafted(frame: pd.DataFrame, target: str = "churned", *, book: RoleBook = NOBODY, **wishes) -> Draft:
    return draft(
        frame, target, source="file", loader=Loader(path=Path("t.csv")), called="My people.csv", book=book, wishes=Wishes(**wishes)
    )


def found(made: Draft, kind: str) -> dict[tuple[str, ...], str]:
    return {each.columns: str(each) for each in made.findings if each.kind == kind}


def booked(frame: pd.DataFrame, role: str, family: str = "theirs") -> RoleBook:
    entry = LockedRole(name="known", role=role, family=family, fingerprint=fingerprint(frame), sketch=sketch(frame))
    return RoleBook(version=1, datasets=(entry,))


def test_an_innocent_table_has_a_card_and_no_findings() -> None:
    made = drafted(people())
    card = made.card
    assert (card.name, card.task, card.metric, card.positive, card.role, card.family) == (
        "my_people",
        "binary",
        "auc",
        "yes",
        "training",
        "my_people",
    )
    assert (card.rows, card.split.kind, card.licence) == (ROWS, "stratified", "unstated")
    assert card.fingerprint == fingerprint(people())
    assert made.findings == made.ideas == made.relatives == ()
    assert {each.name: each.type for each in made.columns} == {"age": "numeric", "x": "numeric", "city": "category", "churned": "binary"}


@pytest.mark.parametrize(
    ("values", "task"),
    [(np.arange(ROWS) * 1.5, "regression"), (np.resize(list("abcd"), ROWS), "multiclass"), (np.resize([0, 1], ROWS), "binary")],
)
def test_the_task_and_its_metric_follow_the_target(values, task) -> None:
    card = drafted(people(goal=values), "goal").card
    assert card.task == task
    assert card.metric == {"regression": "rmse", "multiclass": "log_loss", "binary": "auc"}[task]


def test_one_column_of_text_alone_is_a_text_classification() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["the", "a", "bank", "river", "money", "flood", "rain", "loan", "of", "and", "wet", "rich"])
    text = [" ".join(rng.choice(words, 8)) for _ in range(ROWS)]
    frame = pd.DataFrame({"message": text, "kind": rng.choice(["spam", "ham"], ROWS)})
    assert drafted(frame, "kind").card.task == "text_classification"
    assert drafted(frame.assign(length=rng.integers(1, 99, ROWS)), "kind").card.task == "binary"
    with pytest.raises(CatalogError, match="text alone, and there are 1 columns of text beside 'length'"):
        drafted(frame.assign(length=rng.integers(1, 99, ROWS)), "kind", task="text_classification")


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (lambda y: np.where(y == "yes", 7, 3), "the target under other names"),
        (lambda y: np.where(y == "yes", "left", None), "the target"),
        (lambda y: np.where(y == "yes", 1.0, -1.0) + np.random.default_rng(1).normal(0, 0.2, ROWS), "alone tells the target"),
    ],
)
def test_a_column_that_gives_a_class_away_is_told_with_its_figure(column, told) -> None:
    frame = people()
    made = drafted(frame.assign(leak=column(frame["churned"].to_numpy())))
    assert told in found(made, "leak")["leak",]
    assert "--drop leak" in found(made, "leak")["leak",]
    assert "leak" in made.dataset.frame.columns  # warned about, not dropped in silence
    assert found(drafted(frame.assign(leak=1).assign(leak=column(frame["churned"].to_numpy())), drop=("leak",)), "leak") == {}


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (lambda y: y * 1000 + 3, "in another scale"),
        (lambda y: y.round(-1), "nearly a copy"),
        (lambda y: np.exp(y / 100), "tells the target"),
        (lambda y: y, "is a copy of the target"),
    ],
)
def test_a_copy_of_a_quantity_is_found_in_any_scale(column, told) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=ROWS)})
    frame["price"] = (100 * frame["x"] + 80 * rng.normal(size=ROWS)).round(2)
    made = drafted(frame.assign(again=column(frame["price"])), "price")
    assert list(found(made, "leak")) == [("again",)]
    assert told in found(made, "leak")["again",]


def test_a_strong_but_honest_column_is_no_leak() -> None:
    rng = np.random.default_rng(0)
    goal = rng.normal(size=ROWS)
    frame = pd.DataFrame({"x": goal + 0.3 * rng.normal(size=ROWS), "y": goal})
    assert found(drafted(frame, "y"), "leak") == {}
    assert found(drafted(frame.assign(y=np.where(goal > 0, "a", "b")), "y"), "leak") == {}


def test_identifiers_constants_and_doubles_are_told() -> None:
    frame = people(customer_id=np.random.default_rng(2).permutation(ROWS) * 7, unit="kg", nothing=None)
    made = drafted(frame.assign(city_code=frame["city"].map({"Rome": 1, "Oslo": 2, "Lima": 3}), x2=frame["x"]))
    assert set(found(made, "id")) == {("customer_id",)}
    assert set(found(made, "constant")) == {("unit",), ("nothing",)}
    assert set(found(made, "duplicate_column")) == {("city_code", "city"), ("x2", "x")}


def test_rows_sorted_by_their_target_have_a_telling_number() -> None:
    frame = people().sort_values("churned").assign(row=range(ROWS))
    assert "sorted by it" in found(drafted(frame), "leak")["row",]


def test_repetitions_rare_classes_and_missing_targets_are_counted() -> None:
    frame = people()
    made = drafted(pd.concat([frame, frame.iloc[:200]]))
    assert "200 of 800 rows (25.0%) are copies of another" in found(made, "repeated_rows")[()]
    frame.loc[0, "churned"] = "perhaps"
    frame.loc[1:30, "churned"] = None
    made = drafted(frame)
    assert "'perhaps' (1)" in found(made, "rare_class")[()]
    assert "30 of 600 rows" in found(made, "missing_target")["churned",]


def test_copies_in_the_test_part_are_a_warning_that_names_the_group_which_keeps_them_together() -> None:
    frame = people(patient_id=np.random.default_rng(0).integers(0, 80, ROWS))
    copied = pd.concat([frame, frame.iloc[:60]])
    (told,) = (each for each in drafted(copied).findings if each.kind == "repeated_rows")
    assert told.serious
    assert "test rows" in told.text
    assert "--split group:patient_id keeps them together" in told.remedy
    (told,) = (each for each in drafted(copied, split="group:patient_id").findings if each.kind == "repeated_rows")
    assert not told.serious
    assert "no test row stands in the training part" in told.text
    assert "--split" not in told.remedy
    assert "--split group:COLUMN" in found(drafted(pd.concat([people(), people().iloc[:60]])), "repeated_rows")[()]


def test_rows_alike_with_another_target_are_no_copies() -> None:
    frame = people()
    torn = frame.iloc[:30].assign(churned=frame["churned"].iloc[:30].map({"yes": "no", "no": "yes"}))
    made = drafted(pd.concat([frame, torn]))
    assert found(made, "repeated_rows") == {}
    assert "60 of 630 rows (9.5%) are like another in every feature" in found(made, "contradicting_rows")[()]
    assert not any(each.serious for each in made.findings)


def test_a_draft_holds_its_rows_as_they_are_parted() -> None:
    frame = people()
    frame.loc[:9, "churned"] = None
    parted = drafted(frame).parted
    assert len(parted.frame) == len(parted.split.parts) == ROWS - 10
    assert np.bincount(parted.split.parts).tolist() == [413, 59, 118]


def test_columns_speak_for_splits_and_official_ones_are_taken() -> None:
    rng = np.random.default_rng(0)
    when = pd.date_range("2021-01-01", periods=ROWS).astype(str)
    made = drafted(people(when=when, patient_id=rng.integers(0, 80, ROWS)))
    assert [idea.option for idea in made.ideas] == ["--split time:when", "--split group:patient_id"]
    assert made.card.split.kind == "stratified"
    chosen = drafted(people(when=when), split="time:when").card
    assert (chosen.split.kind, chosen.split.column) == ("time", "when")
    official = drafted(people(fold=np.resize(["train", "train", "valid", "test"], ROWS))).card
    assert (official.split.kind, official.split.column) == ("column", "fold")
    assert drafted(people(fold=np.resize(["train", "test"], ROWS)), split="stratified").card.split.kind == "stratified"


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"split": "time"}, "is no split"),
        ({"split": "group:citi"}, "did you mean 'city'"),
        ({"drop": ("churned",)}, "cannot be dropped"),
        ({"drop": ("agee",)}, "did you mean 'age'"),
        ({"task": "ranking"}, "there is no task"),
        ({"task": "regression"}, "holds text"),
        ({"positive": "maybe"}, "none of the classes"),
        ({"role": "testing"}, "no card can be written"),
        ({"name": "Ünfit name"}, "no card can be written"),
    ],
)
def test_wishes_that_cannot_be_met_are_one_line(wishes, said) -> None:
    with pytest.raises(CatalogError, match=said) as caught:
        drafted(people(), **wishes)
    assert "\n" not in str(caught.value)


def test_what_is_held_out_is_not_trained_on_and_the_other_way_round() -> None:
    frame = people()
    part = frame.sample(300, random_state=0).reset_index(drop=True)
    with pytest.raises(CatalogError, match="is known, whose role is held_out"):
        drafted(frame, book=booked(frame, "held_out"))
    with pytest.raises(CatalogError, match="of its rows with known, whose role is held_out"):
        drafted(part, book=booked(frame, "held_out"))
    with pytest.raises(CatalogError, match="cannot be held_out"):
        drafted(part, book=booked(frame, "training"), role="held_out")
    with pytest.raises(CatalogError, match="the family 'theirs' is held_out"):
        drafted(people(), book=booked(frame[["age", "city", "churned"]].head(50), "held_out"), family="theirs")
    near = drafted(part, book=booked(frame, "training"))
    assert "--family theirs" in found(near, "near_duplicate")[()]
    assert drafted(part, book=booked(frame, "held_out"), role="held_out", family="theirs").card.role == "held_out"


def test_names_are_made_of_files() -> None:
    assert name_after("/data/My Table (2).csv.gz") == "my_table_2"
    assert name_after("2024.csv") == "data_2024"
    with pytest.raises(CatalogError, match="--name"):
        name_after("数据.csv")
