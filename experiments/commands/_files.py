"""Files that commands write where the user says: whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from experiments._errors import ExperimentError


def check_place(path: Path) -> None:
    """Raise :class:`ExperimentError` when ``path`` is no place for a file: a folder, or in a folder that is not there."""
    if path.is_dir():
        raise ExperimentError(f"{path} is a folder; name a file")
    if not path.parent.is_dir():
        raise ExperimentError(f"{path}: there is no folder {path.parent} to write it in")


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` so that a reader finds the old file or the new one, never half of it."""
    check_place(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below ``folder``, which is made when it is not there, each whole; others in it stay.

    Raises:
        ExperimentError: ``folder`` is a file, or a name leads out of it; nothing was written.

    """
    if folder.exists() and not folder.is_dir():
        raise ExperimentError(f"{folder} is a file; name a folder")
    for name in files:
        parts = PurePosixPath(name).parts
        if not parts or PurePosixPath(name).is_absolute() or ".." in parts or "\\" in name:
            raise ExperimentError(f"{name!r} leads out of the folder {folder}")
    for name, data in files.items():
        place = folder.joinpath(*PurePosixPath(name).parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, data)
