"""The error that a user of the catalogue can cause."""


class CatalogError(Exception):
    """A dataset, a table or a card that cannot be used as asked; the message is one clear line."""
