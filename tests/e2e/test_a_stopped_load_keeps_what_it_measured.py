"""SIGTERM and Ctrl-C end a load within two seconds: what was measured is kept and judged, and nothing
is left running, here or on the server."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from tests.fakes.load_commands import (
    ROWS_A_CHECKOUT,
    LoadCommands,
    end,
    is_running,
    until,
    workers_of,
    workers_start,
)

from readiness.adapters.local_server import LocalServer
from readiness.artifacts.run_folder import RunFolder
from readiness.model.verdict import VerdictWord

pytestmark = [pytest.mark.e2e, pytest.mark.mysql]

STOPPED_WITHIN_S = 2.0


@pytest.fixture(scope="module")
def commands(private_server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> LoadCommands:
    return LoadCommands(private_server, tmp_path_factory.mktemp("load"))


def load(commands: LoadCommands, folder: str, *more: object) -> list[object]:
    return [
        "load", "--target", commands.target, "--workload", "checkout.sql", "--rate", 30,
        "--duration", 30, "--statement-pause", 100, "-o", folder, *more,
    ]  # fmt: skip


def test_sigterm_keeps_and_judges_what_was_measured(commands: LoadCommands) -> None:
    before = commands.rows()
    process = commands.start(*load(commands, "stopped", "--workers", 2, "--json"))
    try:
        commands.rows_come(process, above=before)
        time.sleep(2)
        workers = workers_of(process)
        process.send_signal(signal.SIGTERM)
        told_at = time.monotonic()
        until(lambda: not any(map(is_running, workers)), "the workers end")
        took_s = time.monotonic() - told_at
        assert commands.open_transactions() == 0
        out, err = process.communicate(timeout=60)
    finally:
        end(process)
    assert len(workers) == 2
    assert took_s < STOPPED_WITHIN_S
    assert process.returncode == 5, err
    assert commands.connections() == 0
    assert "stopping the load" in err
    assert json.loads(out)["reasons"][0] == (
        "The load was stopped at load: interrupted by SIGTERM."
    )
    assert_counts_are_the_servers(commands, "stopped", commands.rows() - before)


def assert_counts_are_the_servers(commands: LoadCommands, name: str, rows: int) -> None:
    folder = RunFolder(commands.folder / name)
    (result,) = folder.read_stages()
    assert folder.read_verdict().verdict is VerdictWord.ABORTED
    assert result.aborted_by == "interrupted by SIGTERM"
    assert (folder.path / "report.html").is_file()
    assert len(result.ticks) in {2, 3, 4}
    offered = sum(tick.offered for tick in result.ticks)
    cut = offered - result.checkouts_ok
    assert result.statements["s004"].count == result.checkouts_ok > 20
    assert result.checkouts_failed == 0
    # A COMMIT whose answer nobody waited for any more may have been done.
    assert result.checkouts_ok * ROWS_A_CHECKOUT <= rows
    assert rows <= (result.checkouts_ok + cut) * ROWS_A_CHECKOUT


@pytest.mark.long  # the same way as SIGTERM, and another ten seconds
def test_a_terminal_that_is_closed_keeps_it_as_well(commands: LoadCommands, tmp_path: Path) -> None:
    before = commands.rows()
    ours, theirs = os.openpty()
    process = commands.start(*load(commands, str(tmp_path / "run")), terminal=theirs)
    os.close(theirs)
    try:
        commands.rows_come(process, above=before)
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=60) == 5
    finally:
        end(process)
    assert RunFolder(tmp_path / "run").read_verdict().verdict is VerdictWord.ABORTED
    assert (tmp_path / "run" / "report.html").is_file()


def test_a_second_ctrl_c_ends_at_once_and_leaves_no_statement(
    commands: LoadCommands, tmp_path: Path
) -> None:
    before = commands.rows()
    # Within its transaction each of them waits for a minute, as for a lock.
    slow = load(commands, str(tmp_path / "run"), "--workload", "slow.sql", "--statement-pause", 0)
    process = commands.start(*slow)
    try:
        workers_start(process)
        until(lambda: commands.statements() > 20, "statements wait")
        workers = workers_of(process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert any(map(is_running, workers))
        process.send_signal(signal.SIGINT)
        told_at = time.monotonic()
        _, err = process.communicate(timeout=10)
        took_s = time.monotonic() - told_at
    finally:
        end(process)
    assert process.returncode == 5, err
    assert "Interrupted. What this command started has been stopped." in err
    assert took_s < 1.0
    assert not any(map(is_running, workers))
    until(lambda: not commands.connections(), "the server sees them go", within_s=1)
    assert (commands.connections(), commands.open_transactions(), commands.rows()) == (0, 0, before)
