"""Slow logs on disk → what their runs of the flow answered, to compare a replay with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from readiness.capture.replies import rows_by_line
from readiness.flow.choosing import Choosing, read_captures
from readiness.workload.prove.observed import Observed, observed
from readiness.workload.schema import Schema


@dataclass(frozen=True, slots=True)
class SlowLogs:
    """The slow logs of captures: whole, of `users` only, or the part that `choosing` picks."""

    paths: tuple[Path, ...] = ()
    users: tuple[str, ...] = ()
    choosing: Choosing = field(default_factory=Choosing)


def read_slow_logs(logs: SlowLogs, schema: Schema) -> list[Observed]:
    """One for each run of the flow. Raises CaptureError, and WorkloadError for what is no slow log."""
    return [run for path in logs.paths for run in _runs(path, logs, schema)]


def _runs(path: Path, logs: SlowLogs, schema: Schema) -> Sequence[Observed]:
    rows = rows_by_line(path, format=logs.choosing.format)
    captures = read_captures([path], logs.choosing, users=logs.users, schema=schema)
    return [observed(capture, rows) for capture in captures]
