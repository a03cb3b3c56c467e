"""The one place where devices are chosen: which class, how much of a GPU a trial takes, and how many trials run at a time.

``LODE_DEVICE`` is ``cpu``, ``cuda`` or ``mps``, else CUDA where there is an NVIDIA device; ``LODE_GPUS_PER_TRIAL`` a number of GPUs.
"""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from automl._errors import AutoMLError

DeviceClass = Literal["cpu", "cuda", "mps"]


def device_class() -> DeviceClass:
    """Return the class of device that trials run on, without importing torch.

    Apple's MPS is used on request only: not every operation of every model type runs there.

    Raises:
        AutoMLError: ``LODE_DEVICE`` names something else.

    """
    asked = os.environ.get("LODE_DEVICE", "").strip().lower()
    for known in get_args(DeviceClass):
        if asked == known:
            return known  # type: ignore[no-any-return]
    if asked:
        raise AutoMLError(f"LODE_DEVICE is {asked!r}: set it to one of {', '.join(get_args(DeviceClass))}, or leave it unset")
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    found = any(Path(place).exists() for place in ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg"))
    return "cuda" if found and not hidden else "cpu"


@dataclass(frozen=True)
class Placement:
    """How a pool's workers stand in a cluster: how many, and the GPUs that each takes (a part of one, or whole ones; 0 without)."""

    workers: int
    gpus: float


def place_workers(
    resources: Mapping[str, float], device: DeviceClass, *, workers: int | None = None, gpus_per_trial: float | None = None
) -> Placement:
    """Lay out trial workers over a cluster.

    Without ``workers`` there is one a processor, or on GPUs as many as ``gpus_per_trial`` (by default ``$LODE_GPUS_PER_TRIAL``, else one)
    lets onto them. With ``workers`` alone, so many share each GPU that all have room; a GPU is never shared by more than are needed.

    Args:
        resources: ``CPU`` and ``GPU`` of all nodes together, as Ray tells them.
        device: what to train on; only ``cuda`` takes GPUs by itself.
        workers: trials at a time.
        gpus_per_trial: a part of a GPU (0.5: two trials on each), or a whole number of GPUs.

    Raises:
        AutoMLError: a number that Ray cannot place, or no GPU in a cluster of which some are asked.

    """
    asked = gpus_per_trial if gpus_per_trial is not None else _asked_gpus() if device == "cuda" else None
    if asked is not None and not (0 < asked <= 1 or (asked > 1 and float(asked).is_integer())):
        raise AutoMLError(f"{asked:g} GPUs a trial cannot be placed: give a part of one (0.25, 0.5), or a whole number")
    there, processors = float(resources.get("GPU", 0.0)), max(1, int(resources.get("CPU", 1)))
    if asked is None and device != "cuda":
        return Placement(workers or processors, 0.0)
    if there < (asked or 0.0) or there <= 0:
        raise AutoMLError(
            f"{asked or 1:g} GPUs a trial are asked for, and Ray has {there:g}: set LODE_DEVICE=cpu, or join nodes that have them"
        )
    if asked is None and workers is not None:
        asked = 1.0 if workers <= there else 1.0 / math.ceil(workers / there)
    asked = asked or 1.0
    room = int(there) * int(1 / asked + 1e-9) if asked < 1 else int(there // asked)
    return Placement(workers or max(1, min(processors, room)), asked)


def check_precision(config: Mapping[str, Any], device: DeviceClass) -> None:
    """Refuse mixed precision where Ludwig would switch it off in silence.

    Raises:
        AutoMLError: ``trainer.use_mixed_precision`` on anything but an NVIDIA GPU.

    """
    if config.get("trainer", {}).get("use_mixed_precision") and device != "cuda":
        raise AutoMLError(f"trainer.use_mixed_precision needs an NVIDIA GPU, and this trial runs on {device}")


def _asked_gpus() -> float | None:
    given = os.environ.get("LODE_GPUS_PER_TRIAL", "").strip()
    try:
        return float(given) if given else None
    except ValueError:
        raise AutoMLError(f"LODE_GPUS_PER_TRIAL is {given!r}: set it to a number of GPUs, such as 0.5, or leave it unset") from None


def device_environment(device: DeviceClass) -> dict[str, str]:
    """Return the environment that makes Ludwig and torch use ``device``; it must stand before torch is imported."""
    if device == "cuda":
        return {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    if device == "mps":
        return {"LUDWIG_ENABLE_MPS": "1", "PYTORCH_ENABLE_MPS_FALLBACK": "1"}
    return {"CUDA_VISIBLE_DEVICES": ""}


def device_name(device: DeviceClass) -> str:
    """Return the device's own name for records, such as ``cuda: NVIDIA H200``; imports torch for a GPU only."""
    if device != "cuda":
        return device
    import torch

    return f"cuda: {torch.cuda.get_device_name()}" if torch.cuda.is_available() else "cpu"


def node_type() -> str:
    """Return what kind of machine this is: ``$LODE_NODE_TYPE``, else system, processor and number of processors."""
    return os.environ.get("LODE_NODE_TYPE") or f"{platform.system().lower()}-{platform.machine()}-{os.cpu_count() or 1}cpu"
