"""The one place where a device is chosen: ``LODE_DEVICE`` (``cpu``, ``cuda`` or ``mps``), else CUDA where there is an NVIDIA device."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Literal, get_args

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
