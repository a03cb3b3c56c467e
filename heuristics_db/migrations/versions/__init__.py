"""One module a schema revision, named ``revision_NNNN``."""
