"""What a clean capture teaches: which statements a flow has, and which columns hold its keys."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from readiness.capture.meetings import Column, Meeting, meetings
from readiness.capture.sql_mode import ANSI_QUOTES, NO_BACKSLASH_ESCAPES
from readiness.errors import CaptureError, SqlError
from readiness.model.transactions import (
    Outcome,
    Raw,
    RawCapture,
    RawStatement,
    RawTransaction,
)
from readiness.model.workload import StatementKind
from readiness.sql.kind import leading_words, statement_kind
from readiness.sql.lexer import Token, TokenKind, lex
from readiness.sql.shape import shape

_WORK = frozenset(
    {
        StatementKind.SELECT,
        StatementKind.INSERT,
        StatementKind.UPDATE,
        StatementKind.DELETE,
        StatementKind.CALL,
        StatementKind.EXECUTE,
    }
)
_SETS = frozenset(
    {
        StatementKind.SET,
        StatementKind.BEGIN,
        StatementKind.COMMIT,
        StatementKind.ROLLBACK,
        StatementKind.SAVEPOINT,
    }
)
_DATE = re.compile(rb"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(rb"\d+")
_SHORTEST_ID = 8
_FEWEST_DIGITS = 4
_SURE_LENGTH = 20


@dataclass(frozen=True, slots=True)
class Keys:
    """What a schema says of columns, names in lower case: `keyed` are indexed or foreign keys,
    `roots` maps a column to the one that its foreign keys lead to, `numbered` are
    AUTO_INCREMENT."""

    keyed: frozenset[Column]
    roots: Mapping[Column, Column] = field(default_factory=dict)
    numbered: frozenset[Column] = frozenset()
    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by table


@dataclass(frozen=True, slots=True, repr=False)
class Read(Raw):
    """One statement as selection sees it. `shape` is b"" for what is no work of an application;
    `sets` is true for SET and transaction control."""

    shape: bytes
    tables: tuple[str, ...]
    meetings: tuple[Meeting, ...]
    is_write: bool = False
    inserts: bool = False
    sets: bool = False


def read_statement(transaction: RawTransaction, statement: RawStatement) -> Read | None:
    """Reads one statement as its session's sql_mode does; None for what cannot be read."""
    modes = transaction.sql_mode.split(",")
    is_plain = NO_BACKSLASH_ESCAPES in modes
    sql = statement.sql
    try:
        tokens = lex(sql, ansi_quotes=ANSI_QUOTES in modes, no_backslash_escapes=is_plain)
    except SqlError:
        return None
    kind = statement_kind(sql, tokens)
    if kind not in _WORK or _asks_nothing(sql, tokens, kind):
        return Read(b"", (), (), sets=kind in _SETS)
    words = leading_words(sql, tokens, limit=1)
    tables, met = meetings(sql, tokens, is_plain=is_plain)
    return Read(
        shape(sql, tokens),
        tables,
        tuple(met),
        kind is not StatementKind.SELECT,
        words in ([b"INSERT"], [b"REPLACE"]),
    )


def _asks_nothing(sql: bytes, tokens: Sequence[Token], kind: StatementKind) -> bool:
    """SELECT 1, SELECT @@version: what pools and drivers send."""
    return kind is StatementKind.SELECT and not any(
        t.kind is TokenKind.WORD and sql[t.start : t.end].upper() == b"FROM" for t in tokens
    )


@dataclass(frozen=True, slots=True, repr=False)
class Example(Raw):
    """What clean captures have in common. `most` says how often one flow sent a shape at most;
    of the `tables` named, `inserted` are those that the flow fills; `constants` are values that
    every capture holds."""

    most: Mapping[bytes, int] = field(repr=False)
    tables: frozenset[str]
    inserted: frozenset[str]
    constants: frozenset[bytes] = field(repr=False)
    linking: frozenset[Column]  # empty with a schema, which knows better
    keys: Keys | None
    places: dict[Column, tuple[Column, bool]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def domain(self, meeting: Meeting) -> tuple[Column | None, bytes] | None:
        """What makes two transactions parts of one flow; None for what must not link them.

        A value that looks like an id links in every column, a number only within its domain."""
        value = meeting.value
        root, is_key = self._place(meeting.column)
        if not is_key or root[0] not in self.inserted or not self._may_link(value):
            return None
        if _looks_like_id(value):
            return None, value
        return (root, value) if _NUMBER.fullmatch(value) and self._is_numbered(root) else None

    def hint(self, meeting: Meeting) -> tuple[Column, bytes] | None:
        """A key of a row that flows find and do not make, such as a product: it links nothing, but
        tells which of two flows a lone transaction goes with."""
        root, is_key = self._place(meeting.column)
        if not is_key or root[0] in self.inserted or not self._may_link(meeting.value):
            return None
        return root, meeting.value

    def _may_link(self, value: bytes) -> bool:
        return bool(value) and value not in self.constants and not _DATE.match(value)

    def _place(self, column: Column) -> tuple[Column, bool]:
        """The column's root, and whether it is a key; worked out once for each column."""
        if column not in self.places:
            root = self.root(column)
            self.places[column] = root, self._is_key(column, root)
        return self.places[column]

    def root(self, column: Column) -> Column:
        """The column that this one refers to: by the schema, else by its name."""
        if self.keys is not None:
            column = self._in_schema(column)
            return self.keys.roots.get(column, column)
        stem = column[1].removesuffix("_id")
        if stem != column[1]:
            ends = tuple(f"_{plural}" for plural in _plurals(stem))
            for table in sorted(self.tables):
                if table in (stem, *_plurals(stem)) or table.endswith(ends):
                    return table, "id"
        return column

    def _in_schema(self, column: Column) -> Column:
        table, name = column
        if table or self.keys is None:
            return column
        owners = [t for t, names in self.keys.columns.items() if name in names]
        return (owners[0], name) if len(owners) == 1 else column

    def _is_key(self, column: Column, root: Column) -> bool:
        if self.keys is None:
            return column in self.linking or root != column or column[1] == "id"
        column = self._in_schema(column)
        return column in self.keys.keyed or root != column

    def _is_numbered(self, root: Column) -> bool:
        return root[1] == "id" if self.keys is None else root in self.keys.numbered


def _plurals(stem: str) -> tuple[str, ...]:
    ies = (f"{stem[:-1]}ies",) if stem.endswith("y") else ()
    return (f"{stem}s", f"{stem}es", *ies)


def _looks_like_id(value: bytes) -> bool:
    """Long and varied enough that two flows never share it by chance."""
    digits = sum(48 <= byte < 58 for byte in value)
    if len(value) < _SHORTEST_ID or (value.isdigit() and len(value) < _SHORTEST_ID):
        return False
    is_long_word = len(value) >= _SURE_LENGTH and not any(b <= 0x20 for b in value)
    return digits >= _FEWEST_DIGITS or b"@" in value or is_long_word


def learn(examples: Sequence[RawCapture], keys: Keys | None = None) -> Example:
    """Learns from captures that each hold one flow and nothing else.

    Two or more tell constants from keys; one does, with less certainty. Raises CaptureError where
    there is nothing to learn."""
    read = [[list(_reads(t)) for t in capture.transactions] for capture in examples]
    counts = [_shape_counts(c, r) for c, r in zip(examples, read, strict=True)]
    if not counts or not all(counts):
        raise CaptureError(
            "an example holds no statement of an application",
            hint="Capture the flow once, alone, and name that log.",
        )
    most: Counter[bytes] = Counter()
    for count in counts:
        most |= count
    tables = {table for c in read for t in c for s in t for table in s.tables}
    inserted = {s.tables[0] for c in read for t in c for s in t if s.inserts and s.tables}
    values = [{m.value for t in c for s in t for m in s.meetings} for c in read]
    constants = frozenset.intersection(*map(frozenset, values)) if len(values) > 1 else frozenset()
    linking = frozenset() if keys else frozenset(_linking(read, constants))
    return Example(dict(most), frozenset(tables), frozenset(inserted), constants, linking, keys)


def _reads(transaction: RawTransaction) -> Iterator[Read]:
    for statement in transaction.statements:
        read = read_statement(transaction, statement)
        if read is not None and read.shape:
            yield read


def _shape_counts(capture: RawCapture, read: Sequence[Sequence[Read]]) -> Counter[bytes]:
    """How often each shape was sent; what was rolled back may be sent again, so it counts 1."""
    counts: Counter[bytes] = Counter()
    for transaction, statements in zip(capture.transactions, read, strict=True):
        shapes = Counter(s.shape for s in statements)
        counts = counts | shapes if transaction.outcome in _UNDONE else counts + shapes
    return counts


_UNDONE = frozenset({Outcome.ROLLBACK, Outcome.DISCONNECT, Outcome.OPEN})


def _linking(
    read: Iterable[Sequence[Sequence[Read]]], constants: frozenset[bytes]
) -> Iterator[Column]:
    """Without a schema: columns whose values came back in another transaction of the example."""
    for capture in read:
        places: dict[bytes, set[int]] = defaultdict(set)
        columns: dict[bytes, set[Column]] = defaultdict(set)
        for number, transaction in enumerate(capture):
            for meeting in (m for s in transaction for m in s.meetings):
                places[meeting.value].add(number)
                columns[meeting.value].add(meeting.column)
        for value, numbers in places.items():
            if len(numbers) > 1 and value not in constants and _looks_like_id(value):
                yield from columns[value]
