"""Gives each AUTO_INCREMENT table a range of ids of its own, so that no id is that of two tables.

In a fresh database, order 2, payment 2 and application 2 are all `2`: captures cannot tell which id
a statement means. Only counters move: no row changes. Ranges are 10,000,019 wide and lie above every
id that is there; a table that has a range of its own keeps it while half of it is free, so salting
twice is salting once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from readiness.errors import StatementFailed
from readiness.ports import Row, Session
from readiness.workload.prove.definitions import full_type

RANGE = 10_000_019

_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
_BITS |= {"float": 25, "double": 54}  # beyond, two whole numbers are one
_UNKNOWN_VARIABLE = 1193
_CROWDED = 2**30  # ids above are no counter's: they would push all ranges beyond an INT


@dataclass(frozen=True, slots=True)
class Counted:
    """A table and its counter: `following` is the id that its next row gets."""

    table: str
    column: str
    type: str  # `bigint unsigned`
    following: int

    @property
    def highest(self) -> int:
        """The highest id that the column can hold."""
        bits = _BITS.get(self.type.partition(" ")[0], 64)
        return int(2 ** (bits - ("unsigned" not in self.type)) - 1)


@dataclass(frozen=True, slots=True)
class Salting:
    """What becomes of one table: `start` is the first id of its range; `action` is `salt`, `stays`
    (it has a range already) or `left` (its type has no room)."""

    counted: Counted
    action: str
    start: int

    def to_json(self) -> dict[str, object]:
        """Plain values, for --json."""
        return {
            "table": self.counted.table,
            "column": self.counted.column,
            "type": self.counted.type,
            "next_id": self.counted.following,
            "action": self.action,
            "start": self.start,
        }


def read_counters(session: Session, database: str) -> list[Counted]:
    """The AUTO_INCREMENT tables of a database, by name, with counters that are not cached."""
    _ask_afresh(session)
    rows = session.query(
        "SELECT c.TABLE_NAME, c.COLUMN_NAME, c.COLUMN_TYPE, c.DATA_TYPE, t.AUTO_INCREMENT "
        "FROM information_schema.COLUMNS c JOIN information_schema.TABLES t "
        "ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME "
        "AND t.TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') "
        "WHERE c.TABLE_SCHEMA = %s AND c.EXTRA LIKE '%%auto_increment%%' ORDER BY c.TABLE_NAME",
        (database,),
    )
    return [_counted(session, database, row) for row in rows]


def plan(counters: Sequence[Counted]) -> list[Salting]:
    """What to do with each table, in the given order."""
    slots = Counter(c.following // RANGE for c in counters)
    taken = {c.following // RANGE for c in counters}
    first = 1 + max((c.following // RANGE for c in counters if c.following < _CROWDED), default=0)
    made = []
    for counted in counters:
        own = counted.following // RANGE
        if own and slots[own] == 1 and counted.following % RANGE <= RANGE // 2:
            made.append(Salting(counted, "stays", own * RANGE))
            continue
        slot = _free_slot(counted, max(first, own + 1), taken)
        if slot is None:
            made.append(Salting(counted, "left", counted.following))
            continue
        taken.add(slot)
        made.append(Salting(counted, "salt", slot * RANGE))
    return made


def apply(session: Session, saltings: Iterable[Salting]) -> None:
    """Moves the counters of the tables to be salted; no other table is touched. Raises
    StatementFailed: what was moved before stays moved, and a second try goes on."""
    for salting in saltings:
        if salting.action == "salt":
            session.query(
                f"ALTER TABLE {_quoted(salting.counted.table)} AUTO_INCREMENT = {salting.start:d}"
            )


def _free_slot(counted: Counted, first: int, taken: set[int]) -> int | None:
    """The lowest free range above all ids; where the type ends before, one above the table's own."""
    last = (counted.highest - RANGE) // RANGE
    own = counted.following // RANGE + 1
    for start, end in ((first, last), (own, min(first - 1, last))):
        slot = next(
            (s for s in range(start, min(end, start + len(taken) + 1) + 1) if s not in taken), None
        )
        if slot is not None:
            return slot
    return None


def _counted(session: Session, database: str, row: Row) -> Counted:
    table, column, column_type, data_type = (_text(v) for v in row[:4])
    following = _whole(row[4]) or 1
    name = f"{_quoted(database)}.{_quoted(table)}"
    found = session.query(f"SELECT MAX({_quoted(column)}) FROM {name}")
    highest = _whole(found[0][0])
    kind = full_type(column_type, data_type)
    return Counted(table, column, kind, max(following, highest + 1))


def _whole(value: object) -> int:
    """A counter or an id: a FLOAT column gives `1.0`, and an empty table NULL."""
    return 0 if value is None else int(Decimal(str(value)))


def _ask_afresh(session: Session) -> None:
    """MySQL 8 shows counters as they were up to a day ago, unless told otherwise."""
    try:
        session.query("SET SESSION information_schema_stats_expiry = 0")
    except StatementFailed as error:
        if error.code != _UNKNOWN_VARIABLE:
            raise


def to_text(saltings: Sequence[Salting]) -> str:
    """A table for people."""
    if not saltings:
        return "no table has an AUTO_INCREMENT column"
    width = max(len(s.counted.table) for s in saltings)
    said: Mapping[str, str] = {
        "salt": "starts at {start:,}",
        "stays": "stays in its range from {start:,}",
        "left": "left as it is: {type} has no room for a range",
    }
    return "\n".join(
        f"  {s.counted.table:<{width}}  next id {s.counted.following:>14,}  "
        + said[s.action].format(start=s.start, type=s.counted.type)
        for s in saltings
    )


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
