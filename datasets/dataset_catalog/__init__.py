"""The dataset catalogue: cards, archives, fingerprints, splits, profiles and roles."""
