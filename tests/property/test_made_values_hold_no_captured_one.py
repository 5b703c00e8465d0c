"""A made value may meet a captured one by chance; whatever the key, the sealed file never holds one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.checkouts import draft, fresh, literal, step

from readiness.anonymize.originals import originals
from readiness.anonymize.scan import scan
from readiness.anonymize.seal import seal
from readiness.model.draft import RawDraft
from readiness.model.workload import Slot
from readiness.workload.text.file import render

KEYS = st.binary(min_size=32, max_size=32)
UUIDS = (b"808a88e1-0f6e-4a7c-9d0e-4d5a5cbd8a11", b"90f1c2d3-5b6a-4c7d-8e9f-0a1b2c3d4e5f")
NOW_MS = 1_796_000_000_000


def with_uuid_and(*captured: bytes) -> RawDraft:
    """One fresh UUID, and captured words that differ between captures."""
    parts = [part for word in captured for part in (b", ", literal(b"'" + word + b"'"))]
    return draft(
        step(b"SELECT ", Slot("user_id_0"), *parts),
        variables=(fresh("user_id_0", "uuid4", *UUIDS),),
    )


@given(KEYS, st.sampled_from([0, 1, 3, 4]))
def test_an_example_gives_way_to_a_captured_word(key: bytes, group: int) -> None:
    (made,) = seal(with_uuid_and(), key=key, now_ms=NOW_MS).variables
    word = made.example.strip("'").split("-")[group]
    raw = with_uuid_and(word.encode())
    file = render(seal(raw, key=key, now_ms=NOW_MS))
    assert scan({"checkout.sql": file}, originals(raw)) == []


@given(KEYS)
def test_a_pseudonym_gives_way_to_a_captured_word(key: bytes) -> None:
    first = seal(with_uuid_and(b"4199"), key=key, now_ms=NOW_MS).steps[0].pieces[-1]
    assert isinstance(first, bytes)
    raw = with_uuid_and(b"4199", first.strip(b", '"))
    file = render(seal(raw, key=key, now_ms=NOW_MS))
    assert scan({"checkout.sql": file}, originals(raw)) == []
