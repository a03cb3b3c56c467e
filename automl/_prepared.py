"""What preprocessing comes to, as training takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from automl._preparation_use import Use


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table as Ludwig trains on it. ``arrays`` holds one mapping of column to array for training, validation and test.

    ``metadata`` (vocabularies, means, levels) comes from training rows alone. ``hit`` says that it was found on disk.
    ``use`` keeps it there while it is needed.
    """

    key: str
    arrays: tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray], Mapping[str, np.ndarray]]
    metadata: dict[str, Any]
    hit: bool
    seconds: float
    use: Use | None = field(default=None, repr=False)
