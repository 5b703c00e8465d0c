"""A golden master spares a run its masking, and production itself may stop the run: by the DAG and by
the command, on a real clone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.integration.airflow.conftest import PLANS, StartDag

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.local_server import LocalServer
from readiness.artifacts.run_folder import RunFolder
from readiness.cli.main import main
from readiness.config.masking import Masking
from readiness.config.places import find
from readiness.config.settings import read_settings
from readiness.model.clone import Snapshot
from readiness.model.verdict import EXIT_CODES, VerdictWord
from readiness.wiring.masking import MaskRequest, mask_target
from readiness.wiring.targets import clone_dsn, target_of

pytestmark = [pytest.mark.airflow, pytest.mark.mysql, pytest.mark.long]
GOLDEN = "demo-golden"
PLAN = """\
name: {name}
flows:
  - {{name: checkout, normal_rate_per_s: 10}}
peak: 1x
stages:
  - {{name: 1x, rate: 1x, hold_s: 8, warmup_s: 1}}
expectations: {expectations}
scope: demonstration
clone: {{snapshot: {snapshot}, lease_h: 1}}
production_watch:
  dsn: mysql://watch@127.0.0.1:{port}/?password_env=WATCH_PASSWORD
  abort: [{{metric: threads_running, op: "{op}", limit: {limit}, for_s: 2}}]
"""


@pytest.fixture(scope="module")
def golden(state: Path) -> Iterator[tuple[LocalClones, Snapshot]]:
    """Restored, masked by the policy, and frozen."""
    clones, settings = LocalClones(state), read_settings({"READINESS_STATE": str(state)})
    made = clones.restore(
        clones.snapshots.named("demo-production"), run_id="gold", variant="a", lease_s=3600
    )
    request = MaskRequest(
        target_of(clones.admin_dsn(made), clones), Masking(find("default", kind="policies"))
    )
    mask_target(request, clones, settings, progress=lambda _text: None)
    snapshot = clones.freeze(made.name, GOLDEN)
    clones.destroy(made.name)
    yield clones, snapshot
    clones.snapshots.delete(GOLDEN)


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A production that may be watched."""
    with LocalServer(tmp_path_factory.mktemp("orders")) as server:
        with closing(server.root_session()) as admin:
            admin.query("CREATE DATABASE shop")
            admin.query("CREATE USER watch@'127.0.0.1' IDENTIFIED BY 'w'")
            for schema in ("performance_schema", "shop", r"`readiness\_marker`"):
                admin.query(f"GRANT SELECT ON {schema}.* TO watch@'127.0.0.1'")
        yield server


def plan_of(folder: Path, orders: LocalServer, name: str, rule: tuple[str, int]) -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(
        PLAN.format(
            name=name,
            op=rule[0],
            limit=rule[1],
            port=orders.running_state().port,
            snapshot=GOLDEN,
            expectations=PLANS.parent / "expectations" / "impossible.yaml",
        )
    )
    return file


def shown(folder: RunFolder) -> str:
    return (folder.path / "report.html").read_text("utf-8")


def test_a_dag_on_a_golden_master_masks_nothing_says_so_and_watches_production(
    golden: tuple[LocalClones, Snapshot], orders: LocalServer, start_dag: StartDag, tmp_path: Path
) -> None:
    _, snapshot = golden
    assert snapshot.masked.startswith("policy default ")
    plan = plan_of(tmp_path, orders, "calm", (">", 1000))
    run = start_dag(str(plan.with_suffix("")), WATCH_PASSWORD="w")
    state, tasks = run.end()
    assert state == "success", run.log.read_text("utf-8")[-3000:]
    assert tasks["mask"] == "success"
    (masked,) = [e for e in run.folder.read_events() if e["event"] == "clone_masked"]
    assert (masked["title"], masked["columns"], masked["checks"]) == (snapshot.masked, 0, 0)
    assert f"nothing to do: {snapshot.masked}" in run.log.read_text("utf-8")
    assert "room for 80 checkouts" in run.log.read_text("utf-8")
    target = run.folder.read_run().target
    assert (target["snapshot"], target["masked"]) == (GOLDEN, snapshot.masked)
    assert "Production meanwhile" in shown(run.folder)
    assert run.left == []


def test_a_command_stops_its_load_when_production_says_so_and_never_loads_what_it_watches(
    golden: tuple[LocalClones, Snapshot],
    orders: LocalServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clones, snapshot = golden
    monkeypatch.setenv("READINESS_STATE", str(clones.root))
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.setenv("WATCH_PASSWORD", "w")
    plan = plan_of(tmp_path, orders, "busy", ("<=", 0))  # a production at rest breaks it
    workload = clones.root / "workloads" / "checkout.sql"
    clone = clones.restore(snapshot, run_id="watched", variant="a", lease_s=3600)
    common = ["ramp", "--plan", str(plan), "--workload", str(workload)]
    try:
        watched = (
            f"mysql://watch@{orders.running_state().endpoint}/shop?password_env=WATCH_PASSWORD"
        )
        assert main([*common, "--target", watched, "-o", str(tmp_path / "no")]) == 2
        said = capsys.readouterr().err
        assert (
            "Refused: this target may be production. No statement was sent to it as load." in said
        )
        assert not (tmp_path / "no" / "run.json").exists()

        dsn = clone_dsn(clones, clone)
        code = main([*common, "--target", dsn, "-o", str(tmp_path / "run")])
    finally:
        clones.destroy(clone.name)
    verdict = RunFolder(tmp_path / "run").read_verdict()
    if verdict.verdict is VerdictWord.INVALID:  # other work on a shared machine
        assert {r.culprit for r in verdict.validity if not r.holds} == {"host"}
    else:
        assert code == EXIT_CODES[VerdictWord.ABORTED], capsys.readouterr().err
    (stage,) = RunFolder(tmp_path / "run").read_stages()
    assert stage.notes == ()  # production is not asked twice, however busy this host was
    assert stage.aborted_by.startswith("native.production.threads_running <= 0 for 2 s")
    assert "Production meanwhile" in shown(RunFolder(tmp_path / "run"))
