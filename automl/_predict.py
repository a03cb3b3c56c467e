"""Predictions of a saved model for anybody's table: the cells are read as they were for training."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, ValidationError

from automl._cells import Column, convert
from automl._errors import AutoMLError
from automl._trial import Feature, Task

SIDE_FILE = "motherlode.json"
"""Lies in the model's folder, beside Ludwig's own files, so that a copied folder is whole."""
_BATCH = 1024


class ModelCard(BaseModel):
    """What ``predict`` must know beside the Ludwig model: the target, the task, and how each column's cells are read."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    schema_version: int = 1
    target: str
    target_feature: str
    task: Task
    columns: tuple[Column, ...]


def read_model_card(model_dir: Path) -> ModelCard:
    """Read the card of the model in ``model_dir``. Raises ``AutoMLError`` when there is no such model, or its card is damaged."""
    path = model_dir / SIDE_FILE
    if not path.is_file():
        raise AutoMLError(f"{model_dir}: no model of `lode automl run` lies here (there is no {SIDE_FILE}); name its model folder")
    try:
        return ModelCard.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise AutoMLError(f"{path}: the model's card is damaged: {error.errors()[0]['msg']}") from error


def predict(model_dir: Path, frame: pd.DataFrame) -> pd.DataFrame:
    """Predict each row of ``frame`` with the model that ``run_automl`` left in ``model_dir``.

    Returns one row a row of ``frame``, in its order and under its index: ``prediction`` and, for classes, ``probability_<class>`` each.
    The target's column is not needed. Imports Ludwig (8 to 20 seconds the first time).

    Raises:
        AutoMLError: no such model, or a column that it learnt from is missing.

    """
    card = read_model_card(model_dir)
    missing = [column.name for column in card.columns if column.name not in frame.columns]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise AutoMLError(f"the model needs columns that the table lacks: {', '.join(map(repr, missing[:5]))}{more}")
    return predict_ready(model_dir, card, convert(frame, card.columns))


def predict_ready(model_dir: Path, card: ModelCard, converted: pd.DataFrame) -> pd.DataFrame:
    """Do what ``predict`` does, with cells that ``convert`` has read."""
    from automl._devices import device_class
    from automl._frames import ludwig_frame
    from automl._ludwig import load_ludwig

    load_ludwig(device_class())
    from ludwig.api import LudwigModel

    features = [Feature(column.feature, column.type) for column in card.columns]
    try:
        model = LudwigModel.load(str(model_dir), backend="local")
    except OSError:
        raise
    except Exception as error:  # Ludwig has no error of its own for a damaged folder: what it meets is whatever its parsers raise
        raise AutoMLError(f"{model_dir}: the model is damaged ({type(error).__name__}: {_first_line(error)}); run it again") from error
    found, _ = model.predict(
        dataset=ludwig_frame(converted, features), batch_size=_BATCH, skip_save_predictions=True, skip_save_unprocessed_output=True
    )
    told = {"prediction": found[f"{card.target_feature}_predictions"].to_numpy()}
    if card.task != "regression":
        classes = [str(label) for label in model.training_set_metadata[card.target_feature]["idx2str"]]
        for label in classes:
            told[f"probability_{label}"] = found[f"{card.target_feature}_probabilities_{label}"].to_numpy(dtype=float)
    return pd.DataFrame(told, index=converted.index)


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
