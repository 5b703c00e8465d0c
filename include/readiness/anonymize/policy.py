"""A policy in force: the treatment of each column, and what a treatment makes of a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from readiness.config.policy import Rule, Treatment
from readiness.model.workload import Form

Column = tuple[str, str]

_DAY = re.compile(rb"(\d{4})-\d\d-\d\d(.*)", re.DOTALL)
_TIME = re.compile(rb"([ T])\d\d:\d\d:\d\d(?:\.\d+)?(Z?)")
_BAND_YEARS = 5
_NAMED = 12  # hexadecimal digits of the hash that name a policy


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules by (table, column) in the server's spelling; `sha256` is that of the file, "" without
    one."""

    rules: Mapping[Column, Rule] = field(default_factory=dict)
    name: str = ""
    sha256: str = ""

    def of(self, table: str, column: str) -> Treatment | None:
        """What it says of a column, None where it says nothing."""
        rule = self.rules.get((table, column))
        return rule.treat if rule else None

    def columns(self, *treatments: Treatment) -> frozenset[Column]:
        """The columns that are treated so."""
        return frozenset(c for c, rule in self.rules.items() if rule.treat in treatments)

    @property
    def title(self) -> str:
        """`checkout 3f2a9c11d0ab`: its name and the begin of its hash; "" without a policy."""
        return f"{self.name} {self.sha256[:_NAMED]}" if self.sha256 else ""


NO_POLICY = Policy()  # the rules alone decide


def generalized(value: bytes, form: Form) -> bytes:
    """What is left of a value without its person: the first year of five and nothing of the day, a
    number's leading digit, a text's first character and the shape of the rest."""
    if match := _DAY.fullmatch(value):
        year = int(match[1]) // _BAND_YEARS * _BAND_YEARS
        return b"%04d-01-01" % max(year, 1) + _TIME.sub(rb"\g<1>00:00:00\g<2>", match[2])
    if form is Form.HEX:
        return b"\0" * len(value)
    text = value.decode("utf-8", "replace")
    first = next((i for i, c in enumerate(text) if c.isalnum() and c != "0"), len(text))
    rest = "".join(_blurred(c) for c in text[first + 1 :])
    return (text[: first + 1] + rest).encode()


def _blurred(char: str) -> str:
    if char.isdigit():
        return "0"
    return ("X" if char.isupper() else "x") if char.isalpha() else char


def emptied(form: Form) -> bytes:
    """Nothing, in the value's form."""
    return b"0" if form is Form.NUMBER else b""
