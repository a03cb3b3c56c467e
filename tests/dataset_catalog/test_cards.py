"""Cards say what they claim, roles stay on their side of the line."""

import json
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest
import yaml

from dataset_catalog import (
    SKETCH_SIZE,
    CatalogError,
    LockedRole,
    RoleBook,
    archives,
    card,
    cards,
    dump_roles,
    fingerprint,
    load,
    load_card,
    read_card,
    sketch,
)

FIELDS = {
    "name": "mine",
    "title": "Mine",
    "source": "file",
    "loader": {"path": "mine.csv"},
    "target": "y",
    "task": "binary",
    "positive": "b",
    "role": "training",
    "family": "mine",
    "licence": "CC0",
    "citation": "none",
    "metric": "auc",
    "rows": 3,
    "fingerprint": "unknown",
}


def write(folder: Path, **changes: object) -> Path:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in (FIELDS | changes).items() if value is not None}))
    return path


def test_every_card_is_locked_and_loadable_in_principle() -> None:
    book = RoleBook.load()
    assert len(cards()) == 36
    for each in cards():
        locked = book.check(each)
        assert len(locked.sketch) == SKETCH_SIZE
        assert each.loader.package in archives()
        assert all(reference.source and "own" not in reference.source.split() for reference in each.references)
    assert {each.name for each in cards()} == {each.name for each in book.datasets if not each.relative}


def test_both_sides_cover_the_tasks() -> None:
    tasks = defaultdict(set)
    for each in cards():
        tasks[each.role].add(each.task)
    assert tasks["training"] == tasks["held_out"] == {"binary", "multiclass", "regression", "text_classification"}


def test_near_relatives_stand_on_one_side() -> None:
    book = RoleBook.load()
    assert not book.families("training") & book.families("held_out")
    for each in book.datasets:
        if each.role == "unused":  # may share rows and raters with either side
            continue
        other = "training" if each.role == "held_out" else "held_out"
        assert book.resembles(each.sketch, other) is None
        assert book.resembles(each.sketch, each.role) == each.name


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(CatalogError, match="did you mean 'bank_marketing'"):
        card("bank_markting")
    with pytest.raises(CatalogError, match="no dataset 'zzz' "):
        card("zzz")
    with pytest.raises(CatalogError, match="no role"):
        cards("test")


def test_a_file_beside_its_card_loads(tmp_path: Path) -> None:
    frame = pd.DataFrame({"y": ["a", "b", "a"], "x": [1, 2, 3], "id": [7, 8, 9]})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    expected = fingerprint(frame.drop(columns="id"))
    dataset = load_card(read_card(write(tmp_path, dropped=["id"], fingerprint=expected)), cache=tmp_path)
    assert list(dataset.frame.columns) == ["x", "y"]
    with pytest.raises(CatalogError, match="no column 'nothing'"):
        load_card(read_card(write(tmp_path, dropped=["nothing"])), cache=tmp_path)
    with pytest.raises(CatalogError, match="gave 3 rows"):
        load_card(read_card(write(tmp_path, rows=4)), cache=tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "red"}, "colour"),
        ({"metric": "rmse"}, "the metric of a binary task is auc"),
        ({"positive": None}, "positive class"),
        ({"role": "test"}, "role"),
        ({"loader": {}}, "loader.path"),
        ({"source": "packaged"}, "loader.package"),
        ({"name": "../etc"}, "name"),
    ],
)
def test_faulty_cards_are_refused_in_one_line(tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as caught:
        read_card(write(tmp_path, **changes))
    assert "\n" not in str(caught.value)


def test_unreadable_cards(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("a: [1\nb: !!python/object:os.system x")
    for name in ("bad.yaml", "nothing.yaml"):
        with pytest.raises(CatalogError, match=name):
            read_card(tmp_path / name)


def book(*entries: tuple[str, str, str, str]) -> RoleBook:
    keys = ("name", "role", "family", "fingerprint")
    locked = [LockedRole.model_validate(dict(zip(keys, each, strict=True)) | {"sketch": rows_of(each[3])}) for each in entries]
    return RoleBook(version=1, datasets=tuple(locked))


def rows_of(fingerprint: str) -> tuple[int, ...]:
    return sketch(pd.DataFrame({"rows": [f"{row} {fingerprint} is what the row begins with" for row in range(300)]}))


def test_a_used_role_is_never_changed(tmp_path: Path) -> None:
    mine = read_card(write(tmp_path))
    assert book(("mine", "training", "mine", "unknown")).check(mine).role == "training"
    for entry in (("mine", "held_out", "mine", "unknown"), ("mine", "training", "other", "unknown"), ("mine", "training", "mine", "f1-0")):
        with pytest.raises(CatalogError, match="a used role is never changed"):
            book(entry).check(mine)
    with pytest.raises(CatalogError, match="not locked"):
        book().check(mine)


def test_a_book_round_trips_and_may_not_contradict_itself(tmp_path: Path) -> None:
    good = book(("a", "training", "fa", "1"), ("b", "held_out", "fb", "2"))
    (tmp_path / "good.json").write_text(dump_roles(good))
    assert RoleBook.load(tmp_path / "good.json") == good
    assert good.role("2") == "held_out"
    assert good.role("3") is None
    assert good.fingerprints() == {"2"}
    assert good.sketches() == {"b": rows_of("2")}
    bad = book(("a", "training", "f", "1"), ("b", "held_out", "f", "2"))
    (tmp_path / "bad.json").write_text(dump_roles(bad))
    with pytest.raises(CatalogError, match="families on both sides of the held-out line: f; take what was changed by hand back"):
        RoleBook.load(tmp_path / "bad.json")
    (tmp_path / "junk.json").write_text(json.dumps({"version": 1}))
    with pytest.raises(CatalogError, match="datasets"):
        RoleBook.load(tmp_path / "junk.json")


def test_near_duplicates_on_both_sides_are_refused(tmp_path: Path) -> None:
    rows = [f"{number} is what the row begins with" for number in range(2000)]
    half = sketch(pd.DataFrame({"x": rows[:1000]}))
    more = sketch(pd.DataFrame({"y": rows[400:]}))
    one, other = book(("a", "training", "fa", "1"), ("b", "held_out", "fb", "2")).datasets
    near = RoleBook(version=1, datasets=(one.model_copy(update={"sketch": half}), other.model_copy(update={"sketch": more})))
    (tmp_path / "near.json").write_text(dump_roles(near))
    with pytest.raises(CatalogError, match="a nearly repeats b on the other side") as caught:
        RoleBook.load(tmp_path / "near.json")
    assert "\n" not in str(caught.value)


def test_a_retired_dataset_is_used_no_more_and_still_stands_on_its_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = RoleBook.load()
    gone = shipped.model_copy(
        update={"datasets": tuple(each.model_copy(update={"retired": each.name == "bank_marketing"}) for each in shipped.datasets)}
    )
    monkeypatch.setattr("dataset_catalog._roles._shipped_book", lambda: gone)
    assert "bank_marketing" not in {each.name for each in cards("held_out")}
    assert "bank_marketing" in {each.name for each in cards()}
    with pytest.raises(CatalogError, match="bank_marketing: retired"):
        load("bank_marketing", cache=tmp_path, offline=True)
    described = card("bank_marketing")
    assert described.fingerprint in RoleBook.load().fingerprints()
    assert RoleBook.load().check(described).retired


def test_what_is_unused_may_be_a_relative_of_either_side(tmp_path: Path) -> None:
    good = book(("a", "training", "fa", "1"), ("b", "held_out", "fb", "2"), ("c", "unused", "fb", "3"), ("d", "unused", "fa", "4"))
    alike = [each.model_copy(update={"sketch": rows_of({"c": "2", "d": "1"}.get(each.name, each.fingerprint))}) for each in good.datasets]
    (tmp_path / "roles.json").write_text(dump_roles(RoleBook(version=good.version, datasets=tuple(alike))))
    assert len(RoleBook.load(tmp_path / "roles.json").datasets) == 4
    described = card("hutto_tweets")
    assert (described.role, described.family) == ("unused", card("hutto_amazon").family)
    assert described.name not in {each.name for side in ("training", "held_out") for each in cards(side)}


def test_what_drifts_is_locked_by_name_and_family() -> None:
    described = card("debian_section")
    locked = RoleBook.load().check(described)
    assert (locked.role, locked.family, locked.fingerprint) == ("held_out", "debian_packages", None)
    assert locked.family in RoleBook.load().families("held_out")
    assert None not in RoleBook.load().fingerprints("held_out")
    with pytest.raises(CatalogError, match="a used role is never changed"):
        RoleBook.load().check(described.model_copy(update={"family": "other"}))
