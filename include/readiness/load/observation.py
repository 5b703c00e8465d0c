"""What a worker costs itself each second: CPU, and time it waited for a core."""

from __future__ import annotations

import resource
import time
from pathlib import Path

_SCHEDSTAT = Path("/proc/self/schedstat")


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _waited_ns() -> int:
    # "ran waited slices" of the main thread, where the loop runs; absent on kernels without it.
    try:
        return int(_SCHEDSTAT.read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0


class SelfObserver:
    """Ratios since the call before: CPU of all threads and run-queue delay of the loop's thread."""

    def __init__(self) -> None:
        self._cpu_s = _cpu_s()
        self._waited_ns = _waited_ns()
        self._at_ns = time.monotonic_ns()

    def read(self) -> tuple[float, float]:
        """(CPU seconds per second, of one core; seconds runnable but not running per second)."""
        now_ns, cpu_s, waited_ns = time.monotonic_ns(), _cpu_s(), _waited_ns()
        elapsed_s = max(now_ns - self._at_ns, 1) / 1e9
        cpu_ratio = (cpu_s - self._cpu_s) / elapsed_s
        delay_ratio = (waited_ns - self._waited_ns) / 1e9 / elapsed_s
        self._at_ns, self._cpu_s, self._waited_ns = now_ns, cpu_s, waited_ns
        return cpu_ratio, delay_ratio
