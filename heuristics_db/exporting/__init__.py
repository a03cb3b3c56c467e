"""Heuristics versions as files for other tools: Ludwig's own AutoML, Optuna, Ray Tune. Nothing of theirs is imported here."""

from heuristics_db.exporting._export import FORMATS, Export, Format, export_document

__all__ = ["FORMATS", "Export", "Format", "export_document"]
