"""The host of a local server, from /proc: its CPU, our share of it, memory; and an idle flush.

"Ours" are the given processes and all their descendants: the coordinator with its workers, the
private server, and shards of the same run on this machine. What other processes use of the cores is
foreign, and is evidence against the host.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from readiness.errors import MetricsError

NAME = "host"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_CPU_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_PROBE_BYTES = 512


@dataclass(frozen=True, slots=True)
class _Process:
    parent: int
    started_ticks: int
    cpu_s: float


class Host:
    """A `ports.MetricSource` of this machine; `roots` are pids of ours, `found_roots` gives those that
    are known only later. Seconds and bytes.

    `ours.cpu_s` only grows: a process that ended keeps what it had used when last seen. One that
    was there before the first reading counts from that reading on. Raises MetricsError."""

    name = NAME

    def __init__(
        self,
        roots: Sequence[int],
        *,
        found_roots: Callable[[], Iterable[int]] = tuple,
        proc: Path = Path("/proc"),
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = frozenset(roots)
        self._found_roots = found_roots
        self._proc = proc
        self._monotonic_s = monotonic_s
        self._seen: dict[tuple[int, int], float] = {}
        self._ours_cpu_s = 0.0
        self._is_first = True

    def read(self) -> Mapping[str, float]:
        """CPU seconds summed over all cores since boot, and gauges of memory and cores."""
        try:
            stat = (self._proc / "stat").read_text()
            memory = (self._proc / "meminfo").read_text()
            self._ours_cpu_s += self._grown()
        except (OSError, ValueError, LookupError) as error:
            raise MetricsError(f"{self._proc} cannot be read: {error}.") from error
        return {
            "monotonic_s": self._monotonic_s(),
            "ours.cpu_s": self._ours_cpu_s,
            **_cpu(stat),
            "host.available_bytes": _available_bytes(memory),
        }

    def close(self) -> None:
        """Nothing to undo."""

    def _grown(self) -> float:
        ours = self._ours()
        grown = sum(cpu_s - self._baseline(key, cpu_s) for key, cpu_s in ours.items())
        self._seen = ours
        self._is_first = False
        return grown

    def _baseline(self, key: tuple[int, int], cpu_s: float) -> float:
        return self._seen.get(key, cpu_s if self._is_first else 0.0)

    def _ours(self) -> dict[tuple[int, int], float]:
        processes = self._processes()
        children: dict[int, list[int]] = {}
        for pid, process in processes.items():
            children.setdefault(process.parent, []).append(pid)
        found: dict[tuple[int, int], float] = {}
        roots = self._roots.union(self._found_roots())
        left = [pid for pid in roots if pid in processes]
        while left:
            pid = left.pop()
            process = processes[pid]
            if (pid, process.started_ticks) not in found:
                found[pid, process.started_ticks] = process.cpu_s
                left += children.get(pid, [])
        return found

    def _processes(self) -> dict[int, _Process]:
        found: dict[int, _Process] = {}
        for entry in self._proc.iterdir():
            if entry.name.isdigit():
                try:
                    text = (entry / "stat").read_text("latin-1")
                except (FileNotFoundError, ProcessLookupError, PermissionError):
                    continue  # it ended meanwhile, or hides
                found[int(entry.name)] = _process(text)
        return found


def fsync_probe_ms(directory: Path, n: int = 20) -> float:
    """The median time of `n` small writes, each flushed to storage, in milliseconds.

    Meant for an idle target: it says how the storage answers before any load of ours. The file is
    removed. Raises MetricsError when the directory cannot be written."""
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            times = [_flush_ms(file.fileno()) for _ in range(n)]
    except OSError as error:
        raise MetricsError(f"{directory} cannot be probed: {error.strerror}.") from error
    return statistics.median(times)


def _flush_ms(descriptor: int) -> float:
    began = time.perf_counter()
    os.write(descriptor, b"\0" * _PROBE_BYTES)
    os.fsync(descriptor)
    return (time.perf_counter() - began) * 1e3


def _process(text: str) -> _Process:
    """Fields 4, 14, 15 and 22 of /proc/PID/stat; the name before may hold spaces and brackets."""
    fields = text.rpartition(")")[2].split()
    cpu_s = (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
    return _Process(int(fields[1]), int(fields[19]), cpu_s)


def _cpu(stat: str) -> dict[str, float]:
    """Guest time stands in user time already; idle and iowait are not busy, steal is no one's."""
    lines = stat.splitlines()
    ticks = [int(field) for field in lines[0].split()[1 : 1 + len(_CPU_FIELDS)]]
    s = {name: t / _TICKS_PER_S for name, t in zip(_CPU_FIELDS, ticks, strict=True)}
    process = s["user"] + s["nice"] + s["system"]
    return {
        "host.total_cpu_s": sum(s.values()),
        "host.busy_cpu_s": process + s["irq"] + s["softirq"],
        "host.process_cpu_s": process,
        "host.iowait_s": s["iowait"],
        "host.steal_s": s["steal"],
        "host.cores": float(sum(1 for line in lines if line[:3] == "cpu" and line[3:4].isdigit())),
    }


def _available_bytes(memory: str) -> float:
    fields = dict(line.split(":", 1) for line in memory.splitlines() if ":" in line)
    return float(fields["MemAvailable"].split()[0]) * 1024
