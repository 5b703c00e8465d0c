"""Passwords and logins within statements: statements about accounts are refused, keys of functions
replaced even where all captures agree on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readiness.anonymize.originals import flat
from readiness.errors import PrivacyError
from readiness.model.draft import RawLiteral, RawPiece, RawStep

_ACCOUNTS = re.compile(
    rb"\s*(?:(?:CREATE|ALTER|DROP|RENAME)\s+(?:OR\s+REPLACE\s+)?(?:USER|ROLE|SERVER)\b"
    rb"|(?:GRANT|REVOKE)\b|SET\s+(?:PASSWORD|DEFAULT\s+ROLE)\b"
    rb"|CHANGE\s+(?:MASTER|REPLICATION)\b|START\s+(?:ALL\s+)?(?:SLAVES?|REPLICAS?|GROUP_REPLICATION)\b"
    rb"|CLONE\s+INSTANCE\b)|.*\bIDENTIFIED\s+(?:BY|WITH|VIA)\b",
    re.IGNORECASE | re.DOTALL,
)
_SECRET_FOLLOWS = re.compile(
    rb"(?:\b(?:OLD_PASSWORD|PASSWORD|ED25519_PASSWORD|ENCRYPT|(?:AES|DES)_(?:EN|DE)CRYPT|ENCODE|DECODE)\s*"
    rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*|@\w*(?:passw|secret|_key|token|credential)\w*\s*:?=\s*"
    rb"|\b(?:PASSWORD|CONNECTION|\w+_KEY)\s*=?\s*)\Z",
    re.IGNORECASE,
)


_MAY_HOLD_ONE = re.compile(
    rb"passw|crypt|code\s*\(|connection|secret|_key|token|credential", re.IGNORECASE
)
_LOOKED_BACK = 2000  # bytes


def refuse_account_statements(steps: Sequence[RawStep]) -> None:
    """Raises PrivacyError for a statement that makes or changes an account: its names and passwords
    are those of production, and no checkout does that."""
    found = [s.statement_id for s in steps if _ACCOUNTS.match(_skeleton(s.pieces))]
    if found:
        raise PrivacyError(
            f"{', '.join(found[:8])} would hold the names or passwords of database accounts; nothing"
            " was written.",
            hint="Capture the flow alone: --user keeps the application's sessions only.",
        )


def secrets_of(pieces: Sequence[RawPiece]) -> Iterator[RawLiteral]:
    """The literals that are a password or a key by where they stand."""
    if not _MAY_HOLD_ONE.search(_skeleton(pieces)):
        return
    before = b""
    for piece in flat(pieces):
        if isinstance(piece, bytes):
            before = (before + piece)[-_LOOKED_BACK:]
            continue
        if isinstance(piece, RawLiteral) and _SECRET_FOLLOWS.search(before):
            yield piece
        before += b"?"


def _skeleton(pieces: Sequence[RawPiece]) -> bytes:
    return b"".join(p if isinstance(p, bytes) else b"?" for p in flat(pieces))
