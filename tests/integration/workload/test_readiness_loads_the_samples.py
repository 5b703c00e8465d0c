"""The recorded checkouts, built and loaded by commands alone: `readiness load` ends with exit code 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fakes.paylater import SETS, captures_of, load_paylater
from tests.integration.workload.databases import Database, build, load_by_command

from readiness.adapters.local_server import LocalServer
from readiness.artifacts.run_folder import RunFolder

pytestmark = [pytest.mark.mysql, pytest.mark.long]
RATE, SECONDS = 10, 10


@pytest.fixture(scope="module")
def database(server: LocalServer) -> Database:
    made = Database(server, "paylater")
    made.make()
    with made.admin() as admin:
        load_paylater(admin)
    return made


@pytest.mark.parametrize("which", sorted(SETS))
def test_each_checkout_that_was_due_is_done(database: Database, which: str, tmp_path: Path) -> None:
    built = build(captures_of(which), database, tmp_path / "checkout.sql", users=())
    before = database.value_of("SELECT COUNT(*) FROM loans")
    code = load_by_command(database, built, tmp_path, rate=RATE, seconds=SECONDS, workers=2)
    verdict = (tmp_path / "run" / "verdict.json").read_text()
    assert code == 0, json.loads(verdict)["reasons"]
    (result,) = RunFolder(tmp_path / "run").read_stages()
    assert (result.checkouts_ok, result.checkouts_failed) == (RATE * SECONDS, 0)
    assert database.value_of("SELECT COUNT(*) FROM loans") - before == RATE * SECONDS
