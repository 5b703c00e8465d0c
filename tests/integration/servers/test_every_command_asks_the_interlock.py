"""No command that takes a target writes to a server that nobody marked, whoever it logs in as."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.fakes.load_accounts import load_dsn

from readiness.adapters.local_server import LocalServer
from readiness.cli.main import build_parser, main

pytestmark = pytest.mark.mysql
WORKLOAD = """\
-- @workload checkout  schema_version: 1  captures: 1  statements: 1  transactions: 1

-- @statement s001  -- @transaction 0
INSERT INTO users (v) VALUES ('x');
"""
PLAN = """\
name: checkout-peak
flows: [{name: checkout, workload: checkout.sql}]
stages: [{name: one, rate: 1/s, hold_s: 1}]
expectations: load
"""
MORE = {
    "load": ["--workload", "checkout.sql", "--rate", "1", "--duration", "1", "-o", "run"],
    "ramp": ["--plan", "peak.yaml", "-o", "run"],
    "calibrate": ["--workload", "checkout.sql", "--duration", "1"],
    "mask": [],
    "mask ": ["--not-needed", "an invented shop"],
    "mask  ": ["--plan-only"],
    "workload check": ["checkout.sql"],
    "workload salt": [],
}
READS_ONLY = {"workload build"}  # it asks the target what is there, and sends nothing else
WRITES = ("insert", "update", "delete", "replace", "load", "alter_table", "create_table",
          "create_db", "create_user", "drop_table", "truncate", "grant")  # fmt: skip


def with_a_target(parser: argparse.ArgumentParser, name: str = "") -> Iterator[str]:
    """The commands and verbs that have an option --target."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, child in action.choices.items():
                yield from with_a_target(child, f"{name} {word}".strip())
        elif "--target" in action.option_strings:
            yield name


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def unmarked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A server with data, like production in all but its name."""
    folder = tmp_path_factory.mktemp(request.param)
    with LocalServer(folder / "server", binary=binary_of(request.param)) as server:
        with closing(server.root_session("")) as admin:
            admin.query("CREATE DATABASE shop")
            admin.query("CREATE TABLE shop.users (id INT AUTO_INCREMENT PRIMARY KEY, v CHAR(9))")
            admin.query("INSERT INTO shop.users (v) VALUES ('a'), ('b')")
        yield server


def written(server: LocalServer) -> tuple[object, ...]:
    """What any write or change of accounts would alter."""
    with closing(server.root_session("shop")) as session:
        counted = dict(session.query("SHOW GLOBAL STATUS LIKE 'Com\\_%'"))
        rows = session.query("SELECT id, v FROM users ORDER BY id")
        return (*(counted.get(f"Com_{word}") for word in WRITES), *rows)


def test_no_command_with_a_target_is_forgotten_here() -> None:
    assert set(with_a_target(build_parser())) - READS_ONLY == {name.strip() for name in MORE}


@pytest.mark.parametrize("account", ["root", "load"])
@pytest.mark.parametrize("command", MORE)
def test_a_server_without_a_marker_is_refused_and_stays_as_it_was(
    unmarked: LocalServer,
    command: str,
    account: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("READINESS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "key"))
    Path("checkout.sql").write_text(WORKLOAD)
    Path("peak.yaml").write_text(PLAN)
    root = f"mysql://root@localhost/shop?socket={unmarked.running_state().socket}"
    target = root if account == "root" else load_dsn(unmarked, "shop")
    before = written(unmarked)
    assert main([*command.split(), "--target", target, *MORE[command]]) == 2
    assert written(unmarked) == before
    assert not Path("run").exists()
    said = capsys.readouterr().err
    if command == "workload salt":  # a pre-production is no clone: there a person must agree
        assert "no clone of ours" in said
        return
    assert "✕ Refused: this target may be production." in said
    assert "  marker       missing " in said
    assert f"readiness clone adopt '{target}'" in said
    assert "More: docs/runbooks/refused-target.md" in said
    assert "(exit 2)" in said
