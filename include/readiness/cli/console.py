"""Where commands speak: progress on stderr, results on stdout, errors in one shape."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from readiness.errors import ReadinessError
from readiness.report.terminal import format_error


def progress(text: str) -> None:
    """One line of progress."""
    print(text, file=sys.stderr, flush=True)


def silent(_text: str) -> None:
    """No progress."""


def result(data: Mapping[str, object], text: str, *, as_json: bool) -> None:
    """The result of a command: `data` for machines, `text` for people."""
    print(json.dumps(data, indent=1, sort_keys=True) if as_json else text, flush=True)


def failure(error: ReadinessError, *, as_json: bool) -> int:
    """Shows an error and gives its exit code."""
    if as_json:
        body = {
            "error": type(error).__name__,
            "message": error.message,
            "hint": error.hint,
            "exit_code": error.exit_code,
        }
        print(json.dumps(body), flush=True)
    else:
        print(format_error(error, colour=sys.stderr.isatty()), file=sys.stderr, flush=True)
    return error.exit_code


def is_terminal() -> bool:
    """Whether a person looks at stdout."""
    return sys.stdout.isatty()
