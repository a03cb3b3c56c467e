"""YAML files that a user wrote, read as data: every fault is one clear line."""

from __future__ import annotations

import difflib
from collections.abc import Hashable
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from experiments._errors import ExperimentError

Seed = Annotated[int, Field(ge=0, lt=2**32)]
"""What every generator that is seeded here (Python's, NumPy's, torch's) takes."""

_SIZE = "give a number of bytes, or a number with its unit, such as 4GiB"
_MAPPING = "give a mapping, {key: value}"
_PLAINER = {"tuple_type": "give a list, [in brackets]", "model_type": _MAPPING, "byte_size": _SIZE, "byte_size_unit": _SIZE}
"""What is said of a fault, by its pydantic type, where pydantic's own words speak of Python."""


class _Loader(yaml.SafeLoader):
    """The safe loader, which refuses a key that is given twice: YAML forbids it, and PyYAML would quietly take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen and isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, f"the key {key.value!r} is given twice", key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_yaml[Model: BaseModel](path: Path, model: type[Model], what: str) -> Model:
    """Read ``path`` with the safe loader and validate it as ``model``; ``what`` names the kind of file in errors ("sweep").

    Raises :class:`ExperimentError` when the file cannot be read, is not YAML, or has an unknown key or a value out of range.
    """
    try:
        content = yaml.load(path.read_text(encoding="utf-8-sig"), Loader=_Loader)  # noqa: S506 - the safe loader, stricter
    except OSError as error:
        raise ExperimentError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path}: not a text file in UTF-8") from error
    except RecursionError as error:
        raise ExperimentError(f"{path}: not a {what}: it is nested hundreds of levels deep") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ExperimentError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise ExperimentError(f"{path}: a {what} is a mapping with the keys {', '.join(model.model_fields)}")
    return validated(content, model, str(path))


def validated[Model: BaseModel](content: dict[Any, Any], model: type[Model], where: str) -> Model:
    """Validate ``content`` as ``model``; raises :class:`ExperimentError` in one line that starts with ``where``."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise ExperimentError(f"{where}: {_first_fault(error, model)}") from error


def _first_fault(error: ValidationError, model: type[BaseModel]) -> str:
    faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    fault = faults[0]
    place = ".".join(str(part) for part in fault["loc"])
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    if fault["type"] == "extra_forbidden":
        near = difflib.get_close_matches(place, model.model_fields, n=1) if len(fault["loc"]) == 1 else []
        hint = (
            f"; did you mean {near[0]!r}?" if near else f"; known keys: {', '.join(model.model_fields)}" if len(fault["loc"]) == 1 else ""
        )
        return f"unknown key {place!r}{hint}{more}"
    if fault["type"] == "missing":
        return f"the key {place!r} is missing{more}"
    message = _PLAINER.get(fault["type"], fault["msg"].removeprefix("Value error, "))
    return f"{place}: {message}{more}" if place else f"{message}{more}"
