"""Sweeps, held-out validation, tracking, reports, and the ``lode`` command."""
