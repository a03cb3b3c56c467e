"""The ``lode`` command."""
