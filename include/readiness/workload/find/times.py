"""Time variables: literals that move with the clock, as expressions over NOW().

The flow's "now" is when most of the dates-and-times begin that vary and are stored; others keep
their captured distance to it, and every one keeps its captured text form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

from readiness.model.workload import VariableKind
from readiness.workload.find.context import INSERTED, SET
from readiness.workload.find.groups import Group, Values
from readiness.workload.find.places import Place

_MOMENT = re.compile(rb"(\d{4}-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z?)")
_DAY = re.compile(rb"\d{4}-\d\d-\d\d")
_EPOCH_S = (1_000_000_000, 4_000_000_000)
_CLOCK_TOLERANCE_S = 120
_PAUSE_S = 600  # what lies longer apart is another time than now
_SAME_DAY_S = 86_400 + _CLOCK_TOLERANCE_S  # "midnight in 30 days" lies a day apart at most
_NEAR_PAST_DAYS = 1
_NEAR_FUTURE_DAYS = 400


def bind_times(groups: Sequence[Group]) -> None:
    """Marks the groups that move with the clock as TIME, with their expression."""
    unbound = [g for g in groups if g.kind is None or g.is_settled]
    moments = {id(g): m for g in unbound if (m := _moments(g.values))}
    if not moments:
        return
    now = _starts(_written(unbound, moments) or list(moments.values()))
    for group in unbound:
        if group.is_settled:
            continue
        if id(group) in moments:
            expression = _moment_expression(group, moments[id(group)], now)
        else:
            expression = _day_expression(group.values, now)
            if not expression and not group.is_indexed:
                expression = _epoch_expression(group.values, now)
        if expression:
            group.kind, group.expression = VariableKind.TIME, expression
            group.because = "moves with the clock"


def _written(
    groups: Sequence[Group], moments: Mapping[int, Sequence[datetime | None]]
) -> list[Sequence[datetime | None]]:
    """The moments of each place that stores one: a WHERE may ask for any past."""
    return [
        moments[id(g)]
        for g in groups
        if id(g) in moments
        for use in g.uses
        if use.meeting.role in (INSERTED, SET)
    ]


def hidden_by_the_clock(places: Sequence[Place], columns: Sequence[str]) -> set[tuple[int, int]]:
    """The order of places that are equal in all captures only because these ran within one second,
    or on one day: moments near the flow's now, and days ahead of it in date columns.

    `columns` gives the data type of the column that each place meets, or ""."""
    starts = _starts([m for p in places if not p.is_constant and (m := _moments(p.values))])
    if not starts or None in starts:
        return set()
    seconds = {m.replace(microsecond=0) for m in starts if m}
    days = {m.date() for m in seconds}
    found = set()
    for place, kind in zip(places, columns, strict=True):
        if place.is_constant and _is_near(place.literal.value, kind, seconds, days):
            found.add(place.order)
    return found


def _is_near(value: bytes, kind: str, seconds: set[datetime], days: set[date]) -> bool:
    moments = _moments((value,))
    if moments and moments[0] and len(seconds) == 1:
        ahead_days = (moments[0] - min(seconds)).total_seconds() / 86_400
        return -_NEAR_PAST_DAYS <= ahead_days <= _NEAR_FUTURE_DAYS
    if kind != "date" or len(days) > 1 or not (day := _day(value)):
        return False
    return 0 <= (day - min(days)).days <= _NEAR_FUTURE_DAYS


def _day(value: bytes) -> date | None:
    if not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value.decode())
    except ValueError:
        return None


def _starts(moments: Sequence[Sequence[datetime | None]]) -> list[datetime | None]:
    """The flow's now in each capture: where most moments begin. Windows of the past and times of
    rows that existed stand alone; of equally many the earliest are now, the others its deadlines."""
    rows = sorted(((_first(m), m) for m in moments if any(m)), key=lambda r: r[0])
    runs: list[list[Sequence[datetime | None]]] = []
    last: datetime | None = None
    for first, row in rows:
        if last is None or (first - last).total_seconds() > _PAUSE_S:
            runs.append([])
        runs[-1].append(row)
        last = first
    captures = zip(*max(runs, key=len, default=[]), strict=True)
    return [min((m for m in c if m is not None), default=None) for c in captures]


def _first(moments: Sequence[datetime | None]) -> datetime:
    return next(m for m in moments if m is not None)


def _moments(values: Values) -> list[datetime | None] | None:
    """The values as moments; None unless all that were seen are."""
    found: list[datetime | None] = []
    for value in values:
        if value is None:
            found.append(None)
            continue
        match = _MOMENT.fullmatch(value)
        if not match:
            return None
        text = b" ".join((match[1], match[3])).decode()
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        except ValueError:
            return None
        found.append(moment.replace(microsecond=int((match[4] or b"0").ljust(6, b"0"))))
    return found


def _moment_expression(
    group: Group, moments: Sequence[datetime | None], now: Sequence[datetime | None]
) -> str:
    """`NOW(6) + INTERVAL n MICROSECOND` in the form of the first value seen; "" for moments that do
    not keep their distance to the flow's now: those of rows that existed."""
    pairs = [(m, n) for m, n in zip(moments, now, strict=True) if m is not None and n is not None]
    distances = [(m - n).total_seconds() for m, n in pairs] or [0, float("inf")]
    if max(distances) - min(distances) > _SAME_DAY_S:
        return ""
    at, start = pairs[0]
    value = next(v for v in group.values if v is not None)
    match = _MOMENT.fullmatch(value)
    digits = len(match[4] or b"") if match else 0
    if digits:
        text = _plus("NOW(6)", round((at - start).total_seconds() * 1e6), "MICROSECOND")
        text = text if digits == 6 else f"LEFT({text}, {20 + digits})"
    else:
        whole = start.replace(microsecond=0)
        text = _plus("NOW()", round((at - whole).total_seconds()), "SECOND")
    if match and match[2] == b"T":
        text = f"REPLACE({text}, ' ', 'T')"
    return f"CONCAT({text}, 'Z')" if match and match[5] else text


def _plus(start: str, distance: int, unit: str) -> str:
    if not distance:
        return start
    return f"{start} {'-' if distance < 0 else '+'} INTERVAL {abs(distance)} {unit}"


def _day_expression(values: Values, now: Sequence[datetime | None]) -> str:
    """`CURDATE() + INTERVAL n DAY` when the distance in days is the same in every capture, and seen
    in two: a single birthday keeps any distance."""
    distances = set()
    if sum(v is not None for v in values) < 2:
        return ""
    for value, moment in zip(values, now, strict=True):
        if value is None or moment is None:
            continue
        day = _day(value)
        if day is None:
            return ""
        distances.add((day - moment.date()).days)
    return _plus("CURDATE()", distances.pop(), "DAY") if len(distances) == 1 else ""


def _epoch_expression(values: Values, now: Sequence[datetime | None]) -> str:
    """`UNIX_TIMESTAMP() + n` when seconds since the epoch advance as the flow's now does."""
    pairs = [
        (int(v), m.timestamp())
        for v, m in zip(values, now, strict=True)
        if v is not None and m is not None and v.isdigit()
    ]
    if len(pairs) < 2 or len(pairs) < sum(v is not None for v in values):
        return ""
    if not all(_EPOCH_S[0] <= v <= _EPOCH_S[1] for v, _ in pairs):
        return ""
    drifts = [(v - pairs[0][0]) - (m - pairs[0][1]) for v, m in pairs]
    if max(map(abs, drifts)) > _CLOCK_TOLERANCE_S:
        return ""
    # The zone of the literals in the flow is unknown: whole quarters of an hour are the zone.
    distance = round(pairs[0][0] - pairs[0][1])
    return (
        _plus("UNIX_TIMESTAMP()", (distance + 450) % 900 - 450, "SECOND")
        .replace("INTERVAL ", "")
        .replace(" SECOND", "")
    )
