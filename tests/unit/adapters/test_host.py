"""The host's counters, from a /proc made of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from readiness.adapters.host import Host, fsync_probe_ms
from readiness.errors import MetricsError
from readiness.metrics.derive import derive

TICKS = os.sysconf("SC_CLK_TCK")


class Proc:
    """A /proc folder; CPU is given in seconds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cpu(user=0.0, idle=0.0)
        (path / "meminfo").write_text("MemTotal:  9 kB\nMemAvailable:  2048 kB\n")

    def cpu(self, *, user: float, idle: float, steal: float = 0.0) -> None:
        numbers = [user, 0.0, 0.0, idle, 0.0, 0.0, 0.0, steal, 0.0, 0.0]
        text = " ".join(str(int(n * TICKS)) for n in numbers)
        (self.path / "stat").write_text(f"cpu  {text}\ncpu0 {text}\ncpu1 {text}\nctxt 1\n")

    def process(self, pid: int, *, parent: int, cpu_s: float, started: int = 7) -> None:
        folder = self.path / str(pid)
        folder.mkdir(exist_ok=True)
        rest = ["0"] * 9 + [str(int(cpu_s * TICKS)), "0", "0", "0", "20", "0", "1", "0"]
        (folder / "stat").write_text(f"{pid} (a) b) S {parent} {' '.join(rest)} {started} 0\n")

    def end(self, pid: int) -> None:
        (self.path / str(pid) / "stat").unlink()


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path)


def source(proc: Proc, *roots: int) -> Host:
    seconds = iter(range(100))
    return Host(roots, proc=proc.path, monotonic_s=lambda: float(next(seconds)))


def test_ours_are_the_roots_and_all_their_descendants(proc: Proc) -> None:
    for pid, parent in ((10, 1), (11, 10), (12, 11), (20, 1)):
        proc.process(pid, parent=parent, cpu_s=1.0)
    host = source(proc, 10)
    host.read()
    for pid, parent in ((10, 1), (11, 10), (12, 11), (20, 1)):
        proc.process(pid, parent=parent, cpu_s=2.0)
    assert host.read()["ours.cpu_s"] == pytest.approx(3.0)


def test_a_shard_that_is_found_later_is_ours_with_its_descendants(proc: Proc) -> None:
    for pid, parent in ((10, 1), (20, 1), (21, 20)):
        proc.process(pid, parent=parent, cpu_s=0.0)
    found: list[int] = []
    host = Host([10], found_roots=lambda: found, proc=proc.path)
    host.read()
    found.append(20)
    proc.process(21, parent=20, cpu_s=1.5)
    assert host.read()["ours.cpu_s"] == pytest.approx(1.5)


def test_a_worker_born_meanwhile_counts_whole_and_one_that_ended_is_kept(proc: Proc) -> None:
    proc.process(10, parent=1, cpu_s=5.0)
    host = source(proc, 10)
    host.read()
    proc.process(11, parent=10, cpu_s=0.5)
    assert host.read()["ours.cpu_s"] == pytest.approx(0.5)
    proc.end(11)
    assert host.read()["ours.cpu_s"] == pytest.approx(0.5)


def test_a_reused_pid_is_another_process(proc: Proc) -> None:
    proc.process(10, parent=1, cpu_s=5.0, started=7)
    host = source(proc, 10)
    host.read()
    proc.process(10, parent=1, cpu_s=0.25, started=99)
    assert host.read()["ours.cpu_s"] == pytest.approx(0.25)


def test_shares_are_of_all_cores(proc: Proc) -> None:
    proc.process(10, parent=1, cpu_s=0.0)
    host = source(proc, 10)
    before = host.read()
    proc.cpu(user=1.0, idle=0.8, steal=0.2)
    proc.process(10, parent=1, cpu_s=0.5)
    made = derive(before, host.read())
    assert made["host_cpu_ratio"] == pytest.approx(0.5)
    assert made["native.host.steal_ratio"] == pytest.approx(0.1)
    assert made["native.host.foreign_cpu_ratio"] == pytest.approx(0.25)
    assert made["vcpu"] == 2
    assert made["freeable_memory_bytes"] == 2048 * 1024


def test_a_proc_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MetricsError, match="cannot be read"):
        Host([1], proc=tmp_path / "none").read()


def test_this_machine_can_be_read() -> None:
    host = Host([os.getpid()])
    before = host.read()
    sum(i * i for i in range(2_000_000))
    after = host.read()
    assert after["ours.cpu_s"] > before["ours.cpu_s"]
    assert after["host.cores"] == os.cpu_count()


def test_the_idle_flush_is_timed_and_leaves_no_file(tmp_path: Path) -> None:
    assert fsync_probe_ms(tmp_path, n=3) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_probed_is_named(tmp_path: Path) -> None:
    with pytest.raises(MetricsError, match="none"):
        fsync_probe_ms(tmp_path / "none")
