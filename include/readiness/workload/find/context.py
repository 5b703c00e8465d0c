"""Which column each literal meets, learnt from a parser on masked text.

The parser never sees a value and never writes a statement: it only says that the literal at a
place is compared with, or stored into, a column. Where it cannot read a statement, its literals
have no column, and everything else still works."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from readiness.model.workload import StatementKind
from readiness.sql.lexer import Token, TokenKind, lex
from readiness.workload.find.literals import literals_of
from readiness.workload.find.statements import Statement
from readiness.workload.schema import Schema

INSERTED, SET, COMPARED, LISTED, LIKE = "insert", "set", "where", "in", "like"


@dataclass(frozen=True, slots=True)
class Meeting:
    """The column a literal meets: `role` says how, `row` in which row of an INSERT,
    `is_wrapped` that a function or arithmetic stands between the two, `is_spelled` that it only turns
    hexadecimal digits or a UUID into bytes."""

    table: str = ""
    column: str = ""
    role: str = ""
    row: int = 0
    is_wrapped: bool = False
    is_spelled: bool = False


@dataclass(frozen=True, slots=True)
class Insertion:
    """What a statement inserts: `rows` is 0 when unknown (INSERT … SELECT);
    `numbered` is the AUTO_INCREMENT column that the server fills, or "". `may_keep` says that a row
    which exists may stay instead, and that the server does not tell its id (IGNORE, ON DUPLICATE
    KEY UPDATE without LAST_INSERT_ID(id)); `returns` that it is told in rows (RETURNING)."""

    table: str
    rows: int
    numbered: str
    may_keep: bool = False
    returns: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """One statement: a meeting per literal, in order."""

    meetings: tuple[Meeting, ...]
    insertion: Insertion | None = None
    is_parsed: bool = True


NOWHERE = Meeting()


class ContextReader:
    """Reads statements against one schema; equal statements are parsed once."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known: dict[tuple[bytes, ...], Context] = {}

    def read(self, sql: bytes, tokens: Sequence[Token]) -> Context:
        """The column of each literal of `literals_of(sql, tokens)`."""
        key = _signature(sql, tokens)
        if key not in self._known:
            self._known[key] = self._parse(sql, tokens)
        return self._known[key]

    def _parse(self, sql: bytes, tokens: Sequence[Token]) -> Context:
        from readiness.workload.find.columns import parse  # the parser is slow to import

        literals = literals_of(sql, tokens)
        parsed = parse(sql, tokens, self._schema)
        if parsed is None:
            return Context((NOWHERE,) * len(literals), None, is_parsed=False)
        met, insertion = parsed
        return Context(tuple(met.get(lit.start, NOWHERE) for lit in literals), insertion)


def _signature(sql: bytes, tokens: Sequence[Token]) -> tuple[bytes, ...]:
    """Equal for statements that differ in values only."""
    return tuple(
        str(kind).encode()
        if kind in (TokenKind.TEXT, TokenKind.NUMBER, TokenKind.HEX, TokenKind.BIT)
        else sql[start:end]
        for kind, start, end in tokens
        if kind is not TokenKind.COMMENT
    )


def with_prepared(
    statements: Sequence[Statement], contexts: Sequence[Context], reader: ContextReader
) -> list[Context]:
    """The contexts, where `SET @a = 'x'` meets the column of the `?` that EXECUTE … USING @a fills.

    An EXECUTE of an INSERT inserts what the prepared text says."""
    result = list(contexts)
    prepared: dict[tuple[int, bytes], Context] = {}
    assigned: dict[tuple[int, bytes], tuple[int, int]] = {}  # (thread, @a) -> statement, literal
    for i, statement in enumerate(statements):
        if statement.kind is StatementKind.SET:
            for name, at in _assignments(statement).items():
                assigned[statement.thread, name] = (i, at)
        elif statement.kind is StatementKind.PREPARE:
            name, text = _prepared_text(statement, statements, assigned)
            prepared[statement.thread, name] = _placeholders(text, reader)
        elif statement.kind is StatementKind.EXECUTE:
            name, using = _execution(statement)
            found = prepared.get((statement.thread, name))
            if found is not None:
                result[i] = replace(result[i], insertion=found.insertion)
                places = (assigned.get((statement.thread, u)) for u in using)
                _fill(result, found.meetings, list(places))
    return result


def _fill(
    result: list[Context],
    meetings: Sequence[Meeting],
    places: Sequence[tuple[int, int] | None],
) -> None:
    for meeting, place in zip(meetings, places, strict=False):
        if place is not None:
            at, literal = place
            changed = list(result[at].meetings)
            changed[literal] = meeting
            result[at] = replace(result[at], meetings=tuple(changed))


def _work_tokens(statement: Statement) -> list[tuple[TokenKind, bytes, int]]:
    skipped = (TokenKind.COMMENT, TokenKind.HINT)
    return [(k, statement.sql[a:b], a) for k, a, b in statement.tokens if k not in skipped]


def _assignments(statement: Statement) -> dict[bytes, int]:
    """Of `SET @a = 'x', @b = 5`: each variable whose whole value is one literal, and its number."""
    tokens = _work_tokens(statement)
    starts: Mapping[int, int] = {lit.start: i for i, lit in enumerate(statement.literals)}
    found: dict[bytes, int] = {}
    for i, (kind, text, _) in enumerate(tokens):
        if kind is not TokenKind.USER_VARIABLE or tokens[i - 1][1].upper() not in (b"SET", b","):
            continue
        after = [t for t in tokens[i + 1 : i + 5] if t[1] not in (b":", b"=", b"-")]
        if after and after[0][2] in starts and (len(after) < 2 or after[1][1] in (b",", b";")):
            found[text.lower()] = starts[after[0][2]]
    return found


def _prepared_text(
    statement: Statement,
    statements: Sequence[Statement],
    assigned: Mapping[tuple[int, bytes], tuple[int, int]],
) -> tuple[bytes, bytes]:
    """(name, text) of PREPARE name FROM 'text' | @variable; the text is "" when unknown."""
    tokens = _work_tokens(statement)
    name = tokens[1][1].lower() if len(tokens) > 1 else b""
    if statement.literals:
        return name, statement.literals[0].value
    variables = [text.lower() for kind, text, _ in tokens if kind is TokenKind.USER_VARIABLE]
    place = assigned.get((statement.thread, variables[0])) if variables else None
    return name, statements[place[0]].literals[place[1]].value if place else b""


def _placeholders(text: bytes, reader: ContextReader) -> Context:
    """The context of a prepared text, with one meeting per `?` and none for its literals."""
    tokens = [
        Token(TokenKind.NUMBER, a, b) if text[a:b] == b"?" else Token(k, a, b)
        for k, a, b in lex(text)
    ]
    marks = {a for (k, a, b), t in zip(lex(text), tokens, strict=True) if k is not t.kind}
    filled = bytearray(text)
    for at in marks:
        filled[at] = 0x30  # a digit in its place: the parser gives literals a position
    whole = reader.read(bytes(filled), tokens)
    starts = [lit.start for lit in literals_of(bytes(filled), tokens)]
    kept = [m for start, m in zip(starts, whole.meetings, strict=True) if start in marks]
    return replace(whole, meetings=tuple(kept))


def _execution(statement: Statement) -> tuple[bytes, list[bytes]]:
    """(name, [@a, @b]) of EXECUTE name USING @a, @b."""
    tokens = _work_tokens(statement)
    using = [text.lower() for kind, text, _ in tokens if kind is TokenKind.USER_VARIABLE]
    return (tokens[1][1].lower() if len(tokens) > 1 else b""), using
