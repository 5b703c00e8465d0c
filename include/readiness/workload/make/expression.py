"""Compiles the small SQL expression language of derived and time variables (`workload.make.syntax`).

`SHA2(LOWER(@user_email_0), 256)` becomes a callable over the variables' values that gives what
MariaDB would.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from readiness.errors import WorkloadError
from readiness.model.workload import Form
from readiness.workload.make.code import Code, Term, Type, octets_of
from readiness.workload.make.syntax import numeral, read_expression, variables_of
from readiness.workload.make.translate import Inputs, translated

__all__ = ["EPOCH", "Expression", "Now", "Place", "compile_expression", "variables_of"]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC).replace(tzinfo=None)  # the server tells no zone


@dataclass(frozen=True, slots=True)
class Now:
    """The time of one checkout: microseconds since the epoch, and the server's wall clock."""

    epoch_us: int
    local: datetime

    @classmethod
    def at(cls, epoch_us: int, offset_s: float) -> Now:
        """`offset_s` is how far the server's time zone is ahead of UTC."""
        return cls(epoch_us, EPOCH + timedelta(microseconds=epoch_us, seconds=offset_s))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a variable's raw value lies in the list of values, and its form."""

    index: int
    form: Form


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression: what it reads, and how to evaluate it."""

    variables: frozenset[str]
    call: Callable[[Sequence[bytes], int, datetime], bytes]

    def evaluate(self, values: Sequence[bytes], now: Now) -> bytes:
        """The raw value (text in UTF-8, digits, or binary); raises WorkloadError."""
        return self.call(values, now.epoch_us, now.local)


def compile_expression(text: str, places: Mapping[str, Place]) -> Expression:
    """Compiles `text`; `places` tells each variable's index and form.

    Raises WorkloadError for a syntax error, an unknown function or an unknown variable."""
    code = Code()

    def read(name: str) -> Term:
        place = places.get(name)
        if not place:
            raise unknown(name)
        return raw_term(code, f"values[{place.index}]", place.form)

    term = translated(read_expression(text), code, Inputs(read, "us", lambda: "local"))
    call = code.function("values, us, local", octets_of(code, term))
    return Expression(variables_of(text), call)


def unknown(name: str) -> WorkloadError:
    """What is raised for a variable that is none."""
    return WorkloadError(f"the expression reads @{name}, which is no variable of the file")


def raw_term(code: Code, raw: str, form: Form) -> Term:
    """What a variable of a form gives, by the source of its raw value."""
    if form is Form.HEX:
        return Term(Type.BINARY, raw)
    if form is Form.NUMBER:
        return Term(Type.NUMBER, code.let(f"{code.object(numeral)}({raw})"))
    text = code.let(f"{raw}.decode('utf-8', 'surrogateescape')")
    return Term(Type.TEXT, text, raw)
