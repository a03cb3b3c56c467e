"""Ludwig, tamed: imported once, silent, without its repeated self-checks; a model trained in memory, its predictions per class."""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import math
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from automl._devices import DeviceClass, device_environment
from automl._errors import AutoMLError
from automl._prepared import Prepared
from automl._rendering import EVALUATION_BATCH

_SILENCED = ("ludwig", "torch", "transformers", "datasets", "ray", "py.warnings", "urllib3", "filelock", "matplotlib")

_STANDSTILL_SECONDS, _STANDSTILL_SHARE = 5.0, 0.05
"""A batch that took longer than that with less than that share of a processor: the process was stopped, or its machine slept."""

_ABSENT = object()
_SMALLEST = {"input_features": [{"name": "x", "type": "number"}], "output_features": [{"name": "y", "type": "number"}]}


@cache
def load_ludwig(device: DeviceClass = "cpu") -> None:
    """Import Ludwig for ``device``, once a process (8 to 20 seconds the first time), with one torch thread and no chatter.

    Raises:
        AutoMLError: a GPU was asked for and torch finds none.

    """
    os.environ.update(device_environment(device))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    warnings.filterwarnings("ignore")
    import torch

    torch.set_num_threads(1)
    if device == "cuda" and not torch.cuda.is_available():
        raise AutoMLError("this machine has an NVIDIA device that torch cannot use: mend the driver, or set LODE_DEVICE=cpu")
    torch.use_deterministic_algorithms(mode=True, warn_only=True)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        from ludwig.config_validation import validation
    for name in _SILENCED:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # Ludwig's own schema is checked anew at every construction (0.9 s); configurations are still checked against it.
    validation.get_validator().check_schema = lambda *_arguments, **_options: None
    ludwig_model(_SMALLEST)  # the first construction builds Ludwig's schemas (1 to 3 s): no trial's clock should run for it


def ludwig_model(config: Mapping[str, Any], callbacks: list[Any] | None = None) -> Any:
    """Return a fresh, silent ``LudwigModel`` of its own copy of ``config``."""
    from ludwig.api import LudwigModel

    return LudwigModel(copy.deepcopy(dict(config)), backend="local", logging_level=logging.CRITICAL, callbacks=callbacks)


@dataclass
class Training:
    """What is watched and decided while a model trains. ``on_epoch`` gets the trainer's model and says whether to go on.

    ``seconds`` is time spent training and validating, without what ``pause`` took and without time in which the process stood still (a
    laptop that was closed, a process that was stopped). ``over_memory`` is asked after each batch. ``ended`` says why training ended before
    its last epoch: ``stopped_early``, ``timed_out``, ``diverged`` or ``out_of_memory``.
    """

    epochs: int
    time_limit: float | None
    on_epoch: Callable[[Training, Any], str | None]
    over_memory: Callable[[], bool] = lambda: False
    steps: int = 0
    epoch: int = 0
    ended: str | None = None
    losses: list[float] = field(default_factory=list)
    _since: float = 0.0
    _paused: float = 0.0
    _looked: tuple[float, float] = (0.0, 0.0)

    @property
    def seconds(self) -> float:
        """Seconds of training so far."""
        return time.monotonic() - self._since - self._paused

    def pause(self, act: Callable[[], bool]) -> bool:
        """Do ``act`` off the clock and return what it returns."""
        began = time.monotonic()
        try:
            return act()
        finally:
            self._paused += time.monotonic() - began
            self._looked = time.monotonic(), time.process_time()

    def tick(self) -> None:
        """Take a long stretch in which the process did nothing off the clock; called after each batch and epoch."""
        then, busy_then = self._looked
        now, busy_now = time.monotonic(), time.process_time()
        self._looked = now, busy_now
        passed, busy = now - then, busy_now - busy_then
        if passed > _STANDSTILL_SECONDS and busy < _STANDSTILL_SHARE * passed:
            self._paused += passed - busy

    def mean_loss(self) -> float | None:
        """Return the mean training loss of this epoch's batches; ``None`` when it is not finite."""
        mean = float(np.mean(self.losses)) if self.losses else math.nan
        return mean if math.isfinite(mean) else None

    def begin(self) -> None:
        """Start the clock."""
        self._since = time.monotonic()
        self._looked = self._since, time.process_time()


def _watch(training: Training) -> Any:
    """Ludwig's callback. A trial ends by lowering the trainer's step target: Ludwig then leaves its loops in good order."""
    from ludwig.callbacks import Callback

    class Watch(Callback):
        def on_trainer_train_setup(self, trainer: Any, save_path: str, is_coordinator: bool, **kwargs: Any) -> None:
            step = trainer.train_step

            def counted(*arguments: Any, **options: Any) -> Any:
                outcome = step(*arguments, **options)
                training.losses.append(float(outcome[0].detach()))
                return outcome

            trainer.train_step = counted
            training.begin()

        def on_batch_end(self, trainer: Any, progress_tracker: Any, save_path: str, sync_step: bool = True, **kwargs: Any) -> None:
            training.steps = progress_tracker.steps
            training.tick()
            if training.over_memory():
                self._end(trainer, progress_tracker, "out_of_memory")
            elif not math.isfinite(training.losses[-1]):
                self._end(trainer, progress_tracker, "diverged")
            elif training.time_limit is not None and training.seconds > training.time_limit:
                self._end(trainer, progress_tracker, "timed_out")

        def on_epoch_end(self, trainer: Any, progress_tracker: Any, save_path: str, **kwargs: Any) -> None:
            training.epoch += 1
            training.tick()
            if training.ended in (None, "timed_out"):
                reason = training.on_epoch(training, trainer.model)
                training.losses.clear()
                if reason is not None and training.ended is None:
                    self._end(trainer, progress_tracker, reason)
            if training.epoch >= training.epochs:
                # A last batch of one row is dropped by Ludwig, which then counts a step too few an epoch and adds epochs.
                trainer.total_steps = progress_tracker.steps
                training.ended = None if training.ended == "timed_out" else training.ended

        @staticmethod
        def _end(trainer: Any, progress_tracker: Any, reason: str) -> None:
            training.ended = reason
            trainer.total_steps = progress_tracker.steps

    return Watch()


def check_paths(model: Any, paths: Iterable[str]) -> None:
    """Refuse hyperparameters that the model's type does not know: Ludwig drops them in silence.

    Raises:
        AutoMLError: such a path.

    """
    for path in paths:
        place = model.config_obj
        for name in path.split("."):
            place = getattr(place, name, _ABSENT)
        if place is _ABSENT:
            raise AutoMLError(f"{path} is no hyperparameter of {model.config_obj.combiner.type}: Ludwig would drop it in silence")


def train(config: Mapping[str, Any], prepared: Prepared, training: Training, *, seed: int, paths: Iterable[str] = ()) -> Any:
    """Train a model of ``config`` on the prepared training rows and return the ``LudwigModel``; nothing is left on disk.

    The seeds of Python, NumPy and torch are set by Ludwig from ``seed`` before the model is made and again before it is trained, so that
    nothing depends on what the process did before.
    """
    import torch

    torch.set_num_threads(1)
    model = ludwig_model(config, [_watch(training)])
    check_paths(model, paths)
    _seed(seed)
    with tempfile.TemporaryDirectory(prefix="lode-trial-") as scratch:
        model.train(
            training_set=dataset(prepared, 0),
            validation_set=dataset(prepared, 1),
            training_set_metadata=copy.deepcopy(prepared.metadata),
            skip_save_training_description=True,
            skip_save_training_statistics=True,
            skip_save_model=True,
            skip_save_progress=True,
            skip_save_log=True,
            output_directory=scratch,
            random_seed=seed,
        )
    model.callbacks = []
    if training.ended is None and training.epoch < training.epochs:
        training.ended = "diverged"  # Ludwig ends by itself only when weights are no longer finite
    return model


def _seed(seed: int) -> None:
    from ludwig.utils.misc_utils import set_random_seed

    set_random_seed(seed)


def dataset(prepared: Prepared, part: int) -> Any:
    """Wrap one part's arrays (0 training, 1 validation, 2 test) as Ludwig's in-memory dataset."""
    from ludwig.data.dataset.pandas import PandasDataset

    columns: dict[str, dict[str, Any]] = {column: {} for column in prepared.arrays[part]}
    return PandasDataset(dict(prepared.arrays[part]), columns, None, prepared.metadata)


def batch_size(model: Any) -> int:
    """Return the batch size that a model was trained with."""
    return int(model.config_obj.trainer.batch_size)


def parameters(module: Any) -> int:
    """Return the number of trainable parameters."""
    return sum(int(weights.numel()) for weights in module.parameters() if weights.requires_grad)


def predict(module: Any, prepared: Prepared, part: int, target: str) -> np.ndarray:
    """Predict one part with a Ludwig module as it stands, in memory.

    Returns:
        Probabilities of shape (rows, classes), in the order of ``classes_of``, or for a number the values on its own scale, shape (rows,).

    """
    import torch
    from ludwig.utils.torch_utils import get_torch_device

    arrays, device = prepared.arrays[part], get_torch_device()
    rows = len(next(iter(arrays.values())))
    was_training = module.training
    module.eval()
    chunks = []
    try:
        with torch.no_grad():
            for start in range(0, rows, EVALUATION_BATCH):
                inputs = {
                    each.feature_name: torch.from_numpy(np.array(arrays[each.proc_column][start : start + EVALUATION_BATCH])).to(device)
                    for each in module.input_features.values()
                }
                predicted = module.outputs_to_predictions(module(inputs))[target]
                chosen = predicted["probabilities"] if "probabilities" in predicted else predicted["predictions"]
                chunks.append(chosen.detach().float().cpu().numpy())
    finally:
        module.train(was_training)
    values = np.concatenate(chunks).astype(np.float64)
    told = prepared.metadata[target]
    return values if "idx2str" in told else values.reshape(rows) * (float(told["std"]) or 1.0) + float(told["mean"])


def classes_of(prepared: Prepared, target: str) -> tuple[str, ...]:
    """Return the class labels in the order of the columns of ``predict``; empty for a number."""
    return tuple(str(label) for label in prepared.metadata[target].get("idx2str", ()))


def save_model(model: Any, path: Path) -> None:
    """Save a model so that ``LudwigModel.load(path)`` opens it; what stands at ``path`` is replaced in one move."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        model.save(str(draft))
        if path.exists():
            shutil.rmtree(path)
        draft.rename(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
