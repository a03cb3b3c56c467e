"""The trial engine: one request in, one result out, in this process."""

from __future__ import annotations

import errno
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from automl import _ludwig
from automl._devices import DeviceClass, check_precision, device_class, device_name, node_type
from automl._errors import AutoMLError, MachineError
from automl._frames import class_labels
from automl._identity import engine_versions
from automl._kept_models import KeptModel, keep_best
from automl._memory import MemoryGuard, PeakMemory, give_back
from automl._preparation import preparation_key, prepare
from automl._preparation_store import PreparedStore
from automl._prepared import Prepared
from automl._rendering import canonical_config, render_config
from automl._scoring import Scores, score, scorer_for
from automl._trial import EpochReport, Status, TrialRecorder, TrialRequest, TrialResult

_KEPT_TABLES = 8
_DIED_OF_MEMORY = 70
_MACHINE_ERRNOS = {
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EROFS", "EIO", "EMFILE", "ENFILE", "EACCES", "EPERM", "ENOTDIR", "ESTALE")
    if hasattr(errno, name)  # not every system knows all
}
"""Faults of a disk, or of a place on it: no trial brings them about."""

OnEpoch = Callable[[EpochReport], bool]
"""Told of each epoch; returns whether to go on."""


@dataclass
class _Progress:
    """What a trial has reached so far; it outlives a failure."""

    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: float = field(default_factory=time.monotonic)
    memory: PeakMemory = field(default_factory=PeakMemory)
    config: str = "{}"
    steps: int = 0
    curve: list[EpochReport] = field(default_factory=list)
    best: float | None = None
    best_weights: dict[str, Any] | None = None
    prepare_seconds: float = 0.0
    n_parameters: int | None = None
    train_seconds: float = 0.0
    test: Scores = field(default_factory=lambda: Scores(None))
    model_path: Path | None = None


class TrialEngine:
    """Runs trials one after another in this process, with Ludwig imported once. Not safe for several threads at a time.

    Args:
        prepared_root: where memoised preprocessing lies.
        recorder: told of each result before it is returned.
        device: what to train on; the first engine of a process decides it, before torch is imported.
        disposable: the process is a worker that can be replaced: a trial that goes on growing over its memory limit is recorded, and the
            process ends before it takes others down.

    """

    def __init__(
        self, prepared_root: Path, recorder: TrialRecorder | None = None, *, device: DeviceClass | None = None, disposable: bool = False
    ) -> None:
        self._root = prepared_root.expanduser().resolve()
        self._store = PreparedStore(self._root)  # a setting of it that is wrong is told now, and makes no trial fail
        self._recorder = recorder
        self._disposable = disposable
        self._device: DeviceClass = device or device_class()
        self._prepared: OrderedDict[str, Prepared] = OrderedDict()

    def warm_up(self) -> None:
        """Import Ludwig now rather than at the first trial."""
        _ludwig.load_ludwig(self._device)

    def run(self, request: TrialRequest, on_epoch: OnEpoch | None = None) -> TrialResult:
        """Train, validate after each epoch, score the test part with the weights of the best validation epoch.

        Every fault of the trial itself (memory, divergence, time, a configuration that Ludwig refuses) is a status of the result. The
        recorder has taken the result before it is returned; what the recorder raises is raised here, and :class:`MachineError` where the
        machine is at fault (a full disk), which is no result.

        ``on_epoch`` is called off the clock after each epoch but the last; ``False`` ends the trial as ``stopped_early``.
        """
        _ludwig.load_ludwig(self._device)
        progress = _Progress()
        refused = False

        def last_resort(reached: int) -> None:
            try:
                self._record(request, self._result(request, progress, "out_of_memory", _over(request, reached) + "; its process was ended"))
            finally:  # recorded or not: its neighbours are short of memory in a moment
                os._exit(_DIED_OF_MEMORY)

        status: Status
        error: str | None
        refuse = self._disposable and self._device == "cpu"
        with MemoryGuard(request.memory_limit, last_resort if self._disposable else None, refuse=refuse) as guard:
            try:
                rendered = render_config(
                    request.table, request.model_type, request.hyperparameters, epochs=request.epochs, seed=request.seed
                )
                check_precision(rendered, self._device)
                progress.config = canonical_config(rendered)
                status, error = self._train(request, rendered, progress, on_epoch, guard)
            except Exception as fault:
                _check_machine(fault)
                status, error = _diagnose(fault)
                refused = status == "failed" and progress.steps == 0 and not isinstance(fault, OSError) and "CUDA" not in str(fault)
        result = self._result(request, progress, status, error, refused=refused)
        progress.best_weights = None
        self._record(request, result)
        return result

    def _record(self, request: TrialRequest, result: TrialResult) -> None:
        if self._recorder is not None and (result.refused or result.status not in request.again):
            self._recorder.record(request, result)

    def _result(
        self, request: TrialRequest, progress: _Progress, status: Status, error: str | None, *, refused: bool = False
    ) -> TrialResult:
        scorer = scorer_for(request.table.task)
        return TrialResult(
            trial_id=request.trial_id,
            model_type=request.model_type,
            hyperparameters=dict(request.hyperparameters),
            status=status,
            metric=scorer.metric,
            direction=scorer.direction,
            validation_score=progress.best,
            test_score=progress.test.score,
            extra_scores=dict(progress.test.extra),
            curve=tuple(progress.curve),
            train_seconds=progress.train_seconds,
            prepare_seconds=progress.prepare_seconds,
            wall_seconds=time.monotonic() - progress.started,
            peak_memory_bytes=progress.memory.peak(),
            n_parameters=progress.n_parameters,
            config=progress.config,
            device=device_name(self._device),
            node_type=node_type(),
            versions=engine_versions(),
            started_at=progress.started_at,
            model_path=progress.model_path,
            error=error,
            refused=refused,
        )

    def _train(
        self, request: TrialRequest, config: dict[str, Any], progress: _Progress, on_epoch: OnEpoch | None, guard: MemoryGuard
    ) -> tuple[Status, str | None]:
        began = time.monotonic()
        prepared = self._prepare(request, config)
        progress.prepare_seconds = time.monotonic() - began
        validator = _Validator(request, prepared, progress, on_epoch)
        training = _ludwig.Training(request.epochs, request.time_limit, validator, lambda: guard.over)
        try:
            model = _ludwig.train(config, prepared, training, seed=request.seed, paths=request.hyperparameters)
        finally:
            progress.steps = training.steps
            progress.train_seconds = training.seconds if training.steps else 0.0
        if config["trainer"].get("batch_size") == "auto":
            config["trainer"]["batch_size"] = _ludwig.batch_size(model)
            progress.config = canonical_config(config)  # what the record tells is what was trained
        if training.ended == "out_of_memory":
            return "out_of_memory", _over(request, guard.reached)
        if progress.best_weights is not None:
            model.model.load_state_dict(progress.best_weights)
            progress.test = validator.score(model.model, part=2)
            if request.save_model_to is not None:
                _ludwig.save_model(model, request.save_model_to)
                progress.model_path = request.save_model_to
            if request.keep_best_in is not None and progress.best is not None:
                offered = KeptModel(request.trial_id, progress.best, scorer_for(request.table.task).direction)
                kept = keep_best(request.keep_best_in, offered, partial(_ludwig.save_model, model))
                progress.model_path = progress.model_path or kept
        return _verdict(request, training, progress)

    def _prepare(self, request: TrialRequest, config: dict[str, Any]) -> Prepared:
        key = preparation_key(request.table, config)
        if key in self._prepared:
            self._store.touch(key)
        else:
            self._prepared[key] = prepare(request.table, config, self._root)
            while len(self._prepared) > _KEPT_TABLES:
                self._prepared.popitem(last=False)
        self._prepared.move_to_end(key)
        return self._prepared[key]


class _Validator:
    """Scores the validation part after each epoch and keeps the weights of the best one."""

    def __init__(self, request: TrialRequest, prepared: Prepared, progress: _Progress, on_epoch: OnEpoch | None) -> None:
        self._request, self._prepared, self._progress, self._on_epoch = request, prepared, progress, on_epoch
        self._classes = _ludwig.classes_of(prepared, request.table.target)
        table = request.table
        truth = table.frame[table.target] if table.task == "regression" else class_labels(table.frame[table.target])
        self._truth = [truth.to_numpy()[table.split == part] for part in range(3)]
        self._maximise = scorer_for(table.task).direction == "maximize"

    def __call__(self, training: _ludwig.Training, module: Any) -> str | None:
        if self._progress.n_parameters is None:
            self._progress.n_parameters = _ludwig.parameters(module)
        scores, finite = self._look(module, part=1, extras=False)
        report = EpochReport(training.epoch, training.steps, training.seconds, scores.score, training.mean_loss())
        self._progress.curve.append(report)
        self._keep(scores.score, module)
        self._progress.memory.look()
        if not finite:
            return "diverged"
        on_epoch = self._on_epoch
        if training.ended is None and training.epoch < training.epochs and on_epoch is not None:
            return None if training.pause(lambda: on_epoch(report)) else "stopped_early"
        return None

    def score(self, module: Any, part: int) -> Scores:
        """Score one part (1 validation, 2 test)."""
        return self._look(module, part, extras=True)[0]

    def _look(self, module: Any, part: int, *, extras: bool) -> tuple[Scores, bool]:
        table = self._request.table
        predictions = _ludwig.predict(module, self._prepared, part, table.target)
        scores = score(table.task, self._truth[part], predictions, classes=self._classes, positive=table.positive, extras=extras)
        return scores, bool(np.isfinite(predictions).all())

    def _keep(self, value: float | None, module: Any) -> None:
        best = self._progress.best
        if value is None or (best is not None and not (value > best if self._maximise else value < best)):
            return
        self._progress.best = value
        self._progress.best_weights = {name: weights.detach().clone() for name, weights in module.state_dict().items()}


def _verdict(request: TrialRequest, training: _ludwig.Training, progress: _Progress) -> tuple[Status, str | None]:
    if training.ended == "diverged":
        return "diverged", f"loss or predictions were not finite in epoch {training.epoch + (not progress.curve or 0)}"
    if training.ended == "timed_out":
        return "timed_out", f"over its limit of {request.time_limit:g} s in epoch {training.epoch + 1} of {request.epochs}"
    if training.ended == "stopped_early":
        return "stopped_early", None
    if progress.best is None:
        return "failed", f"the validation part cannot be scored: {scorer_for(request.table.task).metric} is not defined on its labels"
    return "completed", None


def _check_machine(fault: BaseException) -> None:
    """Raise what is the machine's fault rather than the trial's: as a result, it would be kept for good."""
    if isinstance(fault, MachineError):
        raise fault
    seen: BaseException | None = fault
    while seen is not None:
        if isinstance(seen, MachineError):
            raise seen
        if isinstance(seen, OSError) and seen.errno in _MACHINE_ERRNOS:
            where = f"{seen.filename}: " if seen.filename else ""
            raise MachineError(f"trials cannot be run on {node_type()}: {where}{(seen.strerror or str(seen)).lower()}") from fault
        if os.strerror(errno.ENOSPC).lower() in str(seen).lower():  # libraries in Rust say it in errors of their own
            raise MachineError(f"trials cannot be run on {node_type()}: {' '.join(str(seen).split())[:200]}") from fault
        seen = seen.__cause__ or seen.__context__


def _diagnose(fault: Exception) -> tuple[Status, str]:
    """Tell memory that ran out from all other faults, and free what can be freed."""
    text = " ".join(str(fault).split())[:500] or type(fault).__name__
    signs = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory", "unable to allocate")
    if isinstance(fault, MemoryError) or any(sign in text.lower() for sign in signs):
        _free()
        return "out_of_memory", text
    return "failed", text if isinstance(fault, AutoMLError) else f"{type(fault).__name__}: {text}"


def _over(request: TrialRequest, reached: int) -> str:
    return f"its process held {reached / 2**20:.0f} MiB of main memory, over its limit of {(request.memory_limit or 0) / 2**20:.0f} MiB"


def _free() -> None:
    import torch

    give_back()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
