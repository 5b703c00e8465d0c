"""Writes the code that makes the values of a checkout: one function for what is known before it
runs, and one for each step that takes an id from the server.

The list of a checkout holds each variable's SQL literal at the variable's index; `count` places
further its raw value where something reads it later; then the counts drawn for its repeats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from readiness.model.workload import (
    Form,
    Repeat,
    Sample,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.workload.make.code import Code, Entropy, Term, Type, octets_of, text_of
from readiness.workload.make.expression import EPOCH, raw_term, unknown
from readiness.workload.make.free import Lane
from readiness.workload.make.generators import Asked, generated, unusable
from readiness.workload.make.lanes import lane_key, with_shared_lanes
from readiness.workload.make.literal import literal_source
from readiness.workload.make.picks import PICK_ENTROPY, Wanted, pick
from readiness.workload.make.pools import Pools, family_of
from readiness.workload.make.syntax import read_expression, variables_of
from readiness.workload.make.translate import Inputs, translated

Make = Callable[[int, bytes, bytes, int], list[bytes]]
"""(number, entropy, entropy of the samples, microseconds since the epoch) -> the values."""
Take = Callable[[list[bytes], int, int], None]
"""(values, insert id, microseconds since the epoch): takes an id from the server."""
_UNSET = "b'0'"


@dataclass(frozen=True, slots=True)
class Makers:
    """What makes values: `entropy` is the bytes that `make` takes; `binds` has one for each step
    that takes an id; `draws` says where in the values the count of a repeat lies."""

    entropy: int
    make: Make
    binds: Mapping[int, Take]
    draws: Mapping[str, int]


def makers_of(workload: Workload, pools: Pools, salt: bytes) -> Makers:
    """The makers of an ordered workload.

    Raises WorkloadError when a generator, expression or pool does not fit."""
    workload = with_shared_lanes(workload, pools.unique)
    bound = {b.variable for step in workload.steps for b in step.binds}
    late = _dependent(bound, workload.variables)
    kept = bound.union(*(variables_of(v.expression) for v in late))
    first = _First(workload, pools, salt)
    make = first.function({v.name for v in late}, kept)
    binds = {
        at: _bind(step, workload, _dependent({b.variable for b in step.binds}, late), pools)
        for at, step in enumerate(workload.steps)
        if step.binds
    }
    return Makers(first.entropy, make, binds, _draws(workload))


def _draws(workload: Workload) -> dict[str, int]:
    first = 2 * len(workload.variables)
    return {repeat.name: first + at for at, repeat in enumerate(workload.repeats)}


def _dependent(names: set[str], variables: Sequence[Variable]) -> list[Variable]:
    """Those that read one of `names`, directly or through others; in the given order."""
    reached, found = set(names), []
    for one in variables:
        if one.expression and variables_of(one.expression) & reached:
            reached.add(one.name)
            found.append(one)
    return found


@dataclass(frozen=True, slots=True)
class _Written:
    """Where a variable's literal and raw value are, and what an expression reads."""

    literal: str
    raw: str
    term: Term


class _Body:
    """Code with the variables it has made so far."""

    def __init__(self, offset_s: float) -> None:
        self.code = Code()
        self.made: dict[str, _Written] = {}
        self._offset_us = round(offset_s * 1_000_000)

    def write(self, variable: Variable, term: Term) -> None:
        """Makes the literal and the raw value of a term."""
        code, form = self.code, variable.form
        held = term if term.constant is not None else _held(code, term)
        raw = code.let(octets_of(code, held))
        is_digits = held.type in (Type.WHOLE, Type.NUMBER)
        is_plain = is_digits or (form is Form.TEXT and text_of(code, held).is_plain)
        literal = code.let(literal_source(code, form, raw, is_plain=is_plain))
        self.made[variable.name] = _Written(literal, raw, self._read(raw, held, form))

    def _read(self, raw: str, held: Term, form: Form) -> Term:
        """What an expression sees: the form decides the type, as the server's variable has it."""
        if form is Form.NUMBER and held.type in (Type.WHOLE, Type.NUMBER):
            return held
        if form is Form.TEXT and held.type is not Type.BINARY:
            text = text_of(self.code, held)
            return Term(Type.TEXT, text.source, raw, is_plain=text.is_plain)
        return Term(Type.BINARY, raw)

    def derive(self, variable: Variable, read: Callable[[str], Term]) -> None:
        """Adds a derived or time variable."""
        inputs = Inputs(read, "us", self._local)
        self.write(variable, translated(read_expression(variable.expression), self.code, inputs))

    def _local(self) -> str:
        span, epoch = self.code.object(timedelta), self.code.object(EPOCH)
        return self.code.let(f"{epoch} + {span}(0, 0, us + {self._offset_us})")

    def read(self, name: str) -> Term:
        """A variable that was made here."""
        return self.made[name].term


def _held(code: Code, term: Term) -> Term:
    """The term in a local, unless its bytes alone are cheaper."""
    if term.raw and term.type is Type.TEXT:
        return term
    return Term(
        term.type,
        code.let(term.source),
        is_plain=term.is_plain,
        fraction=term.fraction,
        is_date=term.is_date,
    )


class _First(_Body):
    """The code that runs before a checkout's first step."""

    def __init__(self, workload: Workload, pools: Pools, salt: bytes) -> None:
        super().__init__(pools.offset_s)
        self._workload = workload
        self._pools = pools
        self._salt = salt
        self._entropy = Entropy()
        self._variables = {v.name: v for v in workload.variables}
        self.entropy = 0

    def function(self, late: set[str], kept: set[str]) -> Make:
        """The function; `late` are made by others, the raw values of `kept` are read later."""
        self.code.do("ms = us // 1000")
        self.code.do("h = e.hex()")
        self._add_fresh()
        self._add_samples()
        for variable in self._workload.variables:
            if variable.expression and variable.name not in late:
                self.derive(variable, self._reading)
        counts = [self._draw(repeat) for repeat in self._workload.repeats]
        result = ", ".join([*self._literals(), *self._raws(kept), *counts])
        self.entropy = self._entropy.size
        return self.code.function("n, e, q, us", f"[{result}]")

    def _reading(self, name: str) -> Term:
        if name not in self.made:
            raise unknown(name)
        return self.read(name)

    def _literals(self) -> list[str]:
        made = self.made
        return [made[n].literal if n in made else _UNSET for n in self._variables]

    def _raws(self, kept: set[str]) -> list[str]:
        made = self.made
        return [made[n].raw if n in made and n in kept else _UNSET for n in self._variables]

    def _add_fresh(self) -> None:
        """Variables of one column and generator get lanes of one permutation."""
        fresh = [v for v in self._workload.variables if v.kind is VariableKind.FRESH]
        strides = Counter(lane_key(v) for v in fresh)
        seen: Counter[str] = Counter()
        for variable in fresh:
            key = lane_key(variable)
            salt = self._salt + key.encode("utf-8", "surrogateescape")
            lane = Lane(salt, seen[key], strides[key], self._pools.free.get(key))
            seen[key] += 1
            self.write(variable, generated(self._asked(variable, lane)))

    def _asked(self, variable: Variable, lane: Lane) -> Asked:
        try:
            return Asked(variable.generator, variable.form, lane, self.code, self._entropy)
        except ValueError as error:
            raise unusable(error) from None

    def _add_samples(self) -> None:
        rows: list[str] = []
        samples = self._workload.samples
        for at, sample in enumerate(samples):
            family = family_of(sample)
            rivals = [rows[i] for i in range(at) if family_of(samples[i]) == family]
            rows.append(self._add_sample(sample, rivals))

    def _add_sample(self, sample: Sample, rivals: Sequence[str]) -> str:
        variables = [self._variables[name] for name in sample.variables]
        pool = self._pools.of(sample)
        wanted = Wanted(
            pool,
            pool.positions(sample),
            tuple(v.form for v in variables),
            tuple(self.made[name].raw for _, name in sample.where),
            tuple(rivals),
        )
        row, picked = pick(self.code, wanted, self._entropy.take(PICK_ENTROPY))
        for variable, literal, raw in zip(variables, picked.literals, picked.raws, strict=True):
            self.made[variable.name] = self._sampled(variable, literal, raw)
        return row

    def _sampled(self, variable: Variable, literal: str, raw: str) -> _Written:
        is_read = any(
            variable.name in variables_of(v.expression)
            for v in self._workload.variables
            if v.expression
        )
        at = self.code.let(raw)
        term = raw_term(self.code, at, variable.form) if is_read else Term(Type.BINARY, at)
        return _Written(literal, at, term)

    def _draw(self, repeat: Repeat) -> str:
        """One of the captured counts, evenly."""
        at = self._entropy.take(2)
        counts = self.code.object(tuple(b"%d" % c for c in repeat.counts))
        return f"{counts}[(e[{at}] << 8 | e[{at + 1}]) % {len(repeat.counts)}]"


def _bind(step: Step, workload: Workload, derived: Sequence[Variable], pools: Pools) -> Take:
    """The code that takes the insert id of a step: ids first, then what is derived from them."""
    body, size = _Body(pools.offset_s), len(workload.variables)
    index = {v.name: i for i, v in enumerate(workload.variables)}

    def read(name: str) -> Term:
        if name in body.made:
            return body.read(name)
        if name not in index:
            raise unknown(name)
        variable = workload.variables[index[name]]
        raw = body.code.let(f"values[{size + index[name]}]")
        return raw_term(body.code, raw, variable.form)

    for bind in step.binds:
        variable = workload.variables[index[bind.variable]]
        body.write(variable, Term(Type.WHOLE, f"(insert_id + {bind.offset})"))
    for variable in derived:
        body.derive(variable, read)
    for name, written in body.made.items():
        body.code.do(f"values[{index[name]}] = {written.literal}")
        body.code.do(f"values[{size + index[name]}] = {written.raw}")
    return body.code.function("values, insert_id, us")
