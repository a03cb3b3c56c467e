"""YAML files that a user wrote, read as data: every fault is one clear line."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from experiments._errors import ExperimentError

_MOST_BYTES = 10**7


def refuse_truth(value: Any) -> Any:
    """Refuse ``true`` and ``false`` (in YAML also ``yes`` and ``no``) where a number is asked for: pydantic takes them for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("give a number, not true or false")  # noqa: TRY004 - what pydantic takes for a refusal
    return value


Seed = Annotated[int, BeforeValidator(refuse_truth), Field(ge=0, lt=2**32)]
"""What every generator that is seeded here (Python's, NumPy's, torch's) takes."""

_SIZE = "give a number of bytes, or a number with its unit, such as 4GiB"
_MAPPING = "give a mapping, {key: value}"
_PLAINER = {"tuple_type": "give a list, [in brackets]", "model_type": _MAPPING, "byte_size": _SIZE, "byte_size_unit": _SIZE}
"""What is said of a fault, by its pydantic type, where pydantic's own words speak of Python."""


class _Loader(yaml.SafeLoader):
    """The safe loader, made strict.

    It refuses a key that is given twice (YAML forbids it, and PyYAML would quietly take the last), and tells what Python says of a scalar
    (a date with a 13th month, ``!!bool maybe``) as a fault of its line.
    """

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.composer.ComposerError(None, None, f"the key {key.value!r} is given twice", key.start_mark)
                seen.add(key.value)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, OverflowError) as error:
            told = f"{str(node.value)[:60]!r} is no {node.tag.rpartition(':')[2]}" if isinstance(node, yaml.ScalarNode) else str(error)
            raise yaml.constructor.ConstructorError(None, None, told, node.start_mark) from error


def read_text(path: Path, what: str) -> str:
    """Return the text of a file that a user wrote; ``what`` names its kind in errors ("sweep").

    Raises :class:`ExperimentError` when it is no file that can be read, is not text in UTF-8, or is far larger than such a file can be.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for, and a device has no end
            raise ExperimentError(f"{path} is {'a folder' if path.is_dir() else 'not a regular file'}; give a {what}'s file")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ExperimentError(f"{path}: not a {what}: it is larger than {_MOST_BYTES // 10**6} MB")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise ExperimentError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path}: not a text file in UTF-8") from error
    except ValueError as error:  # a path that no system takes
        raise ExperimentError(f"{str(path)!r} is no path: {error}") from error


def parse_yaml(text: str, where: str, what: str) -> Any:
    """Return what YAML ``text`` says; raises :class:`ExperimentError` in one line that starts with ``where`` when it is none."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - the safe loader, stricter
    except RecursionError as error:
        raise ExperimentError(f"{where}: not a {what}: it is nested hundreds of levels deep") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ExperimentError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from error


def read_yaml[Model: BaseModel](path: Path, model: type[Model], what: str) -> Model:
    """Read ``path`` with the safe loader and validate it as ``model``; ``what`` names the kind of file in errors ("sweep").

    Raises :class:`ExperimentError` when the file cannot be read, is not YAML, or has an unknown key or a value out of range.
    """
    content = parse_yaml(read_text(path, what), str(path), what)
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
