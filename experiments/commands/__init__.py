"""The ``lode`` command: one module a command or group of commands, an output module, and the root that maps faults to exit codes."""

from experiments.commands._root import app, main, run

__all__ = ["app", "main", "run"]
