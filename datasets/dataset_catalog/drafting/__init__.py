"""Drafts of cards for anybody's table: task, types, metric and split guessed; identifiers, leaks and near-duplicates found."""

from dataset_catalog.drafting._draft import Draft, Wishes, draft, name_after
from dataset_catalog.drafting._findings import Finding
from dataset_catalog.drafting._relatives import Relative, check_role, relatives
from dataset_catalog.drafting._splits import SplitIdea

__all__ = ["Draft", "Finding", "Relative", "SplitIdea", "Wishes", "check_role", "draft", "name_after", "relatives"]
