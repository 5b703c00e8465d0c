"""A session says in the user's terms why it cannot be had, and never repeats SQL or values."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Unpack

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_session import Login, open_session
from readiness.errors import ConfigError, StatementFailed, TargetError, TargetUnavailable
from readiness.ports import Session

pytestmark = pytest.mark.mysql


@pytest.fixture(scope="module")
def app(private_server: LocalServer) -> Login:
    """How an account with rights on schema `shop` logs in over TCP."""
    admin = private_server.root_session()
    admin.query("CREATE DATABASE shop")
    admin.query("CREATE TABLE shop.users (id INT PRIMARY KEY, email VARCHAR(99) UNIQUE, b BLOB)")
    admin.query("CREATE USER app@'127.0.0.1' IDENTIFIED BY 'right'")
    admin.query("GRANT ALL ON shop.* TO app@'127.0.0.1'")
    admin.close()
    port = private_server.running_state().port
    return Login(host="127.0.0.1", port=port, user="app", password="right", database="shop")


def changed(login: Login, **fields: Unpack[Login]) -> Login:
    made = login.copy()
    made.update(fields)
    return made


@pytest.fixture
def session(app: Login) -> Iterator[Session]:
    made = open_session(**app)
    yield made
    made.close()


def test_each_statement_is_committed_at_once(app: Login, session: Session) -> None:
    session.query("INSERT INTO users VALUES (1, 'a@example.com', NULL)")
    other = open_session(**app)
    assert other.query("SELECT email FROM users WHERE id = %s", (1,)) == [("a@example.com",)]
    other.close()


def test_bytes_and_text_come_back_as_they_were(session: Session) -> None:
    every_byte, text = bytes(range(256)), "5 % off, 'quoted' \\ and 😀"
    session.query("REPLACE INTO users VALUES (2, %s, %s)", (text, every_byte))
    assert session.query("SELECT email, b FROM users WHERE id = 2") == [(text, every_byte)]


def test_a_percent_sign_needs_no_escape_without_parameters(session: Session) -> None:
    assert session.query("SELECT 'a' LIKE '%a%'") == [(1,)]


def test_a_wrong_password_is_a_refused_login(app: Login) -> None:
    with pytest.raises(TargetError, match="refused the login of user app") as refused:
        open_session(**changed(app, password="wr0ng"))
    assert "password_file" in refused.value.hint
    assert "wr0ng" not in refused.value.message
    assert not refused.value.transient


def test_an_unknown_database_is_named(app: Login) -> None:
    with pytest.raises(TargetError, match="no database absent that user app may use"):
        open_session(**changed(app, database="absent"))


def test_a_closed_port_and_an_absent_socket_are_unreachable(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(TargetUnavailable, match=f"Nobody answers at 127.0.0.1:{port}"):
            open_session(host="127.0.0.1", port=port)
    with pytest.raises(TargetUnavailable, match="Nobody answers at"):
        open_session(socket=str(tmp_path / "absent.sock"))


def test_who_accepts_but_never_speaks_is_given_up_on() -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        with pytest.raises(TargetUnavailable, match="Nobody answers"):
            open_session(
                host="127.0.0.1", port=mute.getsockname()[1], connect_timeout_s=1, read_timeout_s=1
            )


def test_tls_that_the_server_does_not_speak_is_told_as_such(app: Login) -> None:
    with pytest.raises(TargetError, match="agree on no TLS") as refused:
        open_session(**changed(app, tls="verify"))
    assert "tls=" in refused.value.hint


def test_an_unknown_tls_word_is_a_mistake_of_configuration(app: Login) -> None:
    with pytest.raises(ConfigError, match="off, on, verify"):
        open_session(**changed(app, tls="maybe"))


def test_an_error_of_the_server_has_its_code_and_no_value(session: Session) -> None:
    session.query("REPLACE INTO users VALUES (3, 'secret@example.com', NULL)")
    with pytest.raises(StatementFailed) as failed:
        session.query("INSERT INTO users VALUES (4, 'secret@example.com', NULL)")
    assert failed.value.code == 1062
    assert "secret" not in failed.value.message


def test_a_missing_table_is_named(session: Session) -> None:
    with pytest.raises(StatementFailed, match=r"shop\.absent"):
        session.query("SELECT 1 FROM absent")


def test_a_connection_that_the_server_ended_is_unavailable(
    private_server: LocalServer, app: Login
) -> None:
    doomed = open_session(**app)
    ((number,),) = doomed.query("SELECT CONNECTION_ID()")
    admin = private_server.root_session()
    admin.query(f"KILL {number}")
    admin.close()
    with pytest.raises(TargetUnavailable, match="broke"):
        doomed.query("SELECT 1")
    doomed.close()
    doomed.close()
