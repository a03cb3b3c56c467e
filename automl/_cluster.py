"""Ray, started quietly on this machine, or joined where ``RAY_ADDRESS`` says it runs."""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path

from automl._devices import device_class, place_workers
from automl._errors import PoolLostError

_OBJECT_STORE_BYTES = 512 * 1024**2
_LONGEST_TEMP_DIR = 30
"""Ray puts sockets below its temporary folder; a socket's path may have 107 characters in all."""
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",  # else a thread that outlives its Ray begins another, which nobody ends
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # else the death of a worker is told at length on stdout, in the midst of a command's JSON
}


def start_ray(cpus: int | None = None, gpus: int | None = None) -> bool:
    """Connect this process to Ray: to ``RAY_ADDRESS`` when it is set, else to a Ray of its own on this machine.

    Args:
        cpus: how many processors the machine's own Ray may use; all by default. One trial worker takes one.
        gpus: how many GPUs it is told that the machine has; by default those that are found, none where trials run on the processor.

    Returns:
        True when this call connected, and ``stop_ray`` is the caller's to call; False when the process was connected already.

    Raises:
        PoolLostError: Ray does not come up, or there is none at ``RAY_ADDRESS``.

    """
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    if ray.is_initialized():
        return False
    on_term = signal.getsignal(signal.SIGTERM)
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    # Ray puts the working folder before everything else on its workers' import path: a user's folder `automl` would be taken for ours
    with contextlib.chdir(sys.prefix), warnings.catch_warnings(), _told():
        warnings.simplefilter("ignore")
        if os.environ.get("RAY_ADDRESS"):
            ray.init(**quiet)
        else:
            ray.init(
                address="local",  # never another's Ray that happens to run here, nor the traces of one that was killed
                num_cpus=cpus,
                num_gpus=gpus if gpus is not None or device_class() == "cuda" else 0,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                _temp_dir=_short_temp_dir(),
                runtime_env=_runtime_env(),
                **quiet,
            )
    if callable(on_term) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, on_term)  # Ray's own handler aborts the process with a stack of its own
    return True


def trials_at_a_time() -> int:
    """Return how many trials run at a time on the Ray that this process is connected to: what its processors, or GPUs, have room for."""
    import ray

    return place_workers(ray.cluster_resources(), device_class()).workers


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Say in one line that Ray does not come up: it raises a bare ``Exception`` when a busy machine takes too long over it."""
    try:
        yield
    except (ConnectionError, RuntimeError, TimeoutError) as fault:
        raise PoolLostError(f"Ray could not be started or joined: {' '.join(str(fault).split())[:300]}") from fault
    except Exception as fault:
        if type(fault) is not Exception:
            raise
        raise PoolLostError(f"Ray could not be started: {' '.join(str(fault).split())[:300]}") from fault


def stop_ray() -> None:
    """Disconnect from Ray; a Ray that ``start_ray`` started on this machine ends with it."""
    import ray

    ray.shutdown()


def _runtime_env() -> dict[str, str] | None:
    """Return the interpreter quoted, where its path needs that: Ray hands it to a shell as it is, for workers with an environment."""
    quoted = shlex.quote(sys.executable)
    return None if quoted == sys.executable or sys.platform == "win32" else {"py_executable": quoted}


def _short_temp_dir() -> str | None:
    """Return a folder near the root where the usual one has too long a path for sockets."""
    usual = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or tempfile.gettempdir()
    if sys.platform == "win32" or len(usual) <= _LONGEST_TEMP_DIR:
        return None
    short = Path(f"/tmp/lode-ray-{os.getuid()}")  # noqa: S108 - a short path is the point; the folder is the user's own
    short.mkdir(mode=0o700, exist_ok=True)
    return str(short)
