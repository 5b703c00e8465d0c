"""The demo's last claim, tried: no captured value stands in anything that it has published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from readiness.anonymize.allowed import Allowed
from readiness.errors import PrivacyError
from readiness.flow.scan import search, sought_in_captures


def prove(captures: Sequence[Path], outputs: Sequence[Path]) -> str:
    """One line: how many values were searched for, where, in how many encodings. Folders are searched
    with all that is in them.

    Raises PrivacyError, with file, line, encoding and value id, when one is found."""
    sought = sought_in_captures(captures, None)
    scanned = search(outputs, sought, allowed=Allowed(), progress=_silent)
    found = len({told.leak.value_id for told in scanned.leaks})
    encodings = len({needle.encoding for needle in sought.needles.needles})
    line = (
        f"{found} of {sought.values:,} captured values in {scanned.files} outputs"
        f" ({encodings} encodings)"
    )
    if not scanned.leaks:
        return line
    first = scanned.leaks[0].leak
    raise PrivacyError(
        f"{line}. The first: {first.file}, line {first.line}, {first.encoding},"
        f" value {first.value_id}.",
        hint="docs/runbooks/a-leak-was-found.md says how to find out why.",
    )


def _silent(_text: str) -> None:
    """The step's own line says enough."""
