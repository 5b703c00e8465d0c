"""What a machine keeps and what is well there, as the commands and the janitor's DAG ask."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from readiness import __version__
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_binary import find_server
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_state import read_state, server_processes_of
from readiness.anonymize.key import default_path, load_key
from readiness.artifacts.lock import RunLock
from readiness.artifacts.raw_logs import RawLogs
from readiness.config.settings import Settings
from readiness.errors import ReadinessError
from readiness.flow.doctor import (
    Finding,
    Health,
    masked_words,
    of_clones,
    of_leases,
    of_raw_logs,
    of_runs,
    of_server_logs,
)
from readiness.flow.prune import Kept, Pruned, prune
from readiness.wiring.janitor import janitor_silence_s

_LEAST_FREE_BYTES = 1 << 30  # a small clone and its redo log
_PACKAGES = ("apache-airflow", "PyMySQL", "pyarrow", "great-expectations")


def prune_machine(
    settings: Settings, *, older_than_days: float | None = None, is_dry_run: bool = False
) -> Pruned:
    """Deletes raw logs (of `older_than_days`, else as the settings say) and old runs.

    Raises Busy while another process prunes, ArtifactError for a broken note."""
    kept = kept_of(settings, older_than_days)
    with RunLock(settings.state / "prune.lock"):
        return prune(kept, now_s=time.time(), is_dry_run=is_dry_run)


def kept_of(settings: Settings, older_than_days: float | None = None) -> Kept:
    """What there is to prune, and how long each stays."""
    clones = LocalClones(settings.state, options=ServerOptions(is_attached=False)).list()
    days = settings.raw_log_days if older_than_days is None else older_than_days
    held = {clone.run_id for clone in clones}
    return Kept(
        RawLogs(settings.state, settings.captures), settings.runs, held, days, settings.run_days
    )


def look(settings: Settings) -> Health:
    """What is on this machine. Reads only; starts nothing."""
    now_s = time.time()
    kept = kept_of(settings)
    clones = LocalClones(settings.state, options=ServerOptions(is_attached=False))
    return Health(
        (
            *_versions(),
            *_disk(settings.state),
            *_environment(settings),
            _key(settings.key_file),
            *_servers(settings.state),
            *of_clones(clones.list(), janitor_silence_s(settings), now_s),
            *_snapshots(clones),
            *of_leases(sorted((settings.state / "locks").glob("*.json")), now_s),
            *of_server_logs(sorted((settings.state / "server-logs").glob("*.json"))),
            *of_raw_logs(kept, now_s),
            *of_runs(kept, now_s),
        )
    )


def _versions() -> Iterator[Finding]:
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    yield Finding(
        "versions", f"readiness {__version__}, Python {platform.python_version()}, {system}"
    )
    yield Finding("versions", ", ".join(f"{name} {_version(name)}" for name in _PACKAGES))
    try:
        binary = find_server()
    except ReadinessError as error:
        yield Finding("server", f"no program for clones: {error.message}", True)
        return
    yield Finding("server", f"{binary.engine} {binary.version} at {binary.path}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"


def _disk(state: Path) -> Iterator[Finding]:
    there = next(p for p in (state.absolute(), *state.absolute().parents) if p.exists())
    free = shutil.disk_usage(there).free
    text = f"{state}: {free / 1e9:,.1f} GB free"
    yield Finding("state", text, free < _LEAST_FREE_BYTES)


def _environment(settings: Settings) -> Iterator[Finding]:
    """Names alone: what they are set to may be a secret of somebody."""
    names = sorted(name for name in os.environ if name.startswith("READINESS_"))
    yield Finding("environment", ", ".join(names) or "no READINESS_ variable is set")
    count = len(settings.production)
    yield Finding("production", f"{count} endpoint{'s' * (count != 1)} that must never be loaded")


def _key(named: Path | None) -> Finding:
    """Where it lies and who may read it; nothing of what it is."""
    if os.environ.get("READINESS_KEY"):
        return Finding("key", "in the environment, READINESS_KEY")
    path = (named or default_path()).absolute()
    if not path.exists():
        return Finding("key", f"{path}: none yet; workload build makes one")
    mode = stat.S_IMODE(path.stat().st_mode)
    try:
        load_key(path)
    except ReadinessError as error:
        return Finding("key", " ".join(f"{error.message} {error.hint}".split()), True)
    return Finding("key", f"{path}, mode {mode:04o}")


def _servers(state: Path) -> Iterator[Finding]:
    """Private servers that run; one whose state file does not know it needs a person."""
    found = list(server_processes_of(state))
    if not found:
        yield Finding("servers", "none runs")
    for process, datadir in found:
        known = read_state(datadir.parent)
        is_known = known is not None and known.pid == process.pid
        doubt = "" if is_known else "; its folder does not know it: look, and end it"
        text = f"process {process.pid} in {datadir.parent}{doubt}"
        yield Finding("servers", text, not is_known)


def _snapshots(clones: LocalClones) -> Iterator[Finding]:
    """They hold whole databases."""
    for snapshot in clones.snapshots.all():
        age = (time.time() - snapshot.created_at) / 86_400
        size = f"{snapshot.bytes / 1e6:,.0f} MB"
        text = (
            f"{snapshot.name}: {size}, {age:,.1f} days old; stays; {masked_words(snapshot.masked)}"
        )
        yield Finding("snapshots", text)
