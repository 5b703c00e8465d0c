"""A comment may name a person: whatever a capture says in comments, no workload file repeats it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.captures import shop_schema, statements

from readiness.anonymize.seal import seal
from readiness.workload.find.parameterize import parameterize
from readiness.workload.text.file import render

COMMENTS = st.sampled_from(
    ["/* secret */", "/*secret*/", "-- secret\n", "# secret\n", "/*+ secret */", "/*+secret*/", ""]
)
TOKENS = (
    *("INSERT", "INTO", "orders", "(", "note", ",", "shop_id", ")", "VALUES", "("),
    *("_utf8mb4", "'{0}'", "' and '", "'{1}'", ",", "CONCAT", "(", "'same'", "'words'", ")"),
    *(")", ",", "(", "DATE", "'2026-11-30'", ",", "17", ")"),
)


def written(gaps: Sequence[str], *values: str) -> str:
    """The statement with a comment in each gap between two tokens."""
    joined = "".join(f"{token} {gap} " for token, gap in zip(TOKENS, gaps, strict=True))
    return joined.format(*values)


GAPS = st.lists(COMMENTS, min_size=len(TOKENS), max_size=len(TOKENS)).filter(
    lambda gaps: not gaps[0].startswith("/*+")  # behind INSERT a hint is a hint
)


@given(one=GAPS, other=GAPS, lead=COMMENTS)
def test_no_comment_of_any_capture_is_in_the_file(
    one: list[str], other: list[str], lead: str
) -> None:
    captures = [
        statements(lead + written(one, "Ada", "Weiss"), "SELECT id FROM shops"),
        statements(written(other, "Zoe", "Brandt") + lead, "SELECT id FROM shops"),
    ]
    draft = parameterize(captures, schema=shop_schema(), name="order")
    file = render(seal(draft, key=b"k" * 32, now_ms=1_796_000_000_000))
    assert b"secret" not in file
    assert b"Weiss" not in file
    assert b"INSERT INTO orders" in b" ".join(file.split())
