"""How far the masking of one table is, as the journal keeps it. Each step may be repeated."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from readiness.masking.journal import Journal
from readiness.masking.run.definition import Definition


class Step(StrEnum):
    """What was begun, and may be half done."""

    PREPARING = "preparing"  # the definition is kept: the table may change from now on
    FILLING = "filling"  # range by range
    SETTLING = "settling"  # every row is masked: the sizes of indexes
    SWAPPING = "swapping"  # the new table takes the place of the old one
    RESTORING = "restoring"  # triggers and statistics
    DONE = "done"


@dataclass(frozen=True, slots=True)
class State:
    """`after` is where the last range ended, as literals; `rows` are masked; `range_rows` is the size
    of the next range. `is_shuffled`: rows of a range go in out of key order; `is_judged`: whether they
    should was asked."""

    step: Step
    after: tuple[str, ...] = ()
    rows: int = 0
    range_rows: int = 1000
    is_shuffled: bool = False
    is_judged: bool = False


class TableJournal:
    """What the journal holds of one table."""

    def __init__(self, journal: Journal, table: str) -> None:
        self._journal = journal
        self._table = table

    def read_definition(self) -> Definition | None:
        """As it was before anything changed."""
        said = self._journal.read(f"definition {self._table}")
        return None if said is None else Definition.from_json(said)

    def write_definition(self, definition: Definition) -> None:
        """Once, before anything changes."""
        self._journal.write(f"definition {self._table}", definition.to_json())

    def read(self) -> State:
        """PREPARING where nothing was written yet."""
        said = self._journal.read(f"state {self._table}")
        if said is None:
            return State(Step.PREPARING)
        raw = json.loads(said)
        return State(**raw | {"step": Step(raw["step"]), "after": tuple(raw["after"])})

    def write(self, state: State) -> None:
        """In the transaction that is open, if one is."""
        self._journal.write(f"state {self._table}", json.dumps(asdict(state)))
