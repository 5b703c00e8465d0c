"""The seams: what the core needs from the world. Adapters fill them; tests/fakes too.

Each Protocol's docstring is its contract; the contract tests run against both.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from readiness.model.clone import Clone, Endpoint, Snapshot
from readiness.model.message import Answer
from readiness.model.metrics import Sample
from readiness.model.server_log import LogFacts, LogSettings
from readiness.model.verdict import Check, Expectation, Figure
from readiness.model.workload import StatementKind

Row = tuple[object, ...]


class Session(Protocol):
    """One SQL connection, autocommit on. Raises TargetUnavailable when it breaks."""

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows of one statement ([] for one that gives none)."""
        ...

    def close(self) -> None:
        """Ends the connection; closing twice is closing once."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server said to one statement: `rows` sent, `warnings` by their error codes."""

    insert_id: int = 0
    affected_rows: int = 0
    rows: int = 0
    warnings: tuple[int, ...] = ()


class ScriptSession(Protocol):
    """One SQL connection that runs captured statements byte for byte, autocommit on."""

    def run(self, sql: bytes) -> Reply:
        """Runs one statement. Raises StatementFailed (with the code), TargetUnavailable."""
        ...

    def close(self) -> None:
        """Ends the connection, which rolls back; closing twice is closing once."""
        ...


class Clock(Protocol):
    """Time as the core sees it."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never go back."""
        ...

    def wall_s(self) -> float:
        """Seconds since the epoch, for display and leases."""
        ...

    def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the engine must know of an authenticated socket."""

    deprecate_eof: bool = False  # result sets end in an OK packet instead of EOF packets


Connector = Callable[[], tuple[socket.socket, Capabilities]]
"""`connect() -> (socket, capabilities)`: authenticated, autocommit on, nothing buffered.
Raises TargetUnavailable; blocks; called from helper threads."""


class CheckoutFlow(Protocol):
    """One flow compiled for one worker: makes checkouts, renders their statements.

    `values` is an opaque list per checkout. Rendering is literal, the variable's SQL literal in the
    captured text, unless values go ahead: those steps have the id `SET_STATEMENT`. Cheap: called once
    per statement in the hot loop."""

    statement_ids: Sequence[str]
    kinds: Sequence[StatementKind]
    connections: Sequence[int]  # per step: index into the checkout's connections, from 0
    transactions: Sequence[int]
    pauses_ms: Sequence[float]
    binds: Sequence[bool]  # per step: must `bind` be called with the insert id
    may_skip: Sequence[bool]  # per step: must `following` be asked before it is run

    def new_values(self, number: int) -> list[bytes]:
        """The values of checkout `number` (unique within run, stage and worker)."""
        ...

    def following(self, step: int, values: list[bytes]) -> int:
        """The first step from `step` on that this checkout runs; `len(statement_ids)`: none."""
        ...

    def render(self, step: int, values: list[bytes]) -> bytes:
        """The SQL of one step."""
        ...

    def bind(self, step: int, values: list[bytes], insert_id: int) -> None:
        """Takes the server's insert id into `values`, and recomputes what depends on it."""
        ...


class WorkerProcess(Protocol):
    """One load worker as its coordinator sees it: JSON lines in and out."""

    def lines(self) -> Iterator[bytes]:
        """Each line it writes; blocks; ends when it closes its output. Read by one thread."""
        ...

    def send(self, line: bytes) -> None:
        """Hands it one line (the newline is added). Raises WorkerLost when it is gone."""
        ...

    def close_input(self) -> None:
        """Says that no command follows: it stops the load within 2 s. Closing twice is once."""
        ...

    def kill(self) -> None:
        """Ends it at once; nothing when it has ended."""
        ...

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code (negative: the signal), or None when it still runs after the timeout."""
        ...

    def log_path(self) -> str:
        """Where it writes what went wrong."""
        ...


class MetricSource(Protocol):
    """Counters of one source, as they stand now. `read` takes ≤ 50 ms; raises MetricsError."""

    name: str

    def read(self) -> Mapping[str, float]:
        """Raw counters and gauges by the source's own names, plus `monotonic_s`."""
        ...

    def close(self) -> None:
        """Undoes what it enabled and ends its connection."""
        ...


class Sampler(Protocol):
    """Once a second: catalogue metrics of a target. Raises MetricsError when a source is gone."""

    def sample(self, stage: str) -> list[Sample]:
        """What happened since the call before. The first call after `start_stage` sets the baseline
        and gives no rates, only what was probed while the target was idle."""
        ...

    def start_stage(self, stage: str) -> None:
        """Forgets the past, so that no delta spans two stages."""
        ...

    def close(self) -> None:
        """Ends its connections."""
        ...


class CloneBackend(Protocol):
    """Where clones come from. Names are deterministic; every verb may be repeated."""

    name: str

    def snapshot(self, source: str, name: str) -> Snapshot:
        """A consistent copy of what `source` names: for local clones the folder of a private server,
        stopped or running. Raises CloneError, keeps nothing half."""
        ...

    def restore(
        self,
        snapshot: Snapshot,
        *,
        run_id: str,
        variant: str,
        lease_s: float,
        load_bytes: int = 0,
    ) -> Clone:
        """A running clone; adopts the one a dead try left. Writes the marker; makes the load user
        only where the snapshot is masked. `load_bytes`: what the load will add, 0 where nobody
        knows; refused when it does not fit."""
        ...

    def admit(self, name: str, *, masked: str, nonce: str = "") -> Clone:
        """Notes in marker and record how personal data left the clone, then makes the load user.
        Repeating it changes nothing. `nonce` is that of the marker when masking began: raises CloneError
        where another stands there now, since the clone was made anew meanwhile."""
        ...

    def reset(self, name: str) -> Clone:
        """The same clone anew from its snapshot, for the next variant; lease and owner stay."""
        ...

    def freeze(self, name: str, snapshot_name: str) -> Snapshot:
        """A snapshot of a masked clone, to restore variants from; it carries how it was masked. Raises
        CloneError for a clone that is not masked."""
        ...

    def renew(self, name: str, lease_s: float) -> Clone:
        """Moves the lease of clone and marker to now + `lease_s`; a later end stays."""
        ...

    def admin_session(self, name: str, database: str = "") -> Session:
        """A session that may do anything on the clone, over the endpoint that the backend knows."""
        ...

    def list(self) -> list[Clone]:
        """All clones that exist, also half-made ones."""
        ...

    def destroy(self, name: str) -> bool:
        """Removes server, data and traces; False when there was none."""
        ...


class Judge(Protocol):
    """Evaluates expectations over figures (by stage, by metric); missing numbers fail."""

    def __call__(
        self,
        expectations: Sequence[Expectation],
        stages: Sequence[str],
        figures: Mapping[str, Mapping[str, Figure]],
    ) -> list[Check]:
        """One check per expectation and matching planned stage."""
        ...


@dataclass(frozen=True, slots=True)
class ProductionEndpoint:
    """A configured production endpoint that must never be loaded: where, and what it is. `dsn` names
    an account that may look there, "" where it is not to be asked; it holds no password."""

    endpoint: Endpoint
    identity: str = ""
    dsn: str = ""


class Progress(Protocol):
    """Where long work says how far it is; one line each, on stderr or nowhere."""

    def __call__(self, text: str, /) -> None:
        """Shows one line."""
        ...


class Messenger(Protocol):
    """A chat channel. It never raises: every end is an Answer. A call returns within `within_s`
    seconds. `body` is JSON as the channel's Web API takes it.

    `post` and `upload` send again only what surely was not stored: one call makes at most one
    message. `edit` may send again after a lost answer too: twice is once."""

    name: str  # "slack", "outbox"
    channel: str

    def post(self, body: Mapping[str, object], *, within_s: float) -> Answer:
        """A new message, or a reply where `body` has `thread_ts`; the answer's `ts` names it."""
        ...

    def edit(self, body: Mapping[str, object], *, within_s: float) -> Answer:
        """Replaces what the message `ts` of `channel` says; GONE when there is none."""
        ...

    def upload(self, body: Mapping[str, object], content: bytes, *, within_s: float) -> Answer:
        """A file: `channel`, `filename`, `title`, `alt_txt`, `initial_comment`, `thread_ts`."""
        ...


class ServerLog(Protocol):
    """The general log of one server. Raises TargetUnavailable when the connection breaks."""

    def facts(self) -> LogFacts:
        """The server and our session, asked now."""
        ...

    def settings(self) -> LogSettings:
        """How the log is set now."""
        ...

    def apply(self, settings: LogSettings) -> None:
        """Sets all three, off first and on last. Raises CaptureError where the account may not, with
        the way out."""
        ...

    def rows(
        self, *, since: str, until: str, without: Collection[int]
    ) -> Iterator[tuple[bytes, ...]]:
        """Rows of mysql.general_log as they stand, streamed: event_time in UTC, user_host, thread_id,
        command_type, argument. `since` and `until` bound the time ("": no bound); sessions `without`
        are left out, and so is our own. Ends the connection unless read to the end. Raises
        CaptureError where the account may not read it."""
        ...

    def close(self) -> None:
        """Ends the connection; closing twice is closing once."""
        ...
