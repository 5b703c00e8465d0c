"""A clone is loaded only after all of plan, masking and proof; whatever fails says where, and a second
try goes on with what the first one decided."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.fakes.mask_steps import DECISIONS, FakeSteps

from readiness import interlock
from readiness.adapters.local_server import LocalServer
from readiness.artifacts.masking_file import read_masking
from readiness.errors import (
    Busy,
    ConfigError,
    MaskingError,
    StatementFailed,
    TargetRefused,
    TargetUnavailable,
)
from readiness.flow.mask import mask, plans_of
from readiness.flow.mask_work import MaskWork
from readiness.masking.journal import Journal
from readiness.masking.run.session import take_whole
from readiness.model.verdict import Outcome
from readiness.ports import Session

KEY = b"a key of thirty-two bytes, or so"
STEPS = ["settle", "before", "tables", "compare", "forget"]


class Clone:
    """A marked server with one database, and what was admitted of it."""

    def __init__(self, server: LocalServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.fake = FakeSteps()
        self.told: list[str] = []
        self.admitted = 0

    def work(self, **changes: object) -> MaskWork:
        work = MaskWork(
            name="readiness-x-a",
            policy="policy default 3f2a9c11d0ab",
            open_session=self.server.root_session,
            gate=lambda: None,
            admit=self.admit,
            steps=self.fake.steps(),
            anew="readiness clone reset readiness-x-a",
            folder=self.folder,
        )
        return replace(work, **changes)  # type: ignore[arg-type]

    def mask(self, *, key: bytes = KEY, **changes: object) -> str:
        return mask(self.work(**changes), key=key, progress=self.told.append).title

    def admit(self, title: str, nonce: str) -> None:
        self.admitted += 1
        with closing(self.server.root_session()) as session:
            assert interlock.note_masked(session, title, nonce=nonce)

    @property
    def masked(self) -> str:
        with closing(self.server.root_session()) as session:
            marker = interlock.read_marker(session)
        assert marker
        return marker.masked

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        with closing(self.server.root_session()) as session:
            return session.query(sql)

    def left(self) -> list[str]:
        """Tables beside the marker."""
        rows = self.ask("SHOW TABLES FROM readiness_marker")
        return [str(row[0]) for row in rows if row[0] != "marker"]


@pytest.fixture
def clone(private_server: LocalServer, tmp_path: Path) -> Iterator[Clone]:
    with closing(private_server.root_session()) as session:
        furnish(session, "shop")
        interlock.write_marker(session, run_id="run-1", now_s=0.0, lease_s=60.0)
    yield Clone(private_server, tmp_path)
    with closing(private_server.root_session()) as session:
        for database in ("shop", "office", "readiness_marker"):
            session.query(f"DROP DATABASE IF EXISTS {database}")


def furnish(session: Session, database: str) -> None:
    session.query(f"CREATE DATABASE {database}")
    session.query(f"CREATE TABLE {database}.users (id INT PRIMARY KEY, name TEXT)")
    session.query(f"INSERT INTO {database}.users VALUES (1, 'ada'), (2, 'bob')")


def test_what_it_did_stands_in_the_marker_and_in_files(clone: Clone) -> None:
    title = clone.mask()
    assert title == "policy default 3f2a9c11d0ab: 1 column of 1 table, proven by 1 check"
    assert clone.masked == title
    assert clone.fake.asked == ["catalogue", "plan", *STEPS]
    (proof,) = read_masking(clone.folder / "masking.json")
    assert (proof.database, proof.checks[0].outcome) == ("shop", Outcome.PASSED)
    (plan,) = json.loads((clone.folder / "masking.plan.json").read_text())["plans"]
    assert plan["columns"][0]["column"] == "name"


def test_nothing_of_it_is_left_on_the_server(clone: Clone) -> None:
    clone.mask()
    assert clone.left() == []


def test_a_masked_clone_is_left_as_it_is(clone: Clone) -> None:
    title = clone.mask()
    clone.fake.asked.clear()
    assert clone.mask(policy="policy other 000000000000") == title
    assert clone.fake.asked == []


def test_a_clone_that_was_killed_before_load_was_let_in_is_admitted_again(clone: Clone) -> None:
    title = clone.mask()
    with closing(clone.server.root_session()) as session:
        Journal(session).open()  # and what was still to be forgotten goes
    assert (clone.mask(), clone.admitted, clone.left()) == (title, 2, [])


def test_a_second_masking_of_the_same_server_is_refused_while_one_is_at_work(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("readiness.flow.mask.take_whole", partial(take_whole, patience_s=0))
    with closing(clone.server.root_session()) as first:
        take_whole(first)
        with pytest.raises(Busy, match=r"Another masking .* session \d+"):
            clone.mask()
        assert (clone.fake.asked, clone.left(), clone.masked) == ([], [], "")
    assert clone.mask() == clone.masked


def test_a_second_masking_waits_for_one_that_ends_and_does_nothing_again(clone: Clone) -> None:
    with ThreadPoolExecutor(1) as hands, closing(clone.server.root_session()) as first:
        take_whole(first)
        second = hands.submit(clone.mask)
        while not clone.ask(
            "SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'"
        ):
            time.sleep(0.01)
        interlock.note_masked(first, "by the first")
        first.close()
        assert second.result() == "by the first"
    assert clone.fake.asked == []


def test_a_refused_target_is_not_touched(clone: Clone) -> None:
    def refuse() -> None:
        raise TargetRefused("This target may be production.", [])

    with pytest.raises(TargetRefused):
        clone.mask(gate=refuse)
    assert (clone.fake.asked, clone.left(), clone.masked) == ([], [], "")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("catalogue", "plan"),
        ("plan", "plan"),
        ("settle", "plan"),
        ("before", "figures before"),
        ("tables", "masking"),
        ("compare", "proof"),
        ("forget", "traces"),
    ],
)
def test_a_step_that_fails_lets_no_load_in_and_a_second_try_ends_it(
    clone: Clone, step: str, said: str
) -> None:
    clone.fake.failing = {step: StatementFailed("The server answered with error 1021.", 1021)}
    with pytest.raises(MaskingError, match=f"{said} failed.*1021") as caught:
        clone.mask()
    assert clone.masked == ""
    assert "Run it again" in caught.value.hint
    assert "readiness clone reset readiness-x-a" in caught.value.hint
    decided = [name for name in clone.fake.asked if name in DECISIONS and name != step]
    clone.fake.asked.clear()
    assert clone.mask() == clone.masked
    # What was decided before the first change is not decided again.
    again = {name for name in clone.fake.asked if name in DECISIONS}
    assert again.isdisjoint(decided) or step in DECISIONS


def test_a_second_try_has_the_plan_catalogue_and_key_of_the_first(clone: Clone) -> None:
    clone.fake.failing = {"compare": StatementFailed("gone", 2013)}
    with pytest.raises(MaskingError):
        clone.mask()
    clone.ask("CREATE TABLE shop.half_made (id INT PRIMARY KEY, name TEXT)")
    clone.mask()
    first, second = clone.fake.catalogues
    assert first == second
    assert clone.fake.plans[0] == clone.fake.plans[1]
    assert len(set(clone.fake.keys)) == 1


def test_a_lost_connection_may_be_tried_again_by_itself(clone: Clone) -> None:
    clone.fake.failing = {"tables": TargetUnavailable("Nobody answers.")}
    with pytest.raises(MaskingError) as caught:
        clone.mask()
    assert caught.value.transient


def test_what_is_not_proven_is_not_masked(clone: Clone) -> None:
    clone.fake.lost = True
    with pytest.raises(MaskingError, match="1 of 1 check failed: rows") as caught:
        clone.mask()
    assert clone.masked == ""
    assert "masking.json" in caught.value.hint
    (proof,) = read_masking(clone.folder / "masking.json")
    assert [check.outcome for check in proof.checks] == [Outcome.FAILED]


def test_no_check_at_all_proves_nothing(clone: Clone) -> None:
    steps = replace(clone.fake.steps(), judge=lambda *_: [])
    with pytest.raises(MaskingError, match="there was no check"):
        clone.mask(steps=steps)
    assert clone.masked == ""


def begin(clone: Clone) -> None:
    clone.fake.failing = {"tables": StatementFailed("full", 1021)}
    with pytest.raises(MaskingError):
        clone.mask()


def test_another_policy_than_the_begun_one_is_refused(clone: Clone) -> None:
    begin(clone)
    with pytest.raises(ConfigError, match="half masked, under policy default") as caught:
        clone.mask(policy="policy mine 0123456789ab")
    assert "readiness clone reset readiness-x-a" in caught.value.hint


def test_another_key_than_the_begun_one_is_refused_and_neither_is_shown(clone: Clone) -> None:
    begin(clone)
    other = b"another key of thirty-two bytes."
    with pytest.raises(ConfigError, match="masked with another key") as caught:
        clone.mask(key=other)
    for key in (KEY, other):
        assert key.decode() not in f"{caught.value} {caught.value.hint}"
        assert key.hex() not in f"{caught.value} {caught.value.hint}"


def test_the_journal_holds_neither_key_nor_values(clone: Clone) -> None:
    begin(clone)
    with closing(clone.server.root_session()) as session:
        journal = Journal(session)
        texts = " ".join(journal.read(name) or "" for name in ("begun", "before", "done"))
    assert "users" in texts
    assert KEY.hex() not in texts
    assert "ada" not in texts.lower()


def test_all_databases_are_masked_and_one_that_is_done_is_not_done_again(clone: Clone) -> None:
    with closing(clone.server.root_session()) as session:
        furnish(session, "office")
    clone.fake.failing = {"forget": StatementFailed("denied", 1227)}
    with pytest.raises(MaskingError, match="traces failed"):
        clone.mask()
    assert clone.fake.asked.count("tables") == 2
    clone.fake.asked.clear()
    assert clone.mask().endswith("2 columns of 2 tables, proven by 2 checks")
    assert clone.fake.asked == ["forget"]
    assert clone.ask("SELECT name FROM office.users WHERE id = 1") == [("ADA",)]
    proofs = read_masking(clone.folder / "masking.json")
    assert [proof.database for proof in proofs] == ["office", "shop"]


def test_a_second_try_under_another_policy_is_refused_also_between_two_databases(
    clone: Clone,
) -> None:
    clone.fake.failing = {"forget": StatementFailed("denied", 1227)}
    with pytest.raises(MaskingError):
        clone.mask()
    with pytest.raises(ConfigError, match="half masked, under policy default"):
        clone.mask(policy="policy mine 0123456789ab")


def test_a_plan_alone_changes_nothing(clone: Clone) -> None:
    (plan,) = plans_of(clone.work())
    assert [column.id for column in plan.columns] == ["users.name"]
    assert clone.left() == []
    assert clone.ask("SELECT name FROM shop.users WHERE id = 1") == [("ada",)]
    assert list(clone.folder.iterdir()) == []


def test_the_plan_of_a_half_masked_clone_is_the_one_it_began_with(clone: Clone) -> None:
    begin(clone)
    clone.fake.asked.clear()
    (plan,) = plans_of(clone.work())
    assert plan.attempts == {"name": 1}
    assert clone.fake.asked == []


def test_a_clone_without_data_is_not_proven(clone: Clone) -> None:
    clone.ask("DROP DATABASE shop")
    with pytest.raises(MaskingError, match="no database"):
        clone.mask()
