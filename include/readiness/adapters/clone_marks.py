"""How a restored server becomes a clone of ours: what it forgets, its marker, and its record."""

from __future__ import annotations

import time
from collections.abc import Callable

from readiness import interlock
from readiness.adapters import clone_server
from readiness.adapters.local_server import LocalServer
from readiness.clones import lifecycle, torn
from readiness.clones.tables import data_schemas
from readiness.errors import CloneError, ReadinessError, ServerError
from readiness.model.clone import Clone, Snapshot
from readiness.ports import Session

_LONGEST_MASKED = 190  # characters; the marker's column
_ANSWER_S = 60.0


def await_answer(server: LocalServer) -> None:
    """Returns once the server answers: one that a dead try started may still recover. Raises
    ServerError when it ends or stays silent."""
    deadline = time.monotonic() + _ANSWER_S
    while True:
        try:
            return server.root_session().close()
        except ServerError:
            raise
        except ReadinessError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def settle(
    server: LocalServer, snapshot: Snapshot, verify: Callable[[Session], object] | None
) -> None:
    """Judges the first start of copied data, lets `verify` read it, and ends what came with it.

    Raises CloneError."""
    session = server.root_session()
    try:
        require_whole(server, snapshot)
        if verify:
            verify(session)
            require_whole(server, snapshot)  # MySQL finds some torn pages only when it reads them
        clone_server.forget_source(session, server.binary.engine)
    finally:
        session.close()


def require_whole(server: LocalServer, snapshot: Snapshot) -> None:
    """Raises CloneError when the log of the first start says that the copy is torn."""
    try:
        log = (server.directory / "error.log").read_text("utf-8", "replace")
    except OSError:
        return
    said = torn.refusal(log, server.binary.engine, snapshot.method)
    if said:
        raise CloneError(said, hint=torn.remedy(snapshot.method))


def noted(server: LocalServer, record: Clone) -> str:
    """What the marker of this very clone says of its masking: a kill may have come before the record
    said it, too."""
    session = server.root_session()
    try:
        marker = interlock.read_marker(session)
    finally:
        session.close()
    return marker.masked if marker and marker.run_id == record.run_id else ""


def mark(server: LocalServer, record: Clone, masked: str) -> Clone:
    """Writes marker and record for the server as it runs now: a restart may have changed its port."""
    state, now_s = server.running_state(), time.time()
    session = server.root_session()
    try:
        interlock.write_marker(
            session,
            run_id=record.run_id,
            now_s=now_s,
            lease_s=record.lease_until - now_s,
            masked=masked,
        )
        schemas = data_schemas(session)
    finally:
        session.close()
    database = schemas[0] if len(schemas) == 1 else ""
    clone = lifecycle.as_running(record, endpoint=state.endpoint, pid=state.pid, database=database)
    lifecycle.write_record(server.directory, clone)
    (server.directory / lifecycle.UNMARKED_FILE).unlink(missing_ok=True)
    return clone


def checked(masked: str) -> str:
    """The words themselves, if the marker can hold them. Raises CloneError."""
    if 0 < len(masked) <= _LONGEST_MASKED:
        return masked
    raise CloneError(
        f"How a clone was masked is told in 1 to {_LONGEST_MASKED} characters; these are"
        f" {len(masked)}.",
        hint="Say it shorter.",
    )


def unmasked(clone: Clone, so: str, target: str) -> CloneError:
    """The error for what only a masked clone may be used for; `target` is its DSN for masking."""
    return CloneError(
        f"The clone {clone.name} is not masked: {so}.",
        hint=f"Mask it first:  readiness mask --target '{target}'",
    )


def made_anew(clone: Clone) -> CloneError:
    """The error for a clone that was reset, or restored anew, under the hands of its masking."""
    return CloneError(
        f"The clone {clone.name} was made anew while it was masked: its data is not what was masked.",
        hint="It has no load user. Mask it again.",
    )
