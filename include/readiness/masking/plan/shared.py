"""Columns that hold, in other rows or tables, what a masked column holds: `audit_log.target` the e-mails
of `users`. They take its look and domain, so that equal stays equal and nothing survives in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from readiness.masking.plan.references import Column
from readiness.model.masking import Look

_TELLING = {Look.EMAIL, Look.PHONE, Look.TOKEN, Look.HEX, Look.UUID, Look.DIGITS, Look.IP}
_WORDS = {Look.NAME, Look.TEXT}
_SHORTEST = 7  # bytes of a value that nothing meets by chance
_SOME, _MOST = 0.2, 0.6  # of a column's values: of telling looks, of words
_DIFFERENT = 2


@dataclass(frozen=True, slots=True)
class Held:
    """A column's values that were looked at, and the look that its own rules gave it."""

    column: Column
    look: Look | None
    values: frozenset[bytes]

    def __repr__(self) -> str:
        """Without the values."""
        return f"<Held: {'.'.join(self.column)}>"


def shared(columns: Iterable[Held]) -> Mapping[Column, Column]:
    """By a kept column: the masked one whose values it holds too."""
    held = list(columns)
    sources = [h for h in held if h.look in _TELLING or h.look in _WORDS]
    found = ((h.column, next(_owners(h, sources), None)) for h in held if h.look is None)
    return {column: owner for column, owner in found if owner is not None}


def _owners(kept: Held, sources: Iterable[Held]) -> Iterator[Column]:
    """Those that share enough, the one that shares most first."""
    long = frozenset(v for v in kept.values if len(v) >= _SHORTEST)
    counted = [(len(long & source.values), source) for source in sources]
    counted.sort(key=lambda pair: -pair[0])
    for count, source in counted:
        least = _SOME if source.look in _TELLING else _MOST
        if count >= _DIFFERENT and count >= least * len(kept.values):
            yield source.column
