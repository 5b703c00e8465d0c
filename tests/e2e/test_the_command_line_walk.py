"""The README's own steps on a private database, one command after the other, from captured logs to
a clone that is destroyed. Every answer is read as a machine reads it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pymysql
import pytest
from pymysql.connections import Connection
from pymysql.cursors import Cursor
from tests.e2e.command_line import CommandLine, Said

from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.seed_data import load_shop
from readiness.demo.shop import SERVICE_USERS
from readiness.model.verdict import EXIT_CODES, VerdictWord

pytestmark = [pytest.mark.e2e, pytest.mark.mysql]

PLAN = """\
name: walk
flows:
  - {name: checkout, normal_rate_per_s: 2}
peak: 2x
stages:
  - {name: 1x, rate: 1x, hold_s: 2}
  - {name: 2x, rate: 2x, hold_s: 3}
expectations: load
"""
CALM = {VerdictWord.READY, VerdictWord.READY_WITH_RISK, VerdictWord.INVALID}


class Walk:
    """The commands typed so far: a source with a shop, its logs, the workload, the clone."""

    def __init__(self, folder: Path) -> None:
        self.cli = CommandLine(folder)
        self.users = [word for user in SERVICE_USERS for word in ("--user", user)]
        self.logs: list[Path] = []
        self.clone: dict[str, Any] = {}

    def done(self, *words: object) -> dict[str, Any]:
        said = self.cli(*words, "--json")
        assert said.code == 0, said.all
        return said.json

    def capture(self) -> None:
        """A source with a shop in it, which logs three checkouts; its workload; then it stops."""
        source = self.done("server", "start", "--dir", "source")
        with closing(open_shop(source)) as admin:
            passwords = create_users(admin, "shop")
            self.logs = capture_checkouts(
                admin,
                lambda user: log_in(source["port"], user, passwords[user]),
                directory=self.cli.folder,
            )
        captures = [word for log in self.logs for word in ("--capture", log.name)]
        dsn = f"mysql://root@localhost/shop?socket={source['socket']}"
        self.built = self.done(
            "workload", "build", *captures, *self.users, "--source", dsn, "--key-file", "key",
            "-o", "checkout.sql",
        )  # fmt: skip
        assert self.done("server", "stop", "--dir", "source") == {"stopped": True}

    def restore(self) -> None:
        """A snapshot of the source, a clone of it, and personal data taken out: now it has a load user."""
        self.clone = self.done(
            "clone", "create", "--source", "source", "--snapshot", "nightly", "--lease-h", 0.2
        )
        unmasked = ["--target", self.clone["dsn"]]
        self.refused = self.cli("workload", "check", "checkout.sql", *unmasked)
        self.plan = self.done("mask", *unmasked, "--plan-only")
        self.masked = self.done("mask", *unmasked)
        self.again = self.done("mask", *unmasked)
        self.clone["dsn"] = self.masked["dsn"]
        (self.cli.folder / "walk.yaml").write_text(PLAN)

    @property
    def target(self) -> list[str]:
        return ["--target", self.clone["dsn"]]


def open_shop(source: dict[str, Any]) -> Connection[Cursor]:
    admin = pymysql.connect(unix_socket=source["socket"], user="root", autocommit=True)
    with admin.cursor() as cursor:
        cursor.execute("CREATE DATABASE shop")
    admin.select_db("shop")
    load_shop(admin, seed=1, users=1000)
    return admin


def log_in(port: int, user: str, password: str) -> Connection[Cursor]:
    return pymysql.connect(
        host="127.0.0.1",
        port=port,
        user=user,
        password=password,
        database="shop",
        autocommit=True,
        ssl_disabled=True,
    )


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    walk = Walk(tmp_path_factory.mktemp("walk"))
    try:
        walk.capture()
        walk.restore()
        yield walk
    finally:
        walk.cli("server", "stop", "--dir", "source")
        for clone in walk.cli("clone", "list", "--json").json["clones"]:
            walk.cli("clone", "destroy", clone["name"])


@pytest.fixture(scope="module")
def ramped(walk: Walk) -> Said:
    """One ramp by the plan, into the folder `run`."""
    return walk.cli(
        "ramp", "--plan", "walk.yaml", *walk.target, "--workload", "checkout=checkout.sql",
        "-o", "run", "--json",
    )  # fmt: skip


def assert_calm(said: Said) -> None:
    """A verdict that a small load gets: a busy host may spoil it, the database does not."""
    word = VerdictWord(said.json["verdict"])
    assert word in CALM, said.all
    assert said.code == EXIT_CODES[word]


def test_a_capture_is_told_without_what_it_holds(walk: Walk) -> None:
    (told,) = walk.done("capture", walk.logs[0].name, *walk.users)["captures"]
    assert set(SERVICE_USERS) < set(told["users"])
    assert told["statements"] >= 80


def test_the_workload_says_how_it_came_about(walk: Walk) -> None:
    counts = walk.built["counts"]
    assert counts["literals"] > counts["groups"] > counts["generated"] > 0


def test_the_clone_is_listed_where_it_listens(walk: Walk) -> None:
    (listed,) = walk.done("clone", "list")["clones"]
    assert (listed["name"], listed["database"]) == ("readiness-manual-a", "shop")
    assert listed["endpoint"] == walk.clone["endpoint"]


def test_a_clone_gets_no_load_before_it_is_masked(walk: Walk) -> None:
    assert walk.refused.code == 2, walk.refused.all
    assert "mask" in walk.refused.all


def test_the_plan_of_masking_names_columns_and_changes_nothing(walk: Walk) -> None:
    (plan,) = walk.plan["plans"]
    planned = {f"{c['table']}.{c['column']}" for c in plan["columns"]}
    assert {"users.email", "users.first_name", "users.phone", "email_queue.body"} <= planned


def test_masking_says_what_it_did_and_does_it_once(walk: Walk) -> None:
    assert walk.masked["masked"].startswith("policy default ")
    assert walk.masked["columns"] >= 20
    assert walk.masked["checks"] > walk.masked["columns"]
    assert [Path(f).name for f in walk.masked["files"]] == ["masking.plan.json", "masking.json"]
    assert (walk.again["masked"], walk.again["checks"]) == (walk.masked["masked"], 0)


@pytest.mark.usefixtures("ramped")
def test_a_run_says_how_its_clone_was_masked(walk: Walk) -> None:
    record = json.loads((walk.cli.folder / "run" / "run.json").read_text("utf-8"))
    assert record["target"]["masked"] == walk.masked["masked"]
    assert record["target"]["snapshot method"] == "stopped"
    assert walk.masked["masked"] in (walk.cli.folder / "run" / "report.html").read_text("utf-8")


def test_the_filter_beside_it_finds_the_captures_and_nothing_else(walk: Walk) -> None:
    searched = ["--filter", "checkout.filter"]
    clean = walk.done("scan", "checkout.sql", *searched)
    assert (clean["leaks"], clean["clean"]) == ([], True)
    for log in walk.logs:
        found = walk.cli("scan", log.name, *searched, "--json")
        assert found.code == 3
        assert found.json["leaks"]


def test_the_workload_fits_the_clone(walk: Walk) -> None:
    told = walk.done("workload", "check", "checkout.sql", *walk.target, "--checkouts", 5)
    assert (told["checkouts"], told["failed"]) == (5, 0)


def test_a_load_runs_and_is_judged(walk: Walk) -> None:
    said = walk.cli(
        "load", *walk.target, "--workload", "checkout.sql", "--rate", 3, "--duration", 2,
        "-o", "load", "--json",
    )  # fmt: skip
    assert_calm(said)
    assert (walk.cli.folder / "load" / "report.html").is_file()


def test_a_load_that_runs_out_of_values_is_refused(walk: Walk) -> None:
    """E-mail addresses of one digit, under the unique key of the users: twelve checkouts. With a sign
    before it, behind which no masked address of the clone lies."""
    text = (walk.cli.folder / "checkout.sql").read_text()
    narrow, count = re.subn(
        r"fresh email\(\d+\) users\.email", "fresh pattern(_9) users.email", text
    )
    (walk.cli.folder / "narrow.sql").write_text(narrow)
    said = walk.cli(
        "load", *walk.target, "--workload", "narrow.sql", "--rate", 3, "--duration", 4, "-o", "no"
    )
    assert (count, said.code) == (1, 2), said.all
    assert all(word in said.err for word in ("users.email", "12 checkouts", "wider pattern")), (
        said.err
    )


def test_a_ramp_runs_every_stage(ramped: Said) -> None:
    assert_calm(ramped)
    assert ramped.json["peak_rate_per_s"] == 4.0


@pytest.mark.usefixtures("ramped")
def test_a_ramp_does_not_outlive_its_lease(walk: Walk) -> None:
    (listed,) = walk.done("clone", "list")["clones"]
    assert listed["lease_until"] > walk.clone["lease_until"] + 900


@pytest.mark.usefixtures("ramped")
def test_a_run_is_not_written_over(walk: Walk) -> None:
    said = walk.cli(
        "ramp", "--plan", "walk.yaml", *walk.target, "--workload", "checkout.sql", "-o", "run"
    )
    assert said.code == 2
    assert "The folder run is not empty" in said.err


@pytest.mark.usefixtures("ramped")
def test_a_run_can_be_searched_and_is_clean(walk: Walk) -> None:
    assert walk.done("scan", "run", "--filter", "run/workload.filter")["leaks"] == []


@pytest.mark.usefixtures("ramped")
def test_without_its_key_a_run_is_not_judged_again(walk: Walk) -> None:
    said = walk.cli("judge", "run", READINESS_KEY_FILE="lost")
    assert said.code == 2
    assert "There is no key file" in said.err


def test_judging_again_gives_the_same_verdict(walk: Walk, ramped: Said) -> None:
    again = walk.cli("judge", "run", "--json")
    assert (again.code, again.json) == (ramped.code, ramped.json)


def test_a_report_is_redrawn_without_a_target(walk: Walk, ramped: Said) -> None:
    report = walk.cli.folder / "run" / "report.html"
    report.unlink()
    told = walk.done("report", "run")
    assert told["verdict"] == ramped.json["verdict"]
    assert report.is_file()


def test_a_configured_production_is_refused(walk: Walk) -> None:
    endpoint = walk.clone["endpoint"]
    said = walk.cli(
        "workload", "check", "checkout.sql", *walk.target,
        READINESS_PRODUCTION=f"localhost:{endpoint['port']}",
    )  # fmt: skip
    assert said.code == 2
    assert "is the production endpoint" in said.err


def test_the_hint_of_a_refusal_can_be_typed(walk: Walk) -> None:
    """The source is nobody's clone; adopted, and loaded by an account that may only do so, it passes,
    as whoever adopts it was told."""
    source = walk.done("server", "start", "--dir", "source")
    dsn = f"mysql://root@localhost/shop?socket={source['socket']}"
    refused = walk.cli("workload", "check", "checkout.sql", "--target", dsn)
    (hint,) = [line for line in refused.err.splitlines() if "readiness clone adopt" in line]
    adopted = walk.cli(*shlex.split(hint)[1:], "--yes", "--masked", "an invented shop")
    assert (refused.code, adopted.code) == (2, 0), adopted.all
    assert "You are about to trust" in adopted.err
    told = walk.cli("workload", "check", "checkout.sql", "--target", dsn)
    assert told.code == 2
    grants = [line.strip() for line in told.err.splitlines() if "'readiness_load'@" in line]
    with pymysql.connect(unix_socket=source["socket"], user="root") as admin:
        cursor = admin.cursor()
        for grant in (g for g in grants if g.startswith(("CREATE", "GRANT"))):
            cursor.execute(grant.replace("…", "a-secret"))
    (walk.cli.folder / "load.password").write_text("a-secret\n")
    load = (
        dsn.replace("root@", "readiness_load@") + f"&password_file={walk.cli.folder}/load.password"
    )
    checked = walk.cli("workload", "check", "checkout.sql", "--target", load)
    assert checked.code == 0, checked.all


def test_the_clone_goes_and_stays_gone(walk: Walk) -> None:
    assert walk.done("clone", "destroy", walk.clone["name"])["destroyed"] is True
    assert walk.done("clone", "destroy", walk.clone["name"])["destroyed"] is False
    assert walk.done("clone", "list") == {"clones": []}
