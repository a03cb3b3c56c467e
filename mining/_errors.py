"""The errors that a user of the miner can cause."""


class MiningError(Exception):
    """The trials or datasets cannot be mined as asked; the message is one clear line."""


class LeakageError(MiningError):
    """Held-out data reached the miner."""
