"""Three captures of the invented shop become a file that replays and holds nothing of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pymysql
import pytest
from pymysql.connections import Connection
from pymysql.cursors import Cursor

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_script import open_script
from readiness.anonymize.originals import Originals, originals
from readiness.anonymize.scan import scan
from readiness.anonymize.seal import seal
from readiness.capture.sessions import read_capture
from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.seed_data import load_shop
from readiness.demo.shop import SERVICE_USERS
from readiness.errors import StatementFailed
from readiness.model.workload import Workload
from readiness.ports import ScriptSession, Session
from readiness.sql.lexer import split_statements
from readiness.workload.find.parameterize import parameterize
from readiness.workload.find.source import source_exists, source_rows
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import Pools, read_pools
from readiness.workload.prove.check import CheckReport, Replay
from readiness.workload.schema import read_schema
from readiness.workload.text.file import parse, render

pytestmark = pytest.mark.mysql
DATABASE = "paylater"
CHECKOUTS = 40


@dataclass(frozen=True)
class Built:
    """The file, and the captured values that it must not hold."""

    data: bytes
    captured: Originals

    def workload(self) -> Workload:
        return parse(self.data, path=Path("checkout.sql"))


def log_in(server: LocalServer, user: str, password: str) -> Connection[Cursor]:
    endpoint = server.running_state().endpoint
    return pymysql.connect(
        host=endpoint.host,
        port=endpoint.port,
        user=user,
        password=password,
        database=DATABASE,
        charset="utf8mb4",
        autocommit=True,
        ssl_disabled=True,
    )


@pytest.fixture(scope="module")
def logs(private_server: LocalServer, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    session = private_server.root_session()
    session.query(f"CREATE DATABASE {DATABASE}")
    session.close()
    socket = private_server.running_state().socket
    with pymysql.connect(
        unix_socket=socket, user="root", database=DATABASE, charset="utf8mb4", autocommit=True
    ) as admin:
        load_shop(admin, seed=1, users=1000)
        passwords = create_users(admin, DATABASE)
        return capture_checkouts(
            admin,
            lambda user: log_in(private_server, user, passwords[user]),
            directory=tmp_path_factory.mktemp("logs"),
        )


@pytest.fixture(scope="module")
def session(private_server: LocalServer, logs: list[Path]) -> Iterator[Session]:
    assert logs
    session = private_server.root_session(DATABASE)
    yield session
    session.close()


@pytest.fixture(scope="module")
def built(session: Session, logs: list[Path]) -> Built:
    schema = read_schema(session, DATABASE)
    draft = parameterize(
        [read_capture(path, users=SERVICE_USERS) for path in logs],
        schema=schema,
        name="checkout",
        exists=source_exists(session, schema),
        rows=source_rows(session, schema),
    )
    return Built(render(seal(draft, key=b"k" * 32)), originals(draft))


@pytest.fixture(scope="module")
def pools(built: Built, session: Session) -> Pools:
    return read_pools(built.workload(), session)


@pytest.fixture(scope="module")
def report(built: Built, pools: Pools, private_server: LocalServer) -> CheckReport:
    flow = compile_flow(built.workload(), pools, namespace=b"integration", seed=1)
    opened = partial(open_script, **private_server.root_login(DATABASE))
    return Replay(flow, opened).run(checkouts=CHECKOUTS)


@pytest.fixture
def script(private_server: LocalServer) -> Iterator[ScriptSession]:
    script = open_script(**private_server.root_login(DATABASE))
    yield script
    script.close()


def test_no_captured_value_survives(built: Built) -> None:
    assert len(built.captured.values) > 100
    assert scan({"checkout.sql": built.data}, built.captured) == []


def test_checkouts_run_without_a_duplicate_key_or_a_warning(report: CheckReport) -> None:
    assert report.errors == {}
    assert report.warnings == {}


def test_every_write_of_a_checkout_meets_its_row(built: Built, report: CheckReport) -> None:
    writes = [s.statement_id for s in built.workload().steps if s.kind in ("insert", "update")]
    missed = [i for i in writes if report.rows[i].affected[1] == 0]
    assert len(missed) <= 1  # the lost race of the shop updates nothing, by design


def test_a_plain_client_runs_the_file(built: Built, script: ScriptSession) -> None:
    for statement in split_statements(built.data):
        assert script.run(statement).warnings == ()


def test_rendering_the_file_again_changes_nothing(built: Built) -> None:
    assert render(built.workload()) == built.data


def test_merchants_are_drawn_as_skewed_as_they_sell(pools: Pools) -> None:
    merchants = next(p for p in pools.pools if p.family.table == "merchants")
    weights = sorted(merchants.groups[()].weights().values(), reverse=True)
    assert sum(weights[:10]) > 3 * sum(weights[-10:])


def test_a_script_tells_ids_rows_and_warnings(script: ScriptSession) -> None:
    script.run(b"CREATE TEMPORARY TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, c TINYINT)")
    script.run(b"SET sql_mode = ''")
    reply = script.run(b"INSERT INTO t (c) VALUES (1), (999)")
    assert (reply.insert_id, reply.affected_rows, reply.warnings) == (1, 2, (1264,))
    assert script.run(b"SELECT * FROM t").rows == 2


def test_a_failed_statement_tells_its_code_and_no_value(script: ScriptSession) -> None:
    script.run(b"CREATE TEMPORARY TABLE u (c VARCHAR(20) PRIMARY KEY)")
    script.run(b"INSERT INTO u VALUES ('Ada Weiss')")
    with pytest.raises(StatementFailed) as caught:
        script.run(b"INSERT INTO u VALUES ('Ada Weiss')")
    assert caught.value.code == 1062
    assert "Ada" not in caught.value.message
