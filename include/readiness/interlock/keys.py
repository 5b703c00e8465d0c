"""All keys of a target: does each hold, and why; where one does not, what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from readiness.errors import StatementFailed
from readiness.interlock.account import account_key, unmade_account_key
from readiness.interlock.identity import Resolve, as_written, describe, digest_of, is_loopback
from readiness.interlock.marker import ADOPTED_PREFIX, DENIED, LOAD_USER, MARKER_GRANT, read_marker
from readiness.interlock.production import Ask, ask_all, nonce_key, production_key
from readiness.interlock.purpose import Purpose
from readiness.interlock.quiet import quiet_key
from readiness.interlock.rights import quoted_user
from readiness.model.clone import Endpoint, Key, Marker, ServerIdentity
from readiness.ports import ProductionEndpoint, Session

ADOPT = (
    "If it is a clone, adopt it. You are shown what you are about to trust first:\n"
    "  readiness clone adopt '{target}'"
)
_MASK_OURS = "Mask it; then it gets its load user:\n  readiness mask --target '{target}'"
_MASK = (
    "Mask it:\n"
    "  readiness mask --target '{target}'\n"
    "Where it holds nothing personal, say so, in words that stay with it:\n"
    "  readiness clone adopt '{target}' --masked 'invented data'"
)
_FRESH = "Restore a fresh clone:\n  readiness clone create"
_ADOPT_ANEW = "Adopt it for longer:\n  readiness clone adopt '{target}' --lease-h 4"
_NO_MARKER = "marker row: this database was not cloned or adopted by this suite"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target stands: `endpoint` is where its session leads, `production` what it must not be;
    `is_ours`: we started the process that listens there; `own_users` may be connected, as may the
    session's own.

    `ask` opens a session on production, `load` one as the account that the load uses; `resolve` says
    where an address leads. What is not given cannot be asked: its key does not hold where needed."""

    endpoint: Endpoint
    production: Sequence[ProductionEndpoint] = ()
    is_ours: bool = False
    own_users: frozenset[str] = frozenset({LOAD_USER})
    ask: Ask | None = None
    load: Callable[[], Session] | None = None
    resolve: Resolve = as_written


def check(
    session: Session, place: Place, *, now_s: float, purpose: Purpose = Purpose.LOAD
) -> list[Key]:
    """Every key that `purpose` needs, with why it holds or not. Raises TargetUnavailable when the
    target breaks off."""
    identity = describe(session)
    marker, may_not_read = _marker_or_denial(session)
    told = ask_all(place.production, marker, place.ask)
    keys = [
        _marker_key(marker, may_not_read),
        _lease_key(marker, now_s),
        _identity_key(marker, identity),
        production_key(identity, place.endpoint, told, place.resolve),
        nonce_key(marker, told),
        quiet_key(session, identity, place.own_users),
        _local_key(place, marker),
    ]
    return keys if purpose is Purpose.MASK else [*keys, *_keys_of_load(place, marker)]


def _keys_of_load(place: Place, marker: Marker | None) -> list[Key]:
    is_unmade = place.is_ours and marker is not None and not marker.masked
    account = unmade_account_key() if is_unmade else account_key(place.load, is_ours=place.is_ours)
    return [_masked_key(marker, is_ours=place.is_ours), account]


def _marker_or_denial(session: Session) -> tuple[Marker | None, str]:
    """The marker, and who may not read it ("": it could be looked for)."""
    try:
        return read_marker(session), ""
    except StatementFailed as error:
        if error.code in DENIED:
            return None, quoted_user(session)
        raise


def _marker_key(marker: Marker | None, may_not_read: str) -> Key:
    if marker:
        return Key("marker", True, f"marker row of {marker.run_id}")
    if may_not_read:
        why = "marker row: this account may not read readiness_marker.marker"
        let = f"If it has one:  GRANT SELECT ON {MARKER_GRANT} TO {may_not_read}"
        return Key("marker", False, why, f"{ADOPT}\n{let}")
    return Key("marker", False, _NO_MARKER, ADOPT)


def _lease_key(marker: Marker | None, now_s: float) -> Key:
    if marker is None:
        return Key("lease", False, "lease: it stands in the marker row")
    left_min = (marker.lease_until - now_s) / 60
    if left_min > 0:
        return Key("lease", True, f"lease ends in {left_min:,.0f} min")
    remedy = _ADOPT_ANEW if marker.run_id.startswith(ADOPTED_PREFIX) else _FRESH
    return Key("lease", False, f"lease: it expired {-left_min:,.0f} min ago", remedy)


def _identity_key(marker: Marker | None, identity: ServerIdentity) -> Key:
    if marker is None:
        return Key("identity", False, "bond between marker and server: there is no marker")
    if marker.server == digest_of(identity):
        return Key("identity", True, "the marker was written on this server")
    why = "the marker was written on another server and copied here"
    return Key("identity", False, why, ADOPT)


def _local_key(place: Place, marker: Marker | None) -> Key:
    if not is_loopback(place.endpoint, place.resolve):
        return Key("local", True, "no address of this machine")
    if place.is_ours:
        return Key("local", True, "a server that this suite started")
    if marker and marker.run_id.startswith(ADOPTED_PREFIX):
        return Key("local", True, "an address of this machine, adopted")
    why = f"{place.endpoint} may be a tunnel: this suite started no server there"
    return Key("local", False, why, ADOPT)


def _masked_key(marker: Marker | None, *, is_ours: bool) -> Key:
    if marker is None:
        return Key("masked", False, "masking: it stands in the marker row")
    if marker.masked:
        return Key("masked", True, f"personal data left it: {marker.masked}")
    why = "masking: nobody says how personal data left this clone"
    return Key("masked", False, why, _MASK_OURS if is_ours else _MASK)
