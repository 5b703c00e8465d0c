"""Every exception of the suite. One base, one bit that decides retries.

ReadinessError                 has .message, .hint; transient = False; exit_code = 3
├── ConfigError                plan, expectations, settings, DSN: key, received, allowed        (exit 2)
│   └── ConfigMistakes         all mistakes of one file at once
├── CaptureError
│   ├── LogFormatError         path, line: never the SQL
│   └── SqlError               a statement that cannot be read: byte offset, never the SQL
├── WorkloadError
│   ├── WorkloadFileError      path, line, what was expected
│   └── PrivacyError           a captured value survived; nothing was written                   (exit 2)
├── TargetError
│   ├── TargetRefused          the interlock: which key is missing                              (exit 2)
│   ├── StatementFailed        the server answered a statement with an error: its code
│   └── TargetUnavailable      transient
├── ServerError                a private local server: no binary, no port, it died
├── CloneError
├── MaskingError               a clone could not be masked, or is not proven to be
├── LoadError
│   ├── LoadRefused            preflight: what does not fit, before any load                    (exit 2)
│   └── WorkerLost             transient
├── MetricsError
├── ArtifactError
│   └── SchemaMismatch         a file of another schema_version
├── AnalysisError
├── Busy                       another run holds the lock: its pid                              (exit 2)
└── Unexpected                 a fault of ours: its type and place, never its own message

Messages name files, lines, statement ids and digests; never SQL, values or credentials.
"NOT_READY" is a value (`model.Verdict`), not an exception.
"""

from __future__ import annotations

from pathlib import Path


class ReadinessError(Exception):
    """Base of all: one sentence of what failed, and what to type next."""

    transient = False
    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(ReadinessError, ValueError):
    """A setting, plan, expectation or DSN is wrong."""

    exit_code = 2


class Mistake:
    """One mistake in a file the user wrote; line and column count from 1."""

    def __init__(self, path: Path, line: int, column: int, text: str, *, width: int = 1) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.text = text
        self.width = width


class ConfigMistakes(ConfigError):
    """All mistakes of one file, so that one edit mends them together."""

    def __init__(self, what: str, mistakes: list[Mistake], *, hint: str = "") -> None:
        count = len(mistakes)
        super().__init__(f"{what} has {count} mistake{'s' * (count != 1)}.", hint=hint)
        self.mistakes = mistakes

    def __str__(self) -> str:
        """With every place: a traceback, such as Airflow's import error, shows nothing else."""
        places = [f"{m.path}:{m.line}:{m.column}: {m.text}" for m in self.mistakes]
        return "\n  ".join([self.message, *places])


class CaptureError(ReadinessError):
    """A capture cannot be used."""

    exit_code = 2


class LogFormatError(CaptureError):
    """A server log is not what it should be at one line."""

    def __init__(self, path: Path, line: int, message: str, *, hint: str = "") -> None:
        super().__init__(f"{path}:{line}: {message}", hint=hint)
        self.path = path
        self.line = line


class SqlError(CaptureError):
    """One statement or literal cannot be read; the message names bytes and kinds, never SQL.

    `at` is the byte where it went wrong (-1: not known)."""

    def __init__(self, message: str, *, at: int = -1, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.at = at


class WorkloadError(ReadinessError):
    """A workload cannot be built, read or run."""

    exit_code = 2


class WorkloadFileError(WorkloadError):
    """A workload file is broken at one line."""

    def __init__(self, path: Path, line: int, message: str, *, hint: str = "") -> None:
        super().__init__(f"{path}:{line}: {message}", hint=hint)
        self.path = path
        self.line = line


class PrivacyError(WorkloadError):
    """A captured value would survive in an output; nothing was written."""


class TargetError(ReadinessError):
    """The target database cannot be used."""


class TargetRefused(TargetError):
    """The interlock refused: `keys` says for each key whether it holds and why; `where` what the
    target is, in words ("orders.internal:3306, database shop")."""

    exit_code = 2

    def __init__(
        self,
        message: str,
        keys: list[tuple[str, bool, str]],
        *,
        hint: str = "",
        where: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.keys = keys
        self.where = where


class StatementFailed(TargetError):
    """The server answered one of our statements with an error; `code` is its number (1146)."""

    def __init__(self, message: str, code: int, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class TargetUnavailable(TargetError):
    """Nobody answers, or the login failed; `code` is the MySQL error code (0: none was given)."""

    transient = True

    def __init__(self, message: str, *, hint: str = "", code: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.code = code


class ServerError(ReadinessError):
    """A private local server cannot be had, started or kept."""


class CloneError(ReadinessError):
    """Snapshot, restore or destroy failed."""


class MaskingError(ReadinessError):
    """A clone could not be masked, or it is not proven that it is: it gets no load user."""


class LoadError(ReadinessError):
    """The load engine failed; this is not the server being slow."""


class LoadRefused(LoadError):
    """Target or host have no room for the load that was asked for; none was sent."""

    exit_code = 2


class WorkerLost(LoadError):
    """A load worker died."""

    transient = True


class MetricsError(ReadinessError):
    """A metric source failed."""


class ArtifactError(ReadinessError):
    """A file of a run folder is missing or broken."""


class SchemaMismatch(ArtifactError):
    """A file was written by another version of its format."""


class AnalysisError(ReadinessError):
    """An analysis has not what it needs."""


class Busy(ReadinessError):
    """Another run holds the lock."""

    exit_code = 2


class Unexpected(ReadinessError):
    """A fault of ours. The message of what happened may hold a value, so only its type and its
    places in our code are told."""
