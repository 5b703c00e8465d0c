"""Databases of the two invented shops on a private server, and a workload built from captures."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pymysql
import pytest
from pymysql.connections import Connection
from pymysql.cursors import Cursor
from tests.fakes.load_accounts import load_dsn
from tests.integration.workload.replaying import Target

from readiness.adapters.local_server import LocalServer
from readiness.cli.main import main
from readiness.demo.personas import PERSONAS, Persona
from readiness.demo.recording import capture_checkouts, create_users
from readiness.demo.shop import SERVICE_USERS
from readiness.flow.build import BuildInputs, Built, build_workload
from readiness.model.workload import VariableKind, Workload
from readiness.workload.make.pools import Pools, read_pools
from readiness.workload.schema import read_schema
from readiness.workload.text.file import parse

KEY = b"k" * 32


@dataclass(frozen=True)
class Database:
    """One database of a private server."""

    server: LocalServer
    name: str

    def make(self) -> None:
        """Creates it, empty."""
        with closing(self.server.root_session()) as session:
            session.query(
                f"CREATE DATABASE {self.name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci"
            )

    @contextmanager
    def admin(self) -> Iterator[Connection[Cursor]]:
        """A root connection in it, autocommit on."""
        with pymysql.connect(
            unix_socket=self.server.running_state().socket,
            user="root",
            database=self.name,
            charset="utf8mb4",
            autocommit=True,
        ) as connection:
            yield connection

    def value_of(self, sql: str) -> int:
        """The one number that a query gives."""
        with closing(self.server.root_session(self.name)) as session:
            return int(str(session.query(sql)[0][0]))

    def target(self) -> Target:
        """Where to replay, with a namespace that no other run has."""
        return Target(self.server.root_login(self.name), secrets.token_bytes(8))

    def dsn(self) -> str:
        """How a person would name it."""
        socket = self.server.running_state().socket
        return f"mysql://root@localhost/{self.name}?socket={socket}"

    def load_dsn(self) -> str:
        """As the account that loads it, once it is adopted."""
        return load_dsn(self.server, self.name)


def capture_shop(
    database: Database, directory: Path, personas: Sequence[Persona] = PERSONAS
) -> tuple[Path, ...]:
    """The personas check out in the demo's shop; one general log each."""
    with database.admin() as admin:
        passwords = create_users(admin, database.name)

        def log_in(user: str) -> Connection[Cursor]:
            return pymysql.connect(
                unix_socket=database.server.running_state().socket,
                user=user,
                password=passwords[user],
                database=database.name,
                charset="utf8mb4",
                autocommit=True,
            )

        return tuple(capture_checkouts(admin, log_in, directory=directory, personas=personas))


def build(
    captures: Sequence[Path],
    database: Database,
    output: Path,
    *,
    users: Sequence[str] = SERVICE_USERS,
    with_source: bool = False,
) -> Built:
    """Builds as the command does: the schema is `database`'s, which is asked only `with_source`."""
    with closing(database.server.root_session(database.name)) as session:
        inputs = BuildInputs(
            name="checkout",
            captures=tuple(captures),
            users=tuple(users),
            schema=read_schema(session, database.name),
        )
        source = session if with_source else None
        return build_workload(inputs, source=source, key=KEY, output=output)


def load_by_command(
    database: Database, built: Built, folder: Path, *, rate: int, seconds: int, workers: int
) -> int:
    """Adopts the database and runs `readiness load`, its run in `folder`/run; the exit code."""
    key = folder / "key"  # of the workload's filter: a load searches what it writes by it
    key.write_bytes(KEY)
    key.chmod(0o600)
    with pytest.MonkeyPatch.context() as environment:
        environment.setitem(os.environ, "READINESS_STATE", str(folder / "state"))
        environment.setitem(os.environ, "READINESS_KEY_FILE", str(key))
        assert main(["clone", "adopt", database.dsn(), "--yes", "--masked", "invented"]) == 0
        how = f"--rate {rate} --duration {seconds} --workers {workers}".split()
        what = ("--target", database.load_dsn(), "--workload", str(built.path))
        return main(["load", *what, *how, "-o", str(folder / "run")])


def workload_in(built: Built) -> Workload:
    """The workload as it stands in the file."""
    return parse(built.path.read_bytes(), path=built.path)


def pools_of(workload: Workload, database: Database) -> Pools:
    """The rows of `database` that checkouts pick from."""
    with closing(database.server.root_session(database.name)) as session:
        return read_pools(workload, session)


def columns_of(workload: Workload, kind: VariableKind) -> list[str]:
    """The columns of the variables of a kind, sorted."""
    return sorted(v.column for v in workload.variables if v.kind is kind)


def unbound(workload: Workload) -> set[str]:
    """The server-generated variables that no step binds."""
    bound = {b.variable for s in workload.steps for b in s.binds}
    return {v.name for v in workload.variables if v.kind is VariableKind.SERVER} - bound
