"""A DSN is read whole or refused with the part that is wrong, and never shows a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.config.dsn import Dsn
from readiness.errors import ConfigError
from readiness.model.clone import Endpoint


def test_every_part_is_read() -> None:
    dsn = Dsn.parse("mysql://load%40er@db.example.test:3307/shop?tls=verify&password_env=PW")
    assert (dsn.user, dsn.database, dsn.tls) == ("load@er", "shop", "verify")
    assert dsn.endpoint == Endpoint("db.example.test", 3307)
    assert dsn.password({"PW": "s3cret"}) == "s3cret"


def test_a_socket_takes_the_place_of_host_and_port() -> None:
    dsn = Dsn.parse("mysql://root@/shop?socket=/run/x.sock")
    assert dsn.endpoint == Endpoint(socket="/run/x.sock")


@pytest.mark.parametrize(
    ("text", "tls"),
    [
        ("mysql://u@127.0.0.1/d", "off"),
        ("mysql://u@[::1]:3306/d", "off"),
        ("mysql://u@/d?socket=/s", "off"),
        ("mysql://u@db.example.test/d", "on"),
        ("mysql://u@db.example.test/d?tls=off", "off"),
    ],
)
def test_what_leaves_the_host_is_encrypted_unless_said_otherwise(text: str, tls: str) -> None:
    assert Dsn.parse(text).tls == tls


def test_the_port_is_3306_when_left_out() -> None:
    assert Dsn.parse("mysql://u@h/d").port == 3306


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("postgres://u@h/d", "does not begin with mysql://"),
        ("", "does not begin with mysql://"),
        ("mysql://u:canary@h/d", "holds a password"),
        ("mysql://u:@h/d", "holds a password"),
        ("mysql://h/d", "names no user"),
        ("mysql://u@/d", "no host and no socket"),
        ("mysql://u@h:0/d", "port"),
        ("mysql://u@h:65536/d", "port"),
        ("mysql://u@h:port/d", "port"),
        ("mysql://u@[::1/d", "no URL"),
        ("mysql://u@h/d/e", "more than one database"),
        ("mysql://u@h/d?tsl=on", "Did you mean tls?"),
        ("mysql://u@h/d?tls=maybe", "off, on, verify"),
        ("mysql://u@h/d?tls=on&tls=off", "once"),
        ("mysql://u@h/d?socket=x.sock", "absolute"),
        ("mysql://u@h/d?password_env=A&password_file=/b", "keep one"),
        ("mysql://u@h/d?password=canary", "unknown option"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_repeated(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Dsn.parse(text)
    assert message in caught.value.message
    assert "canary" not in f"{caught.value.message}{caught.value.hint}"


def test_no_form_of_a_dsn_shows_the_password(tmp_path: Path) -> None:
    (tmp_path / "pw").write_text("canary\n")
    dsn = Dsn.parse(f"mysql://u@h/d?password_file={tmp_path / 'pw'}")
    assert dsn.password() == "canary"
    assert "canary" not in f"{dsn} {dsn!r}"


def test_without_a_source_there_is_no_password() -> None:
    assert Dsn.parse("mysql://u@h/d").password({}) == ""


@pytest.mark.parametrize("content", [b"", b"\n", b"a\nb\n", b"\xff"])
def test_a_password_file_holds_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pw").write_bytes(content)
    with pytest.raises(ConfigError, match="password file"):
        Dsn.parse(f"mysql://u@h/d?password_file={tmp_path / 'pw'}").password()


def test_an_unset_variable_and_an_absent_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no PW"):
        Dsn.parse("mysql://u@h/d?password_env=PW").password({})
    with pytest.raises(ConfigError, match="cannot be read"):
        Dsn.parse(f"mysql://u@h/d?password_file={tmp_path / 'none'}").password()
