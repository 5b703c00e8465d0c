"""The marker: the row that binds a server to a run until its lease ends."""

from __future__ import annotations

import secrets

from readiness.errors import StatementFailed
from readiness.interlock.identity import describe, digest_of
from readiness.model.clone import MARKER_SCHEMA, Marker
from readiness.ports import Session

ADOPTED_PREFIX = "adopted-"
LOAD_USER = "readiness_load"
MARKER_GRANT = r"`readiness\_marker`.*"  # as a GRANT writes it: `_` alone stands for any character
ABSENT = {1049, 1146, 1054}  # no such database, table, column (a marker of an older form)
DENIED = {1044, 1142, 1227}
_READ_MARKER = (
    "SELECT run_id, nonce, server, created_at, lease_until, masked FROM readiness_marker.marker"
)


def read_marker(session: Session) -> Marker | None:
    """The marker, or None when there is none, or more than one. Raises StatementFailed when the
    account may not look."""
    try:
        rows = session.query(_READ_MARKER)
    except StatementFailed as error:
        if error.code in ABSENT:
            return None
        raise
    if len(rows) != 1:
        return None
    run_id, nonce, server, created_at, lease_until, masked = rows[0]
    begin, end = float(str(created_at)), float(str(lease_until))
    return Marker(str(run_id), str(nonce), str(server), begin, end, str(masked))


def write_marker(
    session: Session, *, run_id: str, now_s: float, lease_s: float, masked: str = ""
) -> Marker:
    """Writes the marker that binds this server to `run_id` until now + lease, with a fresh nonce.

    The session must be the one that the clone backend itself opened, never a user's DSN."""
    server = digest_of(describe(session))
    marker = Marker(run_id, secrets.token_hex(16), server, now_s, now_s + lease_s, masked)
    session.query(f"CREATE DATABASE IF NOT EXISTS {MARKER_SCHEMA}")
    # Anew: one that came with the copied data may be of an older form.
    session.query("DROP TABLE IF EXISTS readiness_marker.marker")
    session.query(
        "CREATE TABLE readiness_marker.marker (id TINYINT NOT NULL PRIMARY KEY,"
        " run_id VARCHAR(190) NOT NULL, nonce CHAR(32) NOT NULL, server CHAR(64) NOT NULL,"
        " created_at DOUBLE NOT NULL, lease_until DOUBLE NOT NULL, masked VARCHAR(190) NOT NULL)"
    )
    session.query(
        "INSERT INTO readiness_marker.marker VALUES (1, %s, %s, %s, %s, %s, %s)",
        (run_id, marker.nonce, server, marker.created_at, marker.lease_until, masked),
    )
    return marker


def note_masked(session: Session, masked: str, *, nonce: str = "") -> bool:
    """Says in the marker how personal data left this server. With `nonce` only in the marker that has it:
    False where the data was made anew since, so that it is no longer what was masked."""
    if not nonce:
        session.query("UPDATE readiness_marker.marker SET masked = %s", (masked,))
        return True
    update = "UPDATE readiness_marker.marker SET masked = %s WHERE nonce = %s"
    session.query(update, (masked, nonce))
    marker = read_marker(session)
    return marker is not None and marker.nonce == nonce


def renew_marker(session: Session, *, now_s: float, lease_s: float) -> None:
    """Moves the marker's end to now + lease; an end that lies later stays."""
    session.query(
        "UPDATE readiness_marker.marker SET lease_until = GREATEST(lease_until, %s)",
        (now_s + lease_s,),
    )
