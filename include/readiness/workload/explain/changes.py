"""What a rebuild changed against the workload that was there: variables, statements, funnel.

Names, classes, generators and expressions; no value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from readiness.model.workload import Slot, Step, Variable, Workload
from readiness.sql.shape import fingerprint, shape

_MOST_LISTED = 20
_WIDTH = 72


@dataclass(frozen=True, slots=True)
class Change:
    """One variable before and after, "" where it is not there; its description, not its value."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Changes:
    """All differences; `came` are ids of the new workload, `went` of the old; `repeats` are counts
    by name as (before, after), `tables` those with another definition, `counts` the funnel's that
    differ."""

    variables: tuple[Change, ...]
    came: tuple[str, ...]
    went: tuple[str, ...]
    repeats: Mapping[str, tuple[str, str]]
    tables: tuple[str, ...]
    counts: Mapping[str, tuple[int, int]]

    def __bool__(self) -> bool:
        found = (self.variables, self.came, self.went, self.repeats, self.tables, self.counts)
        return any(found)

    def to_json(self) -> dict[str, object]:
        """The form of `--json`."""
        return {
            "variables": [
                {"name": c.name, "before": c.before or None, "after": c.after or None}
                for c in self.variables
            ],
            "statements": {"came": list(self.came), "went": list(self.went)},
            "repeats": {name: list(pair) for name, pair in self.repeats.items()},
            "tables": list(self.tables),
            "counts": {name: list(pair) for name, pair in self.counts.items()},
        }

    def lines(self) -> list[str]:
        """For people: one line each, `+` came, `-` went, `~` changed."""
        made = [_line(c) for c in self.variables]
        if self.came:
            made.append(f"+ statements {_listed(self.came)}")
        if self.went:
            made.append(f"- statements {_listed(self.went)} of the workload before")
        made += [
            f"~ repeat {name}: {before or 'none'} → {after or 'none'}"
            for name, (before, after) in self.repeats.items()
        ]
        if self.tables:
            made.append(f"~ tables with another definition: {', '.join(self.tables)}")
        pairs = ", ".join(f"{name} {a} → {b}" for name, (a, b) in self.counts.items())
        return [*made, *([f"~ {pairs}"] if pairs else [])]


def changes_between(before: Workload, after: Workload) -> Changes:
    """What is different in `after`."""
    old, new = _described(before), _described(after)
    names = [n for n in dict.fromkeys((*new, *old)) if old.get(n) != new.get(n)]
    came, went = _moved(before.steps, after.steps)
    counted = dict.fromkeys((*before.counts, *after.counts))
    pairs = {n: (before.counts.get(n, 0), after.counts.get(n, 0)) for n in counted}
    return Changes(
        tuple(Change(n, old.get(n, ""), new.get(n, "")) for n in sorted(names)),
        came,
        went,
        _different(_repeats(before), _repeats(after)),
        tuple(_different_tables(before, after)),
        {n: pair for n, pair in pairs.items() if pair[0] != pair[1]},
    )


def _described(workload: Workload) -> dict[str, str]:
    weights = {name: s.weight_by for s in workload.samples for name in s.variables}
    return {v.name: _described_one(v, weights.get(v.name, "")) for v in workload.variables}


def _described_one(variable: Variable, weight: str) -> str:
    """`fresh uuid4 (users.id)`, `derived = LOWER(@user_email_1) (users.email)`."""
    how = variable.generator if variable.generator != "sample" else ""
    how = f"= {variable.expression}" if variable.expression else how
    parts = [str(variable.kind), how, f"({variable.column})" if variable.column else ""]
    return " ".join(filter(None, (*parts, f"weight {weight}" if weight else "")))


def _repeats(workload: Workload) -> dict[str, str]:
    return {r.name: " ".join(map(str, r.counts)) for r in workload.repeats}


def _different(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    names = sorted(before.keys() | after.keys())
    pairs = {name: (before.get(name, ""), after.get(name, "")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _different_tables(before: Workload, after: Workload) -> list[str]:
    """Tables that both use, defined differently."""
    both = sorted(before.tables.keys() & after.tables.keys())
    return [name for name in both if before.tables[name] != after.tables[name]]


def _moved(
    before: Sequence[Step], after: Sequence[Step]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    matcher = SequenceMatcher(None, _shapes(before), _shapes(after), autojunk=False)
    came: list[str] = []
    went: list[str] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            went += [s.statement_id for s in before[a:b]]
            came += [s.statement_id for s in after[c:d]]
    return tuple(came), tuple(went)


def _shapes(steps: Sequence[Step]) -> list[str]:
    return [s.shape or _shape(s) for s in steps]


def _shape(step: Step) -> str:
    """The fingerprint of a statement that carries none; each slot counts as a literal."""
    return fingerprint(shape(b"".join(_text(step))))


def _text(step: Step) -> list[bytes]:
    parts: list[bytes] = []
    for piece in step.pieces:
        inner = (piece,) if isinstance(piece, bytes | Slot) else piece.pieces
        parts += [b"0" if isinstance(p, Slot) else p for p in inner]
    return parts


def _line(change: Change) -> str:
    if not change.before:
        return f"+ @{change.name}: {_short(change.after)}"
    if not change.after:
        return f"- @{change.name}: {_short(change.before)}"
    before, after = _short(change.before), _short(change.after)
    if before == after or (" = " in before and " = " in after):
        return f"~ @{change.name}: {after.partition(' ')[0]}, its expression changed"
    return f"~ @{change.name}: {before} → {after}"


def _short(described: str) -> str:
    """As much as a line of a terminal holds; `--json` has the whole."""
    return described if len(described) <= _WIDTH else described[: _WIDTH - 1] + "…"


def _listed(ids: Sequence[str]) -> str:
    more = len(ids) - _MOST_LISTED
    return ", ".join(ids[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
