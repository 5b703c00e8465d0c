"""`readiness workload build` on users and loans: names, reasons, overrides, what a rebuild changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.fakes.lending_logs import BORROWERS, Borrower, write_logs

from readiness.cli.main import main

CAPTURED = [str(v) for b in BORROWERS for v in (b.user_id, b.name, b.city, b.loan_id, b.cents)]


class Bench:
    """A folder with logs, and the command as a person runs it there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.logs = write_logs(folder)
        self.sql = folder / "built/checkout.sql"
        self.why = folder / "built/checkout.variables.yaml"
        self.kept = folder / "built/checkout.overrides.yaml"
        self.progress = ""
        self._capsys = capsys

    def capture(self, *borrowers: Borrower) -> None:
        self.logs = write_logs(self.folder, borrowers)

    def build(self, *more: str, code: int = 0) -> str:
        logs = [part for log in self.logs for part in ("--capture", str(log))]
        rest = ["--schema", str(self.folder / "schema.json"), "-o", str(self.sql)]
        key = ["--key-file", str(self.folder / "key")]
        assert main(["workload", "build", *logs, *rest, *key, *more]) == code
        said = self._capsys.readouterr()
        self.progress = said.err
        return said.out if code == 0 else said.err

    def overrides(self, text: str) -> list[str]:
        path = self.folder / "mine.yaml"
        path.write_text(text)
        return ["--overrides", str(path)]

    def reasons(self) -> dict[str, Any]:
        found: dict[str, Any] = yaml.safe_load(self.why.read_text())
        return found


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def test_the_published_names_are_given(bench: Bench) -> None:
    bench.build()
    text = bench.sql.read_text()
    for name in ("user_id_0", "loan_id_0", "user_name_0"):
        assert f"SET @{name} = " in text
    assert "WHERE l.user_id = @user_id_0 AND u.name = @user_name_0 LIMIT 5" in text
    assert "SET state = 'paid out' WHERE id = @loan_id_0" in text


def test_each_variable_is_explained_and_no_captured_value_is_told(bench: Bench) -> None:
    bench.build()
    found = bench.reasons()
    user = found["variables"]["user_id_0"]
    assert (user["class"], user["generator"], user["column"]) == ("fresh", "uuid4", "users.id")
    assert user["statements"] == ["s002", "s003", "s006"]
    assert user["evidence"]["index"] == ["unique users.PRIMARY (id)"]
    assert user["evidence"]["foreign_keys"] == ["loans.user_id → users.id"]
    assert "seen in 3 of 3 captures, different in each" in user["evidence"]["seen"]
    city = found["dropped"]["user_city_0"]
    assert (city["class"], city["column"], city["statements"]) == (
        "unindexed", "users.city", ["s002"],
    )  # fmt: skip
    assert not [v for v in CAPTURED if v in bench.why.read_text() + bench.sql.read_text()]


def test_the_funnel_is_told_with_a_sentence_for_each_step(bench: Bench) -> None:
    assert "literals → " in bench.build()
    funnel = {row["step"]: row for row in bench.reasons()["funnel"]}
    counts = {name: row["count"] for name, row in funnel.items()}
    assert counts["literals"] == counts["structural"] + counts["constant"] + counts["varying"]
    assert counts["generated"] == counts["fresh"] + counts["existing"]
    assert all(row["says"] for row in funnel.values())


def test_progress_is_apart_from_the_result(bench: Bench) -> None:
    result = json.loads(bench.build("--json"))
    assert "comparing 3 captures" in bench.progress
    assert result["explanation"] == str(bench.why)
    assert result["changes"] is None


def test_the_same_build_again_changes_nothing(bench: Bench) -> None:
    bench.build()
    before = [path.read_bytes() for path in (bench.sql, bench.why)]
    assert "nothing changed since the workload that was there" in bench.build()
    assert [path.read_bytes() for path in (bench.sql, bench.why)] == before
    assert sorted(p.name for p in bench.sql.parent.iterdir()) == [
        "checkout.filter", "checkout.sql", "checkout.variables.yaml",
    ]  # fmt: skip


def test_one_capture_is_refused_and_two_are_marked(bench: Bench) -> None:
    bench.capture(BORROWERS[0])
    assert "at least 2 are needed" in bench.build(code=2)
    assert not bench.sql.exists()
    bench.capture(*BORROWERS[:2])
    assert "confidence: two captures" in bench.build()
    found = bench.reasons()
    assert found["confidence"] == "two captures"
    assert any(
        line.startswith("loans.state (s003) is equal in both") for line in found["unsettled"]
    )


def test_an_override_changes_one_variable_and_is_kept(bench: Bench) -> None:
    bench.build()
    names = set(bench.reasons()["variables"])
    text = "variables:\n  user_city_0:\n    class: fresh\n    because: it is cached by city\n"
    said = bench.build(*bench.overrides(text))
    assert "+ @user_city_0: fresh" in said
    assert "1 override in force" in said
    assert bench.kept.read_text() == text
    city = bench.reasons()["variables"]["user_city_0"]
    assert (city["class"], city["overridden"], city["because"]) == (
        "fresh", True, "it is cached by city",
    )  # fmt: skip
    assert set(bench.reasons()["variables"]) == {*names, "user_city_0"}
    again = bench.build()
    assert f"1 override in force, from {bench.kept}" in again
    assert "nothing changed" in again


def test_without_its_file_an_override_is_gone(bench: Bench) -> None:
    bench.build()
    first = bench.sql.read_bytes()
    bench.build(*bench.overrides("variables:\n  user_name_0:\n    name: borrower\n"))
    assert b"SET @borrower = " in bench.sql.read_bytes()
    assert bench.reasons()["variables"]["borrower"]["was"] == "user_name_0"
    bench.kept.unlink()
    changes = json.loads(bench.build("--json"))["changes"]["variables"]
    assert {c["name"]: (bool(c["before"]), bool(c["after"])) for c in changes} == {
        "borrower": (True, False),
        "user_name_0": (False, True),
    }
    assert bench.sql.read_bytes() == first


def test_an_override_of_what_is_gone_says_what_changed(bench: Bench) -> None:
    bench.build(*bench.overrides("variables:\n  user_name_0:\n    generator: first_name\n"))
    bench.capture(*(replace(b, name="Everybody") for b in BORROWERS))
    before = bench.sql.read_bytes()
    said = bench.build(code=2)
    assert "these captures give no variable user_name_0" in said
    assert "It was users.name, where nothing differs any more." in said
    assert "checkout.overrides.yaml:2:3" in said
    assert bench.sql.read_bytes() == before


def test_a_captured_value_in_an_override_stops_the_build_before_any_file(bench: Bench) -> None:
    text = f"variables:\n  user_city_0:\n    because: as in {BORROWERS[1].name}\n"
    said = bench.build(*bench.overrides(text), code=2)
    assert "would stand in checkout.overrides.yaml" in said
    assert "line 3" in said
    assert BORROWERS[1].name not in said.replace(text, "")
    assert not bench.sql.exists()
    assert not bench.why.exists()


def test_what_a_person_edited_is_kept_when_it_is_replaced(bench: Bench) -> None:
    bench.build()
    edited = bench.sql.read_text().replace("'paid out'", "'paid'")
    bench.sql.write_text(edited)
    said = bench.build()
    assert "checkout.sql was changed by hand" in said
    assert (bench.sql.parent / "checkout.sql.previous").read_text() == edited


def test_a_broken_workload_before_is_no_reason_to_stop(bench: Bench) -> None:
    bench.sql.parent.mkdir()
    bench.sql.write_text("-- @workload broken\n")
    assert "cannot be read any more" in bench.build()


def test_a_flow_that_lost_a_statement_says_so(bench: Bench) -> None:
    bench.build()
    for log in bench.logs:
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join(line for line in lines if b"UPDATE loans" not in line))
    said = bench.build()
    assert "- statements s005 of the workload before" in said
    assert "- @loan_id_0" not in said
