"""Meta-features: what a table is like, in numbers that can be compared."""

from dataset_catalog.profiling._profile import PROFILE_VERSION, Profile, profile

__all__ = ["PROFILE_VERSION", "Profile", "profile"]
