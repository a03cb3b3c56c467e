"""``lode datasets show``: a dataset as people see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from experiments.commands import _output
from experiments.commands._datasets_columns import bar, column_rows, sparkline
from experiments.commands._output import JsonOption

if TYPE_CHECKING:
    from dataset_catalog.drafting import Relative
    from experiments._dataset_view import ContentView, DatasetView, TargetView, VersionView

_CLASSES = 12
_HIGHLIGHTS = (
    ("missing_share", "missing cells"),
    ("repeated_row_share", "rows that repeat the features of another"),
    ("class_entropy", "class entropy, of the greatest possible"),
    ("imbalance", "rows of the largest class over the smallest's"),
    ("target_skewness", "skewness of the target"),
    ("skewness.mean", "skewness of numeric columns, mean"),
    ("cor.max", "correlation of two numeric columns, greatest"),
    ("mut_inf.max", "mutual information with the target, greatest"),
    ("text_tokens.median", "tokens a text, median"),
    ("languages", "languages"),
    ("one_nn.mean", "landmarker: nearest neighbour"),
    ("best_node.mean", "landmarker: best stump"),
    ("linear_discr.mean", "landmarker: linear"),
)


def show(
    name: Annotated[str, typer.Argument(help="A dataset's name.")],
    fetch: Annotated[bool, typer.Option("--fetch", help="Download the dataset when it is not here.")] = False,
    json: JsonOption = False,
) -> None:
    """Show a dataset: origin, role, split, columns, balance, relatives, and the heuristics versions that were mined from it or saw it.

    Nothing is downloaded unless asked: without its content, the card is shown.
    """
    from experiments._dataset_view import view_dataset
    from experiments._home import Home
    from experiments.commands._transfers import transfer_bars

    with transfer_bars() as bars:
        view = view_dataset(name, Home.find(), fetch=fetch, progress=bars)
    if json:
        _print_json(view)
        return
    _print_card(view)
    if view.content is None:
        _output.tell(f"not shown: columns, parts and balance ({view.absent}); {_mend(view, fetch)}")
    else:
        _print_content(view, view.content)
    _print_scores(view)
    if view.relatives:
        rows = [(each.name, each.role, each.family, *_relation(each)) for each in view.relatives]
        _output.print_table("relatives", ("name", "role", "family", "rows shared", "what"), rows)
    _print_versions(view)


def _relation(relative: Relative) -> tuple[str | None, str]:
    """Say how many rows a relative shares, and what it is; where it is listed because content does not show it, nothing is shared."""
    what = "near-duplicate" if relative.near else "same family"
    if relative.listed:
        what += "; in no catalogue, listed so that it is never added on the other side"
    return None if relative.listed and not relative.similarity else f"{relative.similarity:.0%}", what


def _mend(view: DatasetView, fetched: bool) -> str:
    """Say what brings the content back: no download does for a file of one's own, nor where it was just tried."""
    if view.card.loader.path is not None:
        return f"put the file back at {view.card.loader.path} as it was, or add the one there is now under another name"
    if fetched:
        return "it was asked for, and did not come"
    return f"lode datasets show {view.card.name} --fetch downloads it first"


def _print_json(view: DatasetView) -> None:
    from experiments._dataset_view import shown_card

    card = shown_card(view.card).model_dump(mode="json")
    facts = {
        "locked": view.locked.model_dump(exclude={"sketch"}),
        "own": view.own,
        "modality": view.card.modality,
        "origin": view.origin,
        "relatives": view.relatives,
        "content": view.content,
        "absent": view.absent or None,
        "mined": view.mined,
        "validated": view.validated,
        "versions_unread": view.versions_unread or None,
    }
    _output.print_json(card | facts)


def _print_card(view: DatasetView) -> None:
    card, locked = view.card, view.locked
    role = f"{card.role}, family {card.family}: locked" + (", and retired" if locked.retired else "")
    rows: list[tuple[str, object]] = [
        ("task", f"{card.task} ({card.modality}), target {card.target!r}" + (f", positive {card.positive!r}" if card.positive else "")),
        ("metric", card.metric),
        ("role", role),
        ("catalogue", "your own" if view.own else "ships with the project"),
        *view.origin.items(),
        ("licence", card.licence),
        ("citation", card.citation),
        ("split", _split(view)),
        ("rows", f"{card.rows:,}" + (" when its card was written: it drifts with its source" if card.drifts else "")),
        ("fingerprint", card.fingerprint),
    ]
    rows += [("left out", ", ".join(card.dropped))] if card.dropped else []
    rows += [("notes", card.notes)] if card.notes else []
    _output.print_table(f"{card.name}: {card.title}", ("what", "value"), rows)


def _split(view: DatasetView) -> str:
    rule = view.card.split
    said = rule.kind + (f" by {rule.column!r}" if rule.column else f", seed {rule.seed}")
    if view.content is None:
        return f"{said}; validation {rule.validation_share:.0%}, test {rule.test_share:.0%}"
    return f"{said}: " + ", ".join(f"{count:,} {part}" for part, count in view.content.parts.items())


def _print_content(view: DatasetView, content: ContentView) -> None:
    card = view.card
    _output.print_table(_output.counted(len(content.columns), "column"), *column_rows(content.columns, card.target, card.split.column))
    _print_target(card.target, content.target)
    figures = content.profile.model_dump(mode="json")
    told = [(words, _figure(figures[key])) for key, words in _HIGHLIGHTS if figures.get(key) is not None]
    if told:
        _output.print_table(f"profile (all of it: lode datasets profile {card.name})", ("meta-feature", "value"), told)


def _figure(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _print_target(name: str, target: TargetView) -> None:
    if not target.classes:
        row = (target.low, target.middle, target.high, sparkline(target.histogram))
        _output.print_table(f"target {name!r}", ("least", "median", "most", "histogram"), [row])
        return
    rows = [(level, f"{count:,}", f"{share:.1%}", bar(share)) for level, count, share in target.classes[:_CLASSES]]
    rest = target.classes[_CLASSES:]
    if rest:
        share = sum(each[2] for each in rest)
        rows.append((f"{len(rest)} more", f"{sum(each[1] for each in rest):,}", f"{share:.1%}", bar(share)))
    _output.print_table(f"classes of {name!r}", ("class", "rows", "share", ""), rows)


def _print_scores(view: DatasetView) -> None:
    if view.card.references:
        scores = [(score.metric, score.value, score.method, score.source, score.note) for score in view.card.references]
        _output.print_table("reference scores", ("metric", "value", "method", "read in", "note"), scores)
    if view.card.checks:
        tried = [(each.metric, each.value, each.method, each.how, each.note) for each in view.card.checks]
        _output.print_table("our own checks, no references", ("metric", "value", "method", "how", "note"), tried)


def _print_versions(view: DatasetView) -> None:
    if view.versions_unread:
        _output.warn(f"the heuristics database could not be asked: {view.versions_unread}")
    for title, found in (("heuristics versions mined from it", view.mined), ("heuristics versions validated on it", view.validated)):
        if found:
            _output.print_table(title, ("version", "state", "channels", "trials on it"), map(_version_row, found))
    if not (view.mined or view.validated or view.versions_unread):
        _output.tell("no heuristics version in the database was mined from it or validated on it")


def _version_row(version: VersionView) -> tuple[object, ...]:
    return version.version[:12], version.state, ", ".join(version.channels) or None, version.trials
