"""A workload is built from the runs of a flow in one mixed log as from as many clean logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.captures import paylater_schema, shop_schema

from readiness.capture.logs import open_logs
from readiness.capture.selection import Selection
from readiness.capture.summary import CaptureSummary
from readiness.errors import CaptureError
from readiness.flow.build import BuildInputs, build_workload
from readiness.flow.choosing import Choosing, keys_of, read_captures, summarize_sources

TESTS = Path(__file__).parents[2]
CLEAN = TESTS / "unit/workload/data/plain_1.log"
MIXED = TESTS / "samples/checkout-captures/interleaved.log"
LIKE = Choosing(like=(CLEAN,))


def test_each_run_in_a_mixed_log_is_a_capture() -> None:
    captures = read_captures([MIXED], LIKE)
    assert [len(capture.transactions) for capture in captures] == [29, 29, 29]
    assert [capture.source for capture in captures] == [
        f"interleaved.log (flow {number})" for number in (1, 2, 3)
    ]
    assert "3 flows in this log" in " ".join(captures[0].warnings)


def test_without_a_choice_a_log_is_one_capture_as_it_stands() -> None:
    (capture,) = read_captures([CLEAN], Choosing())
    assert len(capture.transactions) == 31
    assert capture.warnings == ()


def test_a_mixed_log_builds_the_workload_that_clean_logs_build(tmp_path: Path) -> None:
    schema = paylater_schema()
    mixed = build_workload(
        BuildInputs("checkout", (MIXED,), (), schema, LIKE),
        source=None,
        key=b"k" * 32,
        output=tmp_path / "mixed.sql",
    )
    clean = tuple(CLEAN.with_name(f"plain_{number}.log") for number in (1, 2))
    apart = build_workload(
        BuildInputs("checkout", clean, (), schema),
        source=None,
        key=b"k" * 32,
        output=tmp_path / "clean.sql",
    )
    assert mixed.workload.transactions == apart.workload.transactions == 18
    assert [s.kind for s in mixed.workload.steps] == [s.kind for s in apart.workload.steps]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "clean.filter",
        "clean.sql",
        "clean.variables.yaml",
        "mixed.filter",
        "mixed.sql",
        "mixed.variables.yaml",
    ]


def test_a_user_who_is_not_there_is_said_with_those_who_are() -> None:
    with pytest.raises(CaptureError, match="checkout_api"):
        read_captures([MIXED], LIKE, users=["nobody-of-that-name"])


def test_a_summary_counts_the_whole_log_and_the_flows_in_it() -> None:
    (summary,) = summarize_sources(open_logs([MIXED]), LIKE)
    assert isinstance(summary, CaptureSummary)
    assert summary.events == 614
    assert summary.flows is not None
    assert (summary.flows.flows, summary.flows.transactions) == (3, 87)
    left_out = sum(summary.flows.left_out.values())
    assert left_out + summary.flows.transactions == summary.transactions


def test_a_window_and_a_user_narrow_what_the_flows_are_taken_from() -> None:
    selection = Selection(threads=frozenset({54}))
    (summary,) = summarize_sources(open_logs([MIXED]), Choosing(selection), users=["checkout_api"])
    assert isinstance(summary, CaptureSummary)
    assert summary.flows is not None
    assert set(summary.flows.left_out) == {"of another session"}


def test_a_schema_says_what_keys_are() -> None:
    keys = keys_of(shop_schema())
    assert ("users", "email") in keys.keyed
    assert ("users", "name") not in keys.keyed
    assert keys.roots[("orders", "user_id")] == ("users", "id")
    assert ("orders", "id") in keys.numbered
