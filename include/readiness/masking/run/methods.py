"""How a table is masked: by UPDATE in place, or by rebuilding it beside itself. A measured rule.

200,000 rows of 12 columns, 4 secondary indexes, a SHA2 for each masked value, in ranges of 20,000
rows, on two shared cores. Seconds, and MB of indexes afterwards; before they have 30 MB as MariaDB's
load leaves them, 46 MB as rows that came one by one do, 43 MB on MySQL 9.7:

    masked columns        MariaDB 10.11, loaded    MariaDB, one by one      MySQL 9.7
                          UPDATE     rebuild       UPDATE     rebuild       UPDATE      rebuild
    1 not indexed         0.4 s 30   1.9 s 46      0.5 s 46   2.7 s 46      0.5 s 43    4.7 s 43
    4 not indexed         0.8 s 30   3.5 s 46      0.9 s 46   2.5 s 46      1.1 s 43    3.7 s 43
    1 indexed             1.3 s 40   3.1 s 46      1.5 s 50   1.9 s 46      2.2 s 45    3.2 s 43
    3 indexed             5.7 s 55   2.0 s 46      3.4 s 52   2.2 s 46      8.9 s 49    3.3 s 42
    3 indexed, 4 not      4.2 s 54   2.5 s 46      5.0 s 51   2.5 s 46     10.4 s 49    4.5 s 42

Of columns that no index holds, an UPDATE writes the rows alone, and their lengths stay: it is 3 to 9
times faster, and no page splits. Of indexed ones it splits pages: +33 to +83 % where indexes were
dense, so that a buffer pool held less of the clone than of production. A rebuild that comes out larger
is made dense again, in 0.7 to 3 s more (30 MB on both). Nor may one UPDATE change a unique column in
place: a new value may meet an old one that is not masked yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from readiness.errors import MaskingError
from readiness.masking.names import quoted
from readiness.masking.run.ranges import range_key
from readiness.model.catalogue import TableFacts
from readiness.model.masking import MaskedColumn

_LOCAL = {"innodb", "myisam", "aria", "memory", "csv", "archive", "rocksdb"}


class How(StrEnum):
    """REBUILD: INSERT … SELECT into a new table, which takes the place of the old one."""

    REBUILD = "rebuild"
    UPDATE = "update"


@dataclass(frozen=True, slots=True)
class Method:
    """How, and why: a clause that may stand on a line."""

    how: How
    why: str


def method_of(table: TableFacts, columns: Sequence[MaskedColumn]) -> Method:
    """How to mask these columns of the table. Raises MaskingError where it cannot be masked."""
    _require_maskable(table)
    indexed = [c.column for c in columns if table.is_indexed(c.column)]
    if indexed:
        return Method(How.REBUILD, f"an index holds {', '.join(indexed)}")
    if table.engine.lower() != "innodb":
        return Method(How.REBUILD, f"{table.engine} cannot undo half a range")
    if any(c.generated for c in table.columns.values()) or _has_expressions(table):
        return Method(How.REBUILD, "columns or indexes that are computed may change with it")
    if range_key(table) is None:
        return Method(How.REBUILD, "it has no key to go by in ranges")
    return Method(How.UPDATE, "no index holds a masked column")


def _has_expressions(table: TableFacts) -> bool:
    return any(not name for index in table.indexes for name, _ in index.parts)


def _require_maskable(table: TableFacts) -> None:
    name = quoted(table.name)
    if table.is_versioned:
        raise MaskingError(
            f"Table {table.name} keeps old rows (system versioning): its history holds what is personal,"
            " and no statement may change history.",
            hint="Drop the history on the clone, then run again:"
            f"  ALTER TABLE {name} DROP SYSTEM VERSIONING",
        )
    if table.engine.lower() not in _LOCAL:
        raise MaskingError(
            f"Table {table.name} is kept by engine {table.engine}: its rows may lie on another server,"
            f" and nothing is written there. Allowed: {', '.join(sorted(_LOCAL))}.",
            hint=f"Drop it on the clone, or give its columns treat: keep.  DROP TABLE {name}",
        )
