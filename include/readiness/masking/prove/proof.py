"""The proof that a clone is masked and still like production: figures before, and again after.

`take_before` changes nothing of the database but refills its own table of keyed hashes, so it may be
repeated until masking begins. What it found stands in the journal as JSON, without a value of a row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from readiness.errors import MaskingError
from readiness.masking.prove.facets import facets_of
from readiness.masking.prove.facts import KINDS
from readiness.masking.prove.figures import Figures, take_figures, tolerance_of
from readiness.masking.prove.originals import ORIGINALS, Originals, needed_room
from readiness.masking.prove.patterns import count_patterns
from readiness.masking.prove.shape import Shape, kept_of, read_shape
from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskFact, MaskPlan
from readiness.ports import Session


@dataclass(frozen=True, slots=True)
class Before:
    """A database before masking: `figures` by name and place, `shape` by kind and table; `room` is
    the power of ten of values from which originals are compared by value."""

    figures: Figures
    shape: Shape
    room: float

    def to_json(self) -> str:
        """For the journal."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Before:
        """The inverse of `to_json`. Raises MaskingError for another text."""
        try:
            return cls(**json.loads(text))
        except (TypeError, ValueError) as error:
            message = "What was noted before masking cannot be read."
            raise MaskingError(message, hint="readiness clone reset NAME begins anew.") from error


def take_before(session: Session, catalogue: Catalogue, plan: MaskPlan) -> Before:
    """Figures, definitions and keyed hashes of the masked tables as they are before any change.

    The session has @readiness_key. Raises MaskingError, StatementFailed, TargetUnavailable."""
    facets = facets_of(catalogue, plan)
    figures = take_figures(session, catalogue, plan, facets)
    values = sum(figures["rows"][facet.table] for facet in facets)
    before = Before(
        figures, read_shape(session, plan.database, plan.tables), round(needed_room(values), 3)
    )
    Originals(session, catalogue, plan, facets, before.room).fill()
    return before


def compare(
    session: Session, catalogue: Catalogue, plan: MaskPlan, before: Before
) -> list[MaskFact]:
    """Every figure of the masked database beside what it must be; `facts.holds` says whether it does.

    `catalogue` and `plan` are those of before. The table of hashes stays: whoever has judged drops it
    (`forget_originals`). Raises as `take_before`."""
    found = [
        *_figures(session, catalogue, plan, before),
        *_definitions(session, plan, before),
        *_originals(session, catalogue, plan, before),
        *_patterns(session, catalogue, plan),
    ]
    order = list(KINDS)
    return sorted(found, key=lambda fact: (order.index(fact.name), fact.place))


def forget_originals(session: Session) -> None:
    """Drops the keyed hashes."""
    session.query(f"DROP TABLE IF EXISTS {ORIGINALS}")


def _figures(
    session: Session, catalogue: Catalogue, plan: MaskPlan, before: Before
) -> Iterator[MaskFact]:
    facets = facets_of(catalogue, plan)
    by_place = {facet.place: facet for facet in facets}
    after = take_figures(session, catalogue, plan, facets)
    for name, places in before.figures.items():
        for place, value in places.items():
            now = after.get(name, {}).get(place, float("nan"))
            must = 0.0 if name == "emptied" else value
            tolerance = tolerance_of(name, place, must, by_place, catalogue)
            yield MaskFact(name, place, must, now, tolerance)


def _definitions(session: Session, plan: MaskPlan, before: Before) -> Iterator[MaskFact]:
    shape = read_shape(session, plan.database, plan.tables)
    for kind, table, was, kept in kept_of(before.shape, shape):
        yield MaskFact(kind, table, float(was), float(kept))


def _originals(
    session: Session, catalogue: Catalogue, plan: MaskPlan, before: Before
) -> Iterator[MaskFact]:
    originals = Originals(session, catalogue, plan, facets_of(catalogue, plan), before.room)
    for facet, rows in originals.survivors():
        yield MaskFact("survivors", facet.place, 0.0, float(rows))
    for facet, skipped, values, limit in originals.unchanged():
        yield MaskFact("skipped", facet.place, 0.0, float(skipped))
        yield MaskFact("unchanged", facet.place, float(limit), float(values))
    for place, rows in originals.copies():
        yield MaskFact("copies", place, 0.0, float(rows))


def _patterns(session: Session, catalogue: Catalogue, plan: MaskPlan) -> Iterator[MaskFact]:
    for pattern, place, rows in count_patterns(session, catalogue, plan):
        yield MaskFact(pattern, place, 0.0, float(rows))
