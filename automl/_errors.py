"""The errors that a user of AutoML can cause."""


class AutoMLError(Exception):
    """A table, a target, a model or a budget that cannot be used as given; the message is one clear line."""
