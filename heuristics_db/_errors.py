"""The errors that a user of the heuristics database can cause."""


class HeuristicsError(Exception):
    """A document, a version or a channel is not what was asked for; the message is one clear line."""


class InvariantError(HeuristicsError):
    """A heuristics document breaks one of the invariants that every version keeps."""


class ConflictError(HeuristicsError):
    """Somebody else moved the same channel first; nothing was written."""
