"""Where Motherlode keeps its state: ``.lode/`` in the working directory, or ``$LODE_HOME``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments._errors import ExperimentError

if TYPE_CHECKING:
    from dataset_catalog import Catalog


@dataclass(frozen=True)
class Home:
    """The root of all state and the places under it. Nothing is created until it is needed."""

    root: Path

    @classmethod
    def find(cls) -> Home:
        """``$LODE_HOME`` when it is set and not empty, else ``.lode`` in the working directory.

        Raises :class:`ExperimentError` when that is a place in a home of nobody, behind a link that leads back to itself, or in a working
        directory that was removed.
        """
        named = os.environ.get("LODE_HOME") or ".lode"
        try:
            place = Path(named).expanduser()
        except RuntimeError as error:  # how pathlib says that a ~ cannot be expanded
            raise ExperimentError(f"LODE_HOME is {named}, and there is no such home directory; write the path in full") from error
        try:
            return cls(place.resolve())
        except RuntimeError as error:  # how pathlib says that of a link
            raise ExperimentError(f"LODE_HOME is {named}, a link that leads back to itself; name a folder") from error
        except FileNotFoundError as error:
            raise ExperimentError("the working directory is gone; go to one that is there, or set LODE_HOME to a full path") from error

    @property
    def journal(self) -> Path:
        """One immutable JSON record a trial, in a folder a sweep."""
        return self.root / "journal"

    @property
    def trials(self) -> Path:
        """The journal compacted into Parquet."""
        return self.root / "trials"

    @property
    def datasets(self) -> Path:
        """Downloads of catalogued datasets, their profiles, and the user's own cards."""
        return self.root / "datasets"

    @property
    def catalog(self) -> Catalog:
        """The shipped datasets and the user's own, downloads kept under :attr:`datasets`."""
        from dataset_catalog import Catalog  # late: pandas comes with it, and `lode --help` needs none

        return Catalog(self.datasets)

    @property
    def prepared(self) -> Path:
        """Memoised preprocessing."""
        return self.root / "prepared"

    @property
    def models(self) -> Path:
        """The models that sweeps keep: a folder a sweep, in it one a dataset, in it one a trial."""
        return self.root / "models"

    @property
    def runs(self) -> Path:
        """Ray Tune's state and the models of AutoML runs."""
        return self.root / "runs"

    @property
    def reports(self) -> Path:
        """HTML reports."""
        return self.root / "reports"

    @property
    def tracking_uri(self) -> str:
        """``$MLFLOW_TRACKING_URI``, else a SQLite database under the root."""
        return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{self.root / 'mlflow.db'}"

    @property
    def artifacts(self) -> Path:
        """MLflow's artifacts while the tracking database is ours."""
        return self.root / "artifacts"

    @property
    def database_url(self) -> str:
        """``$LODE_DB_URL``, else a SQLite file under the root."""
        return os.environ.get("LODE_DB_URL") or f"sqlite:///{self.root / 'heuristics.db'}"
