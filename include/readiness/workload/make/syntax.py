"""Reads the small SQL expression language of derived and time variables into a tree.

Language: text, whole, decimal and x'..' literals, @variables, the functions of
`workload.make.functions`, CAST(x AS CHAR), `+ - * DIV`, NOW([n]), CURDATE(), UNIX_TIMESTAMP() and
`± INTERVAL n unit`. Anything else raises WorkloadError and names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from readiness.errors import SqlError, WorkloadError
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode, lex
from readiness.workload.make.functions import FUNCTIONS
from readiness.workload.make.scalars import UNITS, Value

ALL_DIGITS = 6  # of a fraction of a second
_DEEPEST = 50  # Python compiles no source whose parentheses nest deeper than 200


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal."""

    value: Value


@dataclass(frozen=True, slots=True)
class Read:
    """A variable's value."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function of `FUNCTIONS`, or CAST, which makes text."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`+`, `-`, `*` or `DIV`."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Negation:
    """A minus before a value."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Shift:
    """`start` plus (`sign` 1) or minus (-1) INTERVAL `amount` `unit`."""

    start: Node
    amount: Node
    unit: str
    sign: int


@dataclass(frozen=True, slots=True)
class Clock:
    """NOW with its fraction digits, CURDATE or UNIX_TIMESTAMP."""

    name: str
    digits: int = 0


Node = Constant | Read | Call | Arithmetic | Negation | Shift | Clock
_CLOCKS = ("NOW", "CURDATE", "UNIX_TIMESTAMP")


def read_expression(text: str) -> Node:
    """The tree of an expression.

    Raises WorkloadError for a syntax error or an unknown function."""
    return _Parser(text.encode("utf-8", "surrogateescape")).whole()


def variables_of(text: str) -> frozenset[str]:
    """The names of the variables an expression reads; raises WorkloadError when it cannot be read."""
    raw = text.encode("utf-8", "surrogateescape")
    names = (_slice(raw, t) for t in _tokens(raw) if t.kind is TokenKind.USER_VARIABLE)
    return frozenset(name[1:].decode("utf-8", "surrogateescape") for name in names)


def numeral(raw: bytes) -> int | Decimal:
    """The number that digits spell."""
    try:
        return int(raw)
    except ValueError:
        return Decimal(raw.decode("ascii", "replace"))


def _slice(raw: bytes, token: Token) -> bytes:
    return raw[token.start : token.end]


def _tokens(raw: bytes) -> list[Token]:
    try:
        return lex(raw)
    except SqlError as error:
        raise WorkloadError(f"the expression cannot be read: {error.message}") from None


_OPERATORS = "+, -, *, DIV"


class _Parser:
    """Recursive descent: sum > product > sign > primary."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._tokens = _tokens(raw)
        self._at = 0
        self._open = 0

    def whole(self) -> Node:
        """The whole text as one expression."""
        node = self._sum()
        if self._at < len(self._tokens):
            raise self._error(f"{_OPERATORS} or the end")
        _require_flat(node)
        return node

    def _word(self) -> str:
        """The token that comes next, upper case; "" at the end."""
        if self._at >= len(self._tokens):
            return ""
        return _slice(self._raw, self._tokens[self._at]).decode("utf-8", "replace").upper()

    def _take(self, *words: str) -> str:
        word = self._word()
        if word not in words:
            return ""
        self._at += 1
        return word

    def _expect(self, word: str) -> None:
        if not self._take(word):
            raise self._error(f"{_OPERATORS} or {word}" if word == ")" else word)

    def _error(self, expected: str) -> WorkloadError:
        place = self._tokens[self._at].start + 1 if self._at < len(self._tokens) else 0
        where = f"character {place}" if place else "its end"
        return WorkloadError(f"the expression has at {where} something else than {expected}")

    def _sum(self) -> Node:
        node = self._product()
        while word := self._take("+", "-"):
            if self._take("INTERVAL"):
                node = self._interval(node, 1 if word == "+" else -1)
            else:
                node = Arithmetic(word, node, self._product())
        return node

    def _interval(self, start: Node, sign: int) -> Node:
        amount, unit = self._sum(), self._word()
        if unit not in UNITS:
            raise self._error(f"a unit of time ({', '.join(UNITS)})")
        self._at += 1
        return Shift(start, amount, unit, sign)

    def _product(self) -> Node:
        node = self._sign()
        while word := self._take("*", "DIV"):
            node = Arithmetic(word, node, self._sign())
        return node

    def _sign(self) -> Node:
        self._open += 1
        if self._open > _DEEPEST:
            raise _too_deep()
        node = Negation(self._sign()) if self._take("-") else self._primary()
        self._open -= 1
        return node

    def _primary(self) -> Node:
        if self._take("("):
            node = self._sum()
            self._expect(")")
            return node
        if self._at >= len(self._tokens):
            raise self._error("a value")
        token = self._tokens[self._at]
        self._at += 1
        if token.kind in LITERALS:
            return Constant(_literal(token.kind, _slice(self._raw, token)))
        if token.kind is TokenKind.USER_VARIABLE:
            return Read(_slice(self._raw, token)[1:].decode("utf-8", "replace"))
        if token.kind is TokenKind.WORD and self._word() == "(":
            return self._call(_slice(self._raw, token).decode("utf-8", "replace").upper())
        self._at -= 1
        raise self._error("a literal, @variable, function or parenthesis")

    def _call(self, name: str) -> Node:
        self._expect("(")
        if name == "CAST":
            node = self._sum()
            self._expect("AS")
            self._expect("CHAR")
            self._expect(")")
            return Call(name, (node,))
        arguments: list[Node] = []
        if not self._take(")"):
            arguments.append(self._sum())
            while self._take(","):
                arguments.append(self._sum())
            self._expect(")")
        return _clock(name, arguments) if name in _CLOCKS else _function(name, arguments)


def _require_flat(node: Node) -> None:
    """A sum of many terms is as deep as it is long, without a parenthesis."""
    layer, depth = [node], 0
    while layer:
        depth += 1
        if depth > _DEEPEST:
            raise _too_deep()
        layer = [inner for one in layer for inner in _inner(one)]


def _inner(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Call):
        return node.arguments
    if isinstance(node, Arithmetic):
        return node.left, node.right
    if isinstance(node, Shift):
        return node.start, node.amount
    return (node.operand,) if isinstance(node, Negation) else ()


def _too_deep() -> WorkloadError:
    return WorkloadError(
        f"the expression is more than {_DEEPEST} operations deep",
        hint="Set a part of it by a -- @derive of its own, and read that.",
    )


def _literal(kind: TokenKind, text: bytes) -> Value:
    raw = decode(kind, text)
    if kind is TokenKind.NUMBER:
        return numeral(raw)
    return raw.decode("utf-8", "surrogateescape") if kind is TokenKind.TEXT else raw


def _clock(name: str, arguments: list[Node]) -> Node:
    if not arguments:
        return Clock(name)
    only = arguments[0]
    is_whole = isinstance(only, Constant) and isinstance(only.value, int)
    if name != "NOW" or len(arguments) > 1 or not is_whole:
        raise WorkloadError(f"{name} is given arguments that it does not take")
    digits = int(str(only.value)) if isinstance(only, Constant) else 0
    if digits > ALL_DIGITS:
        raise WorkloadError(f"NOW has at most {ALL_DIGITS} digits of a second, not {digits}")
    return Clock(name, digits)


def _function(name: str, arguments: list[Node]) -> Node:
    function = FUNCTIONS.get(name)
    if not function:
        known = ", ".join([*FUNCTIONS, "CAST", *_CLOCKS])
        raise WorkloadError(f"the expression calls {name}, which is none of {known}")
    if not function.least <= len(arguments) <= function.most:
        raise WorkloadError(f"{name} is given {len(arguments)} arguments")
    return Call(name, tuple(arguments))
