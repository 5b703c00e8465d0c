"""What must be true of the data after a run: the client's count against the server's rows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Invariant:
    """A question with one number for its answer. It must be `equals`, be `at_least`, or (both None)
    have grown over the run by the checkouts that ended well."""

    name: str
    sql: str
    equals: float | None = None
    at_least: float | None = None

    @property
    def grows(self) -> bool:
        """Whether its growth over the run is what counts."""
        return self.equals is None and self.at_least is None


@dataclass(frozen=True, slots=True)
class Reading:
    """What the target answered before the load and after its last drain; None and why where it did
    not."""

    name: str
    before: float | None
    after: float | None = None
    why: str = ""
