"""What leaves a run is searched for captured values before it leaves.

The keyed filter of the run's workload lies in the run folder; without one there is nothing to
search for, and everything passes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from readiness.anonymize.hunt import Hit, Hunter
from readiness.anonymize.needles import PART, Needles
from readiness.artifacts.contents import contents, files_in
from readiness.errors import PrivacyError

_MAIL = "shards"


class Guard:
    """Searches what is about to be published."""

    def __init__(self, needles: Needles | None = None) -> None:
        self._hunter = Hunter(needles) if needles else None

    def why_not(self, data: bytes) -> str:
        """Which value stands in it, by encoding and id; "" when it may be published."""
        return _told(self._hunter.hits(data, has_measures=True)) if self._hunter else ""

    def require(self, name: str, data: bytes) -> None:
        """Raises PrivacyError, naming encoding and value id, when it may not be published."""
        why = self.why_not(data)
        if why:
            raise _refusal(name, why, "it was not written")

    def require_folder(self, folder: Path, *, but: Collection[Path] = ()) -> None:
        """Raises PrivacyError when any file in the folder may not be published, `but` those. The mail
        between tasks stays inside: its pools are the clone's own rows, of which captures hold some."""
        if not self._hunter:
            return
        for file in files_in(p for p in sorted(folder.iterdir()) if p.name != _MAIL):
            if file not in but:
                self.require_file(file)

    def require_file(self, file: Path) -> None:
        """Raises PrivacyError when the file may not be published."""
        if not self._hunter:
            return
        for content in contents(file):
            has_measures = file.suffix != ".sql"
            why = _told(self._hunter.hits_in(content.chunks, has_measures=has_measures))
            if why:
                raise _refusal(content.name, why, "the run is not reported")


def _told(hits: Sequence[Hit]) -> str:
    if not hits:
        return ""
    first = min(hits, key=lambda hit: hit.encoding == PART)
    values = len({hit.value_id for hit in hits})
    count = "a captured value stands" if values == 1 else f"{values} captured values stand"
    return f"{count} in it: line {first.line}, {first.encoding}, value {first.value_id}"


def _refusal(name: str, why: str, consequence: str) -> PrivacyError:
    return PrivacyError(
        f"{name}: {why}; {consequence}.",
        hint="docs/runbooks/a-leak-was-found.md says how to find out why.",
    )
