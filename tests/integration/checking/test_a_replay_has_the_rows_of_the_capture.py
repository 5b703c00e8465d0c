"""Captured with both logs on, built, and checked: what is equal, what differs, what drifted."""

from __future__ import annotations

import json
import re
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.integration.checking.conftest import Readiness, Said, Shop, connect, logged, shop_once

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.artifacts.run_folder import RunFolder
from readiness.config.places import find
from readiness.config.plan import load_plan
from readiness.config.settings import read_settings
from readiness.ports import Row
from readiness.wiring.ramps import RampRequest, open_run
from readiness.wiring.targets import target_of

pytestmark = pytest.mark.mysql


@pytest.fixture
def workload(shop: Shop, readiness: Readiness, tmp_path: Path) -> Path:
    """checkout.sql of the three captures, on a server that is adopted as a clone."""
    file = tmp_path / "checkout.sql"
    captures = [word for log in shop.general for word in ("--capture", log)]
    built = readiness(
        "workload", "build", *captures, "--user", "app", "--source", shop.dsn, "-o", file
    )
    assert built.code == 0, built.err
    adopted = readiness("clone", "adopt", shop.dsn, "--yes", "--masked", "invented")
    assert adopted.code == 0, adopted.err
    return file


def check(readiness: Readiness, shop: Shop, file: Path, *more: object) -> Said:
    logs = [word for log in shop.slow for word in ("--slow-log", log)]
    words = ("--user", "app", "--target", shop.target, "--checkouts", 5, *more)
    return readiness("workload", "check", file, *logs, *words)


def test_all_rows_are_as_captured(shop: Shop, readiness: Readiness, workload: Path) -> None:
    said = check(readiness, shop, workload, "--strict", "--json")
    fidelity = said.json["fidelity"]
    assert (said.code, fidelity["ratio"], said.json["failures"]) == (0, 1.0, [])
    # MySQL's slow log does not say what a write changed
    reads, writes = 4, 5
    assert fidelity["compared"] == 5 * (reads + writes * (shop.engine == "mariadb"))
    assert len(fidelity["rows_unknown"]) == writes * (shop.engine == "mysql")
    assert fidelity["captured"] == fidelity["replayed"]
    assert said.json["drift"] == {"edited": [], "statements": [], "tables": {}}


def test_a_look_up_of_nothing_is_found_out(
    shop: Shop, readiness: Readiness, workload: Path
) -> None:
    """No error, no warning: the database is only spared the work."""
    text = workload.read_bytes()
    spoilt = re.sub(rb"WHERE token = @\w+", b"WHERE token = 'nobody'", text)
    assert spoilt != text
    workload.write_bytes(spoilt)
    said = check(readiness, shop, workload)
    assert said.code == 3
    assert "captured 1, replayed 0 rows in 5 of 5: constant: nothing varies here" in said.out
    assert "failed: fidelity" in said.out


def alter(shop: Shop, sql: str) -> None:
    """In a session that is gone when the check begins: a foreign one keeps it out."""
    with connect(shop.server) as connection, connection.cursor() as cursor:
        cursor.execute(sql)
    deadline = time.monotonic() + 5
    while len(sessions_of(shop.server)) > 1 and time.monotonic() < deadline:
        time.sleep(0.02)


def sessions_of(server: LocalServer) -> list[Row]:
    with closing(server.root_session()) as session:
        return [row for row in session.query("SHOW PROCESSLIST") if row[1] == "root"]


def test_a_changed_table_warns_and_strict_fails(
    shop: Shop, readiness: Readiness, workload: Path
) -> None:
    alter(shop, "ALTER TABLE order_lines ADD COLUMN note VARCHAR(9) NULL")
    try:
        said = check(readiness, shop, workload)
        strict = check(readiness, shop, workload, "--strict")
    finally:
        alter(shop, "ALTER TABLE order_lines DROP COLUMN note")
    assert "3 statements changed since capture: " in said.out
    assert "(table order_lines: its definition is another)" in said.out
    assert (said.code, strict.code) == (0, 3)


def test_traffic_of_a_new_release_is_told(
    shop: Shop, readiness: Readiness, workload: Path, tmp_path: Path
) -> None:
    with connect(shop.server) as connection, connection.cursor() as cursor:
        cursor.execute("DELETE FROM order_lines")
        cursor.execute("DELETE FROM orders")
    count = "UPDATE shops SET name = CONCAT(name, '!') WHERE id = 1"
    _, today = logged(shop.server, tmp_path, "today", lambda: shop_once(shop.server, 1, more=count))
    words = ("--slow-log", today, "--user", "app", "--target", shop.target)
    said = readiness("workload", "check", workload, *words)
    assert "new inside the flow: 1 statements" in said.out
    assert "CONCAT" not in said.out
    assert readiness("workload", "check", workload, *words, "--strict").code == 3


def test_a_general_log_is_no_slow_log(shop: Shop, readiness: Readiness, workload: Path) -> None:
    words = ("--slow-log", shop.general[0], "--user", "app", "--target", shop.target)
    said = readiness("workload", "check", workload, *words)
    assert said.code == 2
    assert "it is no slow log" in said.err


def test_the_schema_file_stands_for_the_source(
    shop: Shop, readiness: Readiness, workload: Path, tmp_path: Path
) -> None:
    file, again = tmp_path / "schema.json", tmp_path / "again.sql"
    written = readiness("workload", "schema", "--source", shop.dsn, "-o", file, "--json")
    assert written.json["tables"] == 4
    captures = [word for log in shop.general for word in ("--capture", log)]
    built = readiness(
        "workload", "build", *captures, "--user", "app", "--schema", file, "-o", again
    )
    assert built.code == 0, built.err
    assert workload.is_file()


def test_a_run_says_and_notes_what_changed(
    shop: Shop, readiness: Readiness, workload: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "tiny.yaml"
    expectations = find("load", kind="expectations").resolve()
    plan.write_text(
        "name: tiny\nflows: [{name: checkout}]\nstages: [{name: one, rate: 4/s, hold_s: 3}]\n"
        "in_flight_limit: 100\n"
        f"expectations: {expectations}\n"
    )
    settings = read_settings()
    target = target_of(shop.target, LocalClones(settings.state))
    request = RampRequest(load_plan(plan), target, workload, RunFolder(tmp_path / "run"))
    said: list[str] = []
    alter(shop, "ALTER TABLE products ADD COLUMN tint VARCHAR(9) NULL, ADD KEY (stock)")
    try:
        record = open_run(request, settings, progress=said.append)
    finally:
        alter(shop, "ALTER TABLE products DROP COLUMN tint, DROP KEY stock")
    told = (
        "4 statements changed since capture: s001, s002, s006, s008 (table products: its definition"
    )
    assert said == [f"{told} is another)"]
    assert record.notes == tuple(said)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["notes"] == said
