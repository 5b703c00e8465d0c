"""The process that runs a task: found by its title, held, ended, all by its exact identity."""

from __future__ import annotations

import fcntl
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from tests.integration.scheduler.real_airflow import Run, wait_for

from readiness.adapters.processes import (
    ProcessIdentity,
    all_pids,
    command_line,
    identify,
    is_alive,
    wait_gone,
)

_SIGTERM_BIT = 1 << (signal.SIGTERM - 1)
_SOON_S = 120.0
_TOO_LATE = ("success", "failed", "upstream_failed", "skipped")


@dataclass(frozen=True)
class TaskProcess:
    """The Python process that Airflow started for one try of a task."""

    process: ProcessIdentity

    @property
    def supervisor(self) -> ProcessIdentity:
        """The process of Airflow's executor that looks after it."""
        found = identify(parent_of(self.process.pid))
        assert found
        assert any("LocalExecutor" in part for part in command_line(found.pid))
        return found

    @property
    def workers(self) -> list[int]:
        """The load workers that it has started."""
        return [
            pid
            for pid in all_pids()
            if parent_of(pid) == self.process.pid and "readiness.worker" in command_line(pid)
        ]

    def hold(self) -> None:
        """Stops it where it stands, as a machine that swaps would."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """Lets it go on."""
        self._send(signal.SIGCONT)

    def kill(self) -> None:
        """kill -9, and waits until it is gone."""
        self._send(signal.SIGKILL)
        assert wait_gone(self.process, timeout_s=10)

    def kill_with_supervisor(self) -> None:
        """kill -9 of both, as the kernel does when memory runs out: nobody tells Airflow."""
        supervisor = self.supervisor
        os.kill(supervisor.pid, signal.SIGKILL)
        self.kill()
        assert wait_gone(supervisor, timeout_s=10)

    def hold_supervisor(self) -> ProcessIdentity:
        """Stops the supervisor, too: it sees nothing and ends nothing; who it is."""
        supervisor = self.supervisor
        os.kill(supervisor.pid, signal.SIGSTOP)
        return supervisor

    def wait_for_sigterm(self) -> None:
        """Waits until Airflow has sent SIGTERM to the held process, which has not seen it yet."""
        wait_for(self._has_sigterm, lambda: "SIGTERM by Airflow", within_s=60, every_s=0.05)

    def _has_sigterm(self) -> bool:
        assert is_alive(self.process), "the task's process ended before it was stopped"
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        pending = [int(line.split()[1], 16) for line in status.splitlines() if "Pnd:" in line]
        return any(signals & _SIGTERM_BIT for signals in pending)

    def _send(self, number: signal.Signals) -> None:
        assert is_alive(self.process), "the task's process ended too early for this test"
        os.kill(self.process.pid, number)


def process_of(run: Run, task: str, *, attempt: int = 1) -> TaskProcess:
    """The process of a try of a task, as soon as it runs."""

    def found() -> TaskProcess | None:
        ti = run.tasks.get(task, {})
        assert ti.get("state") not in _TOO_LATE, f"{task} does not run: {run.states}"
        if ti.get("state") != "running" or ti.get("try_number") != attempt:
            return None
        return _titled(str(ti["id"]))

    return wait_for(
        found, lambda: f"try {attempt} of {task}: {run.states}", within_s=_SOON_S, every_s=0.1
    )


def restoring(run: Run, *, attempt: int = 1) -> TaskProcess:
    """The process of restore, held at the moment when it copies the snapshot."""
    task = process_of(run, "restore", attempt=attempt)
    folder = run.airflow.clones.root / "clones" / run.clone_name
    wait_for((folder / "data.partial").exists, lambda: "the copy", within_s=60, every_s=0.002)
    task.hold()
    return task


def about_to_restore(run: Run) -> TaskProcess:
    """The process of restore, held when it has renewed its locks and has made nothing yet."""
    locks = run.airflow.home.state / "locks"
    (lock,) = locks.glob("host-*.json")
    reserved = lock.stat().st_mtime_ns
    task = process_of(run, "restore")
    wait_for(lambda: lock.stat().st_mtime_ns > reserved, lambda: "renewal", within_s=60, every_s=0)
    task.hold()
    while _is_locked(locks / ".guard"):  # held inside the renewal, it would hold up everybody
        task.go_on()
        task.hold()
    assert run.airflow.clones.list() == [], "restore was too quick for this test"
    return task


def loading(run: Run, task_id: str) -> TaskProcess:
    """The process of a stage's load, when its workers change the clone."""
    task = process_of(run, task_id)
    wait_for(lambda: task.workers or None, lambda: "load workers", within_s=_SOON_S)
    first = commits(run)
    wait_for(lambda: commits(run) >= first + 3, lambda: "commits on the clone", within_s=60)
    return task


def destroying(run: Run) -> TaskProcess:
    """The process of destroy, held when the clone's server is gone and its files are not."""
    run.reaches("restore", "success")
    server = identify(run.clone.pid)
    assert server
    folder = Path(run.clone.directory)
    _fatten(folder)
    run.reaches("report", "running", "success")
    task = process_of(run, "destroy")
    assert wait_gone(server, timeout_s=60)
    task.hold()
    assert (folder / "clone.json").exists(), "destroy was too quick for this test"
    return task


def commits(run: Run) -> int:
    """Statements COMMIT that the clone's server has done."""
    session = run.airflow.clones.admin_session(run.clone_name)
    try:
        ((_, count),) = session.query("SHOW GLOBAL STATUS LIKE 'Com_commit'")
    finally:
        session.close()
    return int(str(count))


def parent_of(pid: int) -> int:
    """The pid of its parent; 0 when it is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("latin-1")
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def _is_locked(guard: Path) -> bool:
    with guard.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _titled(ti_id: str) -> TaskProcess | None:
    """Airflow gives the process the title `airflow worker -- ID of the task instance`."""
    for pid in all_pids():
        if " ".join(command_line(pid)).strip() == f"airflow worker -- {ti_id}":
            process = identify(pid)
            return TaskProcess(process) if process else None
    return None


def _fatten(folder: Path) -> None:
    """Many small files, so that removing the clone takes a moment."""
    many = folder / "many"
    many.mkdir()
    for n in range(20_000):
        (many / str(n)).touch()
