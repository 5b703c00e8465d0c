"""The keys of a plan's flows, and which of them do not fit together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag

from readiness.config.mistakes import Form, name_of
from readiness.config.rates import Rate
from readiness.config.yaml_file import Location, YamlFile
from readiness.errors import Mistake

MOST_FLOWS = 8

Name = Annotated[str, AfterValidator(name_of(r"[a-z0-9]+(-[a-z0-9]+)*", "a-z, 0-9 and -"))]
Positive = Annotated[float, Field(gt=0)]
Workers = Annotated[int, Field(ge=1, le=64)]


class CapacityShareForm(Form):
    """`normal_rate_per_s` as a share of a capacity that is measured first."""

    WHAT: ClassVar[str] = "a measured normal rate"
    capacity_share: Annotated[float, Field(gt=0, le=4)]
    calibrate_s: Annotated[float, Field(ge=3, le=600)] = 10.0


def _kind_of_rate(value: Any) -> str:
    return "<share>" if isinstance(value, dict | CapacityShareForm) else "<number>"


WrittenNormalRate = Annotated[
    Annotated[Positive, Tag("<number>")] | Annotated[CapacityShareForm, Tag("<share>")],
    Discriminator(_kind_of_rate),
]


class FlowForm(Form):
    """One flow: its workload file (relative to the plan), and its rate on a normal day. The first is
    staged and judged; the others run beside it, and say by which rate, where, from how many workers."""

    WHAT: ClassVar[str] = "a flow"
    name: Name
    workload: str | None = None
    normal_rate_per_s: WrittenNormalRate | None = None
    scale: Literal["staged", "fixed"] | None = None
    endpoint: Literal["writer", "reader"] = "writer"
    workers: Workers | None = None


def flow_mistakes(
    file: YamlFile, flows: Sequence[FlowForm], rates: Sequence[Rate]
) -> list[Mistake]:
    """What does not fit together in the flows of a plan whose stages have these rates."""
    told = [*_surplus(flows), *_same_names(flows), *_of_first(flows[0])]
    for i, flow in enumerate(flows[1:], start=1):
        told += _of_companion(i, flow)
    if flows[0].normal_rate_per_s is None and any(f.scale == "staged" for f in flows[1:]):
        told += _without_multiple(flows[0].name, rates)
    return [file.at_value(at, text) for at, text in told]


_Told = Iterator[tuple[Location, str]]


def _surplus(flows: Sequence[FlowForm]) -> _Told:
    if len(flows) > MOST_FLOWS:
        yield ("flows", MOST_FLOWS), f"a plan has at most {MOST_FLOWS} flows"


def _same_names(flows: Sequence[FlowForm]) -> _Told:
    names = [flow.name for flow in flows]
    for i, name in enumerate(names):
        if name in names[:i]:
            yield ("flows", i, "name"), f"another flow is called {name}"


def _of_first(flow: FlowForm) -> _Told:
    if flow.scale == "fixed":
        yield ("flows", 0, "scale"), "the first flow is the one that is staged and judged"
    if flow.endpoint == "reader":
        told = "the first flow is judged by the writer's figures: only further ones use the reader"
        yield ("flows", 0, "endpoint"), told
    if flow.workers is not None:
        told = "the first flow has the workers of the plan: write workers beside stages"
        yield ("flows", 0, "workers"), told


def _of_companion(i: int, flow: FlowForm) -> _Told:
    if flow.scale is None:
        told = "say scale: fixed (its normal rate in every stage) or staged (times the stage's multiple)"
        yield ("flows", i), told
    if flow.normal_rate_per_s is None:
        yield ("flows", i), "normal_rate_per_s is missing: what it does a second on a normal day"
    if isinstance(flow.normal_rate_per_s, CapacityShareForm):
        told = "only the first flow's normal rate is measured: write a number"
        yield ("flows", i, "normal_rate_per_s"), told


def _without_multiple(first: str, rates: Sequence[Rate]) -> _Told:
    for i, rate in enumerate(rates):
        if not rate.is_relative:
            told = f"a staged flow needs its multiple: give the flow {first} a normal_rate_per_s"
            yield ("stages", i, "rate"), told
