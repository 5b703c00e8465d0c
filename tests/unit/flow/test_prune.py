"""Raw logs go after their days; a run stays while it is proof, or while its clone lives."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.run_folders import folder_of
from tests.fakes.runs import ready_run

from readiness.artifacts.raw_logs import RawLogs
from readiness.errors import ArtifactError
from readiness.flow.prune import DAY_S, Kept, Pruned, Thing, prune

NOW = 1_800_000_000.0


@pytest.fixture
def logs(tmp_path: Path) -> RawLogs:
    return RawLogs(tmp_path / "state", tmp_path / "state/captures")


def aged(path: Path, days: float, text: str = "a log") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    when = NOW - days * DAY_S
    os.utime(path, (when, when))
    return path


def pruned(
    logs: RawLogs,
    tmp_path: Path,
    *,
    held: tuple[str, ...] = (),
    run_days: float | None = None,
    is_dry_run: bool = False,
) -> Pruned:
    kept = Kept(logs, tmp_path / "runs", held, 14.0, run_days)
    return prune(kept, now_s=NOW, is_dry_run=is_dry_run)


def names(things: tuple[Thing, ...]) -> list[str]:
    return [thing.path.name for thing in things]


def test_a_raw_log_goes_at_its_age_and_not_before(logs: RawLogs, tmp_path: Path) -> None:
    old = aged(tmp_path / "state/captures/shop/old.log", 14)
    young = aged(tmp_path / "state/captures/young.log", 13.9)
    demo = aged(tmp_path / "state/demo/captures/checkout-1.log", 20)
    made = pruned(logs, tmp_path)
    assert names(made.deleted) == ["old.log", "checkout-1.log"]
    assert (old.exists(), young.exists(), demo.exists()) == (False, True, False)
    assert made.lines()[-1] == "2 deleted, 0.0 MB; 1 stay"


def test_a_dry_run_deletes_nothing(logs: RawLogs, tmp_path: Path) -> None:
    old = aged(tmp_path / "state/captures/old.log", 15)
    made = pruned(logs, tmp_path, is_dry_run=True)
    assert "would be deleted: it is 15.0 days old, 14 are allowed" in made.lines()[0]
    assert old.exists()


def test_a_log_that_was_fetched_elsewhere_goes_too(logs: RawLogs, tmp_path: Path) -> None:
    log = aged(tmp_path / "elsewhere/general.log", 15)
    logs.remember(log, "fetched")
    assert names(pruned(logs, tmp_path).deleted) == ["general.log"]
    assert not log.exists()
    assert list((tmp_path / "state/raw-logs").iterdir()) == []


def test_another_file_at_its_place_is_told_and_not_touched(logs: RawLogs, tmp_path: Path) -> None:
    log = aged(tmp_path / "elsewhere/general.log", 15)
    logs.remember(log, "fetched")
    log.unlink()
    aged(log, 15, "a thesis")
    made = pruned(logs, tmp_path)
    assert (names(made.deleted), names(made.told)) == ([], ["general.log"])
    assert log.read_text() == "a thesis"


def test_a_fetched_log_that_its_owner_removed_is_no_matter(logs: RawLogs, tmp_path: Path) -> None:
    log = aged(tmp_path / "general.log", 15)
    logs.remember(log, "fetched")
    log.unlink()
    assert pruned(logs, tmp_path).lines() == ["0 deleted, 0.0 MB; 0 stay"]


def test_a_link_is_told_and_what_it_leads_to_stays(logs: RawLogs, tmp_path: Path) -> None:
    theirs = aged(tmp_path / "theirs.log", 99)
    link = tmp_path / "state/captures/link.log"
    link.parent.mkdir(parents=True)
    link.symlink_to(theirs)
    made = pruned(logs, tmp_path)
    assert names(made.told) == ["link.log"]
    assert theirs.exists()
    assert link.is_symlink()


def test_what_cannot_be_deleted_keeps_nothing_else(
    logs: RawLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = aged(tmp_path / "state/captures/a.log", 15)
    aged(tmp_path / "state/captures/b.log", 15)
    whole = Path.unlink

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if path == stuck:
            raise PermissionError(13, "Permission denied", str(path))
        whole(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    made = pruned(logs, tmp_path)
    assert (names(made.deleted), names(made.told)) == (["b.log"], ["a.log"])
    assert "could not be deleted: Permission denied" in made.lines()[1]


def test_a_broken_note_is_said_by_name(logs: RawLogs, tmp_path: Path) -> None:
    aged(tmp_path / "state/raw-logs/0123.json", 1, "{")
    with pytest.raises(ArtifactError, match=r"0123\.json"):
        pruned(logs, tmp_path)


def write_run(tmp_path: Path, name: str, days: float, *, flow: str = "checkout") -> Path:
    """A finished run with a verdict, of some days ago."""
    run = ready_run()
    ended = NOW - days * DAY_S
    record = replace(run.record, run_id=name, flow=flow, started_at=ended - 60, ended_at=ended)
    return folder_of(replace(run, record=record), tmp_path / "runs").path


def test_runs_stay_for_ever_unless_a_setting_says_so(logs: RawLogs, tmp_path: Path) -> None:
    write_run(tmp_path, "a", 900)
    write_run(tmp_path, "b", 800)
    assert pruned(logs, tmp_path).deleted == ()
    assert names(pruned(logs, tmp_path, run_days=365).deleted) == ["a"]


def test_the_newest_proof_of_each_flow_stays_however_old(logs: RawLogs, tmp_path: Path) -> None:
    write_run(tmp_path, "a", 500)
    write_run(tmp_path, "b", 400)
    write_run(tmp_path, "c", 600, flow="refund")
    unjudged = write_run(tmp_path, "d", 350)
    (unjudged / "verdict.json").unlink()
    made = pruned(logs, tmp_path, run_days=30)
    assert names(made.deleted) == ["a", "d"]
    assert {t.path.name: t.why for t in made.kept} == {
        "b": "is the newest proof of the flow checkout",
        "c": "is the newest proof of the flow refund",
    }


def test_a_run_whose_clone_lives_stays(logs: RawLogs, tmp_path: Path) -> None:
    held = write_run(tmp_path, "a", 500)
    write_run(tmp_path, "b", 400)
    made = pruned(logs, tmp_path, run_days=30, held=("a",))
    assert made.deleted == ()
    assert held.exists()


def test_a_folder_that_is_no_run_is_not_touched(logs: RawLogs, tmp_path: Path) -> None:
    thesis = aged(tmp_path / "runs/thesis/chapter1.txt", 999)
    broken = aged(tmp_path / "runs/broken/run.json", 999, "{")
    made = pruned(logs, tmp_path, run_days=1)
    assert names(made.told) == ["broken"]
    assert thesis.exists()
    assert broken.exists()
