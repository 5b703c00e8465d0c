"""The expression language: what it evaluates, and how it says no."""

from __future__ import annotations

import pytest

from readiness.errors import WorkloadError
from readiness.model.workload import Form
from readiness.workload.make.expression import Now, Place, compile_expression, variables_of

NOW = Now.at(
    1_796_000_000_123_456, 3600
)  # Mon 30 Nov 2026, 00:53:20 UTC, on a clock one hour ahead
PLACES = {"text": Place(0, Form.TEXT), "number": Place(1, Form.NUMBER), "raw": Place(2, Form.HEX)}
VALUES = ["Käse@Mail.test".encode(), b"1234567", b"\x00\xff"]


def evaluated(text: str) -> bytes:
    return compile_expression(text, PLACES).evaluate(VALUES, NOW)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("CONCAT('{\"n\": ', @number, '}')", b'{"n": 1234567}'),
        ("SUBSTRING_INDEX(@text, '@', -1)", b"Mail.test"),
        ("UPPER(LEFT(@text, 2))", "KÄ".encode()),
        ("(@number * 15) DIV 100 - 1", b"185184"),
        ("HEX(@raw)", b"00FF"),
        ("NOW(3)", b"2026-11-30 01:53:20.123"),
        ("NOW() + INTERVAL 90 SECOND", b"2026-11-30 01:54:50"),
        ("CURDATE() + INTERVAL 14 DAY", b"2026-12-14"),
        ("UNIX_TIMESTAMP()", b"1796000000"),
        ("REPLACE(NOW(), ' ', 'T')", b"2026-11-30T01:53:20"),
    ],
)
def test_expressions_give_what_the_server_gives(text: str, value: bytes) -> None:
    assert evaluated(text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CRC32(@text)", "CRC32"),
        ("@other", "@other"),
        ("LEFT(@text)", "1 arguments"),
        ("CONCAT(@text", "its end"),
        ("@number @number", "character 9"),
        ("@text + 1", "calculates with a text"),
        ("@number DIV 0", "zero"),
        ("@number + INTERVAL 1 YEAR", "MICROSECOND"),
        ("@text + INTERVAL 1 DAY", "no date"),
        ("SHA2(@text, 128)", "SHA2"),
        ("UNHEX(@text)", "UNHEX"),
        ("9223372036854775807 + 1", "exactly"),
        ("'open", "never ends"),
        ("NOW() + INTERVAL 99999999 DAY", "1,000 years"),
        ("NOW() + INTERVAL 99999999999999999999 WEEK", "1,000 years"),
        ("'9999-12-31' + INTERVAL 2 DAY", "years 1 and 9999"),
        ("LPAD('x', 99999999999, 'y')", "more than 1,000,000 characters"),
    ],
)
def test_what_cannot_be_evaluated_is_named(text: str, said: str) -> None:
    with pytest.raises(WorkloadError, match=said.replace("(", r"\(")):
        evaluated(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "+".join("1" * 300),
        "-" * 500 + "1",
        "(1+" * 60 + "1" + ")" * 60,
    ],
)
def test_an_expression_too_deep_for_python_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(WorkloadError, match="operations deep") as caught:
        compile_expression(text, {})
    assert "@derive" in caught.value.hint


@pytest.mark.parametrize(
    "text", ["+".join("1" * 45), "CONCAT(" * 45 + "'x'" + ")" * 45, "-" * 40 + "1"]
)
def test_what_is_not_too_deep_can_be_evaluated(text: str) -> None:
    assert evaluated(text) in (b"45", b"x", b"1")


def test_a_refusal_shows_no_value() -> None:
    with pytest.raises(WorkloadError) as caught:
        evaluated("@text + 1")
    assert "Mail" not in caught.value.message + caught.value.hint


def test_names_inside_texts_are_no_variables() -> None:
    assert variables_of("CONCAT(@a, ' @b ', @c)") == {"a", "c"}
