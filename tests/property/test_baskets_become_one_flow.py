"""Any flow with loops over a basket, captured with baskets of any size, is one flow again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.fakes.baskets import said_by, said_in
from tests.fakes.captures import alone, capture, shop_schema, transaction

from readiness.model.draft import RawDraft, RawPiece, RawRow
from readiness.model.transactions import RawCapture, RawTransaction
from readiness.model.workload import Slot, Turn
from readiness.workload.find.parameterize import parameterize

COLUMNS = ("sku", "price_cents", "shop_id")


@dataclass(frozen=True)
class Part:
    """A part of a flow: `bodies` are the columns that the statements of one item read."""

    kind: str  # "once", "loop", "transactions", "members", "rows"
    bodies: tuple[int, ...]
    number: int


@dataclass(frozen=True)
class Person:
    """The ids of one capture: no two captures, items or parts share one."""

    seed: int
    items: int

    def product(self, item: int) -> int:
        return 1_000_000_000 + self.seed * 1_000_000 + item * 7_919

    def single(self, part: int) -> int:
        return 2_000_000_000 + self.seed * 1_000_000 + part * 7_919


@st.composite
def flows(draw: st.DrawFn) -> list[Part]:
    """Parts between which a statement of its own stands, so that loops do not touch."""
    kinds = st.sampled_from(["once", "loop", "transactions", "members", "rows"])
    bodies = st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True).map(tuple)
    found = draw(st.lists(st.tuples(kinds, bodies), min_size=1, max_size=5))
    return [Part(kind, body, n) for n, (kind, body) in enumerate(found)]


def captured(parts: Sequence[Part], person: Person) -> RawCapture:
    made: list[RawTransaction] = []
    for part in parts:
        fence = f"SELECT name AS p{part.number} FROM shops WHERE id = {person.single(part.number)}"
        made += [alone(fence), *_said(part, person)]
    return capture(*made)


def _said(part: Part, person: Person) -> list[RawTransaction]:
    ids = [person.product(n) for n in range(person.items)]
    each = [[f"SELECT {COLUMNS[c]} FROM products WHERE id = {i}" for c in part.bodies] for i in ids]
    match part.kind:
        case "once":
            return [alone(f"SELECT * FROM users WHERE email = 'p{person.single(part.number)}@x.y'")]
        case "loop":
            return [transaction("BEGIN", *(text for texts in each for text in texts), "COMMIT")]
        case "transactions":
            return [transaction("BEGIN", *texts, "COMMIT") for texts in each]
        case "members":
            return [alone(f"SELECT * FROM products WHERE id IN ({', '.join(map(str, ids))})")]
        case _:
            rows = ", ".join(f"({person.single(part.number)}, {i})" for i in ids)
            return [alone(f"INSERT INTO order_lines (order_id, product_id) VALUES {rows}")]


def build(parts: Sequence[Part], counts: Sequence[int]) -> tuple[RawDraft, list[RawCapture]]:
    captures = [captured(parts, Person(n, items)) for n, items in enumerate(counts)]
    return parameterize(captures, schema=shop_schema(), name="order"), captures


COUNTS = st.lists(st.integers(1, 5), min_size=2, max_size=3)


@settings(deadline=None, max_examples=30)
@given(flows(), COUNTS)
def test_a_checkout_of_each_capture_can_be_played_back(
    parts: list[Part], counts: list[int]
) -> None:
    found, captures = build(parts, counts)
    for number, one in enumerate(captures):
        assert said_by(found, number) == said_in(one)


@settings(deadline=None, max_examples=30)
@given(flows(), COUNTS)
def test_one_repeat_counts_all_loops(parts: list[Part], counts: list[int]) -> None:
    found, _ = build(parts, counts)
    has_loop = any(p.kind != "once" for p in parts)
    expected = {tuple(counts)} if has_loop and len(set(counts)) > 1 else set()
    assert {r.counts for r in found.repeats} == expected
    assert not found.warnings


@settings(deadline=None, max_examples=30)
@given(flows(), COUNTS)
@example([Part("loop", (0, 1), 0), Part("loop", (1, 0), 1)], [1, 2, 3])
@example([Part("loop", (0, 1), 0), Part("loop", (1, 0), 1)], [2, 3])
def test_an_item_is_one_variable_wherever_it_stands(parts: list[Part], counts: list[int]) -> None:
    found, _ = build(parts, counts)
    if not found.repeats:
        return
    by_turn: dict[int, set[str]] = {}
    for step in found.steps:
        for piece in step.pieces:
            for number, name in _used(piece, step.turn):
                by_turn.setdefault(number, set()).add(name)
    products = {n: {x for x in names if x.startswith("product_id")} for n, names in by_turn.items()}
    assert all(len(names) == 1 for number, names in products.items() if number > 1)
    assert len(set().union(*products.values())) == max(counts)


def _used(piece: RawPiece, turn: Turn | None) -> list[tuple[int, str]]:
    if isinstance(piece, RawRow):
        return [(piece.turn.number, p.variable) for p in piece.pieces if isinstance(p, Slot)]
    return [(turn.number if turn else 0, piece.variable)] if isinstance(piece, Slot) else []
