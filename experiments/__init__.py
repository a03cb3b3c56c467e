"""Sweeps, held-out validation, tracking, reports, and the ``lode`` command."""

from experiments._errors import ExperimentError
from experiments._home import Home

__all__ = ["ExperimentError", "Home"]
