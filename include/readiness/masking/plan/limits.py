"""What cannot be masked, and what is worth saying of the tables of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from readiness.errors import MaskingError
from readiness.masking.plan.decision import (
    KNOWN,
)
from readiness.masking.plan.references import Column
from readiness.model.catalogue import Catalogue, TableFacts
from readiness.model.masking import MaskedColumn

_ENGINES = {"innodb", "myisam", "aria", "memory", "rocksdb"}
_NAMED = 6


def refuse_unmaskable(
    catalogue: Catalogue, masked: Sequence[MaskedColumn], ruled: Iterable[Column]
) -> None:
    """Raises MaskingError, with all that is wrong and the remedy of each."""
    told = [*_strange_types(catalogue, set(ruled)), *_strange_tables(catalogue, masked)]
    if not told:
        return
    faults, remedies = zip(*told, strict=True)
    more = f" and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
    raise MaskingError(
        f"{catalogue.database} holds what cannot be masked: {'; '.join(faults[:_NAMED])}{more}.",
        hint="\n".join(dict.fromkeys(remedies)),
    )


def _strange_types(catalogue: Catalogue, ruled: set[Column]) -> Iterator[tuple[str, str]]:
    for table in catalogue.tables.values():
        for column in table.columns.values():
            is_plain = column.data_type in KNOWN or column.is_json or column.generated
            if not is_plain and (table.name, column.name) not in ruled:
                yield (
                    f"{table.name}.{column.name} is a {column.data_type}, which no look fits",
                    "Say in the policy who may know it: "
                    f'{table.name}.{column.name}: {{treat: keep, reason: "…"}}',
                )


def _strange_tables(
    catalogue: Catalogue, masked: Sequence[MaskedColumn]
) -> Iterator[tuple[str, str]]:
    for name in sorted({c.table for c in masked}):
        table = catalogue.tables[name]
        if table.is_versioned:
            yield (
                f"{name} keeps its old rows",
                f"Drop them on the clone: ALTER TABLE {name} DROP SYSTEM VERSIONING",
            )
        elif table.engine.lower() not in _ENGINES:
            yield (
                f"{name} is a table of {table.engine or 'an engine that is not there'}",
                f"Change it on the clone: ALTER TABLE {name} ENGINE=InnoDB, or drop it",
            )


def notes_of(catalogue: Catalogue, masked: Sequence[MaskedColumn]) -> tuple[str, ...]:
    """What masking will do differently, by table."""
    counts: Mapping[str, int] = {n: sum(c.table == n for c in masked) for n in catalogue.tables}
    return tuple(
        f"{t.name} {told}"
        for t in catalogue.tables.values()
        if counts[t.name]
        for told in _notes(t)
    )


def _notes(table: TableFacts) -> Iterator[str]:
    if not table.primary_key:
        yield "has no primary key: it is masked in one piece"
    if table.is_partitioned:
        yield "is partitioned"
    if table.engine.lower() != "innodb":
        yield f"is a table of {table.engine}, which knows no transactions"
    if table.triggers:
        count = len(table.triggers)
        yield f"has {count} trigger{'s' * (count != 1)}, which do not fire while it is masked"
