"""Switches a server's general log on and off, and fetches it; what was set before always returns.

A record of the former settings is on disk before anything is set, so that `--off` restores them
after a crash too. Which output is used follows what it keeps: MySQL's table has every byte and no
value can look like a record; MariaDB's table cannot keep emoji and binary values, so its file is
used where this machine can read it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from readiness.artifacts import json_files
from readiness.capture.batch_dump import batch_line
from readiness.capture.events import EventSource
from readiness.capture.general_table import WANTED, LiveTable
from readiness.capture.logs import open_log
from readiness.errors import ArtifactError, CaptureError, ConfigError, TargetError
from readiness.model.boundary import values_end_here
from readiness.model.server_log import FILE, TABLE, LogFacts, LogRecord, LogSettings
from readiness.ports import ServerLog

SCHEMA_VERSION = 1
OUTPUTS = ("auto", "file", "table")
_RESTART_S = 30.0  # uptime and clock are read one after the other


@dataclass(frozen=True, slots=True)
class OnPlan:
    """What switching on will do; `why` says why the log goes there."""

    facts: LogFacts
    former: LogSettings
    wanted: LogSettings
    why: str
    is_output_free: bool  # may fall back to the table when the file cannot be read here


@dataclass(frozen=True, slots=True)
class Fetched:
    """What was copied: rows of the table, or bytes of the file."""

    path: Path
    rows: int
    size_bytes: int


class LogMemory:
    """What this machine remembers of one server's log: a file in the state folder.

    `server` is the address as messages name it, host:port or a socket, without a login."""

    def __init__(self, state: Path, server: str) -> None:
        self.server = server
        name = hashlib.sha256(server.encode()).hexdigest()[:12]
        self.path = state / "server-logs" / f"{name}.json"

    @classmethod
    def at(cls, path: Path) -> LogMemory:
        """The memory that a file is, whatever its server."""
        memory = cls(path.parent.parent, path.stem)
        memory.path = path
        return memory

    def read(self) -> LogRecord | None:
        """The latest record; None when there is none. Raises ArtifactError for a broken file."""
        if not self.path.exists():
            return None
        data = json_files.read_json(self.path, version=SCHEMA_VERSION)
        try:
            return LogRecord.from_json(data)
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(
                f"{self.path} is broken: the former settings of {self.server} are not known.",
                hint="Set them by hand (SET GLOBAL general_log=0), then remove the file.",
            ) from error

    def write(self, record: LogRecord) -> None:
        """Replaces the record, on disk when it returns."""
        json_files.write_json(self.path, record.to_json(), version=SCHEMA_VERSION)

    def forget(self) -> None:
        """Removes the record."""
        self.path.unlink(missing_ok=True)


def plan_on(log: ServerLog, memory: LogMemory, *, output: str = "auto") -> OnPlan:
    """What switching on would do. Raises ConfigError when we have switched it on already."""
    facts, former = log.facts(), log.settings()
    record = memory.read()
    if record and record.is_on and not _has_restarted(record, facts):
        raise ConfigError(
            f"The general log of {memory.server} was switched on at {record.on_at} UTC already.",
            hint="Switch it off first:  readiness capture --from DSN --off",
        )
    chosen, why = _output(facts, output)
    name = f"readiness-general-{secrets.token_hex(4)}.log"
    file = str(Path(facts.datadir) / name) if chosen == FILE else former.file
    return OnPlan(facts, former, LogSettings(True, chosen, file), why, output == "auto")


def switch_on(log: ServerLog, plan: OnPlan, memory: LogMemory) -> LogRecord:
    """Sets the log as planned. Raises CaptureError where the account may not; then all is as it was."""
    wanted = plan.wanted
    try:
        record = _set(log, plan, wanted, memory)
        if plan.is_output_free and wanted.output == FILE and not _is_readable(Path(wanted.file)):
            table = LogSettings(True, TABLE, plan.former.file)
            record = _set(log, plan, table, memory)
    except (CaptureError, TargetError):
        if log.settings() != plan.former:
            log.apply(plan.former)
        memory.forget()
        raise
    return record


def switch_off(log: ServerLog, memory: LogMemory) -> tuple[LogRecord, list[str]]:
    """Restores what was set before; gives the record and what is to be said.

    Raises ConfigError when nothing is remembered, or another server answers."""
    record = memory.read()
    if record is None or not record.is_on:
        raise ConfigError(
            f"This machine has not switched on the general log of {memory.server}, so it does not"
            " know what was set before.",
            hint="Run --off where --on was run (same READINESS_STATE and address), or set it by hand:"
            "  SET GLOBAL general_log=0;",
        )
    facts = log.facts()
    if facts.identity != record.identity:
        raise ConfigError(
            f"Another server answers at {memory.server} than the one whose log was switched on.",
            hint="Name that one: after a failover it has another address.",
        )
    said = _changes(log.settings(), record, facts)
    log.apply(record.former)
    if log.settings() != record.former:
        raise CaptureError(
            f"{memory.server} did not take its former settings: {record.former}.",
            hint="Run --off again; if that is in vain, set them by hand with SET GLOBAL.",
        )
    ended = record.ended(facts)
    memory.write(ended)
    return ended, said


@values_end_here
def open_source(log: ServerLog, memory: LogMemory) -> tuple[EventSource, list[str]]:
    """The server's log as a source of events, and what is to be said of it.

    With a record: from on to off, without our own sessions; else all that the table has. Raises
    ConfigError where the log is a file that this machine cannot read."""
    record, facts = memory.read(), log.facts()
    said = _restart(record, facts)
    path = _file_of(record, log.settings())
    if path is None:
        return LiveTable(_rows(log, memory, facts), name=memory.server), said
    return open_log(_readable(path, memory.server)), said


@values_end_here
def fetch(log: ServerLog, memory: LogMemory, output: Path) -> tuple[Fetched, list[str]]:
    """Copies the log into `output` (new, mode 0600): a dump as of --batch with times in UTC, or the
    server's own file. Raises ConfigError, CaptureError; then nothing is left."""
    record, facts = memory.read(), log.facts()
    said = _restart(record, facts)
    if output.exists():
        raise ConfigError(f"{output} exists.", hint="Name another file, or remove it.")
    path = _file_of(record, log.settings())
    partial = output.with_name(f".{output.name}.partial")
    rows = 0
    try:
        descriptor = os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o600)  # a dead try may have left one
            if path is None:
                rows = _dump(_rows(log, memory, facts), file)
            else:
                with _readable(path, memory.server).open("rb") as source:
                    shutil.copyfileobj(source, file)
        partial.rename(output)
    finally:
        partial.unlink(missing_ok=True)
    return Fetched(output, rows, output.stat().st_size), said


def _set(log: ServerLog, plan: OnPlan, wanted: LogSettings, memory: LogMemory) -> LogRecord:
    facts = plan.facts
    record = LogRecord(
        server=memory.server,
        identity=facts.identity,
        engine=facts.engine,
        former=plan.former,
        made=wanted,
        on_at=log.facts().now,
        started_s=facts.started_s,
        own_ids=(facts.connection_id,),
    )
    memory.write(record)
    log.apply(wanted)
    return record


def _output(facts: LogFacts, asked: str) -> tuple[str, str]:
    """FILE or TABLE, and why."""
    if asked != "auto":
        return asked.upper(), "as asked"
    if facts.engine == "mysql":
        return TABLE, "MySQL's table keeps every byte, and its rows cannot be forged"
    if facts.is_near:
        return FILE, "MariaDB's table cannot keep emoji and binary values; the file can"
    return TABLE, (
        "the server is on another machine, so its file cannot be read; the table has emoji and binary"
        r" values only as text such as \xF0"
    )


def _is_readable(path: Path) -> bool:
    """A loopback address may be a tunnel: only a file of this very name proves this machine."""
    return path.is_file() and os.access(path, os.R_OK)


def _file_of(record: LogRecord | None, settings: LogSettings) -> Path | None:
    """The log's file where it went to a file; None where it is in the table."""
    used = record.made if record else settings
    if used.has(TABLE):
        return None
    return Path(used.file) if used.has(FILE) else None


def _readable(path: Path, server: str) -> Path:
    if _is_readable(path):
        return path
    raise ConfigError(
        f"The general log of {server} goes to the file {path} of the server, which cannot be read"
        " here.",
        hint="Copy it from there (on RDS: aws rds download-db-log-file-portion), then"
        "  readiness capture FILE.  Or switch it on with --log-output table.",
    )


def _rows(log: ServerLog, memory: LogMemory, facts: LogFacts) -> Iterator[tuple[bytes, ...]]:
    record = memory.read()
    if record is None:
        return log.rows(since="", until="", without=())
    ours = () if _has_restarted(record, facts) else record.own_ids  # a restart counts ids anew
    if record.is_on and ours:
        memory.write(record.used_by(facts))
    return log.rows(since=record.on_at, until=record.off_at, without=ours)


def _dump(rows: Iterable[Sequence[bytes]], file: IO[bytes]) -> int:
    count = 0
    file.write(batch_line(name.encode() for name in WANTED))
    for row in rows:
        file.write(batch_line(row))
        count += 1
    return count


def _has_restarted(record: LogRecord, facts: LogFacts) -> bool:
    return abs(facts.started_s - record.started_s) > _RESTART_S


def _restart(record: LogRecord | None, facts: LogFacts) -> list[str]:
    if record is None or not _has_restarted(record, facts):
        return []
    return ["the server has restarted since --on, which ended the log there"]


def _changes(found: LogSettings, record: LogRecord, facts: LogFacts) -> list[str]:
    said = _restart(record, facts)
    if not said and found != record.made:
        said = [f"somebody changed the settings since --on: found {found}"]
    return said
