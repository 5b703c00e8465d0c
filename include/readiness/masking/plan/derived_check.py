"""The server's word on columns that repeat others: over many rows, before anything is masked."""

from __future__ import annotations

import re
from dataclasses import replace

from readiness.errors import StatementFailed
from readiness.masking.data_types import BINARIES
from readiness.masking.names import quoted
from readiness.masking.plan.decision import type_look
from readiness.model.catalogue import Catalogue, ColumnFacts, TableFacts
from readiness.model.masking import Look, MaskedColumn, MaskPlan, Source
from readiness.ports import Session

_ROWS = 100_000
_WRONG_AT_MOST = 0.01  # of the rows: hashes of former e-mails are made right by masking
_COLUMN = re.compile(r"\{([^{}]+)\}")


def verified(session: Session, catalogue: Catalogue, plan: MaskPlan) -> MaskPlan:
    """The plan, with those columns masked by a look of their own whose derivation does not hold in the
    first 100,000 rows of the table. What a policy derives is not asked about."""
    columns = list(plan.columns)
    for table in plan.tables:
        facts = catalogue.tables[table]
        found = [c for c in plan.of(table) if c.derived and c.source is Source.DERIVED]
        wrong = {c.id for c in found if _is_wrong(session, catalogue.database, facts, c)}
        columns = [_by_itself(c, facts.columns[c.column]) if c.id in wrong else c for c in columns]
    return replace(plan, columns=tuple(columns))


def _is_wrong(session: Session, database: str, table: TableFacts, column: MaskedColumn) -> bool:
    names = list(dict.fromkeys([column.column, *_COLUMN.findall(column.derived)]))
    held = " AND ".join(f"{quoted(n)} IS NOT NULL AND {quoted(n)} <> ''" for n in names)
    made = _COLUMN.sub(lambda match: quoted(match[1]), column.derived)
    kind = table.columns[column.column].data_type
    target, made = _bytes(quoted(column.column), kind), _bytes(made, kind)
    sql = (
        f"SELECT COUNT(*), COALESCE(SUM({target} <> {made}), 0) FROM"
        f" (SELECT {', '.join(map(quoted, names))} FROM {quoted(database)}.{quoted(table.name)}"
        f" WHERE {held} LIMIT {_ROWS}) AS looked_at"
    )
    try:
        rows, wrong = (int(str(n)) for n in session.query(sql)[0])
    except StatementFailed:
        return True
    return wrong > rows * _WRONG_AT_MOST


def _bytes(sql: str, data_type: str) -> str:
    """Compared byte by byte, so that no two collations meet."""
    is_binary = data_type in BINARIES
    return (
        f"CAST({sql} AS BINARY)" if is_binary else f"CAST(CONVERT({sql} USING utf8mb4) AS BINARY)"
    )


def _by_itself(column: MaskedColumn, facts: ColumnFacts) -> MaskedColumn:
    look = type_look(facts)
    if look is Look.TEXT and re.search(r"SHA|MD5", column.derived):
        look = Look.HEX
    why = "it repeats other columns, but not in all rows or not by what this server computes"
    return replace(column, look=look, domain=look.value, derived="", why=why)
