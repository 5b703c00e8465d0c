"""Checkouts of one shop with any number of items, written by hand; and drafts played back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fakes.captures import alone, capture, transaction

from readiness.anonymize.originals import literal_value
from readiness.model.draft import RawDraft, RawLiteral, RawPiece, RawRow, RawStep
from readiness.model.transactions import Outcome, RawCapture, RawTransaction
from readiness.model.workload import Slot, Turn
from readiness.sql.lexer import encode, lex
from readiness.sql.shape import shape
from readiness.workload.find.literals import literals_of
from readiness.workload.find.statements import flatten

Said = tuple[bytes, tuple[bytes, ...]]
"""A statement as its shape and its values."""


@dataclass(frozen=True)
class Basket:
    """One person's checkout of `items` products from number `first` on; ids follow `seed`."""

    items: int
    seed: int
    failed: tuple[int, ...] = ()  # tries before: after how many statements each was rolled back
    rows: bool = True  # one INSERT of many rows, else one for each item
    looks_at_last: bool = False

    @property
    def user(self) -> str:
        return f"{self.seed * 7919:08x}-183e-4ff6-88fb-{self.seed * 104729:012x}"

    @property
    def shop(self) -> int:
        return 555_000 + self.seed

    @property
    def order(self) -> int:
        return 70_000 + self.seed * 100

    def product(self, number: int) -> int:
        return 1_000_000 + self.seed * 5_000 + number * 37

    def price(self, number: int) -> int:
        return 1_000 + self.seed * 531 + number * 131

    def capture(self) -> RawCapture:
        """The whole log."""
        numbers = range(self.items)
        looked_up = [f"SELECT * FROM products WHERE id = {self.product(n)}" for n in numbers]
        listed = ",".join(str(self.product(n)) for n in numbers)
        return capture(
            alone(f"SELECT * FROM shops WHERE id = {self.shop}"),
            *(alone(text) for text in looked_up),
            *(self._try(n, length) for n, length in enumerate(self.failed)),
            transaction("BEGIN", *self._order(self.order), "COMMIT"),
            alone(f"SELECT id FROM products WHERE id IN ({listed})"),
        )

    def _try(self, number: int, length: int) -> RawTransaction:
        order = self.order - len(self.failed) + number
        done = self._order(order)[:length]
        return transaction("BEGIN", *done, "ROLLBACK", outcome=Outcome.ROLLBACK)

    def _order(self, order: int) -> list[str]:
        numbers = range(self.items)
        values = [f"({order}, {self.product(n)}, {n % 3 + 1}, {self.price(n)})" for n in numbers]
        insert = "INSERT INTO order_lines (order_id, product_id, quantity, price_cents) VALUES "
        made = [insert + ", ".join(values)] if self.rows else [insert + v for v in values]
        lines = [order * 10 + n for n in numbers]
        return [
            f"INSERT INTO users (id, email) VALUES ('{self.user}', '{self.seed:08x}@shop.test')",
            f"INSERT INTO orders (user_id, shop_id) VALUES ('{self.user}', {self.shop})",
            *made,
            *(f"UPDATE order_lines SET quantity = quantity WHERE id = {line}" for line in lines),
            *([f"SELECT * FROM order_lines WHERE id = {lines[-1]}"] * self.looks_at_last),
        ]


def payload(prices: Sequence[int], user: str) -> str:
    """The JSON text of a basket."""
    items = [{"sku": f"SKU-{p * 7:08d}", "price": p} for p in prices]
    return json.dumps({"user": user, "items": items, "gift": False})


def said_in(captured: RawCapture) -> list[Said]:
    """What a capture says, statement by statement."""
    return [(s.shape, tuple(x.value for x in s.literals)) for s in flatten(captured).statements]


def said_by(draft: RawDraft, number: int) -> list[Said]:
    """What one checkout of the draft says that draws the counts of capture `number` (from 0) and
    uses its values."""
    counts = {r.name: r.counts[number] for r in draft.repeats}

    def runs(turn: Turn | None) -> bool:
        return turn is None or turn.number <= counts[turn.repeat]

    return [_said(draft, step, number, counts) for step in draft.steps if runs(step.turn)]


def _said(draft: RawDraft, step: RawStep, number: int, counts: dict[str, int]) -> Said:
    sql = b"".join(_rendered(draft, p, number, counts) for p in step.pieces)
    return shape(sql), tuple(x.value for x in literals_of(sql, lex(sql)))


def _rendered(draft: RawDraft, piece: RawPiece, number: int, counts: dict[str, int]) -> bytes:
    match piece:
        case Slot(name):
            variable = next(v for v in draft.variables if v.name == name)
            return encode(variable.form, variable.values[number] or b"")
        case RawLiteral():
            values = list(piece.others)
            values.insert(piece.capture, literal_value(piece))
            return encode(piece.form, values[number] or b"")
        case RawRow():
            is_left_out = piece.turn.number > counts[piece.turn.repeat]
            inside = () if is_left_out else piece.pieces
            return b"".join(_rendered(draft, p, number, counts) for p in inside)
        case bytes():
            return piece
