"""The errors that a user of AutoML can cause."""


class AutoMLError(Exception):
    """A table, a target, a model or a budget that cannot be used as given; the message is one clear line."""


class PoolLostError(AutoMLError):
    """The pool's workers are gone: it was closed, or the Ray that they ran on died. What was not answered can be asked for again."""


class MachineError(AutoMLError):
    """The machine cannot run trials now (a full disk, a file system that became read-only): no fault of the trial that met it."""
