"""What would stop a masking at its end, told before it changes anything: what the proof will find in kept
columns, and tables whose partitions take no masked value. A line of the policy mends most of it."""

from __future__ import annotations

from collections.abc import Iterator

from readiness.errors import MaskingError
from readiness.masking.names import quoted, text
from readiness.masking.prove.facts import KINDS
from readiness.masking.prove.patterns import count_patterns
from readiness.model.catalogue import Catalogue
from readiness.model.masking import MaskPlan
from readiness.ports import Session

_NAMED = 6
_LISTS = (
    "SELECT DISTINCT TABLE_NAME, PARTITION_EXPRESSION FROM information_schema.PARTITIONS"
    " WHERE TABLE_SCHEMA = %s AND PARTITION_METHOD LIKE 'LIST%%' ORDER BY 1"
)


def refuse_foreseen(session: Session, catalogue: Catalogue, plan: MaskPlan) -> None:
    """Raises MaskingError with all that it found and what to write into the policy."""
    _refuse_lists(session, plan)
    found = [
        (place, f"{place}: {rows:,} {KINDS[pattern].text}")
        for pattern, place, rows in count_patterns(
            session, catalogue, plan, but=set(_changing(catalogue, plan))
        )
        if rows
    ]
    if not found:
        return
    places = list(dict.fromkeys(place for place, _ in found))
    told = "; ".join(what for _, what in found[:_NAMED])
    more = f"; and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    raise MaskingError(
        f"Columns that would be kept look personal: {told}{more}. Nothing was changed.",
        hint="\n".join(_lines(places)),
    )


def _changing(catalogue: Catalogue, plan: MaskPlan) -> Iterator[str]:
    """Columns that hold other values afterwards: masked ones, and those that the server computes."""
    yield from (column.id for column in plan.columns)
    for table in catalogue.tables.values():
        yield from (f"{table.name}.{c.name}" for c in table.columns.values() if c.generated)


def _lines(places: list[str]) -> Iterator[str]:
    yield "Say in a policy what each is, and run it again with that policy:"
    yield from (f"  {place}: {{treat: pseudonym}}" for place in places)
    yield "or, of what only looks so, as an order number may look like a card's:"
    yield f'  {places[0]}: {{treat: keep, reason: "…"}}'


def _refuse_lists(session: Session, plan: MaskPlan) -> None:
    """Partitions of listed values take these values only."""
    for row in session.query(_LISTS, (plan.database,)):
        table, by = text(row[0]), text(row[1]).lower()
        column = next((c for c in plan.of(table) if _names(by, c.column.lower())), None)
        if column is not None:
            raise MaskingError(
                f"{table} is partitioned by lists of values of {column.id}: no partition takes a masked"
                " one. Nothing was changed.",
                hint="On the clone, which also takes the values out of its definition:\n"
                f"  ALTER TABLE {quoted(plan.database)}.{quoted(table)} REMOVE PARTITIONING\n"
                f'or in the policy:\n  {column.id}: {{treat: keep, reason: "…"}}',
            )


def _names(expression: str, column: str) -> bool:
    """Whether a partition's expression names a column; engines write it with backquotes or without."""
    return column in {part.strip(" `()") for part in expression.split(",")} or (
        f"`{column}`" in expression
    )
