"""JSON texts whose lists differ in length."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.workload.find.payloads import is_json, segments, with_longest_lists

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=6))
JSON = st.recursive(
    SCALARS,
    lambda inside: (
        st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=3), inside, max_size=3)
    ),
).filter(lambda v: isinstance(v, (list, dict)))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["[1]", "[2, 3]"], ["[1, 1]", "[2, 3]"]),
        (["[1,2]", "[3,4,5]"], ["[1,2,1]", "[3,4,5]"]),
        (
            ['{"a": [1], "b": "x"}', '{"a": [2, 3], "b": "y"}'],
            ['{"a": [1, 1], "b": "x"}', '{"a": [2, 3], "b": "y"}'],
        ),
        (
            ['[{"n": 1}]', '[ {"n": 2}, {"n": 3} ]'],
            ['[{"n": 1}, {"n": 1}]', '[ {"n": 2}, {"n": 3} ]'],
        ),
        (["[[1], [2, 3]]", "[[4, 5]]"], ["[[1, 1], [2, 3]]", "[[4, 5], [4, 5]]"]),
        # cannot be made equal: as they are
        (["[]", "[1]"], ["[]", "[1]"]),
        (['{"a": 1}', '{"b": 1}'], ['{"a": 1}', '{"b": 1}']),
        (["[1]", '{"a": [1]}'], ["[1]", '{"a": [1]}']),
        (["[1", "[1, 2]"], ["[1", "[1, 2]"]),
        (["plain", "[1, 2]"], ["plain", "[1, 2]"]),
    ],
)
def test_shorter_lists_are_padded_with_their_own_entries(
    texts: list[str], expected: list[str]
) -> None:
    made = with_longest_lists(tuple(t.encode() for t in texts))
    assert [m.decode() for m in made if m is not None] == expected


def test_a_capture_that_lacks_the_text_stays_without() -> None:
    assert with_longest_lists((b"[1]", None, b"[1, 2]")) == (b"[1, 1]", None, b"[1, 2]")


def test_base64_of_json_is_padded_inside() -> None:
    texts = [base64.b64encode(json.dumps({"cart": cart}).encode()) for cart in ([10, 20], [30])]
    made = with_longest_lists(tuple(texts))
    assert [json.loads(base64.b64decode(m or b"")) for m in made] == [
        {"cart": [10, 20]},
        {"cart": [30, 30]},
    ]


@given(st.lists(JSON, min_size=2, max_size=3), st.sampled_from([None, 1]))
def test_what_was_json_stays_json(values: list[object], indent: int | None) -> None:
    texts = tuple(json.dumps(v, indent=indent).encode() for v in values)
    assert all(m is not None and is_json(m) for m in with_longest_lists(texts))


@given(JSON, st.sampled_from([None, 2]))
def test_segments_joined_are_the_text(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False).encode()
    found = segments([text, text])
    assert found is not None
    assert b"".join(s.values[0] for s in found) == text


def test_a_scalar_is_cut_out_without_its_quotes() -> None:
    found = segments([b'{"a": "x", "b": [1, true]}', b'{"a": "y", "b": [2, true]}'])
    assert found is not None
    scalars = [(s.values, s.is_bare) for s in found if s.is_scalar]
    assert scalars == [((b"x", b"y"), False), ((b"1", b"2"), True), ((b"true", b"true"), True)]


def test_texts_of_several_structures_have_no_segments() -> None:
    assert segments([b'{"a": "x"}', b'{"a": 1}']) is None
