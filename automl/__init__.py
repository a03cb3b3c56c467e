"""From a table and a heuristics version to a Ludwig configuration, a search on Ray Tune, and the best model."""
