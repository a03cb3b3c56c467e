"""Roles hold: by name, by content and by family, in the shipped book and in a user's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.disguises import cut, renamed, thinned
from dataset_catalog import Catalog, CatalogError, Dataset, LockedRole, RoleBook, card, dump_roles, fingerprint, read_card, sketch
from tests.dataset_catalog.styles import people

FAMILY = "somebodys"


def dataset(tmp_path: Path, table: pd.DataFrame, name: str, role: str = "training", family: str = FAMILY) -> Dataset:
    """Describe ``table`` as a user's own dataset."""
    path = tmp_path / f"{name}.yaml"
    said = {"title": name, "source": "file", "loader": {"path": f"{name}.csv"}, "target": "y", "task": "binary", "metric": "auc"}
    said |= {"positive": "high", "licence": "unstated", "citation": "unstated", "rows": len(table), "fingerprint": fingerprint(table)}
    path.write_text(json.dumps(said | {"name": name, "role": role, "family": family}))
    return Dataset(card=read_card(path), frame=table, fingerprint=fingerprint(table))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    return Catalog(tmp_path / "datasets")


@pytest.fixture
def table() -> pd.DataFrame:
    return people().dropna(subset="y")


@pytest.mark.parametrize(("role", "other"), [("training", "held_out"), ("held_out", "training")])
def test_neither_content_nor_a_disguise_of_it_changes_sides(
    catalog: Catalog, tmp_path: Path, table: pd.DataFrame, role: str, other: str
) -> None:
    assert catalog.add(dataset(tmp_path, table, "first", role))
    with pytest.raises(CatalogError, match=rf"second is first, whose role is {role}: it cannot be {other}"):
        catalog.add(dataset(tmp_path, table, "second", other, family="else"))
    half = thinned(cut(table.drop(columns="y"), 0), 0.5).join(table["y"])
    with pytest.raises(CatalogError, match=rf"third shares \d+% of its rows with first, whose role is {role}") as caught:
        catalog.add(dataset(tmp_path, half, "third", other, family="else"))
    assert "\n" not in str(caught.value)
    with pytest.raises(CatalogError, match=f"the family .* is {role}"):
        catalog.add(dataset(tmp_path, people(seed=1).dropna(subset="y"), "fourth", other))
    assert catalog.add(dataset(tmp_path, half, "third", role))
    assert catalog.add(dataset(tmp_path, half.iloc[1:], "spare", "unused"))


def test_the_same_content_has_one_role_under_all_names(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first", "unused"))
    with pytest.raises(CatalogError, match=r"second is first, .* unused: it cannot be training; add it with --role unused"):
        catalog.add(dataset(tmp_path, table, "second"))
    assert [each.name for each in catalog.cards() if each.family == FAMILY] == ["first"]
    assert RoleBook.load(own=catalog.folder / "roles.json").role(fingerprint(table)) == "unused"


def edited(catalog: Catalog, **changes: Any) -> None:
    """Change the one entry of a user's own book by hand."""
    path = catalog.folder / "roles.json"
    entry = RoleBook.model_validate_json(path.read_text()).datasets[0]
    path.write_text(dump_roles(RoleBook(version=1, datasets=(entry.model_copy(update=changes),))))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "adult"}, "'adult' is locked twice"),
        ({"fingerprint": card("bank_marketing").fingerprint}, "first is training and has the content of bank_marketing, which is held_out"),
        ({"family": card("magic").family}, f"families on both sides of the held-out line: {card('magic').family}"),
        ({"sketch": next(each.sketch for each in RoleBook.load().datasets if each.name == "casp")}, "first nearly repeats casp"),
        ({"family": f" {card('magic').family.title()} "}, "datasets.0.family: String should match pattern"),
        ({"sketch": (1, 2, 3)}, "first and .* row sketches cannot be compared"),
    ],
)
def test_a_book_that_was_edited_by_hand_is_refused_in_one_line(
    catalog: Catalog, tmp_path: Path, table: pd.DataFrame, changes: dict[str, Any], said: str
) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    edited(catalog, **changes)
    with pytest.raises(CatalogError, match=said) as caught:
        _ = catalog.roles
    assert str(catalog.folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("shared", ["fingerprint", "family", "sketch"])
@pytest.mark.parametrize(("role", "other"), [("training", "held_out"), ("held_out", "training")])
def test_what_a_user_retired_contradicts_nothing_and_still_counts(
    catalog: Catalog, tmp_path: Path, table: pd.DataFrame, shared: str, role: str, other: str
) -> None:
    shipped = next(each for each in RoleBook.load().datasets if each.role == other and not each.relative)
    catalog.add(dataset(tmp_path, table, "first"))
    edited(catalog, role=role, **{shared: getattr(shipped, shared)})
    with pytest.raises(CatalogError, match="lode datasets retire first puts your own out of use") as caught:
        _ = catalog.roles
    assert "\n" not in str(caught.value)
    edited(catalog, retired=True)
    book = catalog.roles
    first = next(each for each in book.datasets if each.name == "first")
    assert first.fingerprint in book.fingerprints(role)
    assert first.family in book.families(role)
    assert book.sketches(role)["first"] == first.sketch


def test_a_role_changed_in_the_book_alone_is_refused_when_it_is_used(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    edited(catalog, role="held_out")
    with pytest.raises(CatalogError, match=r"card says role training, .* locked held_out; a used role is never changed"):
        catalog.load("first")


def test_relatives_that_are_in_no_catalogue_hold_their_side(
    catalog: Catalog, tmp_path: Path, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = RoleBook.load()
    kin = [each for each in shipped.datasets if each.relative]
    families = {each.family for each in shipped.datasets if not each.relative}
    assert kin
    assert all(each.family in families and each.role in ("training", "held_out") for each in kin)
    secret = LockedRole(
        name="an archive's own", role="held_out", family="kin", fingerprint=fingerprint(table), sketch=sketch(table), relative=True
    )
    monkeypatch.setattr(
        "dataset_catalog._roles._shipped_book", lambda: shipped.model_copy(update={"datasets": (*shipped.datasets, secret)})
    )
    near = renamed(table.drop(columns="y")).assign(y=table["y"].sample(frac=1, random_state=3).to_numpy())
    with pytest.raises(CatalogError, match=r"first shares .* with an archive's own, whose role is held_out: it cannot be training"):
        catalog.add(dataset(tmp_path, near, "first"))
    assert secret.fingerprint in catalog.roles.fingerprints()
    assert "an archive's own" not in {each.name for each in catalog.cards()}


def test_a_relative_is_no_dataset_that_could_be_used(tmp_path: Path, table: pd.DataFrame) -> None:
    mine = dataset(tmp_path, table, "mine")
    entry = LockedRole(name="mine", role="training", family=FAMILY, fingerprint=mine.fingerprint, sketch=sketch(table), relative=True)
    with pytest.raises(CatalogError, match="not locked"):
        RoleBook(version=1, datasets=(entry,)).check(mine.card)
    with pytest.raises(CatalogError, match=r"a relative has this name.* give the dataset another name"):
        RoleBook(version=1, datasets=(entry,)).check_usable(mine.card)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"version": ' + "9" * 5_000 + ', "datasets": []}', '{"version": 99, "datasets": []}'])
def test_a_broken_book_is_one_line(tmp_path, text) -> None:
    (tmp_path / "roles.json").write_text(text)
    with pytest.raises(CatalogError, match=r"roles\.json: ") as caught:
        RoleBook.load(tmp_path / "roles.json")
    assert "\n" not in str(caught.value)


def test_a_dangling_book_is_no_empty_book(tmp_path) -> None:
    (tmp_path / "roles.json").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CatalogError, match="cannot be read"):
        _ = Catalog(tmp_path).roles


def test_an_emptied_book_does_not_free_the_content_of_a_card(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    (catalog.folder / "roles.json").unlink()
    with pytest.raises(CatalogError, match="second: its content is training by the card of first: it cannot be held_out"):
        catalog.add(dataset(tmp_path, table, "second", "held_out", family="else"))
    assert catalog.add(dataset(tmp_path, table, "first")) is False


@pytest.mark.parametrize(
    ("first", "second"), [("unused", "training"), ("unused", "held_out"), ("training", "unused"), ("held_out", "unused")]
)
def test_an_emptied_book_frees_no_content_for_another_role(
    catalog: Catalog, tmp_path: Path, table: pd.DataFrame, first: str, second: str
) -> None:
    catalog.add(dataset(tmp_path, table, "first", first))
    (catalog.folder / "roles.json").unlink()
    with pytest.raises(CatalogError, match=f"second: its content is {first} by the card of first: it cannot be {second}"):
        catalog.add(dataset(tmp_path, table, "second", second))
    assert catalog.add(dataset(tmp_path, people(seed=1).dropna(subset="y"), "kin", second))


def test_two_that_drift_are_not_the_same_content(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    described = dataset(tmp_path, table, "first")
    drifting = described.card.model_copy(update={"fingerprint": None, "drifts": True})
    assert card("debian_section").role == "held_out"
    assert catalog.add(Dataset(card=drifting, frame=table, fingerprint=described.fingerprint))


def test_a_card_stands_in_the_file_of_its_name(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    path = catalog.folder / "cards" / "first.yaml"
    copy = path.with_name("again.yaml")
    copy.write_text(path.read_text())
    for said in (
        r"again\.yaml: .*'first', and so is that of .*first\.yaml: take one",
        r"again\.yaml: .*it belongs into .*first\.yaml: rename",
    ):
        with pytest.raises(CatalogError, match=said) as caught:
            catalog.card("first")
        assert "\n" not in str(caught.value)
        path.unlink(missing_ok=True)
    copy.rename(path)
    assert catalog.card("first").family == FAMILY


def test_a_card_whose_add_was_killed_before_its_lock_says_how_to_go_on(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    first = dataset(tmp_path, table, "first")
    catalog.add(first)
    (catalog.folder / "roles.json").unlink()  # the card is written first
    with pytest.raises(CatalogError, match=r"first: its role is not locked .* its add was interrupted: add it again just so") as caught:
        catalog.load("first")
    assert "\n" not in str(caught.value)
    assert catalog.add(first) is False
    assert catalog.roles.check(first.card).role == "training"


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_role_that_cannot_be_locked_leaves_no_card(
    catalog: Catalog, tmp_path: Path, table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    first = dataset(tmp_path, table, "first")
    with monkeypatch.context() as patched:
        patched.setattr("dataset_catalog._catalog.lock_own", lambda *_: (_ for _ in ()).throw(fault))
        with pytest.raises(CatalogError if isinstance(fault, OSError) else KeyboardInterrupt):
            catalog.add(first)
    assert [path.name for path in catalog.folder.rglob("*") if path.is_file() and path.suffix != ".lock"] == []
    assert catalog.add(first)


def test_a_lock_whose_card_is_gone_says_how_to_go_on(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    first = dataset(tmp_path, table, "first")
    catalog.add(first)
    (catalog.folder / "cards" / "first.yaml").unlink()
    said = rf"first: roles.json has locked it \(training, family {FAMILY}\) and its card is gone.*lode datasets remove first"
    for asked in (lambda: catalog.card("first"), lambda: catalog.add(dataset(tmp_path, table, "first", family="other"))):
        with pytest.raises(CatalogError, match=said) as caught:
            asked()
        assert "\n" not in str(caught.value)
    assert catalog.add(first)
    assert catalog.card("first").family == FAMILY


def never(name: str, fingerprints: frozenset[str]) -> bool:
    """Nothing was ever tried."""
    return False


def files(catalog: Catalog) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in catalog.folder.rglob("*") if path.suffix in (".yaml", ".json")}


def test_an_own_dataset_is_retired_for_good_and_holds_its_side(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    first = dataset(tmp_path, table, "first", "held_out")
    catalog.add(first)
    catalog.add(dataset(tmp_path, people(seed=1).dropna(subset="y"), "second", "held_out"))
    before = files(catalog)
    assert catalog.retire("first", dry_run=True)
    assert files(catalog) == before
    assert [catalog.retire("first"), catalog.retire("first")] == [True, False]
    assert [each.name for each in catalog.cards("held_out") if each.family == FAMILY] == ["second"]
    for use in (lambda: catalog.load("first"), lambda: catalog.add(first)):
        with pytest.raises(CatalogError, match=r"first: retired in roles\.json"):
            use()
    with pytest.raises(CatalogError, match="third is first, whose role is held_out: it cannot be training"):
        catalog.add(dataset(tmp_path, table, "third", family="else"))


def test_a_retirement_ends_a_contradiction_with_what_ships(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    edited(catalog, family=card("magic").family)
    with pytest.raises(CatalogError, match="lode datasets retire first"):
        _ = catalog.roles
    assert catalog.retire("first")
    assert next(each for each in catalog.roles.datasets if each.name == "first").retired


def test_what_was_never_used_is_removed_and_may_take_another_role(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    catalog.add(dataset(tmp_path, people(seed=1).dropna(subset="y"), "kept", family="else"))
    before = files(catalog)
    catalog.remove("first", used=never, dry_run=True)
    assert files(catalog) == before
    catalog.remove("first", used=never)
    assert sorted(files(catalog)) == ["kept.yaml", "roles.json"]
    with pytest.raises(CatalogError, match="there is no dataset 'first'"):
        catalog.card("first")
    assert catalog.add(dataset(tmp_path, table, "first", "held_out"))
    assert catalog.card("first").role == "held_out"


def test_what_was_used_is_not_removed(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    before, asked = files(catalog), []
    with pytest.raises(CatalogError, match=r"first: the journal has trials on it, .*; lode datasets retire first") as caught:
        catalog.remove("first", used=lambda *told: asked.append(told) or True)
    assert "\n" not in str(caught.value)
    assert asked == [("first", frozenset({fingerprint(table)}))]
    assert files(catalog) == before


@pytest.mark.parametrize("gone", ["roles.json", "cards/first.yaml"])
def test_a_lock_or_a_card_alone_is_removed_too(catalog: Catalog, tmp_path: Path, table: pd.DataFrame, gone: str) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    (catalog.folder / gone).unlink()
    told: list[frozenset[str]] = []
    catalog.remove("first", used=lambda _, contents: bool(told.append(contents)))
    assert told == [frozenset({fingerprint(table)})]
    assert catalog.add(dataset(tmp_path, table, "first", "held_out"))


def test_only_a_users_own_are_retired_and_removed(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    for name, said in (
        ("adult", "adult ships with the project"),
        ("adlut", "did you mean 'adult'"),
        ("../../first", "there is no dataset"),
    ):
        for undo in (catalog.retire, lambda name: catalog.remove(name, used=never)):
            with pytest.raises(CatalogError, match=said) as caught:
                undo(name)
            assert "\n" not in str(caught.value)
    assert not catalog.folder.exists()
    catalog.add(dataset(tmp_path, table, "first"))
    (catalog.folder / "roles.json").unlink()
    with pytest.raises(CatalogError, match=r"first: its role is not locked .* and then retire it"):
        catalog.retire("first")


def test_a_name_that_ships_by_now_is_taken_away_or_changed(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first"))
    edited(catalog, name="adult")
    own = catalog.folder / "cards" / "first.yaml"
    own.with_name("adult.yaml").write_text(own.read_text().replace("name: first", "name: adult"))
    own.unlink()
    with pytest.raises(CatalogError, match=r"named 'adult' as a shipped one; give it another name, .*lode datasets remove adult"):
        catalog.card("adult")
    catalog.remove("adult", used=never)
    assert catalog.roles.check(catalog.card("adult")).family == card("adult").family


def test_a_sketch_of_an_older_project_is_told_by_its_name(catalog: Catalog, tmp_path: Path, table: pd.DataFrame) -> None:
    catalog.add(dataset(tmp_path, table, "first", "unused"))
    edited(catalog, sketch=tuple(range(64)))
    with pytest.raises(CatalogError, match=r"roles\.json: first: row sketches cannot be compared: .* lock the dataset anew") as caught:
        catalog.add(dataset(tmp_path, people(seed=1).dropna(subset="y"), "second"))
    assert "\n" not in str(caught.value)
