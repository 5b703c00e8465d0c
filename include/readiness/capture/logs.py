"""Opens a server's log whatever its format: tells the formats apart, names what is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.capture import rotation, sniff
from readiness.capture.audit_log import AuditLog
from readiness.capture.chain import Chain
from readiness.capture.events import EventSource
from readiness.capture.files import LogFile, Meter
from readiness.capture.general_log import GeneralLog
from readiness.capture.general_table import GeneralCsv, GeneralTable
from readiness.capture.history import History
from readiness.capture.slow_log import SlowLog
from readiness.capture.slow_table import SlowTable
from readiness.errors import CaptureError, LogFormatError
from readiness.model.boundary import values_end_here

if TYPE_CHECKING:
    from readiness.ports import Progress

# general log files keep the server's name, since their forms differ; others are named by their form
DIALECTS = (
    "mysql",
    "mariadb",
    "general-table",
    "general-csv",
    "slow-mysql",
    "slow-percona",
    "slow-mariadb",
    "audit",
    "history",
)
FORMATS = ("auto", "general", "slow", "audit", "table")
_FORMAT_OF = {
    sniff.GENERAL: "general",
    sniff.SLOW: "slow",
    sniff.AUDIT: "audit",
    sniff.GENERAL_TABLE: "table",
    sniff.GENERAL_CSV: "table",
    sniff.SLOW_TABLE: "table",
    sniff.HISTORY: "table",
}
_SINGLE: dict[str, Callable[[Path, Meter], EventSource]] = {
    sniff.GENERAL_TABLE: lambda path, meter: GeneralTable(path, meter=meter),
    sniff.GENERAL_CSV: lambda path, meter: GeneralCsv(path, meter=meter),
    sniff.SLOW_TABLE: lambda path, meter: SlowTable(path, meter=meter),
    sniff.HISTORY: lambda path, meter: History(path, meter=meter),
}


@values_end_here
def open_log(path: Path, *, format: str = "auto", progress: Progress | None = None) -> EventSource:
    """The events of one log; `format` is one of FORMATS, auto looks at the first bytes.

    Raises CaptureError for what cannot be read, LogFormatError for what is no log of that format,
    with its name where it is something else that is known."""
    return _open([path], format, progress)


@values_end_here
def open_logs(
    paths: Sequence[Path], *, format: str = "auto", progress: Progress | None = None
) -> list[EventSource]:
    """One source per log; files that a server rotated are one log, in the order written.

    Raises as `open_log` does, and CaptureError for a file that is given twice."""
    return [_open(group, format, progress) for group in rotation.groups(paths)]


def _open(paths: Sequence[Path], format: str, progress: Progress | None) -> EventSource:
    if format not in FORMATS:
        raise CaptureError(f"there is no log format {format}", hint=f"One of {', '.join(FORMATS)}.")
    found = _format(paths, format)
    meter = Meter(paths, progress)
    if found == sniff.GENERAL:
        return GeneralLog(*paths, meter=meter)
    if found == sniff.SLOW:
        return SlowLog(*paths, meter=meter)
    if found == sniff.AUDIT:
        return AuditLog(paths, meter=meter)
    sources = [_SINGLE[found](path, meter) for path in paths]
    return sources[0] if len(sources) == 1 else Chain(sources)


def _format(paths: Sequence[Path], wanted: str) -> str:
    """The one format of all files of a log. Raises LogFormatError for another than wanted."""
    if wanted in ("general", "slow", "audit"):
        return wanted
    first = ""
    for path in paths:
        found = sniff.sniff(path, LogFile(path).head(sniff.HEAD_BYTES))
        expected = first or (wanted if wanted not in ("auto", _FORMAT_OF[found]) else found)
        if found != expected:
            raise LogFormatError(
                path,
                1,
                f"expected the format {expected}, found {found}",
                hint="Leave --format out; give logs of several formats by several names.",
            )
        first = found
    return first
