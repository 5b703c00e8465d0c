"""The expression language walked node by node: slow, plain, and the witness for the compiled form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readiness.model.workload import Form
from readiness.workload.make import scalars
from readiness.workload.make.expression import Now, Place
from readiness.workload.make.functions import FUNCTIONS
from readiness.workload.make.scalars import Moment, Value, octets
from readiness.workload.make.syntax import (
    Arithmetic,
    Call,
    Clock,
    Constant,
    Negation,
    Node,
    Read,
    Shift,
    numeral,
    read_expression,
)

_ARITHMETIC = {
    "+": scalars.add,
    "-": scalars.subtract,
    "*": scalars.multiply,
    "DIV": scalars.divide,
}


def interpreted(text: str, places: Mapping[str, Place], values: Sequence[bytes], now: Now) -> bytes:
    """The raw value of an expression."""
    return octets(_value(read_expression(text), places, values, now))


def _value(node: Node, places: Mapping[str, Place], values: Sequence[bytes], now: Now) -> Value:  # noqa: PLR0911 - one for each kind of node
    def of(inner: Node) -> Value:
        return _value(inner, places, values, now)

    match node:
        case Constant(value):
            return value
        case Read(name):
            return _read(values[places[name].index], places[name].form)
        case Arithmetic(operator, left, right):
            return _ARITHMETIC[operator](of(left), of(right))
        case Negation(operand):
            return scalars.negate(of(operand))
        case Shift(start, amount, unit, sign):
            return scalars.shift(of(start), of(amount), unit, sign)
        case Clock():
            return _clock(node, now)
        case Call("CAST", (only,)):
            return scalars.characters(of(only))
        case Call(name, arguments):
            return FUNCTIONS[name].call(*map(of, arguments))


def _read(raw: bytes, form: Form) -> Value:
    if form is Form.HEX:
        return raw
    return numeral(raw) if form is Form.NUMBER else raw.decode("utf-8", "surrogateescape")


def _clock(node: Clock, now: Now) -> Value:
    if node.name == "UNIX_TIMESTAMP":
        return now.epoch_us // 1_000_000
    if node.name == "CURDATE":
        midnight = now.local.replace(hour=0, minute=0, second=0, microsecond=0)
        return Moment(midnight, is_date=True)
    cut = 10 ** (6 - node.digits)
    micro = now.local.microsecond // cut * cut
    return Moment(now.local.replace(microsecond=micro), node.digits)
