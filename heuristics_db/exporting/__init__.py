"""Heuristics versions as files for other tools: Ludwig's own AutoML, Optuna, Ray Tune. Nothing of theirs is imported here."""

from heuristics_db.exporting._export import FORMATS, Format, export_document
from heuristics_db.exporting._source import Export

__all__ = ["FORMATS", "Export", "Format", "export_document"]
