"""Keyed hashes of what stood in the masked columns: none of it may stand there, or elsewhere, again.

They are made in the clone under a key of their own, derived from the masking session's; the load
user may not read the schema, and the table goes when masking is proven. Texts are compared without
case and outer blanks.

How a value is compared depends on the room that its look has (`Facet.room`):

- room for so many values that two meet by chance in fewer than one masking of a thousand: by value.
  No row of any masked column may hold what any of them held ("survivors", all rows, no sample); and
  for looks that tell a person or open something, no kept text column either ("copies").
- less room (short texts, dates, codes, addresses of hosts): such values meet by chance. They are
  compared at their own row, by its primary key. A value maps to one value: so either all of its rows
  are unchanged or none is; a row unchanged among others that changed was left out ("skipped"). Values
  that are unchanged at all of their rows ("unchanged") may be as many as chance gives once in 100 000.
  A row left out whose value no other row has shows there only where the room is wide; its longer values
  are found by value.
- no room (empty, signs only, one digit that stays, filler): not compared. Nor are short values of a
  table that has no primary key or a masked one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from readiness.errors import MaskingError
from readiness.masking.data_types import TEXTS
from readiness.masking.names import quoted
from readiness.masking.prove.facets import Facet, row_of
from readiness.masking.prove.figures import share_of
from readiness.model.catalogue import Catalogue, TableFacts
from readiness.model.masking import Look, MaskPlan, Source
from readiness.ports import Session

ORIGINALS = "readiness_marker.originals"
_ONCE_IN = 100_000
_LONGEST_COPY = 400  # characters of a kept column that is searched for originals
_SHORTEST_COPY = 6
_ROOM_OF_COPIES = 8.0
_LETTERS = {Look.NAME, Look.TEXT, Look.PHONE, Look.EMAIL, None}  # where signs alone stay


class Originals:
    """The table of hashes for one plan; `facets` in the plan's order, `rows` by table."""

    def __init__(
        self,
        session: Session,
        catalogue: Catalogue,
        plan: MaskPlan,
        facets: Sequence[Facet],
        needed: float,
    ) -> None:
        self._session = session
        self._catalogue = catalogue
        self._plan = plan
        self._facets = facets
        self._needed = needed
        self._take_key()

    def _take_key(self) -> None:
        if self._session.query("SELECT @readiness_key IS NULL")[0][0]:
            message = "The session that proves a masking has no key."
            raise MaskingError(message, hint="This is a fault of readiness: please report it.")
        key = "UNHEX(SHA2(CONCAT('originals of a clone ', @readiness_key), 256))"
        self._session.query(f"SET @readiness_originals = {key}")

    def fill(self) -> None:
        """Hashes all that is to be compared; what an earlier try left goes first."""
        self._session.query(f"DROP TABLE IF EXISTS {ORIGINALS}")
        self._session.query(
            f"CREATE TABLE {ORIGINALS} (h BINARY(16) NOT NULL PRIMARY KEY, kind CHAR(1) CHARACTER SET"
            " ascii NOT NULL, facet INT NOT NULL, n BIGINT NOT NULL, weight DOUBLE NOT NULL)"
            " ENGINE=InnoDB"
        )
        # Telling ones first: what two columns share stays theirs.
        order = sorted(enumerate(self._facets), key=lambda pair: not pair[1].is_telling)
        for number, facet in order:
            self._fill_values(number, facet)
            self._fill_rows(number, facet)

    def _fill_values(self, number: int, facet: Facet) -> None:
        kind = "t" if facet.is_telling else "v"
        self._session.query(
            f"INSERT IGNORE INTO {ORIGINALS} SELECT h, '{kind}', {number}, 1, 0 FROM (SELECT DISTINCT"
            f" {_hash(_comparable(facet))} AS h FROM {self._of(facet)} WHERE {self._is_noted(facet)}) w"
            " ORDER BY h"
        )

    def _is_noted(self, facet: Facet) -> str:
        """SQL: whether another value can be told from it. That of a telling look that holds more
        than digits is looked for in kept columns from a smaller room on, where nothing is random."""
        if not facet.is_telling or facet.is_binary:
            return self._is_wide(facet)
        room = 0.0 if facet.look is Look.EMAIL else min(_ROOM_OF_COPIES, self._needed)
        is_more = f"{facet.room} > {room} AND {facet.value} REGEXP '[^0-9]'"
        return f"({self._is_wide(facet)} OR {is_more})"

    def _fill_rows(self, number: int, facet: Facet) -> None:
        row = self._row(facet)
        if not row:
            return
        value, where = _comparable(facet), f"{self._of(facet)} WHERE {self._is_narrow(facet)}"
        self._session.query(
            f"INSERT IGNORE INTO {ORIGINALS} SELECT h, 'p', {number}, COUNT(*), MAX(weight) FROM (SELECT"
            f" {_hash(_tag('p', number), value)} AS h, POW(10, -({facet.room})) AS weight FROM {where}) p"
            " GROUP BY h ORDER BY h"
        )
        self._session.query(
            f"INSERT IGNORE INTO {ORIGINALS} SELECT {_hash(_tag('r', number), row, value)} AS h, 'r',"
            f" {number}, 1, 0 FROM {where} ORDER BY h"
        )

    def survivors(self) -> Iterator[tuple[Facet, int]]:
        """Of each facet, the rows whose value stood in a masked column before."""
        for facet in self._facets:
            if not facet.is_emptied:
                yield facet, self._count_known(facet)

    def _count_known(self, facet: Facet) -> int:
        says = ""
        if facet.look in _LETTERS and not facet.is_binary:
            says = f" AND {facet.value} REGEXP '[[:alnum:]]'"
        sql = (
            f"SELECT COUNT(*) FROM (SELECT {_hash(_comparable(facet))} AS h FROM {self._of(facet)}"
            f" WHERE {self._is_wide(facet)}{says}) w JOIN {ORIGINALS} o ON o.h = w.h"
            " WHERE o.kind IN ('t', 'v')"
        )
        return int(str(self._session.query(sql)[0][0]))

    def unchanged(self) -> Iterator[tuple[Facet, int, int, int]]:
        """Of each facet with values of little room: rows that were left out, values unchanged at all
        of their rows, and how many of these chance explains. A derived column has no rows left
        out: its value follows others."""
        expected = self._expected()
        for number, facet in enumerate(self._facets):
            if not self._row(facet) or number not in expected:
                continue
            skipped, values, rows = self._count_unchanged(number, facet)
            if facet.look is None:
                values_or_rows = self._derived_rows(number)
                yield facet, 0, rows, chance_limit(values_or_rows)
            else:
                yield facet, skipped, values, chance_limit(expected[number])

    def _count_unchanged(self, number: int, facet: Facet) -> tuple[int, int, int]:
        """Rows left out, values wholly unchanged, and all unchanged rows."""
        value = _comparable(facet)
        of_row = _hash(_tag("r", number), self._row(facet), value)
        of_value = _hash(_tag("p", number), value)
        sql = (
            "SELECT COALESCE(SUM(IF(g.u < p.n, g.u, 0)), 0), COALESCE(SUM(g.u >= p.n), 0),"
            " COALESCE(SUM(g.u), 0) FROM (SELECT w.v, COUNT(*) AS u FROM (SELECT"
            f" {of_row} AS h, {of_value} AS v FROM {self._of(facet)} WHERE {self._is_narrow(facet)}) w"
            f" JOIN {ORIGINALS} o ON o.h = w.h GROUP BY w.v) g JOIN {ORIGINALS} p ON p.h = g.v"
        )
        skipped, values, rows = (int(str(v)) for v in self._session.query(sql)[0])
        return skipped, values, rows

    def _expected(self) -> dict[int, float]:
        """How many values of each facet chance leaves as they are."""
        sql = f"SELECT facet, SUM(weight) FROM {ORIGINALS} WHERE kind = 'p' GROUP BY facet"
        return {int(str(f)): float(str(w)) for f, w in self._session.query(sql)}

    def _derived_rows(self, number: int) -> float:
        sql = f"SELECT SUM(weight * n) FROM {ORIGINALS} WHERE kind = 'p' AND facet = {number}"
        return float(str(self._session.query(sql)[0][0]))

    def copies(self) -> Iterator[tuple[str, int]]:
        """Kept text columns that hold the original of a telling column, by place, with their rows."""
        for table in self._catalogue.tables.values():
            left_out = {c.column for c in self._plan.of(table.name)} | self._kept_by_policy(table)
            for column in table.columns.values():
                is_text = column.data_type in TEXTS
                if column.name in left_out or not is_text or column.max_chars < _SHORTEST_COPY:
                    continue
                name = quoted(column.name)
                sql = (
                    f"SELECT COUNT(*) FROM (SELECT {_hash(_folded(name))} AS h FROM"
                    f" {quoted(self._plan.database, table.name)} WHERE CHAR_LENGTH({name}) BETWEEN"
                    f" {_SHORTEST_COPY} AND {_LONGEST_COPY}) w JOIN {ORIGINALS} o ON o.h = w.h"
                    " WHERE o.kind = 't'"
                )
                yield f"{table.name}.{column.name}", int(str(self._session.query(sql)[0][0]))

    def _kept_by_policy(self, table: TableFacts) -> set[str]:
        """A person has said why they stay."""
        kept = (c for c in self._plan.kept if c.source is Source.POLICY)
        return {c.column for c in kept if c.table == table.name}

    def _of(self, facet: Facet) -> str:
        return quoted(self._plan.database, facet.table)

    def _row(self, facet: Facet) -> str:
        return row_of(self._catalogue.tables[facet.table], self._plan)

    def _is_wide(self, facet: Facet) -> str:
        return f"{facet.room} >= {self._needed:.3f}"

    def _is_narrow(self, facet: Facet) -> str:
        share = share_of(self._catalogue.tables[facet.table], self._plan)
        some = f" AND {share}" if share else ""
        return f"{facet.room} > 0 AND {facet.room} < {self._needed:.3f}{some}"


def needed_room(values: float) -> float:
    """The power of ten above which values of this number meet by chance in 1 of 1000 maskings."""
    return 2 * math.log10(max(values, 10.0)) + 3


def chance_limit(expected: float) -> int:
    """The smallest number that chance (Poisson) exceeds less than once in 100 000."""
    if expected > 1e4:
        return math.ceil(expected + 5 * math.sqrt(expected))
    term = total = math.exp(-expected) if expected < 700 else 0.0
    if not total:
        return math.ceil(expected + 5 * math.sqrt(expected))
    count = 0
    while 1 - total > 1 / _ONCE_IN:
        count += 1
        term *= expected / count
        total += term
    return count


def _comparable(facet: Facet) -> str:
    return facet.value if facet.is_binary else _folded(facet.value)


def _folded(value: str) -> str:
    """Bytes: concatenating them with others meets no collation."""
    return f"CAST(LOWER(TRIM(CONVERT({value} USING utf8mb4))) AS BINARY)"


def _tag(kind: str, number: int) -> str:
    return f"'{kind}{number}:'"


def _hash(*parts: str) -> str:
    joined = ", ".join(["@readiness_originals", *parts])
    return f"UNHEX(LEFT(SHA2(CONCAT({joined}), 256), 32))"
