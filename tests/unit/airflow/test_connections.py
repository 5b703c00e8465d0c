"""An Airflow connection names a database; its password is used and never shown."""

from __future__ import annotations

import json

import pytest
from airflow.sdk import Connection

from readiness.airflow.connections import Database, connection, database_of, of_connection
from readiness.errors import ConfigError

SECRET = "s3cret-word"


def known(**changed: object) -> Connection:
    given = {
        "conn_type": "mysql",
        "host": "db.example.test",
        "login": "reader",
        "password": SECRET,
        "schema": "shop",
        "port": 3307,
        **changed,
    }
    return Connection(conn_id="source", **given)  # type: ignore[call-overload, no-any-return]


def test_a_connection_is_a_login() -> None:
    assert of_connection(known()).login() == {
        "host": "db.example.test",
        "port": 3307,
        "socket": "",
        "user": "reader",
        "password": SECRET,
        "database": "shop",
        "tls": "on",
    }


def test_extra_sets_tls_and_socket() -> None:
    tls = of_connection(known(extra=json.dumps({"tls": "verify", "charset": "utf8mb4"})))
    assert tls.dsn.tls == "verify"
    near = of_connection(known(extra=json.dumps({"socket": "/run/db.sock"})))
    assert (near.dsn.socket, near.dsn.host, near.dsn.tls) == ("/run/db.sock", "", "off")


def test_names_may_hold_any_character() -> None:
    found = of_connection(known(login="a@b:c", schema="my shop", host="::1"))
    assert (found.dsn.user, found.dsn.database, found.dsn.host) == ("a@b:c", "my shop", "::1")


def test_the_password_is_not_shown() -> None:
    found = of_connection(known())
    assert SECRET not in f"{found!r} {found} {found.dsn}"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"conn_type": "postgres"}, "of type postgres"),
        ({"login": None}, "has no login"),
        ({"host": None}, "names no host"),
        ({"port": 70_000}, "port is a number from 1 to 65535"),
        ({"schema": "a/b/c", "extra": '{"tls": "maybe"}'}, "tls is one of off, on, verify"),
        ({"extra": '{"socket": "run/x"}'}, "socket of a DSN is an absolute path"),
    ],
)
def test_what_a_connection_lacks_is_told_by_its_id(
    changed: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        of_connection(known(**changed))
    assert "source" in refused.value.message
    assert SECRET not in f"{refused.value.message} {refused.value.hint}"


def test_a_dsn_is_taken_as_it_stands() -> None:
    found = database_of("mysql://reader@db.example.test:3307/shop?tls=off")
    assert isinstance(found, Database)
    assert (found.dsn.port, found.dsn.tls, found.password) == (3307, "off", "")


@pytest.mark.parametrize("text", ["", "a b", "reader@db"])
def test_what_is_neither_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(ConfigError, match="neither a DSN nor the id") as refused:
        connection(text)
    assert not text or text not in refused.value.message
