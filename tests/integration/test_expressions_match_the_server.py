"""Every function of the expression language gives what the server gives."""

from __future__ import annotations

from collections.abc import Iterator

import pymysql
import pytest
from pymysql.cursors import Cursor

from readiness.adapters.local_server import LocalServer
from readiness.model.workload import Form
from readiness.workload.make.expression import Now, Place, compile_expression

pytestmark = pytest.mark.mysql

EPOCH_US = 1_795_780_803_123_456
VARIABLES: dict[str, tuple[bytes, Form]] = {
    "t": ("O'Brannigan ÄÖß éñ😀".encode(), Form.TEXT),
    "e": (b"Anna.Lee@Mail.Example.test", Form.TEXT),
    "s": (b"42", Form.TEXT),
    "u": (b"2f0c1e5a-0c6b-4f0e-9d38-3f9b1d3a0001", Form.TEXT),
    "long": (b"x" * 100, Form.TEXT),
    "at": (b"2026-11-30 12:00:01", Form.TEXT),
    "at6": (b"2026-11-30 12:00:01.250000", Form.TEXT),
    "day": (b"2024-02-28", Form.TEXT),
    "bt": (b"695143257649462944", Form.TEXT),
    "n": (b"1234567", Form.NUMBER),
    "neg": (b"-17", Form.NUMBER),
    "d": (b"12.50", Form.NUMBER),
    "big": (b"695143257649462944", Form.NUMBER),
    "b": (bytes(range(0, 255, 7)), Form.HEX),
}
EXPRESSIONS = r"""
CONCAT(@t, '-', @n, '-', @d, '-', @neg) | CONCAT(1.50, 007, '') | CONCAT('a\'b\\c"', "d'e")
LOWER(@t) | UPPER(@t) | LOWER(@e) | UPPER('ÿßıſ') | LOWER('İẞΣ') | HEX(LOWER(x'4142'))
LEFT(@t, 13) | LEFT(@t, 0) | LEFT(@t, -1) | RIGHT(@t, 3) | RIGHT(@t, 100) | RIGHT(@t, 0)
SUBSTRING(@t, 3) | SUBSTRING(@t, 3, 4) | SUBSTRING(@t, -5, 3) | SUBSTRING(@t, 0) | SUBSTRING(@t, 100)
SUBSTRING(@t, 0, 4) | SUBSTRING(@t, 2, -1) | SUBSTRING(@t, -100, 3)
SUBSTRING_INDEX(@e, '@', 1) | SUBSTRING_INDEX(@e, '@', -1) | SUBSTRING_INDEX(@e, '.', 2)
SUBSTRING_INDEX(@e, '.', -2) | SUBSTRING_INDEX(@e, '.', 99) | SUBSTRING_INDEX(@e, '.', -99)
SUBSTRING_INDEX(@e, 'm', 1) | SUBSTRING_INDEX(@e, '', 1) | SUBSTRING_INDEX(@e, '.', 0)
REPLACE(@e, 'a', 'A') | REPLACE(@e, 'MAIL', 'x') | REPLACE(@e, '', 'x')
MD5(@t) | SHA1(@t) | SHA2(@t, 0) | SHA2(@t, 224) | SHA2(@t, 256) | SHA2(@t, 384) | SHA2(@t, 512)
MD5(@n) | MD5(@d) | SHA2(@b, 256) | MD5(x'00ff') | UPPER(MD5(@t)) | HEX(UNHEX(MD5(@t)))
TO_BASE64(@t) | TO_BASE64(@long) | REPLACE(TO_BASE64(@long), '\n', '') | TO_BASE64(@b)
HEX(@t) | HEX(@n) | HEX(@neg) | HEX(@b) | HEX(UNHEX('0aFF')) | HEX(UNHEX('abc'))
HEX(FROM_BASE64(TO_BASE64(@t))) | HEX(CONCAT(@b, @t)) | CONCAT(x'4142', 'c')
LPAD(@n, 12, '0') | LPAD(@n, 3, '0') | LPAD(@s, 7, 'ab') | LPAD(@s, 4) | CAST(@n AS CHAR)
CAST(@d AS CHAR) | CONCAT(@n DIV 100, '.', LPAD(@n - (@n DIV 100) * 100, 2, '0'))
@n + 1 | @n - 1 | @n * 3 | @n DIV 7 | @neg DIV 2 | @neg * 5 - 3 | (@n + 2) * 3 DIV 4 | -@n | - @neg
@n - (@n * 15) DIV 100 | @d + 1 | @d * 2 | @d * 1.5 | @d DIV 3 | @d - 0.5 | @d DIV 0.3 | @neg + @d
@s + 1 | @s * 2 | @s DIV 5 | @neg DIV @s | @big DIV 1000 | @big + 1 | @bt DIV 1000 | @n - 2000000
@at + INTERVAL 30 SECOND | @at + INTERVAL 30 DAY | @at6 + INTERVAL 1 SECOND | @at + INTERVAL -5 DAY
@at6 + INTERVAL 750000 MICROSECOND | @at + INTERVAL 5 MICROSECOND | @at - INTERVAL 90 MINUTE
@day + INTERVAL 2 DAY | @day + INTERVAL 1 HOUR | @day + INTERVAL 1 SECOND | @day + INTERVAL 1 WEEK
@at + INTERVAL 1.5 SECOND | NOW() + INTERVAL 1.25 SECOND | NOW() + INTERVAL 3 SECOND
NOW(6) + INTERVAL 3 SECOND | NOW() + INTERVAL 3 MICROSECOND | NOW(6) - INTERVAL 1500 MICROSECOND
NOW() | NOW(3) | NOW(6) | CURDATE() | CURDATE() + INTERVAL 14 DAY | CURDATE() + INTERVAL 1 SECOND
CURDATE() - INTERVAL 1 HOUR | UNIX_TIMESTAMP() | UNIX_TIMESTAMP() * 1000 | LEFT(NOW(), 10)
CONCAT('at ', NOW(6)) | REPLACE(NOW(6), ' ', 'T')
-(@n * 3 DIV 100) | -(@n - @n * 3 DIV 100)
HEX(UNHEX(CONCAT(SUBSTRING(@u, 15, 4), SUBSTRING(@u, 10, 4), LEFT(@u, 8), SUBSTRING(@u, 20, 4), RIGHT(@u, 12))))
LOWER(CONCAT(SUBSTRING(HEX(@b), 1, 8), '-', SUBSTRING(HEX(@b), 9, 4), '-', SUBSTRING(HEX(@b), 13, 4)))
"""


# The language is MariaDB's; a plain client on MySQL gets something else, or nothing, for these.
OTHERWISE_ON_MYSQL = frozenset(
    {
        "LOWER('İẞΣ')",  # ẞ has a small letter there
        "MD5(@n)",  # the component takes text alone
        "MD5(@d)",
        "LPAD(@s, 4)",  # always three arguments
        "@at6 + INTERVAL 750000 MICROSECOND",  # keeps digits that are all 0
        "@at + INTERVAL 1.5 SECOND",  # as many digits as the interval has
    }
)


@pytest.fixture(scope="module")
def cursor(private_server: LocalServer) -> Iterator[Cursor]:
    """A session with the variables set, two hours ahead of UTC, at one frozen moment."""
    with (
        pymysql.connect(
            unix_socket=private_server.running_state().socket, user="root", charset="utf8mb4"
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(f"SET timestamp = {EPOCH_US / 1e6:.6f}, time_zone = '+02:00'")
        for name, (value, form) in VARIABLES.items():
            text = value if form is Form.HEX else value.decode()
            cursor.execute(
                f"SET @{name} = %s", (int(value),) if name in ("n", "neg", "big") else (text,)
            )
        cursor.execute("SET @d = 12.50")
        if private_server.running_state().engine == "mysql":
            # From MySQL 9.6 on MD5 and SHA1 come with it alone; docs/workload-file.md says so.
            cursor.execute("INSTALL COMPONENT 'file://component_classic_hashing'")
        yield cursor


@pytest.mark.parametrize(
    "text", [e for e in EXPRESSIONS.replace("\n", "|").split("|") if e.strip()]
)
def test_an_expression_gives_what_the_server_gives(
    text: str, cursor: Cursor, private_server: LocalServer
) -> None:
    is_other = (
        private_server.running_state().engine == "mysql" and text.strip() in OTHERWISE_ON_MYSQL
    )
    try:
        cursor.execute(f"SET @result = {text}")
    except pymysql.MySQLError:
        assert is_other
        return
    cursor.execute("SELECT CAST(@result AS CHAR)")
    (expected,) = cursor.fetchone() or (None,)
    places = {name: Place(i, form) for i, (name, (_, form)) in enumerate(VARIABLES.items())}
    values = [value for value, _ in VARIABLES.values()]
    compiled = compile_expression(text, places)
    gives_the_same = compiled.evaluate(values, Now.at(EPOCH_US, 7200)) == str(expected).encode()
    assert gives_the_same is not is_other
