"""The figures of a proof by name: what each must be, and how people read it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from readiness.model.masking import MaskFact


class Law(StrEnum):
    """How `after` must stand to `before`."""

    WITHIN = "within"  # equal, or off by at most the tolerance
    AT_MOST = "at most"  # `before` is a limit, such as what chance explains


@dataclass(frozen=True, slots=True)
class FactKind:
    """One name of figures: `text` says what was counted, and stands behind the place."""

    law: Law
    text: str


KINDS = {
    "rows": FactKind(Law.WITHIN, "rows"),
    "distinct": FactKind(Law.WITHIN, "distinct values"),
    "null_share": FactKind(Law.WITHIN, "share of NULL"),
    "mean_length": FactKind(Law.WITHIN, "mean length in characters"),
    "index_bytes": FactKind(Law.WITHIN, "bytes of the index"),
    "columns": FactKind(Law.WITHIN, "columns as they were defined"),
    "indexes": FactKind(Law.WITHIN, "indexes as they were defined"),
    "foreign_keys": FactKind(Law.WITHIN, "foreign keys as they were defined"),
    "triggers": FactKind(Law.WITHIN, "triggers as they were defined"),
    "orphans": FactKind(Law.AT_MOST, "rows without the row that they refer to"),
    "survivors": FactKind(Law.AT_MOST, "rows with a value that a row had before masking"),
    "skipped": FactKind(Law.AT_MOST, "rows unchanged while others of the same value changed"),
    "unchanged": FactKind(Law.AT_MOST, "values unchanged at their rows; the limit is chance"),
    "copies": FactKind(Law.AT_MOST, "rows of a kept column that hold a masked column's original"),
    "emptied": FactKind(Law.AT_MOST, "rows that are not empty"),
    "email": FactKind(Law.AT_MOST, "rows that hold an e-mail address"),
    "phone": FactKind(Law.AT_MOST, "rows that hold a telephone number"),
    "card": FactKind(Law.AT_MOST, "rows that hold a card number"),
}


def holds(fact: MaskFact) -> bool:
    """Whether the figure is as it must be; a number that is missing (NaN) or endless never is."""
    if not (math.isfinite(fact.before) and math.isfinite(fact.after)):
        return False
    return excess(fact) <= 0


def excess(fact: MaskFact) -> float:
    """By how much the figure is off, less what it may be off; NaN where a number is missing."""
    before, after = rounded(fact.before), rounded(fact.after)
    if KINDS[fact.name].law is Law.AT_MOST:
        return after - before
    off = abs(after - before)
    return rounded(off - fact.tolerance_ratio * abs(before)) if fact.tolerance_ratio else off


def rounded(figure: float) -> float:
    """A figure as it is compared: a share of one row in a thousand million still shows."""
    return round(figure, 9)


def told(fact: MaskFact) -> str:
    """The figure in words, with names and numbers only."""
    kind = KINDS[fact.name]
    limit = f"at most {fact.before:g}"
    if kind.law is Law.WITHIN:
        limit = f"{fact.before:g} before"
        limit += f", ± {fact.tolerance_ratio:.0%}" if fact.tolerance_ratio else ""
    return f"{fact.place}: {fact.after:g} {kind.text} ({limit})"
