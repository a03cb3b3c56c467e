"""The errors that a user of the catalogue can cause."""


class CatalogError(Exception):
    """A dataset, a table or a card that cannot be used as asked; the message is one clear line."""


class NotHereError(CatalogError):
    """Content that is not on this machine yet, and may not be fetched now; nothing is wrong with it."""
