"""The samples' slow logs meet the workload that their general logs become, statement by statement."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.captures import paylater_schema

from readiness.anonymize.seal import seal
from readiness.capture.replies import rows_by_line
from readiness.capture.sessions import read_capture
from readiness.model.workload import Workload
from readiness.workload.find.parameterize import parameterize
from readiness.workload.prove.observed import CONTROL, observed
from readiness.workload.prove.pairing import Match, match

GENERAL = ("checkout_general.log", "checkout_capture2.log", "checkout_capture3.log")


@pytest.fixture(scope="module", params=["", "salted"])
def captures(request: pytest.FixtureRequest, repository: Path) -> Path:
    return repository / "tests/samples/checkout-captures" / request.param


@pytest.fixture(scope="module")
def workload(captures: Path) -> Workload:
    read = [read_capture(captures / name) for name in GENERAL]
    return seal(parameterize(read, schema=paylater_schema(), name="checkout"), key=b"k" * 32)


@pytest.fixture(scope="module")
def matches(captures: Path, workload: Workload) -> list[Match]:
    slow = sorted(captures.glob("*.slow.log"))
    assert slow
    return [match(workload, observed(read_capture(p), rows_by_line(p))) for p in slow]


def test_the_log_of_the_first_capture_has_every_statement(
    workload: Workload, matches: list[Match]
) -> None:
    first = next(m for m in matches if m.log.name == "checkout_general.slow.log")
    beyond = {
        i
        for i, s in enumerate(workload.steps)
        if s.turn and s.turn.number > dict(first.basket)[s.turn.repeat]
    }
    assert set(first.heard) == set(range(len(workload.steps))) - beyond


def test_no_statement_of_the_flow_is_taken_for_a_new_one(matches: list[Match]) -> None:
    assert {m.extra for m in matches} == {()}


def test_kinds_agree_and_rows_are_known(workload: Workload, matches: list[Match]) -> None:
    for found in matches:
        for step, heard in found.heard.items():
            assert heard.kind == workload.steps[step].kind
            assert heard.kind in CONTROL or heard.affected is not None
