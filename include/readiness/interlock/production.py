"""What the configured production endpoints say when they are asked, and the two keys of that.

An endpoint may come with an account (a DSN): then its identity is read from it, and the marker's
nonce must be proven absent there. What cannot be proven counts as present. An endpoint without an
account is told apart by its address and a configured identity only, and the key says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from readiness.errors import ConfigError, StatementFailed, TargetError
from readiness.interlock.identity import Resolve, describe, digest_of, places_of
from readiness.interlock.marker import ABSENT, DENIED, MARKER_GRANT
from readiness.interlock.rights import may, quoted_user
from readiness.model.clone import MARKER_SCHEMA, Endpoint, Key, Marker, ServerIdentity
from readiness.ports import ProductionEndpoint, Session

Ask = Callable[[ProductionEndpoint], Session]
"""Opens a session on a production endpoint with the account that its DSN names; short timeouts."""

_NONCE = "SELECT COUNT(*) FROM readiness_marker.marker WHERE nonce = %s"
_SCHEMA = "SELECT 1 FROM information_schema.schemata WHERE schema_name = %s"
_OTHER_TARGET = "Name another target: this one is configured as production."


class Nonce(Enum):
    """What a production endpoint says of the marker's nonce."""

    ABSENT = "absent"
    PRESENT = "present"
    HIDDEN = "hidden"  # its account may not look
    SILENT = "silent"  # it could not be asked
    UNASKED = "unasked"  # no account is configured, or there is no nonce to ask for


@dataclass(frozen=True, slots=True)
class Told:
    """What one production endpoint said. `trouble` says why it could not be asked, `user` who
    asked, as a GRANT writes it."""

    known: ProductionEndpoint
    identities: frozenset[str]
    nonce: Nonce
    trouble: str = ""
    user: str = ""


def ask_all(
    production: Sequence[ProductionEndpoint], marker: Marker | None, ask: Ask | None
) -> list[Told]:
    """What each endpoint says of itself and of the marker's nonce, if there is a marker."""
    return [_ask(known, marker.nonce if marker else "", ask) for known in production]


def _ask(known: ProductionEndpoint, nonce: str, ask: Ask | None) -> Told:
    """Never raises for an endpoint that cannot be asked."""
    configured = frozenset(filter(None, [known.identity]))
    if not known.dsn:
        return Told(known, configured, Nonce.UNASKED)
    if ask is None:
        return Told(known, configured, Nonce.SILENT, "nothing here may ask it")
    try:
        session = ask(known)
    except (TargetError, ConfigError) as error:
        return Told(known, configured, Nonce.SILENT, _clause(error))
    try:
        identity = digest_of(describe(session))
        found = _nonce_on(session, nonce)
        return Told(known, configured | {identity}, found, user=quoted_user(session))
    except TargetError as error:
        return Told(known, configured, Nonce.SILENT, _clause(error))
    finally:
        session.close()


def production_key(
    identity: ServerIdentity, endpoint: Endpoint, told: Sequence[Told], resolve: Resolve
) -> Key:
    """Whether the target is none of the production endpoints, by identity and by address."""
    mine, here = digest_of(identity), places_of(endpoint, resolve)
    for one in told:
        by = ""
        if mine in one.identities:
            by = f"is the production server {one.known.endpoint} (server id)"
        elif places_of(one.known.endpoint, resolve) & here:
            by = f"is the production endpoint {one.known.endpoint} (address)"
        if by:
            return Key("production", False, by, _OTHER_TARGET)
    if not told:
        return Key("production", True, "no production endpoint is configured")
    count = f"all {len(told)} production endpoints" if told[1:] else "production"
    unknown = sum(not one.identities for one in told)
    how = "server id, address" if not unknown else f"address; {unknown} without a known server id"
    return Key("production", True, f"differs from {count} ({how})")


def nonce_key(marker: Marker | None, told: Sequence[Told]) -> Key:
    """Whether the marker's nonce is absent wherever it could be asked for."""
    if marker is None:
        return Key("nonce", False, "nonce: it stands in the marker row")
    doubt = doubt_of(told)
    if doubt:
        return doubt
    asked = sum(one.nonce is Nonce.ABSENT for one in told)
    if not told:
        return Key("nonce", True, "no production endpoint is configured")
    if not asked:
        why = "no production endpoint has an account to ask: compared by address and server id only"
        return Key("nonce", True, why)
    if asked < len(told):
        why = f"absent on {asked} of {len(told)} production endpoints; no account asks the others"
        return Key("nonce", True, why)
    where = f"all {asked} production endpoints" if told[1:] else "production"
    return Key("nonce", True, f"the marker's nonce is absent on {where}")


def doubt_of(told: Sequence[Told]) -> Key | None:
    """The nonce's key where an endpoint has the nonce, or could not be asked; None otherwise."""
    return next(filter(None, map(_trouble_of, told)), None)


def _trouble_of(one: Told) -> Key | None:
    where = one.known.endpoint
    if one.nonce is Nonce.PRESENT:
        why = f"the marker's nonce stands on production {where}: they are one, or copies"
        return Key("nonce", False, why, _OTHER_TARGET)
    if one.nonce is Nonce.SILENT:
        why = f"production {where} could not be asked for the nonce: {one.trouble}"
        remedy = (
            f"Let {where} answer the account of its DSN, or configure it without one:"
            " READINESS_PRODUCTION, production.json or the plan's production_watch."
        )
        return Key("nonce", False, why, remedy)
    if one.nonce is Nonce.HIDDEN:
        why = f"production {where} does not let its account look for the nonce"
        remedy = f"Let it look, on {where}:\n  GRANT SELECT ON {MARKER_GRANT} TO {one.user}"
        return Key("nonce", False, why, remedy)
    return None


def _nonce_on(session: Session, nonce: str) -> Nonce:
    """A schema that is not there is denied, too, to an account without a right on it: only one
    that may see all schemas proves that it is absent."""
    if not nonce:
        return Nonce.UNASKED
    try:
        rows = session.query(_NONCE, (nonce,))
    except StatementFailed as error:
        if error.code in ABSENT:
            return Nonce.ABSENT
        if error.code not in DENIED:
            raise
        sees_all = may(session, "SHOW DATABASES")
        is_there = bool(session.query(_SCHEMA, (MARKER_SCHEMA,)))
        return Nonce.ABSENT if sees_all and not is_there else Nonce.HIDDEN
    return Nonce.PRESENT if int(str(rows[0][0])) else Nonce.ABSENT


def _clause(error: TargetError | ConfigError) -> str:
    """The first sentence of an error, to stand behind a colon."""
    return error.message.rstrip(".")
