"""A person's hand on a stage that runs: two small files of the run folder, each replaced as a whole.

rate_asked.json   what a person asks for; who runs the stage looks each second, and takes it away
rate_held.json    the stage that runs and its rate now; gone when none runs
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from readiness.artifacts import forms, json_files

VERSION = 1


@dataclass(frozen=True, slots=True)
class RateAsked:
    """Another rate in checkouts per second; 0 ends the stage."""

    request_id: str
    rate_per_s: float


@dataclass(frozen=True, slots=True)
class RateHeld:
    """The rate of the stage that runs, from its second `from_s` on, and which request made it so ("":
    the plan). `max_per_s` is 0 where the stage is not tuned; the rate is 0 where it ends."""

    stage: str
    rate_per_s: float
    max_per_s: float
    from_s: int = 0
    request_id: str = ""


class RateFiles:
    """The files of the run folder at `folder`. Readers give None where there is none, and raise
    ArtifactError for a broken one."""

    def __init__(self, folder: Path) -> None:
        self._asked = folder / "rate_asked.json"
        self._held = folder / "rate_held.json"

    def ask(self, asked: RateAsked) -> None:
        """Asks in place of whatever was asked before."""
        json_files.write_json(self._asked, asdict(asked), version=VERSION, makes_folder=False)

    def asked(self) -> RateAsked | None:
        """What is asked and not taken yet."""
        content = _content(self._asked)
        if content is None:
            return None
        with forms.reading(self._asked):
            return RateAsked(str(content["request_id"]), float(content["rate_per_s"]))

    def withdraw(self) -> None:
        """Nothing is asked any more."""
        self._asked.unlink(missing_ok=True)

    def hold(self, held: RateHeld) -> None:
        """Says what holds now."""
        json_files.write_json(self._held, asdict(held), version=VERSION)

    def held(self) -> RateHeld | None:
        """What holds now."""
        content = _content(self._held)
        if content is None:
            return None
        with forms.reading(self._held):
            return RateHeld(**content)

    def release(self) -> None:
        """No stage runs."""
        self._held.unlink(missing_ok=True)


def _content(path: Path) -> Mapping[str, Any] | None:
    return json_files.read_json(path, version=VERSION) if path.is_file() else None
