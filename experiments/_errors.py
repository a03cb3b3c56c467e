"""The errors that a user of sweeps, suites and the command can cause."""


class ExperimentError(Exception):
    """A sweep, a suite or a command that cannot be carried out as asked; the message is one clear line."""
