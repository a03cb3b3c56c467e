"""The model of the best trial among many, kept while they run: saved when it beats the one that is there, which then goes."""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock

_BEST = "best.json"


@dataclass(frozen=True)
class KeptModel:
    """The model that stands in a folder: whose it is, and the validation score that it was kept for."""

    trial_id: str
    score: float
    direction: Literal["maximize", "minimize"]

    def beats(self, other: KeptModel | None) -> bool:
        """Say whether this one is to be kept; of two with the same score the one with the smaller id, whichever came first."""
        if other is None:
            return True
        sign = -1.0 if self.direction == "maximize" else 1.0
        return (sign * self.score, self.trial_id) < (sign * other.score, other.trial_id)


def kept_model(folder: Path) -> tuple[KeptModel, Path] | None:
    """Return the model kept in ``folder`` and where it lies, ready for ``LudwigModel.load``; ``None`` when there is none.

    Raises ``OSError`` when that cannot be read now.
    """
    try:
        found = KeptModel(**json.loads((folder / _BEST).read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, TypeError):  # torn, or another program's
        return None
    path = folder / found.trial_id
    return (found, path) if path.is_dir() else None


def keep_best(folder: Path, offered: KeptModel, save: Callable[[Path], None]) -> Path | None:
    """Have ``save`` put the model into ``folder`` when it beats the one there; return its place, or ``None``.

    Several processes may offer models at once. Killed at any moment, the folder holds a whole model that was the best of those offered.
    """
    if not math.isfinite(offered.score):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".keeping"):
        found = kept_model(folder)
        if not offered.beats(found[0] if found is not None else None):
            return None
        path = folder / offered.trial_id
        save(path)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".best-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(offered), file)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(folder / _BEST)
        for left in folder.iterdir():
            if left.is_dir() and left != path:
                shutil.rmtree(left, ignore_errors=True)
    return path
