"""Python source under construction: straight lines without a loop, a look-up or a parse.

The source holds names, positions and whole numbers that this suite made. What a workload file or a
target says is passed in as objects that the source names; none of it is ever written as source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from readiness.workload.make.scalars import Moment, characters

_SPECIAL = frozenset("\\'\0\n\r\x1a")


class Type(StrEnum):
    """What a term gives when it is evaluated."""

    TEXT = "text"  # str
    BINARY = "binary"  # bytes
    WHOLE = "whole"  # int
    NUMBER = "number"  # int or Decimal
    CLOCK = "clock"  # datetime; how it is written is known
    MOMENT = "moment"  # scalars.Moment


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of source and what it gives. `raw`, where it is set, is cheaper source for the text's
    bytes; `is_plain` text is ASCII that needs no escaping; `constant` is its value, where it has one
    for good; `fraction` and `is_date` tell how a CLOCK is written."""

    type: Type
    source: str
    raw: str = ""
    is_plain: bool = False
    constant: object = None
    fraction: int = 0
    is_date: bool = False


class Entropy:
    """Hands out the bytes of a checkout's entropy, from the first on."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, size: int) -> int:
        """Reserves bytes; returns where they start."""
        first, self.size = self.size, self.size + size
        return first


class Code:
    """The body of one function. Sources are pure: the same source is evaluated once."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._lets: dict[str, str] = {}
        self._objects: dict[str, object] = {}
        self._names: dict[tuple[type, object], str] = {}

    def object(self, value: object) -> str:
        """The name under which the source reaches a value."""
        is_simple = isinstance(value, str | bytes | int)
        key = (type(value), value if is_simple else id(value))
        if key not in self._names:
            self._names[key] = f"o{len(self._objects)}"
            self._objects[self._names[key]] = value
        return self._names[key]

    def let(self, source: str) -> str:
        """The name of a local that holds what the source gives."""
        if source.isidentifier():
            return source
        if source not in self._lets:
            self._lets[source] = f"v{len(self._lets)}"
            self._lines.append(f"{self._lets[source]} = {source}")
        return self._lets[source]

    def name(self) -> str:
        """A local that no other source uses."""
        self._lets[f"#{len(self._lets)}"] = ""
        return f"v{len(self._lets) - 1}"

    def do(self, line: str) -> None:
        """One statement."""
        self._lines.append(line)

    def function(self, parameters: str, result: str = "None") -> Callable[..., Any]:
        """The function that runs the lines and returns `result`."""
        body = "\n".join(f"    {line}" for line in [*self._lines, f"return {result}"])
        namespace: dict[str, Any] = dict(self._objects)
        exec(f"def made({parameters}):\n{body}\n", namespace)  # noqa: S102 - all of it is ours
        made: Callable[..., Any] = namespace["made"]
        return made


def text_of(code: Code, term: Term) -> Term:
    """The term as text; binary stays binary."""
    if term.type in (Type.TEXT, Type.BINARY):
        return term
    if term.type is Type.WHOLE:
        return Term(Type.TEXT, f"str({term.source})", f"(b'%d' % {term.source})", is_plain=True)
    if term.type is Type.CLOCK:
        return Term(Type.TEXT, _clock_text(code, term), is_plain=True)
    return Term(Type.TEXT, f"{code.object(characters)}({term.source})", is_plain=True)


def _clock_text(code: Code, term: Term) -> str:
    at = code.let(term.source)
    if term.is_date:
        return f"{at}.isoformat()[:10]"
    if not term.fraction:
        return f"{at}.isoformat(' ', 'seconds')"
    cut = f"[:{20 + term.fraction}]" if term.fraction < 6 else ""
    return f"{at}.isoformat(' ', 'microseconds'){cut}"


def octets_of(code: Code, term: Term) -> str:
    """Source for the term's bytes: text in UTF-8, digits, or binary."""
    text = text_of(code, term)
    if text.type is Type.BINARY:
        return text.source
    if text.raw:
        return text.raw
    if text.is_plain:
        return f"{code.let(text.source)}.encode()"
    return f"{code.let(text.source)}.encode('utf-8', 'surrogateescape')"


def value_of(code: Code, term: Term) -> str:
    """Source for the value that the functions of `workload.make.functions` take."""
    if term.type is Type.CLOCK:
        moment = code.object(Moment)
        return f"{moment}({term.source}, {term.fraction}, {term.is_date})"
    return term.source


def is_plain(text: str) -> bool:
    """Whether a text is ASCII that stands in quotes as it is."""
    return text.isascii() and not _SPECIAL & set(text)
