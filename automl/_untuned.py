"""The untuned search spaces: committed as a file, hashed by content, the same for sweeps, validation and the fallback."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import yaml
from pydantic import ValidationError

from automl._errors import AutoMLError
from heuristics_db import SearchSpace


@cache
def untuned_spaces() -> Mapping[str, SearchSpace]:
    """Return the wide search space of each tabular model type, in the file's order.

    Raises ``AutoMLError`` when the packaged file is damaged.
    """
    return MappingProxyType(
        read_spaces(files("automl").joinpath("untuned", "tabular.yaml").read_text(encoding="utf-8"), "untuned/tabular.yaml")
    )


def untuned_space_hash() -> str:
    """Return the SHA-256 (hexadecimal) of the untuned spaces' content: order of model types, comments and layout do not count."""
    content = {model_type: space.model_dump(mode="json") for model_type, space in untuned_spaces().items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_spaces(text: str, where: str) -> dict[str, SearchSpace]:
    """Read spaces from YAML: model type to hyperparameter name to the fields of ``heuristics_db.Hyperparameter``.

    ``where`` names the source in errors. Raises ``AutoMLError``, in one line, for anything that is not such a file.
    """
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise AutoMLError(f"{where} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise AutoMLError(f"{where} must map model types to hyperparameters")
    return {str(model_type): _read_space(str(model_type), entries, where) for model_type, entries in content.items()}


def _read_space(model_type: str, entries: Any, where: str) -> SearchSpace:
    if not isinstance(entries, dict) or not all(isinstance(fields, dict) for fields in entries.values()):
        raise AutoMLError(f"{where}: {model_type} must map hyperparameter names to their fields")
    try:
        return SearchSpace.model_validate(
            {"model_type": model_type, "hyperparameters": [{"name": name, **fields} for name, fields in entries.items()]},
        )
    except (ValidationError, TypeError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        place = ".".join(map(str, first["loc"]))
        raise AutoMLError(f"{where}: {model_type}: {place}: {first['msg']}") from error
