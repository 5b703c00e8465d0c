"""A replay is compared with the capture's slow log, and what differs is named without a value."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.fakes.basket_flow import BasketFlow, answer, basket_workload, slow_log
from tests.fakes.checkouts import ScriptedSession, duplicate_key

from readiness.errors import WorkloadError
from readiness.model.workload import Workload
from readiness.ports import Reply
from readiness.workload.prove.check import CheckReport, Replay
from readiness.workload.prove.comparing import compare
from readiness.workload.prove.fidelity import Fidelity
from readiness.workload.prove.observed import CONTROL, Observed, observed
from readiness.workload.prove.pairing import match

Answer = Callable[[bytes], Reply]


def logs_of(*items: int, **given: object) -> list[Observed]:
    return [observed(*slow_log(n, **given)) for n in items]  # type: ignore[arg-type]


def checked(
    logs: list[Observed],
    *,
    baskets: tuple[int, ...] = (2,),
    says: Answer = answer,
    workload: Workload | None = None,
) -> CheckReport:
    known = workload or basket_workload()
    replay = Replay(BasketFlow(known, baskets), lambda: ScriptedSession(says), known)
    report = replay.run(checkouts=len(baskets))
    fidelity = compare(known, [match(known, log) for log in logs], replay.runs)
    return replace(report, fidelity=fidelity)


def fidelity_of(report: CheckReport) -> Fidelity:
    assert report.fidelity is not None
    return report.fidelity


def test_a_replay_of_the_captured_basket_is_equal() -> None:
    report = checked(logs_of(2))
    assert report.is_clean
    assert (fidelity_of(report).equal, fidelity_of(report).compared) == (5, 5)


def test_each_basket_is_compared_with_the_log_that_had_it() -> None:
    fidelity = fidelity_of(checked(logs_of(1, 2, 3), baskets=(1, 2, 3)))
    assert (fidelity.equal, fidelity.compared, fidelity.other_baskets) == (15, 15, 0)


def test_lines_of_another_basket_are_no_excuse() -> None:
    """The INSERT of two lines wrote two rows in the capture: one is a difference, though a log with
    one item exists."""

    def loses_a_line(sql: bytes) -> Reply:
        reply = answer(sql)
        return replace(reply, affected_rows=1) if reply.affected_rows == 2 else reply

    (difference,) = fidelity_of(checked(logs_of(1, 2), says=loses_a_line)).differences
    assert (difference.statement_id, difference.captured, difference.replayed) == (
        "s006",
        (2,),
        (1,),
    )


def test_a_basket_that_no_log_has_is_not_compared_and_said() -> None:
    report = checked(logs_of(1), baskets=(1, 3))
    assert fidelity_of(report).other_baskets == 1
    assert "1 checkouts with a basket that no slow log has" in report.to_text()


def test_where_nothing_can_be_compared_the_check_fails() -> None:
    report = checked(logs_of(1), baskets=(3,))
    assert report.failures() == ["no statement could be compared with a slow log"]


def test_rows_of_a_few_shared_statements_prove_nothing_of_the_flow() -> None:
    """A log of other work that reads the same settings would else show 100 %."""
    workload = basket_workload()
    others = [
        step if step.turn or step.kind in CONTROL else replace(step, shape="0" * 8)
        for step in workload.steps
    ]
    report = checked(logs_of(2), workload=replace(workload, steps=tuple(others)))
    assert fidelity_of(report).ratio == 1.0
    assert report.failures() == [
        "the slow logs have only 2 of 5 statements of this flow: give whole ones"
    ]


def misses_products(sql: bytes) -> Reply:
    return replace(answer(sql), rows=0) if b"FROM products" in sql else answer(sql)


def test_a_look_up_that_finds_nothing_names_the_sampled_row() -> None:
    report = checked(logs_of(2), says=misses_products)
    first, _ = fidelity_of(report).differences
    assert (first.statement_id, first.captured, first.replayed) == ("s002", (1,), (0,))
    assert (
        first.look_at == "existing: the sampled row is not the one looked up; look at @product_id_1"
    )


def test_fidelity_below_the_limit_fails_and_a_lower_limit_passes() -> None:
    report = checked(logs_of(2), says=misses_products)
    assert report.failures() == ["fidelity 60.0% is below 97.0%"]
    assert replace(report, least_fidelity=0.6).is_clean


def test_several_logs_allow_each_of_their_values() -> None:
    logs = [*logs_of(2), *logs_of(2, changes={"read": (9, 0)})]
    says_nine = checked(logs, says=lambda q: Reply(rows=9) if b"FROM lines" in q else answer(q))
    assert fidelity_of(says_nine).differences == ()


def test_writes_are_not_compared_where_the_log_has_no_rows_affected() -> None:
    log = logs_of(2, changes={"order": (0, None), "lines": (0, None)})
    report = checked(log)
    assert fidelity_of(report).silent == ("s005", "s006")
    assert fidelity_of(report).compared == 3
    assert "not compared: 2 writes, whose rows the slow log does not say" in report.to_text()


def test_what_the_traffic_lost_and_gained_is_told_and_only_strict_fails() -> None:
    workload = basket_workload()
    gone = replace(workload.steps[-1], shape="00000000")
    older = replace(workload, steps=(*workload.steps[:-1], gone))
    report = checked(logs_of(2, extra=b"UPDATE shops SET orders = 1"), workload=older)
    fidelity = fidelity_of(report)
    assert (fidelity.unheard, len(fidelity.added)) == (("s008",), 1)
    assert report.is_clean
    assert not replace(report, is_strict=True).is_clean


def test_a_larger_basket_than_any_captured_is_no_new_statement() -> None:
    """Nor is it compared: no checkout of the workload has it."""
    report = checked(logs_of(5), baskets=(3,))
    fidelity = fidelity_of(report)
    assert (fidelity.added, fidelity.oftener, fidelity.other_baskets) == ((), 2, 1)
    assert "2 statements come more often than in any capture" in report.to_text()


def test_a_statement_added_by_hand_is_not_missed() -> None:
    workload = basket_workload()
    added = replace(workload.steps[-1], statement_id="s009", shape="", pieces=(b"SELECT 1",))
    report = checked(logs_of(2), workload=replace(workload, steps=(*workload.steps, added)))
    assert fidelity_of(report).unheard == ()


def test_turns_beyond_the_logs_basket_are_not_missed() -> None:
    assert fidelity_of(checked(logs_of(2))).unheard == ()


def test_transactions_are_counted_on_both_sides() -> None:
    fidelity = fidelity_of(checked(logs_of(2)))
    assert fidelity.captured == fidelity.replayed
    course = fidelity.captured[0]
    assert (course.transactions, course.statements, course.commits) == (2, 5, 1)


def test_another_course_is_shown_beside_the_captured_one() -> None:
    text = checked(logs_of(2, extra=b"DELETE FROM carts WHERE id = 5")).to_text()
    assert "! replayed 2 transactions, 2.5 statements in each" in text
    assert "! captured 2 transactions, 3.0 statements in each" in text


def test_a_failed_checkout_is_not_compared() -> None:
    report = checked(logs_of(2), says=lambda q: duplicate_key(q.replace(b"orders", b"loans")))
    assert report.failed == 1
    assert fidelity_of(report).compared == 0


def test_a_log_without_rows_is_refused_with_what_to_switch_on() -> None:
    with pytest.raises(WorkloadError, match="no slow log") as caught:
        observed(slow_log(1)[0], {})
    assert "long_query_time=0" in caught.value.hint


def test_a_log_of_another_flow_is_refused() -> None:
    log = replace(logs_of(1)[0], statements=())
    with pytest.raises(WorkloadError, match="no statement of this workload"):
        match(basket_workload(), log)


def test_a_log_too_long_for_one_run_is_refused() -> None:
    (log,) = logs_of(1)
    with pytest.raises(WorkloadError, match="more than one run") as caught:
        match(basket_workload(), replace(log, statements=log.statements * 600_000))
    assert "--like" in caught.value.hint


def test_json_holds_what_the_text_says() -> None:
    data = json.loads(json.dumps(checked(logs_of(2), says=misses_products).to_json()))
    assert data["fidelity"]["ratio"] == 0.6
    assert data["fidelity"]["differences"][0]["statement_id"] == "s002"
    assert data["failures"] == ["fidelity 60.0% is below 97.0%"]
