"""Datasets of the Hugging Face Hub through its own client: data files at one commit, never a dataset's code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dataset_catalog._cards import Loader
from dataset_catalog._errors import CatalogError
from dataset_catalog._progress import Progress, tell
from dataset_catalog.sources._facts import SourceFacts, stated
from dataset_catalog.sources._hub_client import Repository, look_up, look_up_branch
from dataset_catalog.sources._hub_files import Plan, plan_files
from dataset_catalog.sources._hub_tables import join_parts
from dataset_catalog.sources._kept import Fetched, Place, kept

CONVERTED = "refs/convert/parquet"
_MOST_BYTES = 16_000_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}")


def huggingface_table(loader: Loader, cache: Path, *, offline: bool = False, progress: Progress | None = None) -> Fetched:
    """Return the table of the dataset ``loader.dataset``, and what the Hub says of it; fetched once, then kept under ``cache``.

    Without a commit in ``loader.revision`` the newest one is looked up; the facts' loader names it. Where the repository holds no file
    that can be read, the Hub's own conversion to Parquet is taken. Official splits become a column, classes get their names. The
    server is ``HF_ENDPOINT`` or the Hub, a token comes from ``HF_TOKEN`` or ``hf auth login``. Raises :class:`CatalogError` for a
    dataset that is not there, private, gated, disabled or no table, and a server that cannot be reached.
    """
    what = address(loader)
    found: tuple[Repository, Plan] | None = None
    if not _COMMIT.fullmatch(loader.revision or ""):
        if offline:
            raise CatalogError(f"{what}: its newest commit cannot be looked up offline; name one, as in {what.split('@')[0]}@COMMIT")
        found = _plan(loader, what)
        loader = loader.model_copy(update={"dataset": found[0].name, "revision": found[0].commit})  # its name may have changed
    key = "--".join(filter(None, (loader.dataset, loader.config, loader.revision)))

    def fetch(work: Path) -> Fetched:
        repository, plan = found or _plan(loader, what)
        return _fetch(repository, plan, loader, what, work, progress)

    return kept(Place(cache, "huggingface", key), what, fetch, offline=offline, progress=progress)


def address(loader: Loader) -> str:
    """Return the short address of a dataset at Hugging Face."""
    config = f"/{loader.config}" if loader.config else ""
    revision = f"@{loader.revision[:12]}" if loader.revision else ""
    return f"hf:{loader.dataset}{config}{revision}"


def _plan(loader: Loader, what: str) -> tuple[Repository, Plan]:
    name = str(loader.dataset)
    repository = look_up(name, loader.revision, what)
    scripted = f"{name.rpartition('/')[2]}.py" in repository.files  # its files are what that program, which is not run, would read
    plan = None if scripted else plan_files(repository.files, repository.configs, loader.config, what)
    if plan is not None:
        return repository, plan
    converted = look_up_branch(name, CONVERTED, what) if loader.revision is None else None
    plan = plan_files(converted.files, (), loader.config, what) if converted is not None else None
    if converted is None or plan is None:
        raise CatalogError(f"{what}: {_no_table(repository)}")
    return repository.at(converted), plan


def _no_table(repository: Repository) -> str:
    kinds = sorted({Path(path).suffix.lower() for path in repository.files if not path.startswith(".") and Path(path).suffix})
    holds = ", ".join(kind for kind in kinds if kind != ".md")[:80] or "no data"
    return f"the dataset holds no file that can be read as a table (it holds {holds}), and no conversion to Parquet"


def _fetch(repository: Repository, plan: Plan, loader: Loader, what: str, work: Path, progress: Progress | None) -> Fetched:
    size = sum(repository.files[path].size or 0 for files in plan.parts.values() for path in files)
    if size > _MOST_BYTES:
        raise CatalogError(f"{what}: {size / 1e9:.0f} GB are more than a table in memory can hold; name a smaller configuration")
    tell(progress, f"fetching {what} ({size / 1e6:.1f} MB)")
    files = {part: [repository.download(path, work / "hub", what, progress) for path in paths] for part, paths in plan.parts.items()}
    table = join_parts(files, what)
    notes = [*table.notes]
    if plan.left_out:
        notes.append(f"splits left out, being neither training, validation nor test: {', '.join(plan.left_out)}")
    facts = SourceFacts(
        title=repository.title or str(loader.dataset),
        loader=loader.model_copy(update={"revision": repository.commit}),
        target=_target(repository.card, table.frame.columns, table.classes),
        licence=stated(_licence(repository)),
        citation=stated(repository.citation),
        split_column=table.split_column,
        notes=tuple(notes),
    )
    return table.frame, facts


def _target(card: Mapping[str, Any], columns: Any, classes: tuple[str, ...]) -> str | None:
    """Return the column that the README says is evaluated, else the only one with classes."""
    said = card.get("train-eval-index") or card.get("train_eval_index")
    mappings = [each.get("col_mapping") for each in said if isinstance(each, Mapping)] if isinstance(said, list) else []
    roles = [pair for mapping in mappings if isinstance(mapping, Mapping) for pair in mapping.items()]
    told = next((str(column) for column, role in roles if role in ("target", "label") and column in columns), None)
    return told or (classes[0] if len(classes) == 1 else None)


def _licence(repository: Repository) -> object:
    said = repository.card.get("license")
    if said == "other":
        return repository.card.get("license_name") or repository.card.get("license_link") or said
    return said or [tag.removeprefix("license:") for tag in repository.tags if tag.startswith("license:")]
