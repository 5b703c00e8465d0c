"""Gathers places that hold one value in every capture into one variable-to-be.

Equal in all captures is one variable where the values say enough. Short values and AUTO_INCREMENT
ids also need the same column at the end of their foreign keys: ids of several tables run in
lock-step. Places without a column join the nearest group before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from readiness.config.overrides import Override
from readiness.model.transactions import Raw
from readiness.model.workload import VariableKind
from readiness.workload.find.context import COMPARED, INSERTED, LISTED, Meeting
from readiness.workload.find.places import Place
from readiness.workload.schema import Schema

Values = tuple[bytes | None, ...]

_TELLING_DIGITS = 12  # digits over all captures that make equality of whole numbers no accident
_TELLING_LENGTH = 8


@dataclass(frozen=True, slots=True, repr=False)
class Use(Raw):
    """One place and the column it meets."""

    place: Place
    meeting: Meeting

    @property
    def column(self) -> tuple[str, str]:
        """(table, column), ("", "") where none is known."""
        return self.meeting.table, self.meeting.column

    @property
    def is_plain(self) -> bool:
        """It meets a column with nothing in between."""
        return bool(self.meeting.column) and not self.meeting.is_wrapped


@dataclass(slots=True, eq=False, repr=False)
class Group(Raw):
    """A variable in the making; `kind` None stays in the statement as an inline literal.

    `expression` names other groups (`needs`) by their `reference` until names are given;
    `bound_by` is the statement whose insert id it is, `offset` behind the first id; `is_part`
    says that no place holds it alone: it is a stretch of a text, or (with a `root`) a key that texts spell, `is_bare` that it is a number in
    JSON; `due` is when a group that needs it is first used; `is_choice` that the user picked it among
    rows of the flow; `is_at_source` what the source said (None: it was not asked); `override` is what
    a person says of it."""

    number: int
    values: Values
    is_binary: bool
    uses: list[Use]
    home: Use
    root: tuple[str, str] | None
    rank: int
    is_indexed: bool
    kind: VariableKind | None = None
    name: str = ""
    expression: str = ""
    needs: list[Group] = field(default_factory=list)
    bound_by: int = -1
    offset: int = 0
    because: str = ""
    is_part: bool = False
    is_bare: bool = False
    due: tuple[int, int] | None = None
    is_choice: bool = False
    is_at_source: bool | None = None
    override: Override = field(default_factory=Override)

    @property
    def is_settled(self) -> bool:
        """A person said what it is: no rule changes it."""
        return bool(self.override.kind)

    @property
    def stays_inline(self) -> bool:
        """A person said that it is no variable, so nothing can be computed from it."""
        return self.override.kind == "inline"

    @property
    def observed(self) -> Values:
        """The values without padding: None where no place of the group was seen in the capture."""
        return _observed(self.values, self.uses)

    @property
    def reference(self) -> str:
        """Stands for `@name` in expressions, before names are given."""
        return f"@\x01{self.number}\x01"

    @property
    def order(self) -> tuple[int, int]:
        """Where it is first used."""
        return self.uses[0].place.order

    @property
    def deadline(self) -> tuple[int, int]:
        """When its value must be known: its own first use, or that of a group that needs it."""
        return min(self.order, self.due or self.order)

    def needed_by(self, deadline: tuple[int, int]) -> None:
        """Moves the deadline of the group, and of all that it needs, forward."""
        self.due = min(self.deadline, deadline)
        for need in self.needs:
            need.needed_by(self.due)

    @property
    def statements(self) -> int:
        """In how many statements it is used."""
        return len({u.place.statement for u in self.uses})

    @property
    def column(self) -> tuple[str, str]:
        """The column it is about: the root of its home, or what its home meets."""
        return self.root or self.home.column

    def is_inserted_into(self, column: tuple[str, str]) -> bool:
        """The flow itself inserts the value into this column."""
        return any(
            u.is_plain and u.meeting.role == INSERTED and u.column == column for u in self.uses
        )

    def depends_on(self, other: Group) -> bool:
        """`other` is this group or one that it needs."""
        return self is other or any(n.depends_on(other) for n in self.needs)


def _observed(values: Values, uses: Sequence[Use]) -> Values:
    seen = [any(s) for s in zip(*(u.place.seen for u in uses), strict=True)]
    return tuple(v if s else None for v, s in zip(values, seen, strict=True))


def is_telling(values: Values) -> bool:
    """Equality of these values over the captures is no accident."""
    seen = [v for v in values if v is not None]
    if not seen:
        return False
    if all(v.isdigit() for v in seen):
        return len(seen[0]) >= 7 or (len(seen) > 1 and sum(map(len, seen)) >= _TELLING_DIGITS)
    return len(seen[0]) >= _TELLING_LENGTH


def group(uses: Sequence[Use], schema: Schema) -> list[Group]:
    """All groups in the order of first use."""
    buckets: dict[tuple[bool, Values], list[Use]] = {}
    for use in uses:
        buckets.setdefault((use.place.literal.is_binary, use.place.values), []).append(use)
    _join_partly_seen(buckets, schema)
    clusters = [
        (values, cluster)
        for (_, values), members in buckets.items()
        for cluster in _split(values, members, schema)
    ]
    groups = [_group(n, v, members, schema) for n, (v, members) in enumerate(clusters)]
    return sorted(groups, key=lambda g: g.order)


def _join_partly_seen(buckets: dict[tuple[bool, Values], list[Use]], schema: Schema) -> None:
    """Values that one capture lacks join the one bucket that agrees with all that was seen; short
    ones only where both meet the same column."""
    for key in [k for k in buckets if None in k[1]]:
        is_binary, values = key
        roots = _roots(buckets[key], schema)
        fitting = [
            k
            for k in buckets
            if k[0] == is_binary
            and None not in k[1]
            and _agrees(values, k[1])
            and (is_telling(values) or roots & _roots(buckets[k], schema))
        ]
        if len(fitting) == 1:
            buckets[fitting[0]] += buckets.pop(key)


def _roots(uses: Sequence[Use], schema: Schema) -> set[tuple[str, str]]:
    return {schema.root(*u.column) for u in uses if u.is_plain}


def _agrees(partial: Values, full: Values) -> bool:
    return all(p is None or p == f for p, f in zip(partial, full, strict=True))


def _split(values: Values, uses: list[Use], schema: Schema) -> list[list[Use]]:
    """One bucket as one or several clusters."""

    def domain(use: Use) -> tuple[str, str] | None:
        return schema.root(*use.column) if use.is_plain else None

    numbered = {d for u in uses if (d := domain(u)) and schema.is_auto_increment(*d)}
    telling = is_telling(_observed(values, uses))
    if telling and not numbered:
        return [uses]
    own: dict[tuple[str, str], list[Use]] = {}
    rest: list[Use] = []
    for use in uses:
        where = domain(use)
        stands_alone = where is not None and (where in numbered or not telling)
        if where is not None and stands_alone:
            own.setdefault(where, []).append(use)
        else:
            rest.append(use)
    if not own:
        return [rest]
    clusters = list(own.values())
    targets = [_nearest(clusters, use) for use in rest]
    for target, use in zip(targets, rest, strict=True):
        target.append(use)
    return clusters


def _nearest(clusters: Sequence[list[Use]], use: Use) -> list[Use]:
    """The cluster with the latest use before this one, else the first."""

    def latest_before(cluster: list[Use]) -> tuple[int, int]:
        before = [u.place.order for u in cluster if u.place.order <= use.place.order]
        return max(before, default=(-1, -1))

    return max(clusters, key=latest_before)


def _group(number: int, values: Values, uses: list[Use], schema: Schema) -> Group:
    ordered = sorted(uses, key=lambda u: u.place.order)
    home = min(ordered, key=lambda u: (rank(u, schema), u.place.order))
    return Group(
        number,
        values,
        home.place.literal.is_binary,
        ordered,
        home,
        schema.root(*home.column) if home.is_plain else None,
        rank(home, schema),
        any(schema.is_indexed(*u.column) for u in ordered if u.meeting.column),
    )


def rank(use: Use, schema: Schema) -> int:
    """How much a place says of what the value is: 0 inserted as a key of its own, 1 met by an
    index, 2 met by a column, 3 nothing."""
    if not use.is_plain:
        return 3
    if use.meeting.role == INSERTED and schema.is_unique(*use.column):
        return 0
    is_met = use.meeting.role in (INSERTED, COMPARED, LISTED)
    return 1 if is_met and schema.is_indexed(*use.column) else 2


def alike(group: Group, uses: list[Use], number: int) -> Group:
    """A group of the same value for some of the uses."""
    return replace(group, number=number, uses=uses, home=uses[0], needs=[])


def part_of(text: Group, values: tuple[bytes, ...], number: int, *, is_bare: bool = False) -> Group:
    """A fresh group for a stretch of a text that nothing else explains."""
    return Group(
        number,
        values,
        is_binary=False,
        uses=[text.home],
        home=text.home,
        root=None,
        rank=3,
        is_indexed=False,
        kind=VariableKind.FRESH,
        because="a stretch of a text that differs",
        is_part=True,
        is_bare=is_bare,
    )
