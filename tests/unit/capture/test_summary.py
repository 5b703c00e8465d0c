"""A summary says what a capture holds, and nothing of what stands in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from readiness.capture.logs import open_log
from readiness.capture.summary import summarize_source


@pytest.mark.parametrize("name", ["mysql97-general.log", "mariadb1011-general.log"])
def test_a_summary_shows_no_value(name: str, data: Path) -> None:
    shown = json.dumps(summarize_source(open_log(data / name)).to_json())
    for value in ("Quill", "example.test", "4111", "078-05", "SKU-", "Plain-Pw", "Rue de"):
        assert value not in shown


def test_its_counts_agree_with_each_other(data: Path) -> None:
    summary = summarize_source(open_log(data / "mariadb1011-general.log"))
    assert sum(summary.commands.values()) == summary.events == 88
    assert sum(summary.outcomes.values()) == summary.transactions
    assert sum(summary.kinds.values()) == summary.statements
    assert (summary.began_at, summary.ended_at) == ("2026-11-30T11:14:12", "2026-11-30T11:14:14")


def test_commands_and_users_are_those_of_the_whole_log(data: Path) -> None:
    whole = summarize_source(open_log(data / "mysql97-general.log"))
    part = summarize_source(open_log(data / "mysql97-general.log"), users={"batch"})
    assert (part.commands, part.users) == (whole.commands, whole.users)
    assert part.statements == whole.users["batch"] < whole.statements


def test_the_largest_counts_come_first(data: Path) -> None:
    counts = list(summarize_source(open_log(data / "mysql97-general.log")).commands.values())
    assert counts == sorted(counts, reverse=True)
