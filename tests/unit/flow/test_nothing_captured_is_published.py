"""A run whose workload has a filter publishes nothing in which a captured value stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import runs
from tests.fakes.clocks import HurriedClock
from tests.fakes.leaks import ENCODINGS, KEY, VALUES, held
from tests.fakes.run_folders import PNG, folder_of

from readiness.adapters.outbox import Outbox
from readiness.anonymize.filter import filter_of, read_filter
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import ConfigError, PrivacyError
from readiness.flow.announce import Desk, announce_report
from readiness.flow.publishing import Guard
from readiness.flow.report import write_report
from readiness.flow.telling import Line
from readiness.model.message import Fate
from readiness.report.view import RunView
from readiness.wiring.scans import guard_of, guarded, require_publishable

NAME = VALUES["user_name_0/1"]


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "keys" / "key"
    path.parent.mkdir()
    path.write_bytes(KEY)
    path.chmod(0o600)
    monkeypatch.setenv("READINESS_KEY_FILE", str(path))
    return path


def with_note(note: str) -> RunView:
    run = runs.ready_run()
    return replace(run, record=replace(run.record, notes=(note,)))


def a_folder(run: RunView, store: Path) -> RunFolder:
    """The folder of a judged run; its workload has a filter."""
    folder = folder_of(run, store)
    folder.filter_path.write_bytes(filter_of(held(), KEY))
    return folder


def told(folder: RunFolder) -> tuple[dict[str, Fate], str]:
    """What the channel got of the report, and all that stands in the outbox."""
    desk = Desk(Line(Outbox(), HurriedClock()), guard_of=guard_of)
    delivery = announce_report(folder, desk)
    said = "".join(p.read_text() for p in sorted((folder.path / "slack").glob("*.json")))
    assert NAME not in str(delivery)
    return {part.name: part.fate for part in delivery.parts}, said


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_report_with_a_captured_value_is_not_written(
    encoding: str, key: Path, tmp_path: Path
) -> None:
    folder = guarded(a_folder(with_note(f"seen: {ENCODINGS[encoding](NAME)}"), tmp_path))
    with pytest.raises(PrivacyError, match=r"report\.html: .*value user_name_0/1") as caught:
        write_report(folder, lambda _view: PNG)
    assert NAME not in str(caught.value)
    assert not (folder.path / "report.html").exists()


def test_a_captured_value_of_a_flow_beside_the_first_is_found_too(
    key: Path, tmp_path: Path
) -> None:
    folder = folder_of(with_note(f"seen: {NAME}"), tmp_path)
    folder.write_workload(b"-- repayment\n", filter_of(held(), KEY), flow="repayment")
    with pytest.raises(PrivacyError, match=r"report\.html: .*value user_name_0/1"):
        write_report(guarded(folder), lambda _view: PNG)
    assert NAME not in told(folder)[1]


def test_a_workload_is_searched_for_the_values_of_its_own_captures(
    key: Path, tmp_path: Path
) -> None:
    folder = folder_of(with_note("a quiet day"), tmp_path)
    constant = f"-- repayment\nSELECT '{NAME}';\n".encode()
    folder.write_workload(constant, b"", flow="repayment")
    folder.filter_path.write_bytes(filter_of(held(), KEY))
    require_publishable(folder)
    folder.write_workload(constant, filter_of(held(), KEY), flow="repayment")
    with pytest.raises(PrivacyError, match=r"workload-repayment\.sql: "):
        require_publishable(folder)


def test_a_clean_report_is_written_and_told(key: Path, tmp_path: Path) -> None:
    folder = a_folder(with_note("a quiet day"), tmp_path)
    require_publishable(folder)
    write_report(guarded(folder), lambda _view: PNG)
    fates, said = told(folder)
    assert (folder.path / "report.html").exists()
    assert Fate.REFUSED not in fates.values()
    assert said


def test_a_verdict_with_a_captured_value_is_not_written(key: Path, tmp_path: Path) -> None:
    run = runs.ready_run()
    folder = guarded(a_folder(run, tmp_path))
    before = (folder.path / "verdict.json").read_bytes()
    with pytest.raises(PrivacyError, match=r"verdict\.json"):
        folder.write_verdict(replace(run.verdict, reasons=(f"slow for {NAME}",)))
    assert (folder.path / "verdict.json").read_bytes() == before


@pytest.mark.parametrize(
    "name", ["workload.sql", "events.jsonl", "slack/01-root.json", "plan.yaml"]
)
def test_a_run_in_whose_files_a_value_stands_is_not_reported(
    name: str, key: Path, tmp_path: Path
) -> None:
    folder = a_folder(runs.ready_run(), tmp_path)
    (folder.path / name).parent.mkdir(exist_ok=True)
    (folder.path / name).write_text(f"\nx\n{ENCODINGS['base64 after 1'](NAME)}\n")
    with pytest.raises(PrivacyError, match="line 3, base64, value user_name_0/1"):
        require_publishable(folder)


def test_mail_between_tasks_is_not_published(key: Path, tmp_path: Path) -> None:
    folder = a_folder(runs.ready_run(), tmp_path)
    (folder.path / "shards").mkdir()
    (folder.path / "shards" / "pools").write_text(VALUES["user_id_0/1"])
    require_publishable(folder)


def test_a_message_with_a_captured_value_is_not_sent(key: Path, tmp_path: Path) -> None:
    run = runs.not_ready_run()
    record = replace(run.record, plan=NAME, flow=NAME)
    folder = a_folder(replace(run, record=record), tmp_path)
    fates, said = told(folder)
    assert Fate.REFUSED in fates.values()
    assert (
        Guard(read_filter(filter_of(held(), KEY), KEY, path=folder.path).needles).why_not(
            said.encode()
        )
        == ""
    )


def test_a_lost_key_stops_report_and_messages(key: Path, tmp_path: Path) -> None:
    folder = a_folder(runs.ready_run(), tmp_path)
    key.unlink()
    with pytest.raises(ConfigError, match="no key file"):
        guarded(folder)
    fates, said = told(folder)
    assert (fates, said) == ({}, "")


def test_without_a_filter_all_passes(tmp_path: Path) -> None:
    folder = folder_of(with_note(NAME), tmp_path)
    write_report(guarded(folder), lambda _view: PNG)
    assert (folder.path / "report.html").exists()


def test_a_filter_of_an_earlier_workload_does_not_stay(key: Path, tmp_path: Path) -> None:
    folder = a_folder(runs.ready_run(), tmp_path)
    folder.write_inputs(plan=b"", expectations=b"", workload=b"SELECT 1;")
    assert not folder.filter_path.exists()
