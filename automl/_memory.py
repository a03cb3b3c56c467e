"""The most memory that a trial held."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import psutil


class PeakMemory:
    """Measures from its making on. Linux keeps a resettable high-water mark; elsewhere ``look`` samples."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._highest = 0
        try:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
            self._mark = Path("/proc/self/status").exists()
        except OSError:
            self._mark = False
        self._cuda = _cuda()
        if self._cuda is not None:
            self._cuda.reset_peak_memory_stats()
        self.look()

    def look(self) -> None:
        """Take a sample."""
        self._highest = max(self._highest, int(self._process.memory_info().rss))

    def peak(self) -> int:
        """Return bytes: of the GPU where one is used, else resident in main memory."""
        self.look()
        if self._cuda is not None:
            return int(self._cuda.max_memory_allocated())
        if self._mark:
            for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
                if line.startswith("VmHWM:"):
                    return max(self._highest, int(line.split()[1]) * 1024)
        return self._highest


def _cuda() -> Any:
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_available() else None
