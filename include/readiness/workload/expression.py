"""Compiles the small SQL expression language of derived and time variables.

`SHA2(LOWER(@user_email_0), 256)` becomes a callable over the variables' values that gives what
MariaDB would. Language: text, whole, decimal and x'..' literals, @variables, the functions of
`workload.functions`, CAST(x AS CHAR), `+ - * DIV`, NOW([n]), CURDATE(), UNIX_TIMESTAMP() and
`± INTERVAL n unit`. Anything else raises WorkloadError and names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from readiness.errors import SqlError, WorkloadError
from readiness.model.workload import Form
from readiness.sql.lexer import LITERALS, Token, TokenKind, decode, lex
from readiness.workload import functions
from readiness.workload.functions import FUNCTIONS, UNITS, Moment, Value, octets

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)  # the server tells no zone


@dataclass(frozen=True, slots=True)
class Now:
    """The time of one checkout: microseconds since the epoch, and the server's wall clock."""

    epoch_us: int
    local: datetime

    @classmethod
    def at(cls, epoch_us: int, offset_s: float) -> Now:
        """`offset_s` is how far the server's time zone is ahead of UTC."""
        return cls(epoch_us, _EPOCH + timedelta(microseconds=epoch_us, seconds=offset_s))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable's raw value lies in the list of values, and its form."""

    index: int
    form: Form


Node = Callable[[Sequence[bytes], Now], Value]


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression: what it reads, and how to evaluate it."""

    variables: frozenset[str]
    node: Node

    def evaluate(self, values: Sequence[bytes], now: Now) -> bytes:
        """The raw value (text in UTF-8, digits, or binary); raises WorkloadError."""
        value = self.node(values, now)
        return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else octets(value)


def variables_of(text: str) -> frozenset[str]:
    """The names of the variables an expression reads; raises WorkloadError when it cannot be read."""
    raw = text.encode("utf-8", "surrogateescape")
    names = (_slice(raw, t) for t in _tokens(raw) if t.kind is TokenKind.USER_VARIABLE)
    return frozenset(name[1:].decode("utf-8", "surrogateescape") for name in names)


def compile_expression(text: str, places: Mapping[str, Place]) -> Expression:
    """Compiles `text`; `places` tells each variable's index and form.

    Raises WorkloadError for a syntax error, an unknown function or an unknown variable."""
    parser = _Parser(text.encode("utf-8", "surrogateescape"), places)
    return Expression(variables_of(text), parser.whole())


def _slice(raw: bytes, token: Token) -> bytes:
    return raw[token.start : token.end]


def _tokens(raw: bytes) -> list[Token]:
    try:
        return lex(raw)
    except SqlError as error:
        raise WorkloadError(f"the expression cannot be read: {error.message}") from None


_ALL_DIGITS = 6
_SUMS = {"+": functions.add, "-": functions.subtract}
_PRODUCTS = {"*": functions.multiply, "DIV": functions.divide}


class _Parser:
    """Recursive descent: sum > product > sign > primary."""

    def __init__(self, raw: bytes, places: Mapping[str, Place]) -> None:
        self._raw = raw
        self._places = places
        self._tokens = _tokens(raw)
        self._at = 0

    def whole(self) -> Node:
        """The whole text as one expression."""
        node = self._sum()
        if self._at < len(self._tokens):
            raise self._error("an operator or the end")
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
            raise self._error(word)

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
                node = _binary(_SUMS[word], node, self._product())
        return node

    def _interval(self, start: Node, sign: int) -> Node:
        amount, unit = self._sum(), self._word()
        if unit not in UNITS:
            raise self._error(f"a unit of time ({', '.join(UNITS)})")
        self._at += 1
        return lambda values, now: functions.shift(
            start(values, now), amount(values, now), unit, sign
        )

    def _product(self) -> Node:
        node = self._sign()
        while word := self._take("*", "DIV"):
            node = _binary(_PRODUCTS[word], node, self._sign())
        return node

    def _sign(self) -> Node:
        if not self._take("-"):
            return self._primary()
        inner = self._sign()
        return lambda values, now: functions.negate(inner(values, now))

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
            return _constant(token.kind, _slice(self._raw, token))
        if token.kind is TokenKind.USER_VARIABLE:
            return self._variable(_slice(self._raw, token)[1:].decode("utf-8", "replace"))
        if token.kind is TokenKind.WORD and self._word() == "(":
            return self._call(_slice(self._raw, token).decode("utf-8", "replace").upper())
        self._at -= 1
        raise self._error("a literal, @variable, function or parenthesis")

    def _variable(self, name: str) -> Node:
        place = self._places.get(name)
        if not place:
            raise WorkloadError(f"the expression reads @{name}, which is no variable of the file")
        index = place.index
        if place.form is Form.HEX:
            return lambda values, _now: values[index]
        if place.form is Form.NUMBER:
            return lambda values, _now: _numeral(values[index])
        return lambda values, _now: values[index].decode("utf-8", "surrogateescape")

    def _call(self, name: str) -> Node:
        self._expect("(")
        if name == "CAST":
            node = self._sum()
            self._expect("AS")
            self._expect("CHAR")
            self._expect(")")
            return lambda values, now: functions.characters(node(values, now))
        arguments: list[Node] = []
        if not self._take(")"):
            arguments.append(self._sum())
            while self._take(","):
                arguments.append(self._sum())
            self._expect(")")
        return _clock(name, arguments) or _function(name, arguments)


def _binary(call: Callable[[Value, Value], Value], left: Node, right: Node) -> Node:
    return lambda values, now: call(left(values, now), right(values, now))


def _numeral(raw: bytes) -> int | Decimal:
    try:
        return int(raw)
    except ValueError:
        return Decimal(raw.decode("ascii", "replace"))


def _constant(kind: TokenKind, text: bytes) -> Node:
    raw = decode(kind, text)
    value: Value = raw
    if kind is TokenKind.NUMBER:
        value = _numeral(raw)
    elif kind is TokenKind.TEXT:
        value = raw.decode("utf-8", "surrogateescape")
    return lambda _values, _now: value


def _clock(name: str, arguments: list[Node]) -> Node | None:
    """NOW, CURDATE and UNIX_TIMESTAMP, which read the clock; None for another name."""
    if name == "CURDATE" and not arguments:
        return lambda _values, now: Moment(_midnight(now.local), is_date=True)
    if name == "UNIX_TIMESTAMP" and not arguments:
        return lambda _values, now: now.epoch_us // 1_000_000
    if name != "NOW" or len(arguments) > 1:
        return None
    digits = functions.integer(arguments[0]([], Now.at(0, 0))) if arguments else 0
    if digits == _ALL_DIGITS:
        return lambda _values, now: Moment(now.local, _ALL_DIGITS)
    cut = 10 ** (_ALL_DIGITS - min(max(digits, 0), _ALL_DIGITS))
    return lambda _values, now: Moment(
        now.local.replace(microsecond=now.local.microsecond // cut * cut), digits
    )


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _function(name: str, arguments: list[Node]) -> Node:
    function = FUNCTIONS.get(name)
    if not function:
        known = ", ".join([*FUNCTIONS, "CAST", "NOW", "CURDATE", "UNIX_TIMESTAMP"])
        raise WorkloadError(f"the expression calls {name}, which is none of {known}")
    if not function.least <= len(arguments) <= function.most:
        raise WorkloadError(f"{name} is given {len(arguments)} arguments")
    call = function.call
    if len(arguments) == 1:
        only = arguments[0]
        return lambda values, now: call(only(values, now))
    return lambda values, now: call(*[a(values, now) for a in arguments])
