"""The tests. A package, so that a `tests` package which some library installs is not taken for this one in processes that tests start."""
