"""An invariant is one SELECT that only reads, and says one thing; nothing else is begun."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.config.test_plan import LIMITS, PLAN

from readiness.config.plan import Plan, load_plan
from readiness.errors import ConfigError, ConfigMistakes
from readiness.model.invariant import Invariant
from readiness.wiring.invariants import require_reading


def plan(folder: Path, *invariants: str) -> Plan:
    lines = "\n".join(["invariants:", *(f"  - {line}" for line in invariants)])
    (folder / "weekly.yaml").write_text(f"{PLAN}{lines}\n")
    (folder / "limits.yaml").write_text(LIMITS)
    return load_plan(folder / "weekly.yaml")


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM orders", "SELECT 1; DELETE FROM orders", "SELECT 1 INTO OUTFILE '/tmp/x'",
     "SELECT id FROM orders FOR UPDATE", "SELECT id FROM orders LOCK IN SHARE MODE",
     "WITH a AS (SELECT 1) DELETE FROM orders", "CALL settle()", "SET @a = 1", "",
     "SELECT 1 /*!50000 INTO OUTFILE 'x' */", "SELECT 'open"],
)  # fmt: skip
def test_what_is_no_single_reading_select_is_refused_without_quoting_it(sql: str) -> None:
    with pytest.raises(ConfigError, match="The invariant rows is not one SELECT") as caught:
        require_reading([Invariant("rows", sql)])
    assert not sql or sql not in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    "sql",
    ["SELECT COUNT(*) FROM orders", "select count(*) from orders where note = 'for; into' ;",
     "WITH a AS (SELECT 1 AS n) SELECT COUNT(*) FROM a"],
)  # fmt: skip
def test_a_select_may_be_asked(sql: str) -> None:
    require_reading([Invariant("rows", sql)])


def test_a_plan_says_what_must_be_true(tmp_path: Path) -> None:
    made = plan(
        tmp_path,
        "{name: orders written, sql: SELECT 1, grows_by: checkouts}",
        "{name: no debt, sql: SELECT 1, equals: 0}",
        "{name: some, sql: SELECT 1, at_least: 3}",
    )
    assert [(i.name, i.equals, i.at_least, i.grows) for i in made.invariants] == [
        ("orders written", None, None, True), ("no debt", 0.0, None, False), ("some", None, 3.0, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "told"),
    [(["{name: a, sql: SELECT 1}"], "say one of"),
     (["{name: a, sql: SELECT 1, equals: 1, at_least: 1}"], "say one of"),
     (["{name: a, sql: SELECT 1, equals: 1}"] * 2, "another invariant is called a")],
)  # fmt: skip
def test_one_that_says_nothing_or_two_things_is_a_mistake(
    tmp_path: Path, lines: list[str], told: str
) -> None:
    with pytest.raises(ConfigMistakes, match=told):
        plan(tmp_path, *lines)
