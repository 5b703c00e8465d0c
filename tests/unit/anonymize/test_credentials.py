"""Passwords and logins in statements: refused, or replaced where a function needs them."""

from __future__ import annotations

import pytest
from tests.fakes.captures import alone, capture, shop_schema
from tests.fakes.checkouts import draft, literal, step

from readiness.anonymize.seal import seal
from readiness.errors import PrivacyError
from readiness.model.draft import RawPiece
from readiness.workload.find.parameterize import parameterize
from readiness.workload.text.file import render

KEY = b"k" * 32


def pieces(sql: bytes) -> list[RawPiece]:
    """The statement, its quoted texts as constants."""
    parts = sql.split(b"'")
    return [
        literal(b"'" + p + b"'", column="", varies=False) if i % 2 else p
        for i, p in enumerate(parts)
    ]


@pytest.mark.parametrize(
    "sql",
    [
        b"CREATE USER 'ada'@'db' IDENTIFIED BY 'hunter22'",
        b"create or replace user 'ada' identified via mysql_native_password using 'x'",
        b"ALTER USER CURRENT_USER() IDENTIFIED BY 'hunter22'",
        b"SET PASSWORD = 'hunter22'",
        b"SET  PASSWORD FOR 'ada' = PASSWORD('hunter22')",
        b"GRANT SELECT ON shop.* TO 'ada'@'%' IDENTIFIED BY 'hunter22'",
        b"REVOKE ALL PRIVILEGES, GRANT OPTION FROM 'ada'",
        b"DROP USER 'ada'",
        b"CHANGE MASTER TO MASTER_USER='repl', MASTER_PASSWORD='hunter22'",
        b"CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD='hunter22'",
        b"START SLAVE USER='repl' PASSWORD='hunter22'",
        b"CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'a', PASSWORD 'hunter22')",
        b"CLONE INSTANCE FROM 'a'@'h':3306 IDENTIFIED BY 'hunter22'",
        b"/*!40001 */ INSTALL x IDENTIFIED BY 'hunter22'",
    ],
)
def test_statements_about_accounts_are_refused_by_id(sql: bytes) -> None:
    with pytest.raises(PrivacyError, match="s007") as caught:
        seal(draft(step(*pieces(sql), statement_id="s007")), key=KEY)
    assert "hunter22" not in caught.value.message + caught.value.hint
    assert "--user" in caught.value.hint


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT AES_ENCRYPT(card, 'hunter22') FROM cards",
        b"SELECT AES_DECRYPT(UNHEX(card), 'hunter22') FROM cards",
        b"SELECT PASSWORD('hunter22')",
        b"SET @enc_key = 'hunter22'",
        b"SET @my_password := 'hunter22'",
        b"CREATE TABLE t (a INT) ENGINE=FEDERATED CONNECTION='mysql://app:hunter22@db/shop/t'",
        b"LOAD DATA INFILE 's3://ada:hunter22@bucket/file.csv' INTO TABLE t",
        b"SELECT 'jdbc:mysql://db/shop?user=ada&password=hunter22'",
        b"INSERT INTO jobs (url) VALUES ('app:hunter22@tcp(db:3306)/shop')",
    ],
)
def test_passwords_and_logins_are_replaced_though_all_captures_agree(sql: bytes) -> None:
    assert b"hunter22" not in render(seal(draft(step(*pieces(sql))), key=KEY))


def test_a_key_of_two_functions_stays_one_key() -> None:
    sql = b"SELECT AES_DECRYPT(AES_ENCRYPT('plain words', 'hunter22'), 'hunter22')"
    (made,) = seal(draft(step(*pieces(sql))), key=KEY).steps[0].pieces
    assert isinstance(made, bytes)
    parts = made.split(b"'")
    assert parts[3] == parts[5] != b"hunter22"


@pytest.mark.parametrize(
    "sql", ["SET PASSWORD FOR bob = 'hunter22'", "CREATE USER bob IDENTIFIED BY 'hunter22'"]
)
def test_session_set_up_of_a_capture_takes_its_passwords_with_it(sql: str) -> None:
    log = capture(alone(sql), alone("SELECT id FROM shops"))
    raw = parameterize([log, log], schema=shop_schema(), name="order")
    file = render(seal(raw, key=KEY))
    assert b"hunter22" not in file
    assert b"bob" not in file
