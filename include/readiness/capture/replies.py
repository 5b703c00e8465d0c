"""What the server answered, as a slow log tells it: rows sent and affected, by the record's line.

`RawStatement.line` leads to it: the statements of a capture stay as small as they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from readiness.capture.logs import open_log

RowsByLine = Mapping[int, tuple[int, int | None]]
"""(rows sent, rows affected) of the record that begins at a line; affected is None where the server
does not log it (MySQL). {} for a log that knows no rows."""


def rows_by_line(path: Path, *, format: str = "auto") -> RowsByLine:
    """The rows of each record of one log; a statement that failed has none. Raises CaptureError where
    the log cannot be read."""
    return {
        event.line: event.rows
        for event in open_log(path, format=format)
        if event.rows is not None and event.command == "Query" and not event.errno
    }
