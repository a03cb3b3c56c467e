"""Meta-features: what a table is like, in numbers that can be compared."""

from dataset_catalog.profiling._fields import PROFILE_VERSION, Lengths, Profile, Summary, described_fields
from dataset_catalog.profiling._profile import profile

__all__ = ["PROFILE_VERSION", "Lengths", "Profile", "Summary", "described_fields", "profile"]
