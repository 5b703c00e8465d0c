"""A server whose general log can be switched, without a server."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.errors import CaptureError
from readiness.model.server_log import FILE, LogFacts, LogSettings

Row = tuple[bytes, ...]
AS_INSTALLED = LogSettings(False, FILE, "/var/lib/mysql/host.log")


@dataclass
class FakeServerLog:
    """`ports.ServerLog`. `refuses` names a setting that the account may not set; `writes_files` says
    whether the server's files are on this machine."""

    folder: Path
    engine: str = "mysql"
    set: LogSettings = AS_INSTALLED
    table: list[Row] = field(default_factory=list)
    refuses: str = ""
    writes_files: bool = True
    is_near: bool = True
    identity: str = "one"
    connection_id: int = 100
    second: int = 0
    started_s: float = 1000.0
    applied: list[LogSettings] = field(default_factory=list)

    def facts(self) -> LogFacts:
        self.second += 1
        return LogFacts(
            engine=self.engine,
            version="1.0",
            identity=self.identity,
            datadir=f"{self.folder}/",
            connection_id=self.connection_id,
            now=f"2026-11-30 10:00:{self.second:02}.000000",
            started_s=self.started_s,
            is_slow_log_on=False,
            is_near=self.is_near,
        )

    def settings(self) -> LogSettings:
        return self.set

    def apply(self, settings: LogSettings) -> None:
        self.applied.append(settings)
        self._one("log_output", replace(self.set, output=settings.output))
        self._one("general_log_file", replace(self.set, file=settings.file))
        self._one("general_log", replace(self.set, is_on=settings.is_on))
        if settings.is_on and settings.has(FILE) and self.writes_files:
            Path(settings.file).write_bytes(b"the server's file\n")

    def _one(self, name: str, settings: LogSettings) -> None:
        if name == self.refuses and settings != self.set:
            raise CaptureError(f"may not set {name}", hint="the parameter group")
        self.set = settings

    def rows(self, *, since: str, until: str, without: Collection[int]) -> Iterator[Row]:
        for row in self.table:
            moment = row[0].decode()
            is_within = moment >= since and (not until or moment <= until)
            if is_within and int(row[2]) not in {*without, self.connection_id}:
                yield row

    def close(self) -> None: ...


def row(second: int, thread_id: int, sql: bytes = b"SELECT 1") -> Row:
    """A row of mysql.general_log, so many seconds behind ten."""
    at = b"2026-11-30 10:00:%02d.000000" % second
    return (at, b"app[app] @ h []", b"%d" % thread_id, b"Query", sql)
