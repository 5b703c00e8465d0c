"""Checkout at 2x and 4x while repayment stays 1x: the server counts what the engine counted."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.fakes.load_accounts import PASSWORD, load_dsn
from tests.fakes.watching import Notes
from tests.integration.load.test_workers_end_with_their_coordinator import is_alive, wait_until

from readiness import interlock
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary
from readiness.analysis.checks import judge
from readiness.artifacts.rate_files import RateAsked, RateFiles
from readiness.artifacts.run_folder import RunFolder
from readiness.cli.main import main
from readiness.config.expectations import load_expectations
from readiness.config.plan import load_plan
from readiness.config.settings import Settings, read_settings
from readiness.errors import ConfigError, LoadRefused, TargetRefused, WorkerLost
from readiness.flow.judge import JudgeRules, judge_run
from readiness.model.load import StageResult, Tick
from readiness.model.metrics import Sample
from readiness.model.workload import StatementKind, Step, Workload
from readiness.wiring.ramps import (
    RampRequest,
    kept_request,
    open_run,
    run_one_stage,
    run_shard,
    run_stages,
)
from readiness.wiring.targets import target_of
from readiness.workload.text.file import render

pytestmark = pytest.mark.mysql

PLAN = """\
name: season
flows:
  - {name: checkout, normal_rate_per_s: 10}
  - {name: repayment, workload: repayment.sql, normal_rate_per_s: 6, scale: fixed, workers: 2}
  - {name: look, workload: look.sql, normal_rate_per_s: 3, scale: staged, endpoint: reader}
peak: 4x
stages:
  - {name: 2x, rate: 2x, hold_s: 1}
  - {name: 4x, rate: 4x, hold_s: 1}
expectations: load
"""
FLOWS = {
    "checkout": ("BEGIN", "INSERT INTO orders (item) VALUES (7)", "COMMIT"),
    "repayment": ("BEGIN", "INSERT INTO payments (cents) VALUES (500)", "COMMIT"),
    "look": ("SELECT COUNT(*) FROM items",),
}
KINDS = {"BEGIN": StatementKind.BEGIN, "COMMIT": StatementKind.COMMIT}


@dataclass(frozen=True)
class Place:
    """An adopted server, its two endpoints, and a folder with plan and workloads."""

    server: LocalServer
    folder: Path
    settings: Settings

    def request(self, name: str, plan: str = PLAN, *, with_reader: bool = True) -> RampRequest:
        (self.folder / "season.yaml").write_text(plan)
        clones = LocalClones(self.settings.state)
        return RampRequest(
            plan=load_plan(self.folder / "season.yaml"),
            target=target_of(load_dsn(self.server, "shop"), clones),
            workload=self.folder / "checkout.sql",
            folder=RunFolder(self.folder / name),
            reader=target_of(self.socket_dsn(), clones) if with_reader else None,
        )

    def socket_dsn(self) -> str:
        """The same server by another endpoint."""
        file = self.server.directory / "load-account.password"
        socket = self.server.running_state().socket
        return f"mysql://{interlock.LOAD_USER}@localhost/shop?socket={socket}&password_file={file}"

    def rows(self) -> dict[str, int]:
        with closing(self.server.root_session()) as root:
            return {
                table: int(str(root.query(f"SELECT COUNT(*) FROM shop.{table}")[0][0]))
                for table in ("orders", "payments")
            }


def furnish(server: LocalServer) -> None:
    views = {"mariadb": "SLAVE MONITOR", "mysql": "REPLICATION CLIENT"}
    user = f"'{interlock.LOAD_USER}'@'localhost'"
    with closing(server.root_session()) as root:
        for sql in (
            "CREATE DATABASE shop",
            "CREATE TABLE shop.items (id INT PRIMARY KEY)",
            "CREATE TABLE shop.orders (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT)",
            "CREATE TABLE shop.payments (id BIGINT AUTO_INCREMENT PRIMARY KEY, cents INT)",
            f"CREATE USER {user} IDENTIFIED BY '{PASSWORD}'",
            f"GRANT SELECT, INSERT ON shop.* TO {user}",
            rf"GRANT SELECT ON `readiness\_marker`.* TO {user}",
            f"GRANT PROCESS, {views[server.running_state().engine]} ON *.* TO {user}",
        ):
            root.query(sql)


@pytest.fixture(scope="module")
def shop(
    private_server: LocalServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A server that a person has adopted."""
    furnish(private_server)
    dsn = f"mysql://root@localhost/shop?socket={private_server.running_state().socket}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("READINESS_STATE", str(tmp_path_factory.mktemp("state")))
        patch.delenv("READINESS_PRODUCTION", raising=False)
        assert main(["clone", "adopt", dsn, "--yes", "--masked", "invented"]) == 0
        yield private_server


@pytest.fixture
def place(shop: LocalServer, tmp_path: Path) -> Place:
    for name, statements in FLOWS.items():
        steps = tuple(
            Step(
                f"s{k:03}",
                1,
                1 if len(statements) > 1 else 0,
                KINDS.get(sql, StatementKind[sql.split()[0]]),
                0.0,
                (sql.encode(),),
            )
            for k, sql in enumerate(statements, start=1)
        )
        (tmp_path / f"{name}.sql").write_bytes(render(Workload(name, 2, (), (), steps)))
    return Place(shop, tmp_path, read_settings({"READINESS_STATE": str(tmp_path / "state")}))


def test_rows_on_the_server_are_the_counts_of_each_flow(place: Place) -> None:
    request, before = place.request("run"), place.rows()
    record = open_run(request, place.settings, progress=lambda _: None)
    run_stages(request, record, place.settings, Notes())
    results = request.folder.read_stages()
    done = [{"checkout": r, **r.companions} for r in results]
    assert [{flow: r.checkouts_ok for flow, r in stage.items()} for stage in done] == [
        {"checkout": 20, "repayment": 6, "look": 6},
        {"checkout": 40, "repayment": 6, "look": 12},
    ]
    assert not any(r.errors or r.checkouts_failed for stage in done for r in stage.values())
    added = {table: rows - before[table] for table, rows in place.rows().items()}
    assert added == {"orders": 60, "payments": 12}
    assert served(results, "repayment") == {"s001": 12, "s002": 12, "s003": 12}


def served(results: Sequence[StageResult], flow: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for result in results:
        for name, histogram in result.companions[flow].statements.items():
            found[name] = found.get(name, 0) + histogram.count
    return found


INVARIANTS = """
invariants:
  - {name: orders-written, sql: SELECT COUNT(*) FROM orders, grows_by: checkouts}
  - {name: one-of-two, sql: "SELECT COUNT(*) % 2 + 5 FROM items", equals: 5}
  - {name: lost, sql: SELECT COUNT(*) FROM items, grows_by: checkouts}
  - {name: no-table, sql: SELECT COUNT(*) FROM nowhere, equals: 0}
"""


def test_invariants_hold_the_clients_count_against_the_servers_rows(place: Place) -> None:
    request = place.request("invariants", PLAN + INVARIANTS)
    record = open_run(request, place.settings, progress=lambda _text: None)
    run_stages(request, record, place.settings, Notes())
    rules = JudgeRules(
        load_expectations(request.plan.expectations),
        request.plan.validity,
        14,
        request.plan.invariants,
    )
    judge_run(request.folder, rules, judge)
    found = {c.expectation: (c.outcome.value, c.why) for c in request.folder.read_checks()}
    assert found["orders-written"] == ("passed", "60 of 60")
    assert found["one-of-two"] == ("passed", "5 of 5")
    assert found["lost"] == ("failed", "0 of 60")
    assert found["no-table"] == ("missing", "the target answered with error 1146")


def test_the_run_keeps_the_workload_of_each_flow(place: Place) -> None:
    request = place.request("run")
    record = open_run(request, place.settings, progress=lambda _: None)
    for name in ("repayment", "look"):
        kept = request.folder.workload_path(name).read_bytes()
        assert kept == (place.folder / f"{name}.sql").read_bytes()
        assert f"workload {name}" in record.hashes


def test_a_flow_for_a_reader_is_refused_where_there_is_none(place: Place) -> None:
    request = place.request("run", with_reader=False)
    with pytest.raises(
        ConfigError, match=r"The flow look of .* goes to a reader endpoint"
    ) as caught:
        open_run(request, place.settings, progress=lambda _: None)
    assert "--reader DSN" in caught.value.hint
    assert not request.folder.path.exists()


def test_a_reader_that_nobody_marked_is_refused_before_any_load(
    place: Place, server_binary: ServerBinary
) -> None:
    with LocalServer(place.folder / "other", binary=server_binary) as other:
        furnish(other)
        request, before = place.request("run"), place.rows()
        unmarked = target_of(load_dsn(other, "shop"), LocalClones(place.settings.state))
        with pytest.raises(TargetRefused) as refused:
            open_run(replace(request, reader=unmarked), place.settings, progress=lambda _: None)
        assert str(other.running_state().port) in refused.value.where
    assert place.rows() == before
    assert not request.folder.path.exists()


def test_a_reader_without_room_is_refused_before_any_load(place: Place) -> None:
    request, before = place.request("run"), place.rows()
    reader = f"ALTER USER '{interlock.LOAD_USER}'@'localhost' WITH MAX_USER_CONNECTIONS"
    with closing(place.server.root_session()) as root:
        root.query(f"{reader} 7")
    try:
        with pytest.raises(LoadRefused, match=r"may have 7 connections .* the load needs 3"):
            open_run(request, place.settings, progress=lambda _: None)
    finally:
        with closing(place.server.root_session()) as root:
            root.query(f"{reader} 0")
    assert place.rows() == before
    assert not request.folder.path.exists()


@pytest.mark.long
def test_companions_run_beside_the_coordinator_where_a_plan_has_shards(place: Place) -> None:
    several = PLAN.replace("endpoint: reader", "endpoint: writer") + "shards: 2\n"
    asked, before = place.request("run", several), place.rows()
    open_run(asked, place.settings, progress=lambda _: None)
    request = kept_request(asked.plan, asked.target, asked.folder)
    shard = threading.Thread(target=run_shard, args=(request, "4x", 1, place.settings))
    shard.start()
    result = run_one_stage(request, "4x", place.settings, Notes())
    shard.join(10)
    assert not shard.is_alive()
    done = {"checkout": result, **result.companions}
    assert {name: r.checkouts_ok for name, r in done.items()} == {
        "checkout": 40,
        "repayment": 6,
        "look": 12,
    }
    added = {table: rows - before[table] for table, rows in place.rows().items()}
    assert added == {"orders": 40, "payments": 6}


class Hand(Notes):
    """Asks for another rate in the first second, and for the end two seconds on."""

    def __init__(self, files: RateFiles) -> None:
        super().__init__()
        self._files = files

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        if tick.second in (0, 2):
            wish = 40.0 if tick.second == 0 else 0.0
            self._files.ask(RateAsked(f"{tick.second}", wish))


@pytest.mark.long
def test_a_rate_by_hand_is_followed_by_staged_flows_and_its_end_by_all(place: Place) -> None:
    tuned = PLAN.replace(
        "{name: 2x, rate: 2x, hold_s: 1}", "{name: 2x, rate: 2x, hold_s: 60, tuned: true}"
    )
    request, before = place.request("run", tuned), place.rows()
    open_run(request, place.settings, progress=lambda _: None)
    result = run_one_stage(request, "2x", place.settings, Hand(RateFiles(request.folder.path)))
    first, end = (change.from_s for change in result.rates)
    look, repayment = result.companions["look"], result.companions["repayment"]
    assert [c.rate_per_s for c in look.rates] == [12.0, 0.0]
    assert (result.checkouts_ok, look.checkouts_ok) == pytest.approx(
        (20 * first + 40 * (end - first), 6 * first + 12 * (end - first)), abs=1
    )
    assert repayment.checkouts_ok == pytest.approx(6 * end, abs=1)
    added = {table: rows - before[table] for table, rows in place.rows().items()}
    assert added == {"orders": result.checkouts_ok, "payments": repayment.checkouts_ok}
    assert request.folder.read_stages() == [result]


def children() -> set[int]:
    """The worker processes of this one."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, parent = int(stat.parent.name), int(stat.read_text().rsplit(")", 1)[1].split()[1])
            command = (stat.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if parent == os.getpid() and b"readiness.worker" in command and is_alive(pid):
            found.add(pid)
    return found


class Killer(Notes):
    """Ends the worker that writes to a log, without a word."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log
        self.killed_at = 0.0
        self.seen: set[int] = set()

    def update(self, tick: Tick, samples: Sequence[Sample] = ()) -> None:
        if self.killed_at:
            return
        self.seen = children()
        victim = next(pid for pid in self.seen if self._writes_to_log(pid))
        self.killed_at = time.monotonic()
        os.kill(victim, signal.SIGKILL)

    def _writes_to_log(self, pid: int) -> bool:
        return Path(f"/proc/{pid}/fd/2").resolve() == self._log.resolve()


@pytest.mark.long
def test_a_killed_worker_of_a_companion_stops_all_flows_and_leaves_none(place: Place) -> None:
    request = place.request("run", PLAN.replace("hold_s: 1}", "hold_s: 60}"))
    record = open_run(request, place.settings, progress=lambda _: None)
    killer = Killer(request.logs / "repayment" / "worker-1.log")
    with pytest.raises(WorkerLost, match=r"Load worker 1 of repayment .*signal 9"):
        run_stages(request, record, place.settings, killer)
    assert len(killer.seen) == 4
    assert wait_until(lambda: not children(), 0.1)
    assert time.monotonic() - killer.killed_at < 2
    before = place.rows()
    time.sleep(0.3)
    assert place.rows() == before
