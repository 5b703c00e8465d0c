"""Whatever a basket holds and whatever else is in the log, each statement meets its own step."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from readiness.model.transactions import Outcome
from readiness.model.workload import Repeat, StatementKind, Step, Turn, Workload
from readiness.workload.prove.observed import Heard, Observed
from readiness.workload.prove.pairing import match

bodies = st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
parts = st.lists(
    st.one_of(st.sampled_from("uvwxyz"), st.tuples(bodies, st.integers(1, 4))),
    min_size=1,
    max_size=4,
)


def steps_of(flow: list[str | tuple[list[str], int]]) -> tuple[list[Step], list[Repeat]]:
    """A part of the flow is a statement, or a body that is written out so often."""
    steps: list[Step] = []
    repeats: list[Repeat] = []
    for part in flow:
        if isinstance(part, str):
            steps.append(_step(part, len(steps), None))
            continue
        body, most = part
        repeats.append(Repeat(f"r{len(repeats)}", (1, most)))
        for turn in range(1, most + 1):
            for shape in body:
                steps.append(_step(shape, len(steps), Turn(repeats[-1].name, turn)))
    return steps, repeats


def _step(shape: str, at: int, turn: Turn | None) -> Step:
    return Step(f"s{at}", 1, 1, StatementKind.UPDATE, 0.0, (b"x",), turn=turn, shape=shape)


def _heard(shape: str, number: int = 0) -> Heard:
    return Heard(shape, StatementKind.UPDATE, 1, number, 0, 1)


@given(parts, st.data())
def test_a_log_with_fewer_turns_meets_the_first_of_them(
    flow: list[str | tuple[list[str], int]], data: st.DataObject
) -> None:
    """Parts that touch and look alike cannot be told apart, so each is set off by a landmark."""
    flow = [p for k, part in enumerate(flow) for p in (f"landmark {k}", part)]
    steps, repeats = steps_of(flow)
    drawn = {r.name: data.draw(st.integers(0, r.most)) for r in repeats}
    ran = [i for i, s in enumerate(steps) if not s.turn or s.turn.number <= drawn[s.turn.repeat]]
    log = Observed("log", tuple(_heard(steps[i].shape) for i in ran), {1: Outcome.COMMIT})
    workload = Workload("w", 2, (), (), tuple(steps), repeats=tuple(repeats))
    found = match(workload, log)
    assert sorted(found.heard) == ran
    assert dict(found.basket) == drawn
    assert found.extra == ()


@given(st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=8), st.data())
def test_foreign_statements_in_a_log_change_no_pair(shapes: list[str], data: st.DataObject) -> None:
    steps = [_step(shape, at, None) for at, shape in enumerate(shapes)]
    own = [replace(_heard(shape), literals=at) for at, shape in enumerate(shapes)]
    log: list[Heard] = []
    foreign = 0
    for heard in own:
        if data.draw(st.booleans()):
            log.append(_heard("foreign"))
            foreign += 1
        log.append(heard)
    workload = Workload("w", 2, (), (), tuple(steps))
    found = match(workload, Observed("log", tuple(log), {1: Outcome.COMMIT}))
    assert {i: h.literals for i, h in found.heard.items()} == dict(enumerate(range(len(own))))
    assert found.extra == ("foreign",) * foreign
