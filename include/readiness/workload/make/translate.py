"""Translates an expression's tree into Python source that gives what MariaDB would.

Types are known before anything runs, so that the common functions become a slice, a method or a
digest; the others are called. What the server would round or refuse goes through
`workload.make.functions`, which refuses it.
"""

from __future__ import annotations

import hashlib
from binascii import b2a_base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from readiness.workload.make import scalars
from readiness.workload.make.code import Code, Term, Type, is_plain, octets_of, text_of, value_of
from readiness.workload.make.functions import FUNCTIONS
from readiness.workload.make.syntax import (
    ALL_DIGITS,
    Arithmetic,
    Call,
    Clock,
    Constant,
    Negation,
    Node,
    Read,
    Shift,
)

_LIMIT = 2**63
_MIDNIGHT = "replace(hour=0, minute=0, second=0, microsecond=0)"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the source around an expression offers: variables, the name that holds microseconds since
    the epoch, and the name (made when it is asked for) of the server's wall clock."""

    read: Callable[[str], Term]
    us: str
    local: Callable[[], str]


def translated(node: Node, code: Code, inputs: Inputs) -> Term:
    """The tree as a term of `code`; raises WorkloadError for an unknown variable."""
    return _Translation(code, inputs).of(node)


class _Translation:
    def __init__(self, code: Code, inputs: Inputs) -> None:
        self._code = code
        self._inputs = inputs

    def of(self, node: Node) -> Term:
        if isinstance(node, Constant):
            return self._constant(node)
        if isinstance(node, Read):
            return self._inputs.read(node.name)
        if isinstance(node, Arithmetic):
            return self._arithmetic(node)
        if isinstance(node, Shift):
            return self._shift(node)
        if isinstance(node, Clock):
            return self._clock(node)
        return self._negation(node) if isinstance(node, Negation) else self._call(node)

    def _constant(self, node: Constant) -> Term:
        value = node.value
        name = self._code.object(value)
        if isinstance(value, str):
            raw = self._code.object(value.encode("utf-8", "surrogateescape"))
            return Term(Type.TEXT, name, raw, is_plain=is_plain(value), constant=value)
        if isinstance(value, bytes):
            return Term(Type.BINARY, name, constant=value)
        kind = Type.WHOLE if isinstance(value, int) else Type.NUMBER
        return Term(kind, name, constant=value)

    def _negation(self, node: Negation) -> Term:
        inner = self.of(node.operand)
        if isinstance(inner.constant, int | Decimal):
            return self._constant(Constant(-inner.constant))
        if inner.type is Type.WHOLE:
            return Term(Type.WHOLE, f"(-{inner.source})")
        return self._called(scalars.negate, (inner,), Type.NUMBER)

    def _arithmetic(self, node: Arithmetic) -> Term:
        left, right = self.of(node.left), self.of(node.right)
        are_whole = left.type is Type.WHOLE and right.type is Type.WHOLE
        if node.operator == "DIV":
            return self._division(left, right)
        if not are_whole:
            return self._called(_NUMBERS[node.operator], (left, right), Type.NUMBER)
        made, refuse = self._code.name(), self._code.object(scalars.limited)
        result = f"{made} := {left.source} {node.operator} {right.source}"
        within = f"({made} if -{_LIMIT} < ({result}) < {_LIMIT} else {refuse}({made}))"
        return Term(Type.WHOLE, within)

    def _division(self, left: Term, right: Term) -> Term:
        by = right.constant
        if left.type is not Type.WHOLE or not isinstance(by, int) or by <= 0:
            return self._called(scalars.divide, (left, right), Type.WHOLE)
        whole = self._code.let(left.source)
        return Term(Type.WHOLE, f"({whole} // {by} if {whole} >= 0 else -(-{whole} // {by}))")

    def _clock(self, node: Clock) -> Term:
        if node.name == "UNIX_TIMESTAMP":
            return Term(Type.WHOLE, f"({self._inputs.us} // 1000000)")
        local = self._inputs.local()
        if node.name == "CURDATE":
            return Term(Type.CLOCK, self._code.let(f"{local}.{_MIDNIGHT}"), is_date=True)
        if node.digits < ALL_DIGITS:
            cut = 10 ** (ALL_DIGITS - node.digits)
            micro = f"{local}.microsecond // {cut} * {cut}"
            local = self._code.let(f"{local}.replace(microsecond={micro})")
        return Term(Type.CLOCK, local, fraction=node.digits)

    def _shift(self, node: Shift) -> Term:
        start, amount = self.of(node.start), self.of(node.amount)
        by, sign = amount.constant, node.sign
        if start.type is Type.CLOCK and isinstance(by, int | Decimal):
            span, digits = scalars.interval(by, node.unit)
            source = f"{start.source} + {self._code.object(span * sign)}"
            is_date = start.is_date and node.unit in ("DAY", "WEEK")
            fraction = max(start.fraction, digits)
            return replace(start, source=f"({source})", fraction=fraction, is_date=is_date)
        call = self._code.object(partial(_shifted, unit=node.unit, sign=sign))
        values = f"{value_of(self._code, start)}, {value_of(self._code, amount)}"
        is_moment = start.type in (Type.CLOCK, Type.MOMENT)
        return Term(Type.MOMENT if is_moment else Type.TEXT, f"{call}({values})")

    def _call(self, node: Call) -> Term:
        encoded = _flat_base64(node)
        if encoded:
            return self._base64(self.of(encoded))
        terms = [self.of(argument) for argument in node.arguments]
        known = _KNOWN.get(node.name)
        made = known(self, terms) if known else None
        if made:
            return made
        kind = _RESULTS.get(node.name) or self._kind(terms)
        return self._called(FUNCTIONS[node.name].call, terms, kind)

    def _kind(self, terms: Sequence[Term]) -> Type:
        """Binary where the first (of REPLACE: one) is, else text."""
        return Type.BINARY if any(t.type is Type.BINARY for t in terms) else Type.TEXT

    def _called(self, function: Callable[..., object], terms: Sequence[Term], kind: Type) -> Term:
        values = ", ".join(value_of(self._code, term) for term in terms)
        return Term(kind, self._code.let(f"{self._code.object(function)}({values})"))

    def _cast(self, terms: Sequence[Term]) -> Term:
        return text_of(self._code, terms[0])

    def _concat(self, terms: Sequence[Term]) -> Term:
        """Neighbours in one f-string; binary where one is."""
        made = [text_of(self._code, term) for term in terms]
        if any(term.type is Type.BINARY for term in made):
            parts = ", ".join(octets_of(self._code, term) for term in made)
            return Term(Type.BINARY, f"b''.join(({parts},))")
        inner = "".join("{" + self._code.let(term.source) + "}" for term in made)
        return Term(Type.TEXT, f'f"{inner}"', is_plain=all(t.is_plain for t in made))

    def _cased(self, method: str, terms: Sequence[Term]) -> Term:
        text = text_of(self._code, terms[0])
        if text.type is Type.BINARY:
            return text
        at = self._code.let(text.source)
        if text.is_plain:
            return Term(Type.TEXT, f"{at}.{method}()", is_plain=True)
        rare = self._code.object(FUNCTIONS[method.upper()].call)
        return Term(Type.TEXT, f"({at}.{method}() if {at}.isascii() else {rare}({at}))")

    def _cut(self, terms: Sequence[Term], span: Callable[[list[int]], str]) -> Term | None:
        """A slice where all numbers are constants."""
        bounds = [t.constant for t in terms[1:] if isinstance(t.constant, int)]
        if len(bounds) < len(terms) - 1:
            return None
        cut = span(bounds)
        text = text_of(self._code, terms[0])
        if not cut:
            return None
        source = f"{self._code.let(text.source)}[{cut}]"
        return Term(text.type, source, is_plain=text.is_plain)

    def _replaced(self, terms: Sequence[Term]) -> Term | None:
        text, old, new = (text_of(self._code, term) for term in terms)
        if not old.constant or any(t.type is not Type.TEXT for t in (text, old, new)):
            return None
        source = f"{self._code.let(text.source)}.replace({old.source}, {new.source})"
        return Term(Type.TEXT, source, is_plain=text.is_plain and new.is_plain)

    def _digest(self, make: Callable[..., object], terms: Sequence[Term]) -> Term:
        octets = octets_of(self._code, terms[0])
        source = f"{self._code.object(make)}({octets}).hexdigest()"
        return Term(Type.TEXT, self._code.let(source), is_plain=True)

    def _sha2(self, terms: Sequence[Term]) -> Term | None:
        make = _SHA2.get(terms[1].constant) if isinstance(terms[1].constant, int) else None
        return self._digest(make, terms) if make else None

    def _hex(self, terms: Sequence[Term]) -> Term | None:
        only = terms[0]
        if only.type is Type.WHOLE:
            return Term(Type.TEXT, f"'%X' % ({only.source} % {2**64})", is_plain=True)
        if only.type is Type.NUMBER:
            return None
        octets = self._code.let(octets_of(self._code, only))
        return Term(Type.TEXT, f"{octets}.hex().upper()", is_plain=True)

    def _base64(self, inner: Term) -> Term:
        call, octets = self._code.object(b2a_base64), octets_of(self._code, inner)
        raw = self._code.let(f"{call}({octets}, newline=False)")
        return Term(Type.TEXT, f"{raw}.decode()", raw, is_plain=True)


def _shifted(start: scalars.Value, amount: scalars.Value, *, unit: str, sign: int) -> object:
    return scalars.shift(start, amount, unit, sign)


def _flat_base64(node: Call) -> Node | None:
    """The x of REPLACE(TO_BASE64(x), '\\n', ''), which is base64 without line ends."""
    first, *rest = node.arguments
    is_flat = node.name == "REPLACE" and rest == [Constant("\n"), Constant("")]
    if not (is_flat and isinstance(first, Call) and first.name == "TO_BASE64"):
        return None
    return first.arguments[0]


def _left(bounds: list[int]) -> str:
    return f":{max(0, bounds[0])}"


def _right(bounds: list[int]) -> str:
    return f"-{bounds[0]}:" if bounds[0] > 0 else ":0"


def _middle(bounds: list[int]) -> str:
    """SUBSTRING from a position of 1 or more; "" for others, which are called."""
    begin = bounds[0] - 1
    if begin < 0:
        return ""
    return f"{begin}:" if len(bounds) == 1 else f"{begin}:{begin + max(0, bounds[1])}"


_NUMBERS = {"+": scalars.add, "-": scalars.subtract, "*": scalars.multiply}
_RESULTS = {
    "SUBSTRING_INDEX": Type.TEXT,
    "LPAD": Type.TEXT,
    "TO_BASE64": Type.TEXT,
    "FROM_BASE64": Type.BINARY,
    "UNHEX": Type.BINARY,
    "SHA2": Type.TEXT,
    "HEX": Type.TEXT,
}
_SHA2: dict[object, Callable[..., object]] = {
    0: hashlib.sha256,
    224: hashlib.sha224,
    256: hashlib.sha256,
    384: hashlib.sha384,
    512: hashlib.sha512,
}
_MD5 = partial(hashlib.md5, usedforsecurity=False)
_SHA1 = partial(hashlib.sha1, usedforsecurity=False)
_KNOWN: dict[str, Callable[[_Translation, Sequence[Term]], Term | None]] = {
    "CAST": _Translation._cast,
    "CONCAT": _Translation._concat,
    "LOWER": lambda at, terms: at._cased("lower", terms),
    "UPPER": lambda at, terms: at._cased("upper", terms),
    "LEFT": lambda at, terms: at._cut(terms, _left),
    "RIGHT": lambda at, terms: at._cut(terms, _right),
    "SUBSTRING": lambda at, terms: at._cut(terms, _middle),
    "REPLACE": _Translation._replaced,
    "SHA2": _Translation._sha2,
    "MD5": lambda at, terms: at._digest(_MD5, terms),
    "SHA1": lambda at, terms: at._digest(_SHA1, terms),
    "HEX": _Translation._hex,
}
