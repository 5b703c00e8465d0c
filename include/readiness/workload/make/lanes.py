"""Which fresh variables number their values together, so that they never meet."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from readiness.model.generator import parse_specification
from readiness.model.workload import Variable, VariableKind, Workload
from readiness.workload.make.shapes import Numbers, Shape, Texts, shape_of


def lane_key(variable: Variable) -> str:
    """Variables of one column and generator share it, and with it one permutation."""
    return f"{variable.column or variable.name} {variable.generator}"


def with_shared_lanes(workload: Workload, unique: Collection[str]) -> Workload:
    """The workload in which variables of one unique column that could make the same value take the
    widest of their generators, and so share a lane: `ORD-1299` lies within `ORD-9999`."""
    widest: dict[str, list[tuple[str, Shape]]] = {}
    chosen: dict[str, str] = {}
    fresh = [v for v in workload.variables if v.kind is VariableKind.FRESH and v.column in unique]
    shaped = [(v, s) for v in fresh if (s := _shape(v))]
    for variable, shape in sorted(shaped, key=lambda pair: -pair[1].space):
        wider = widest.setdefault(variable.column, [])
        meets = next((g for g, other in wider if _meet(shape, other)), "")
        chosen[variable.name] = meets or variable.generator
        if not meets:
            wider.append((variable.generator, shape))
    variables = [replace(v, generator=chosen.get(v.name, v.generator)) for v in workload.variables]
    return replace(workload, variables=tuple(variables))


def _shape(variable: Variable) -> Shape | None:
    try:
        return shape_of(parse_specification(variable.generator))
    except (ArithmeticError, ValueError):
        return None  # compiling it says what is wrong


def _meet(one: Shape, other: Shape) -> bool:
    """Whether some value has both shapes."""
    if isinstance(one, Numbers) and isinstance(other, Numbers):
        ends = (one.low + one.space, other.low + other.space)
        return one.scale == other.scale and max(one.low, other.low) < min(ends)
    if isinstance(one, Texts) and isinstance(other, Texts):
        pairs = list(zip(one.pattern.places, other.pattern.places, strict=False))
        same_length = len(one.pattern.places) == len(other.pattern.places)
        return same_length and all(set(a.lower()) & set(b.lower()) for a, b in pairs)
    return one == other
