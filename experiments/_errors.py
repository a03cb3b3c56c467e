"""The errors that a user of sweeps, suites and the command can cause."""


class ExperimentError(Exception):
    """A sweep, a suite or a command that cannot be carried out as asked; the message is one clear line."""


class ExperimentWarning(UserWarning):
    """What the user should know though the work goes on: the command tells it in one line, and hides warnings of libraries."""
