"""`slack/` of a run folder: every body that was sent, and what must survive retries and processes.

slack/NN-NAME.json    the bodies, in the order of sending
slack/state.json      which messages stand in the channel
slack/state.lock      held while one process talks
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readiness.artifacts import atomic, forms, json_files
from readiness.artifacts.lock import RunLock
from readiness.errors import Busy
from readiness.model.message import Fate, Slot
from readiness.ports import Clock

VERSION = 1
_POLL_S = 0.1


class MessageBox:
    """The messages of the run folder at `run`. Raises ArtifactError naming the file."""

    def __init__(self, run: Path) -> None:
        self.path = run / "slack"

    @contextlib.contextmanager
    def held(self, clock: Clock, *, within_s: float) -> Iterator[None]:
        """Keeps other processes out; raises Busy when one stays in for `within_s` seconds."""
        lock, until = RunLock(self.path / "state.lock"), clock.monotonic_ns() + within_s * 1e9
        while not self._is_taken(lock, is_last=clock.monotonic_ns() >= until):
            clock.sleep(_POLL_S)
        try:
            yield
        finally:
            lock.release()

    def _is_taken(self, lock: RunLock, *, is_last: bool) -> bool:
        try:
            with atomic.naming(lock.path, "written"):
                lock.acquire()
        except Busy:
            if is_last:
                raise
            return False
        return True

    def read_slots(self, messenger: str) -> dict[str, Slot]:
        """The slots that were filled through `messenger`; another one's messages are not ours."""
        path = self.path / "state.json"
        if not path.is_file():
            return {}
        content = json_files.read_json(path, version=VERSION)
        with forms.reading(path):
            if content["messenger"] != messenger:
                return {}
            return {name: _slot(written) for name, written in content["slots"].items()}

    def write_slots(self, messenger: str, slots: Mapping[str, Slot]) -> None:
        """Replaces `state.json`."""
        written = {name: {**asdict(slot), "fate": str(slot.fate)} for name, slot in slots.items()}
        content = {"messenger": messenger, "slots": written}
        json_files.write_json(self.path / "state.json", content, version=VERSION)

    def keep(self, name: str, body: Mapping[str, object]) -> Path:
        """Writes the next `NN-NAME.json`; returns its path."""
        taken = [int(p.name.partition("-")[0]) for p in self.path.glob("[0-9][0-9]*-*.json")]
        path = self.path / f"{max(taken, default=0) + 1:02d}-{name}.json"
        json_files.write_json(path, body, version=VERSION)
        return path


def _slot(written: Mapping[str, Any]) -> Slot:
    return Slot(**{**written, "fate": Fate(written["fate"])})
