"""Bodies that stand several times in a row, in sequences of symbols."""

from __future__ import annotations

import time

import pytest

from readiness.workload.find.loops import Line, Node, with_loops


def shown(nodes: list[Node]) -> str:
    """`x(ab)3y`: a loop as its first body and its count."""
    return "".join(
        chr(n.symbol)
        if not n.iterations
        else f"({shown(list(n.iterations[0]))}){len(n.iterations)}"
        for n in nodes
    )


def loops(*texts: str, inner_first: bool = False) -> list[str]:
    lines = [Line([ord(c) for c in t], [0] * len(t)) for t in texts]
    return [shown(row) for row in with_loops(lines, inner_first=inner_first)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["xay", "xaay"], ["x(a)1y", "x(a)2y"]),
        (["xaby", "xababaybz"], ["x(ab)1y", "x(ab)2aybz"]),
        (["aab", "ab"], ["(a)2b", "(a)1b"]),
        (["xabcabcabc", "xabc"], ["x(abc)3", "x(abc)1"]),
        (["aaabbb", "ab"], ["(a)3(b)3", "(a)1(b)1"]),
        (["xabay", "xabaabay"], ["x(aba)1y", "x(aba)2y"]),
        (["xyz", "xyz"], ["xyz", "xyz"]),
        (["", "a"], ["", "a"]),
    ],
)
def test_a_body_that_any_sequence_repeats_is_a_loop_in_all(
    texts: list[str], expected: list[str]
) -> None:
    assert loops(*texts) == expected


def test_loops_over_the_same_statements_in_another_order_are_their_own() -> None:
    """Values say where an item begins: `ab` for each item, then `ba` for each."""
    texts = ["xababybabaz", "xabybaz"]
    items = [[0, 1, 1, 2, 2, 0, 1, 1, 2, 2, 0], [0, 1, 1, 0, 1, 1, 0]]
    lines = [
        Line([ord(c) for c in t], [0] * len(t), lambda i, own=own: frozenset([b"%d" % own[i]]))
        for t, own in zip(texts, items, strict=True)
    ]
    rows = with_loops(lines, inner_first=False)
    assert [shown(row) for row in rows] == ["x(ab)2y(ba)2z", "x(ab)1y(ba)1z"]


def test_short_bodies_first_find_loops_in_loops() -> None:
    assert loops("saasasaaa", "saa", inner_first=True) == ["(s(a)2)3", "(s(a)2)1"]


def test_nothing_is_lost() -> None:
    def leaves(nodes: list[Node]) -> list[int]:
        return [
            i
            for n in nodes
            for i in (
                [n.start] if not n.iterations else leaves([x for b in n.iterations for x in b])
            )
        ]

    text = "xababcabababcyyz"
    lines = [Line([ord(c) for c in text], [0] * len(text))]
    for way in (True, False):
        assert leaves(with_loops(lines, inner_first=way)[0]) == list(range(len(text)))


@pytest.mark.parametrize(
    ("text", "transactions", "expected"),
    [
        # BEGIN, work, COMMIT: a body never begins at a COMMIT
        ("xcbacbacba", [1, 1, 2, 2, 2, 3, 3, 3, 4, 4], "xc(bac)2ba"),
        # a run that two transactions share is none
        ("baac", [1, 1, 2, 2], "baac"),
        # within one transaction it is
        ("baac", [1, 1, 1, 1], "b(a)2c"),
    ],
)
def test_no_body_splits_a_transaction(text: str, transactions: list[int], expected: str) -> None:
    lines = [Line([ord(c) for c in text], transactions)]
    assert shown(with_loops(lines, inner_first=False)[0]) == expected


def test_two_thousand_statements_take_little_work() -> None:
    """A bound on what is looked at, far above what is needed and far below every pair."""
    looked = 0

    def values(_: int) -> frozenset[bytes]:
        nonlocal looked
        looked += 1
        return frozenset()

    symbols = [n * n % 101 if n % 7 else 500 + n // 70 for n in range(2_000)]
    lines = [
        Line(symbols[:at] + symbols[at : at + 30] * 2 + symbols[at:], [0] * 2_060, values)
        for at in (100, 900)
    ]
    started = time.process_time()
    with_loops(lines, inner_first=False)
    assert looked < 200_000
    assert time.process_time() - started < 60
