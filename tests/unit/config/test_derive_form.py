"""The SQL of a policy's `derive` is a short list of functions over columns, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.config.derive_form import derive_columns, derive_fault


@pytest.mark.parametrize(
    "text",
    [
        "SHA2(LOWER({email}), 256)",
        "UPPER(CONCAT({first name}, ' ', {last_name}))",
        "concat_ws('-', {a}, NULL, {b})",
        "RIGHT({card}, 4)",
        "{email}",
    ],
)
def test_functions_of_columns_are_taken(text: str) -> None:
    assert derive_fault(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "'a'",
        "SHA2('a', 256)",
        "(SELECT password FROM users)",
        "SHA2({a}, (SELECT 1))",
        "SLEEP({a})",
        "LOAD_FILE({a})",
        "{a}; DROP TABLE users",
        "{a} -- b",
        "{a} /* b */",
        "CONCAT({a}, 'it\\'s')",
        "CONCAT({a}, 'x{b}')",
        "CONCAT({a}, '%s')",
        "{a} = 1",
        "@@version",
        "CONCAT({a}, @readiness_key)",
        "LOWER({a}",
        "LOWER {a}",
        "LEFT({a})",
        "`a`",
        'CONCAT({a}, "b")',
        "{a} {b}",
        "LOWER(" * 40 + "{a}" + ")" * 40,
        "CONCAT({a}, 'x' 'y')",
    ],
)
def test_all_else_is_refused_with_a_reason(text: str) -> None:
    assert derive_fault(text)


def test_its_columns_are_told_once_each() -> None:
    assert derive_columns("CONCAT({a}, {b b}, {a})") == ("a", "b b")


@given(st.text(max_size=60))
def test_any_text_is_taken_or_told(text: str) -> None:
    """Never an exception; and what is taken holds no mark that ends a value."""
    if not derive_fault(text):
        assert not set(';`@\\"') & set("".join(text.split("{")[:1]))
