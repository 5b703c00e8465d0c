"""Why each value of a workload is what it is. Names, columns, counts and sentences: no value."""

from __future__ import annotations

from dataclasses import dataclass

CHOICE = "choice"  # the class of a derived variable that the user picked among the flow's own rows
UNINDEXED = "unindexed"
ABSENT = "absent"
INLINE = "inline"
STRUCTURAL = "structural"
LISTED = "listed"
POLICY = "policy"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found of one variable, or of a group that stays in the text as a pseudonym.

    `kind` is its class: that of the variable, `choice`, or for one that stays `unindexed`, `absent`
    (the source does not hold it) or `inline` (an override says so). `was` is the name before an
    override renamed it; `facts` are sentences."""

    name: str
    kind: str
    column: str
    statements: tuple[str, ...]
    indexes: tuple[str, ...]
    foreign_keys: tuple[str, ...]
    facts: tuple[str, ...]
    because: str
    was: str = ""
    is_overridden: bool = False


@dataclass(frozen=True, slots=True)
class FixedPlace:
    """A literal that differs between captures and still is no variable: LIMIT, a word of an ENUM."""

    kind: str
    statement: str
    literal: int
    column: str
    because: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A place or variable where the values allow several answers: which was taken, which else there
    are, and what settles it."""

    where: str
    taken: str
    others: tuple[str, ...]
    cure: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that a reviewer is told of one build; `unsettled` says what one more capture would show."""

    variables: tuple[Evidence, ...] = ()
    dropped: tuple[Evidence, ...] = ()
    fixed: tuple[FixedPlace, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    not_aligned: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()

    def of(self, name: str) -> Evidence | None:
        """The evidence of one variable; None for another literal form of one."""
        return next((e for e in self.variables if e.name == name), None)
