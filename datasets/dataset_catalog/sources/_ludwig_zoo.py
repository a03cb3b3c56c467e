"""What Ludwig's own dataset zoo lists, read from the files that Ludwig ships: importing Ludwig for that would take ten seconds."""

from __future__ import annotations

import difflib
import importlib.metadata
import importlib.util
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dataset_catalog._errors import CatalogError

_PLAIN_HUB = "hugging_face.HFLoader"
_MEDIA = {"image": "images", "audio": "sound"}


class ZooEntry(BaseModel):
    """One dataset of the zoo, as far as we ask: where it comes from, and what is in it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    version: str | float = "?"
    description: str | None = ""
    loader: str = ""
    columns: tuple[dict[str, Any], ...] | None = ()
    output_features: tuple[dict[str, Any], ...] | None = ()
    download_urls: str | tuple[str, ...] = ()
    archive_filenames: str | tuple[str, ...] = ()
    sha256: dict[str, str] = Field(default_factory=dict)
    kaggle_competition: str | None = None
    kaggle_dataset_id: str | None = None
    huggingface_dataset_id: str | None = None
    huggingface_subsample: str | None = None
    huggingface_revision: str | None = None

    @property
    def kind(self) -> Literal["web", "kaggle", "hub", "reshaped", "any_hub"]:
        """Say who serves it: the web, Kaggle, the Hugging Face Hub as it is or reshaped by Ludwig's own code, or whatever is named."""
        if self.kaggle_competition or self.kaggle_dataset_id:
            return "kaggle"
        if self.huggingface_dataset_id:
            return "hub" if self.loader == _PLAIN_HUB else "reshaped"
        return "any_hub" if self.loader == _PLAIN_HUB else "web"

    @property
    def downloads(self) -> dict[str, str]:
        """Return the address of each file by the name under which Ludwig looks for it.

        Raises :class:`CatalogError` when a file would be left out: names and addresses are not as many, or a name stands for two.
        """
        urls = _several(self.download_urls)
        names = _several(self.archive_filenames) or tuple(PurePosixPath(urlsplit(url).path).name for url in urls)
        if len(names) != len(urls) or len(set(names)) != len(names):
            raise CatalogError(f"the zoo's entry names {len(set(names))} files for {len(urls)} addresses; add the file itself, or its URL")
        return dict(zip(names, urls, strict=True))

    @property
    def title(self) -> str:
        """Return the first line of the description that is no address, or the name."""
        lines = [line.strip() for line in (self.description or "").splitlines()]
        return next((line for line in lines if line and "://" not in line), self.name)

    @property
    def page(self) -> str | None:
        """Return the address that the description gives."""
        return next((word.strip("().,<>") for word in (self.description or "").split() if "://" in word), None)

    @property
    def predicted(self) -> tuple[str, ...]:
        """Return the columns that Ludwig suggests to predict."""
        return tuple(str(each["name"]) for each in self.output_features or () if "name" in each)

    @property
    def media(self) -> tuple[str, str] | None:
        """Return the first column that holds no cell of a table, and what it holds."""
        found = ((str(each.get("name")), _MEDIA.get(str(each.get("type")).lower())) for each in self.columns or ())
        return next(((name, what) for name, what in found if what is not None), None)


def _several(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else text


def zoo_names() -> list[str]:
    """Return the names of all datasets in Ludwig's zoo. Raises :class:`CatalogError` when Ludwig is not installed."""
    return sorted(path.stem for path in zoo_folder().glob("*.yaml"))


def zoo_entry(name: str) -> ZooEntry:
    """Return the zoo's entry ``name``; raises :class:`CatalogError`, with the nearest name, when there is none."""
    names = zoo_names()
    if name not in names:
        near = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        raise CatalogError(f"ludwig:{name}: Ludwig's zoo has no such dataset" + (f"; did you mean ludwig:{near[0]}?" if near else ""))
    try:
        return ZooEntry.model_validate(yaml.safe_load((zoo_folder() / f"{name}.yaml").read_text(encoding="utf-8")))
    except (OSError, ValueError, yaml.YAMLError, ValidationError) as error:
        raise CatalogError(f"ludwig:{name}: the zoo's entry cannot be read ({' '.join(str(error).split())[:200]})") from None


def zoo_folder() -> Path:
    """Return the folder in which the installed Ludwig describes its datasets, one YAML file each."""
    found = importlib.util.find_spec("ludwig")  # finds it without importing it
    if found is None or not found.submodule_search_locations:
        raise CatalogError("Ludwig is not installed, so its zoo has no datasets; install ludwig with pip")
    return Path(found.submodule_search_locations[0]) / "datasets" / "configs"


def ludwig_version() -> str:
    """Return the installed Ludwig's version: its loaders shape what is read."""
    return importlib.metadata.version("ludwig")
