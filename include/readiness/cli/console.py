"""Where commands speak: progress on stderr, results on stdout, errors in one shape."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Mapping

from readiness.errors import ConfigMistakes, ReadinessError, TargetRefused
from readiness.model.boundary import unexpected
from readiness.report.terminal import format_error


def progress(text: str) -> None:
    """One line of progress."""
    print(text, file=sys.stderr, flush=True)


def result(data: Mapping[str, object], text: str, *, as_json: bool) -> None:
    """The result of a command: `data` for machines, `text` for people."""
    print(json.dumps(data, indent=1, sort_keys=True) if as_json else text, flush=True)


def failure(error: ReadinessError, *, as_json: bool) -> int:
    """Shows an error and gives its exit code."""
    if as_json:
        print(json.dumps(_as_json(error)), flush=True)
    else:
        print(format_error(error, colour=sys.stderr.isatty()), file=sys.stderr, flush=True)
    return error.exit_code


def _as_json(error: ReadinessError) -> dict[str, object]:
    """All that people are shown of an error: each mistake of a file, each key of a target."""
    body: dict[str, object] = {
        "error": type(error).__name__,
        "message": error.message,
        "hint": error.hint,
        "exit_code": error.exit_code,
    }
    if isinstance(error, ConfigMistakes):
        body["mistakes"] = [
            {"path": str(m.path), "line": m.line, "column": m.column, "text": m.text}
            for m in error.mistakes
        ]
    if isinstance(error, TargetRefused):
        body["target"] = error.where
        body["keys"] = [{"name": n, "holds": holds, "why": why} for n, holds, why in error.keys]
    return body


def of_system(error: OSError) -> ReadinessError:
    """A file or folder that the system refused, as an error of ours: which, and why."""
    if not error.errno:  # its text is a library's own, which may quote what it read
        return unexpected(error)
    where = f"{error.filename}: " if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ReadinessError(
            f"{where}The disk is full.",
            hint="Clones take most of it; the janitor destroys those whose lease has ended:\n"
            "  readiness clone list\n  readiness clone janitor",
        )
    return ReadinessError(
        f"{where}{error.strerror or type(error).__name__}.",
        hint="Check the path, its rights and the free space.",
    )


def unheard() -> int:
    """Nobody reads our output any more (`| head`): as quiet an end as a shell's own tools make."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 3


def is_terminal() -> bool:
    """Whether a person looks at stdout."""
    return sys.stdout.isatty()
