"""Compiles a workload for one worker: makes the values of a checkout, renders its statements.

The list of a checkout holds each variable's SQL literal at the variable's index, and its raw value
`count` places further. Fresh values, samples and derived ones are made once per checkout; what
depends on a server's id is made again when that id arrives. Everything is a function of
(namespace, seed, number), but for the time in time-ordered values.
"""

from __future__ import annotations

import hashlib
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from readiness.errors import SqlError, WorkloadError
from readiness.model.workload import (
    Form,
    Sample,
    Slot,
    StatementKind,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.ports import CheckoutFlow
from readiness.sql.lexer import encode
from readiness.workload.expression import Expression, Now, Place, compile_expression
from readiness.workload.generators import Lane, Make, generator
from readiness.workload.order import ordered
from readiness.workload.pools import Group, Pools, family_of

_PICK_NIBBLES = 12
_TRIES = 50


@dataclass(frozen=True, slots=True)
class _Fresh:
    """A fresh variable: where it goes, which entropy it takes, how it is written."""

    index: int
    make: Make
    start: int
    end: int
    literal: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class _Derived:
    """A derived or time variable."""

    index: int
    expression: Expression
    literal: Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class _Pick:
    """A sample: `parents` are the raw places of the condition's variables, `targets` pairs of a
    row's field and the variable it fills; `rivals` picks the rows that must differ."""

    groups: Mapping[tuple[bytes, ...], Group]
    parents: tuple[int, ...]
    targets: tuple[tuple[int, int, Callable[[bytes], bytes]], ...]
    start: int
    rivals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Binding:
    """What `bind` does after one step: ids first, then what is derived from them."""

    ids: tuple[tuple[int, int, Callable[[bytes], bytes]], ...]
    derived: tuple[_Derived, ...]


class CompiledFlow:
    """`ports.CheckoutFlow`; see `compile_flow`."""

    def __init__(self, workload: Workload, pools: Pools, *, namespace: bytes, seed: int) -> None:
        workload = ordered(workload)
        self._variables = workload.variables
        self._count = len(workload.variables)
        places = {v.name: Place(self._count + i, v.form) for i, v in enumerate(self._variables)}
        self._index = {v.name: i for i, v in enumerate(self._variables)}
        self._salt = hashlib.blake2b(namespace, key=str(seed).encode(), digest_size=32).digest()
        self._nibbles = 0
        self._offset_s = pools.offset_s
        self._fresh = self._compile_fresh()
        self._picks = [
            self._compile_pick(s, i, workload, pools) for i, s in enumerate(workload.samples)
        ]
        derived = [
            _Derived(
                self._index[v.name], compile_expression(v.expression, places), literal_of(v.form)
            )
            for v in self._variables
            if v.expression
        ]
        late = self._dependent({b.variable for s in workload.steps for b in s.binds}, derived)
        self._early = [d for d in derived if d not in late]
        self._bindings = [self._compile_binding(s, late) for s in workload.steps]
        self._renderers = [self._compile_step(step) for step in workload.steps]
        self._blank = [b"0"] * (2 * self._count)
        numbers = {c: i for i, c in enumerate(workload.connections)}
        self.statement_ids: Sequence[str] = [s.statement_id for s in workload.steps]
        self.kinds: Sequence[StatementKind] = [s.kind for s in workload.steps]
        self.connections: Sequence[int] = [numbers[s.connection] for s in workload.steps]
        self.transactions: Sequence[int] = [s.transaction for s in workload.steps]
        self.pauses_ms: Sequence[float] = [s.pause_ms for s in workload.steps]
        self.binds: Sequence[bool] = [bool(s.binds) for s in workload.steps]
        self.may_skip: Sequence[bool] = [False] * len(workload.steps)

    def new_values(self, number: int) -> list[bytes]:
        """The values of checkout `number`, which is unique within the namespace (a dense count
        over all workers keeps small value spaces free of repetition longest).

        Raises WorkloadError when the pools have no matching rows or an expression has no value."""
        now_us = time.time_ns() // 1000
        now_ms, count = now_us // 1000, self._count
        values = self._blank.copy()
        entropy = self._entropy(number)
        for fresh in self._fresh:
            raw = fresh.make(number, entropy[fresh.start : fresh.end], now_ms)
            values[fresh.index] = fresh.literal(raw)
            values[count + fresh.index] = raw
        if self._picks:
            self._pick_all(values, entropy, number)
        if self._early:
            self._derive(self._early, values, Now.at(now_us, self._offset_s))
        return values

    def following(self, step: int, values: list[bytes]) -> int:  # noqa: ARG002
        """The step itself: none is left out."""
        return step

    def render(self, step: int, values: list[bytes]) -> bytes:
        """The SQL of one step."""
        template, slots = self._renderers[step]
        return template % slots(values) if slots else template

    def bind(self, step: int, values: list[bytes], insert_id: int) -> None:
        """Takes the server's insert id, and recomputes what depends on it."""
        binding = self._bindings[step]
        for index, offset, literal in binding.ids:
            raw = b"%d" % (insert_id + offset)
            values[index] = literal(raw)
            values[self._count + index] = raw
        if binding.derived:
            now = Now.at(time.time_ns() // 1000, self._offset_s)
            self._derive(binding.derived, values, now)

    def _entropy(self, number: int) -> str:
        seed = self._salt + number.to_bytes(16, "big", signed=True)
        return hashlib.shake_128(seed).hexdigest(self._nibbles // 2 + 1)

    def _derive(self, derived: Sequence[_Derived], values: list[bytes], now: Now) -> None:
        for one in derived:
            raw = one.expression.evaluate(values, now)
            values[one.index] = one.literal(raw)
            values[self._count + one.index] = raw

    def _pick_all(self, values: list[bytes], entropy: str, number: int) -> None:
        """All samples; when two conditions meet in no row, all are drawn again."""
        for attempt in range(_TRIES):
            if attempt:
                entropy = self._entropy(number ^ attempt << 100)
            if self._try_picks(values, entropy):
                return
        raise WorkloadError(
            f"in {_TRIES} tries no rows were drawn that fit each other",
            hint="Two conditions of one @sample rarely hold together on this target.",
        )

    def _try_picks(self, values: list[bytes], entropy: str) -> bool:
        chosen: list[tuple[bytes, ...]] = []
        for pick in self._picks:
            group = pick.groups.get(tuple([values[at] for at in pick.parents]))
            if group is None:
                return False
            drawn = int(entropy[pick.start : pick.start + _PICK_NIBBLES], 16)
            at = bisect_right(group.cumulative, drawn % group.cumulative[-1])
            row, taken = group.rows[at], [chosen[i] for i in pick.rivals]
            while row in taken:  # a group has more rows than one checkout takes
                at = (at + 1) % len(group.rows)
                row = group.rows[at]
            chosen.append(row)
            for field, index, literal in pick.targets:
                values[index] = literal(row[field])
                values[self._count + index] = row[field]
        return True

    def _take(self, nibbles: int) -> int:
        """Reserves entropy; returns where it starts."""
        start = self._nibbles
        self._nibbles += nibbles
        return start

    def _compile_fresh(self) -> list[_Fresh]:
        """Variables of one column and generator get lanes of one permutation."""
        fresh = [v for v in self._variables if v.kind is VariableKind.FRESH]
        strides = Counter(_lane_key(v) for v in fresh)
        seen: Counter[str] = Counter()
        made = []
        for variable in fresh:
            key = _lane_key(variable)
            lane = Lane(
                self._salt + key.encode("utf-8", "surrogateescape"), seen[key], strides[key]
            )
            seen[key] += 1
            compiled = generator(variable.generator, variable.form, lane)
            literal = literal_of(variable.form, is_plain=compiled.is_plain)
            start = self._take(compiled.nibbles)
            made.append(
                _Fresh(
                    self._index[variable.name],
                    compiled.make,
                    start,
                    start + compiled.nibbles,
                    literal,
                )
            )
        return made

    def _compile_pick(self, sample: Sample, at: int, workload: Workload, pools: Pools) -> _Pick:
        pool, samples = pools.of(sample), workload.samples
        forms = [self._variables[self._index[name]].form for name in sample.variables]
        targets = zip(
            pool.positions(sample),
            [self._index[name] for name in sample.variables],
            [literal_of(form) for form in forms],
            strict=True,
        )
        family = family_of(sample)
        return _Pick(
            pool.groups,
            tuple(self._count + self._index[name] for _, name in sample.where),
            tuple(targets),
            self._take(_PICK_NIBBLES),
            tuple(i for i in range(at) if family_of(samples[i]) == family),
        )

    def _dependent(self, names: set[str], derived: Sequence[_Derived]) -> list[_Derived]:
        """Those that read one of `names`, directly or through others; in the given order."""
        reached, found = set(names), []
        for one in derived:
            if one.expression.variables & reached:
                reached.add(self._variables[one.index].name)
                found.append(one)
        return found

    def _compile_binding(self, step: Step, late: Sequence[_Derived]) -> _Binding:
        ids = tuple(
            (i, b.offset, literal_of(self._variables[i].form))
            for b in step.binds
            for i in [self._index[b.variable]]
        )
        return _Binding(ids, tuple(self._dependent({b.variable for b in step.binds}, late)))

    def _compile_step(self, step: Step) -> tuple[bytes, Callable[[list[bytes]], Any] | None]:
        """A %-template and what takes its values from the list (None: the text is constant)."""
        slots = [self._index[p.variable] for p in step.pieces if isinstance(p, Slot)]
        if not slots:
            return b"".join(p for p in step.pieces if isinstance(p, bytes)), None
        parts = [b"%s" if isinstance(p, Slot) else p.replace(b"%", b"%%") for p in step.pieces]
        return b"".join(parts), itemgetter(*slots)


def compile_flow(workload: Workload, pools: Pools, *, namespace: bytes, seed: int) -> CheckoutFlow:
    """The flow of one worker. All workers of a run share `namespace` (fresh for each run) and
    `seed`; their checkouts differ by number.

    Raises WorkloadError when a generator, expression or pool does not fit."""
    return CompiledFlow(workload, pools, namespace=namespace, seed=seed)


def _lane_key(variable: Variable) -> str:
    return f"{variable.column or variable.name} {variable.generator}"


def literal_of(form: Form, *, is_plain: bool = False) -> Callable[[bytes], bytes]:
    """Writes a raw value as a literal; `is_plain` text is quoted without a look."""
    if form is Form.HEX:
        return lambda raw: b"x'%s'" % raw.hex().encode()
    if form is Form.TEXT:
        return (lambda raw: b"'%s'" % raw) if is_plain else (lambda raw: encode(Form.TEXT, raw))
    return (lambda raw: raw) if is_plain else _number_literal


def _number_literal(raw: bytes) -> bytes:
    try:
        return encode(Form.NUMBER, raw)
    except SqlError:
        raise WorkloadError(
            "a variable in the form number got a value that is no number",
            hint="Give it the form text in the workload file.",
        ) from None
