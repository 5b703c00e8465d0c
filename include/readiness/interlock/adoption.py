"""A clone that somebody else made: what a person is shown of it, and the marker that trusts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readiness.errors import ConfigError, StatementFailed, TargetRefused
from readiness.interlock.identity import describe, digest_of
from readiness.interlock.keys import Place
from readiness.interlock.marker import (
    ADOPTED_PREFIX,
    DENIED,
    read_marker,
    write_marker,
)
from readiness.interlock.production import ask_all, doubt_of, production_key
from readiness.interlock.quiet import quiet_key, sessions_of
from readiness.interlock.refusal import remedy_of
from readiness.model.clone import Key, Marker, ServerIdentity
from readiness.ports import Session

MOST_WORDS = 120  # of what a person says of the masking; the marker holds 190 characters
_SIZE = (
    "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables"
    " WHERE table_schema NOT IN"
    " ('mysql', 'sys', 'information_schema', 'performance_schema', 'readiness_marker')"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a person is shown before trusting a server: who it says it is, bytes of data and indexes,
    and how many sessions each user has beside ours."""

    identity: ServerIdentity
    data_bytes: int
    sessions: Mapping[str, int]


def look(session: Session) -> Seen:
    """What a server is and holds; of sessions and data what its account may see."""
    identity = describe(session)
    size = int(float(str(session.query(_SIZE)[0][0])))
    return Seen(identity, size, sessions_of(session))


def adopt(
    session: Session, place: Place, *, now_s: float, lease_s: float, masked: str = ""
) -> Marker:
    """Writes a marker on a clone that somebody else made, after a person saw `look`. `masked` says in
    whose words no personal data is in it; "" keeps what the marker of this very server says.

    Raises TargetRefused when it is production, may be it, or is not quiet; ConfigError for too many
    words."""
    if len(masked) > MOST_WORDS:
        raise ConfigError(
            f"How it was masked is said in {MOST_WORDS} characters at most, not in {len(masked)}.",
            hint='Say it shorter:  --masked "by the pipeline of team X"',
        )
    here, known = digest_of(describe(session)), _known_marker(session)
    require_adoptable(session, place, known)
    kept = known.masked if known and known.server == here else ""
    run_id = ADOPTED_PREFIX + here[:12]
    return write_marker(session, run_id=run_id, now_s=now_s, lease_s=lease_s, masked=masked or kept)


def require_adoptable(session: Session, place: Place, known: Marker | None = None) -> None:
    """Raises TargetRefused for production, for what could not be told from it, and for a server
    that others use."""
    identity = describe(session)
    told = ask_all(place.production, known, place.ask)
    doubt = doubt_of(told)
    keys = [
        production_key(identity, place.endpoint, told, place.resolve),
        *([doubt] if doubt else []),
        quiet_key(session, identity, place.own_users),
    ]
    _require(keys, place)


def _require(keys: Sequence[Key], place: Place) -> None:
    missing = [key for key in keys if not key.holds]
    if missing:
        raise TargetRefused(
            "Refused: this database cannot be adopted as a clone. Nothing was written to it.",
            [(key.name, key.holds, key.why) for key in keys],
            hint=remedy_of(missing, ""),
            where=str(place.endpoint),
        )


def _known_marker(session: Session) -> Marker | None:
    """The marker that is there; None also for an account that may not look."""
    try:
        return read_marker(session)
    except StatementFailed as error:
        if error.code in DENIED:
            return None
        raise
