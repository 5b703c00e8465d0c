"""A real production under its own load: what it says of itself stops the load on its clone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.fakes.watching import HostSampler, Notes
from tests.fakes.workers import ScriptedWorker, report, second

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import open_session
from readiness.adapters.production_status import ProductionStatus
from readiness.adapters.server_command import ServerOptions
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import MetricsError
from readiness.flow.production import Look, ProductionWatch
from readiness.flow.ramp import StagePorts, StageRules, run_believable_stage
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.model.metrics import of_production
from readiness.model.verdict import AbortRule, ValidityLimits

pytestmark = pytest.mark.mysql
BUSY = AbortRule("threads_running", ">", 3, 1)
CALM = AbortRule("threads_running", ">", 1000, 1)
EVERY_S = 0.2


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def orders(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    folder = tmp_path_factory.mktemp(request.param)
    with LocalServer(folder / "server", binary=binary_of(request.param)) as server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE DATABASE shop")
            admin.query("CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, v CHAR(36))")
            admin.query("CREATE USER watch@'127.0.0.1' IDENTIFIED BY 'p'")
            admin.query("GRANT SELECT ON performance_schema.* TO watch@'127.0.0.1'")
        yield server


def status_of(server: LocalServer) -> ProductionStatus:
    port = server.running_state().port
    return ProductionStatus(
        open_session(
            host="127.0.0.1", port=port, user="watch", password="p",
            connect_timeout_s=1, read_timeout_s=1,
        )
    )  # fmt: skip


def watch_on(server: LocalServer, *rules: AbortRule, silence_s: float = 30) -> ProductionWatch:
    return ProductionWatch(lambda: status_of(server), rules, silence_s=silence_s, every_s=EVERY_S)


@contextmanager
def sleepers(server: LocalServer, count: int, seconds: float) -> Iterator[None]:
    """So many sessions that run a statement for so long."""

    def sleep() -> None:
        with closing(server.root_session()) as session:
            session.query(f"SELECT SLEEP({seconds})")

    threads = [threading.Thread(target=sleep) for _ in range(count)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()


def looked(watch: ProductionWatch, within_s: float) -> Look:
    """All that was seen until the load had to stop, or the time is over."""
    seen, deadline = Look(), time.monotonic() + within_s
    while not seen.stop and time.monotonic() < deadline:
        time.sleep(EVERY_S)
        look = watch.look()
        seen.samples += look.samples
        seen.troubles += look.troubles
        seen.stop = look.stop
    return seen


def test_a_busy_production_stops_the_load_and_says_that_it_was_its_own_metric(
    orders: LocalServer,
) -> None:
    watch = watch_on(orders, BUSY)
    watch.begin("5x")
    with sleepers(orders, 6, 2.5):
        seen = looked(watch, 5)
    watch.end()
    assert seen.stop.startswith("native.production.threads_running > 3 for 1 s (")
    assert {s.source for s in seen.samples} == {"production"}
    assert {s.stage for s in seen.samples} == {"5x"}


def test_a_calm_production_lets_the_load_go_on_and_is_recorded(orders: LocalServer) -> None:
    watch = watch_on(orders, BUSY)
    watch.begin("5x")
    with closing(orders.root_session()) as session:
        for _ in range(30):
            session.query("BEGIN")
            session.query("INSERT INTO shop.t (v) VALUES (UUID())")
            session.query("COMMIT")
            time.sleep(0.02)
    seen = looked(watch, 1)
    watch.end()
    assert (seen.stop, seen.troubles) == ("", [])
    metrics = {s.metric for s in seen.samples}
    assert {of_production(m) for m in ("threads_running", "connections", "aas")} <= metrics
    assert of_production("commit_server_mean_ms") in metrics


def test_the_watch_writes_nothing_and_switches_nothing_on(orders: LocalServer) -> None:
    with closing(status_of(orders)) as source, closing(orders.root_session()) as admin:
        asked = (
            "SHOW GLOBAL STATUS WHERE variable_name IN ('Com_set_option','Com_insert','Com_update')"
        )
        before = dict(admin.query(asked))
        source.read()
        source.read()
        assert dict(admin.query(asked)) == before


def test_a_reading_is_quick(orders: LocalServer) -> None:
    with closing(status_of(orders)) as source:
        source.read()
        began = time.monotonic()
        for _ in range(10):
            source.read()
        assert (time.monotonic() - began) / 10 < 0.05


def test_without_its_performance_schema_production_cannot_tell_its_commit_time(
    tmp_path: Path,
) -> None:
    options = ServerOptions(performance_schema=False)
    with LocalServer(tmp_path / "s", binary=binary_of("mariadb"), options=options) as server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE USER watch@'127.0.0.1' IDENTIFIED BY 'p'")
        with pytest.raises(MetricsError, match="cannot tell commit_server_mean_ms"):
            watch_on(server, AbortRule("commit_server_mean_ms", ">", 20, 5)).begin("5x")
        watch_on(server, CALM).begin("5x")


@pytest.mark.long
def test_production_that_falls_silent_is_noted_and_stops_the_load(tmp_path: Path) -> None:
    """One that comes back in time is asked anew."""
    server = LocalServer(tmp_path / "s", binary=binary_of("mariadb"))
    with server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE USER watch@'127.0.0.1' IDENTIFIED BY 'p'")
            admin.query("GRANT SELECT ON performance_schema.* TO watch@'127.0.0.1'")
        watch = watch_on(server, CALM, silence_s=6)
        watch.begin("5x")
        assert looked(watch, 1).stop == ""
        with closing(server.root_session()) as admin:
            rows = admin.query("SELECT id FROM information_schema.processlist WHERE user = 'watch'")
            for (number,) in rows:
                admin.query(f"KILL {number}")
        cut = looked(watch, 2)
        assert cut.troubles
        assert cut.stop == ""
        assert cut.samples
        server.stop()
        seen = looked(watch, 15)
        watch.end()
    assert seen.stop.startswith("production gave no metrics for")
    assert seen.troubles


def test_nobody_there_is_told_before_any_load() -> None:
    def nobody() -> ProductionStatus:
        raise MetricsError("Production cannot be watched: Nobody answers at 127.0.0.1:1.")

    with pytest.raises(MetricsError, match="Nobody answers"):
        ProductionWatch(nobody, [CALM], silence_s=3).begin("5x")


def stage_under(watch: ProductionWatch, folder: Path, seconds: int) -> StageResult:
    """A stage whose worker says each second on paper; only production is real."""

    def slow_worker(_index: int) -> ScriptedWorker:
        lines = [
            {"ready": 1},
            *(second(s, offered=5, finished=5) for s in range(seconds)),
            report(ok=3),
        ]
        return ScriptedWorker(lines, pause_s=0.3)

    ports = StagePorts(
        lambda *_: slow_worker, HostSampler(0.01), lambda: None, Notes(), production=watch
    )
    stage = Stage("5x", rate_per_s=5, hold_s=seconds)
    rules = StageRules((), ValidityLimits())
    return run_believable_stage(stage, LoadOptions(), ports, rules, RunFolder(folder))


def test_a_stage_is_stopped_by_production_and_keeps_what_it_said(
    orders: LocalServer, tmp_path: Path
) -> None:
    with sleepers(orders, 6, 4):
        result = stage_under(watch_on(orders, BUSY), tmp_path, 8)
    assert result.aborted_by.startswith("native.production.threads_running > 3 for 1 s")
    kept = RunFolder(tmp_path).read_samples()
    assert {s.source for s in kept} == {"host", "production"}


def test_a_stage_that_production_bears_runs_to_its_end(orders: LocalServer, tmp_path: Path) -> None:
    assert stage_under(watch_on(orders, CALM), tmp_path, 3).aborted_by == ""
