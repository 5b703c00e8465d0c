"""Deterministic names: the same run and variant always give the same clone, so a retry finds it."""

from __future__ import annotations

import hashlib
import re

from readiness.errors import CloneError

PREFIX = "readiness-"
LONGEST = 63
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def clone_name(run_id: str, variant: str) -> str:
    """`readiness-RUN-VARIANT`, at most 63 characters: a longer one ends in a digest of the whole.

    Raises CloneError unless both parts are of [a-z0-9-]."""
    whole = f"{PREFIX}{checked(run_id)}-{checked(variant)}"
    if len(whole) <= LONGEST:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:12]
    return f"{whole[: LONGEST - 13].rstrip('-')}-{digest}"


def checked(name: str) -> str:
    """The name itself, if it may be a folder of ours. Raises CloneError otherwise."""
    if not _NAME.fullmatch(name):
        raise CloneError(
            f"{name!r} is no name for a run, variant, snapshot or clone.",
            hint="Use a to z, 0 to 9 and -, beginning and ending in a letter or digit.",
        )
    return name
