"""The key of a masking: one for each run, made from the project's, so that a resumed run has the same."""

from __future__ import annotations

import hashlib
import hmac

_PURPOSE = b"readiness masking\x00"


def run_key(project_key: bytes, run_id: str) -> str:
    """64 hexadecimal characters: HMAC-SHA256 of the run's id. Another run masks otherwise, so that two
    masked clones cannot be laid beside each other."""
    return hmac.new(project_key, _PURPOSE + run_id.encode(), hashlib.sha256).hexdigest()


def key_statement(key_hex: str) -> tuple[str, tuple[str]]:
    """The one statement that carries the key, and its parameters: run it first in each session."""
    return "SET @readiness_key = %s", (key_hex,)
