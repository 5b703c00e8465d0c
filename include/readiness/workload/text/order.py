"""Puts variables into the order in which a plain client can set them.

First the fresh ones, then the sampled ones, then each derived one as soon as all it reads is set;
those that depend on a server's id follow the statement that binds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from readiness.errors import WorkloadError
from readiness.model.workload import Variable, VariableKind, Workload
from readiness.workload.make.expression import variables_of


@dataclass(frozen=True, slots=True)
class Order:
    """When each variable is set: `before` all steps, or after the step with that index."""

    before: tuple[Variable, ...]
    after: Mapping[int, tuple[Variable, ...]]

    def flat(self) -> tuple[Variable, ...]:
        """All variables, in order."""
        return self.before + tuple(v for step in sorted(self.after) for v in self.after[step])


def order_of(workload: Workload) -> Order:
    """The order; raises WorkloadError for a variable that can never be set."""
    by_name = {v.name: v for v in workload.variables}
    if len(by_name) < len(workload.variables):
        raise WorkloadError("two variables of the workload have the same name")
    waiting = {v.name: variables_of(v.expression) for v in workload.variables if v.expression}
    known: set[str] = set()
    fresh = [v for v in workload.variables if v.kind is VariableKind.FRESH]
    sampled = [_named(by_name, name) for s in workload.samples for name in s.variables]
    before = [*fresh, *sampled]
    known.update(v.name for v in before)
    before += _ready(workload.variables, waiting, known)
    after: dict[int, tuple[Variable, ...]] = {}
    for index, step in enumerate(workload.steps):
        if step.binds:
            bound = [_named(by_name, b.variable) for b in step.binds]
            known.update(v.name for v in bound)
            after[index] = (*bound, *_ready(workload.variables, waiting, known))
    missing = sorted(set(by_name) - known)
    if missing:
        raise WorkloadError(
            f"nothing sets @{missing[0]}: its inputs are missing, go in a circle, or no sample or "
            "statement gives it",
        )
    return Order(tuple(before), after)


def ordered(workload: Workload) -> Workload:
    """The same workload with its variables in file order (a name set twice is an error)."""
    return replace(workload, variables=order_of(workload).flat())


def _named(by_name: Mapping[str, Variable], name: str) -> Variable:
    variable = by_name.get(name)
    if not variable:
        raise WorkloadError(f"a sample or a statement sets @{name}, which is no variable")
    return variable


def _ready(
    variables: Iterable[Variable], waiting: dict[str, frozenset[str]], known: set[str]
) -> list[Variable]:
    """Derived variables whose inputs are known by now; they leave `waiting` and become known."""
    made: list[Variable] = []
    found = True
    while found:
        found = False
        for variable in variables:
            if variable.name in waiting and waiting[variable.name] <= known:
                del waiting[variable.name]
                known.add(variable.name)
                made.append(variable)
                found = True
    return made
