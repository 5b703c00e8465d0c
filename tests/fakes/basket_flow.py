"""A little shop's checkout whose basket differs: its workload, a flow that draws, and its slow logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from readiness.model.transactions import Outcome, RawCapture, RawStatement, RawTransaction
from readiness.model.workload import (
    Bind,
    Form,
    Piece,
    Repeat,
    Row,
    Slot,
    StatementKind,
    Step,
    Turn,
    Variable,
    VariableKind,
    Workload,
)
from readiness.ports import Reply
from readiness.sql.shape import fingerprint, shape
from readiness.workload.prove.captured_shapes import text_with_literals

REPEAT = "items_0"
MOST = 3
S = StatementKind
_TEXTS = {
    "look": b"SELECT price FROM products WHERE id = ",
    "order": b"INSERT INTO orders (shop_id) VALUES (",
    "lines": b"INSERT INTO lines (order_id, product_id) VALUES (",
    "read": b"SELECT * FROM lines WHERE order_id = ",
}


def variables() -> tuple[Variable, ...]:
    """One sampled shop and three products, and the order's id."""
    existing, number = VariableKind.EXISTING, Form.NUMBER
    products = [
        Variable(f"product_id_{k}", existing, "sample", "products.id", number)
        for k in range(1, MOST + 1)
    ]
    return (
        Variable("shop_id_0", existing, "sample", "shops.id", number),
        *products,
        Variable("order_id_0", VariableKind.SERVER, "", "orders.id", number),
    )


def _with_shape(step: Step) -> Step:
    known = {v.name: v for v in variables()}
    return replace(step, shape=fingerprint(shape(text_with_literals(step, known))))


def _step(number: int, kind: StatementKind, *pieces: Piece, transaction: int = 1) -> Step:
    return Step(f"s{number:03d}", 1, transaction, kind, 0.0, pieces)


def _row(turn: int) -> Row:
    pieces = (b", (", Slot("order_id_0"), b", ", Slot(f"product_id_{turn}"), b")")
    return Row(Turn(REPEAT, turn), pieces)


def basket_workload(counts: Sequence[int] = (1, 2, 3)) -> Workload:
    """A look at each product, an order, its lines in one INSERT, and a read of them."""
    looks = [
        replace(
            _step(k + 1, S.SELECT, _TEXTS["look"], Slot(f"product_id_{k}")), turn=Turn(REPEAT, k)
        )
        for k in range(1, MOST + 1)
    ]
    lines = (
        _TEXTS["lines"],
        Slot("order_id_0"),
        b", ",
        Slot("product_id_1"),
        b")",
        *(_row(k) for k in range(2, MOST + 1)),
    )
    order = replace(
        _step(5, S.INSERT, _TEXTS["order"], Slot("shop_id_0"), b")"), binds=(Bind("order_id_0"),)
    )
    steps = (
        _step(1, S.BEGIN, b"BEGIN"),
        *looks,
        order,
        _step(6, S.INSERT, *lines),
        _step(7, S.COMMIT, b"COMMIT"),
        _step(8, S.SELECT, _TEXTS["read"], Slot("order_id_0"), transaction=0),
    )
    made = tuple(_with_shape(step) for step in steps)
    repeats = (Repeat(REPEAT, tuple(counts)),)
    return Workload("checkout", len(counts), variables(), (), made, repeats=repeats)


class BasketFlow:
    """`ports.CheckoutFlow` over the workload: checkout `n` has `baskets[n]` items."""

    def __init__(self, workload: Workload, baskets: Sequence[int]) -> None:
        self._workload = workload
        self._baskets = baskets
        steps = workload.steps
        self.statement_ids = [s.statement_id for s in steps]
        self.kinds = [s.kind for s in steps]
        self.connections = [s.connection - 1 for s in steps]
        self.transactions = [s.transaction for s in steps]
        self.pauses_ms = [s.pause_ms for s in steps]
        self.binds = [bool(s.binds) for s in steps]
        self.may_skip = [s.turn is not None for s in steps]

    def new_values(self, number: int) -> list[bytes]:
        return [b"%d" % self._baskets[number % len(self._baskets)]]

    def following(self, step: int, values: list[bytes]) -> int:
        while step < len(self.statement_ids):
            turn = self._workload.steps[step].turn
            if turn is None or turn.number <= int(values[0]):
                break
            step += 1
        return step

    def render(self, step: int, values: list[bytes]) -> bytes:
        one = self._workload.steps[step]
        kept = tuple(
            p for p in one.pieces if not isinstance(p, Row) or p.turn.number <= int(values[0])
        )
        known = {v.name: v for v in self._workload.variables}
        return text_with_literals(replace(one, pieces=kept), known)

    def bind(self, step: int, values: list[bytes], insert_id: int) -> None:
        """Nothing depends on it here."""


def answer(sql: bytes) -> Reply:
    """What a database with all rows says; reading the lines always gives two."""
    if sql.startswith(_TEXTS["lines"]):
        return Reply(affected_rows=sql.count(b"(") - 1)
    if sql.startswith(b"SELECT"):
        return Reply(rows=2 if sql.startswith(_TEXTS["read"]) else 1)
    return Reply(affected_rows=int(sql.startswith(b"INSERT")), insert_id=7)


RowsByLine = dict[int, tuple[int, int | None]]


def slow_log(
    items: int, *, changes: Mapping[str, tuple[int, int | None]] | None = None, extra: bytes = b""
) -> tuple[RawCapture, RowsByLine]:
    """The slow log of a checkout with so many items, and its rows by line. `changes` are other rows,
    by the kind of statement (look, order, lines, read); `extra` is one more statement inside."""
    line = b"(4711, %d)"
    inside = [
        ("", b"BEGIN"),
        *(("look", _TEXTS["look"] + b"%d" % k) for k in range(items)),
        ("order", _TEXTS["order"] + b"12)"),
        (
            "lines",
            _TEXTS["lines"][:-1] + b", ".join(line % k for k in range(items)),
        ),
        *([("", extra)] if extra else []),
        ("", b"COMMIT"),
    ]
    alone = [("read", _TEXTS["read"] + b"4711")]
    rows: RowsByLine = {}
    statements = []
    answers: dict[str, tuple[int, int | None]] = {
        "look": (1, 0),
        "order": (0, 1),
        "lines": (0, items),
        "read": (2, 0),
    }
    for number, (kind, sql) in enumerate([*inside, *alone], 1):
        statements.append(RawStatement(sql, number))
        rows[number] = {**answers, **(changes or {})}.get(kind, (0, 0))
    transactions = (
        RawTransaction(1, "app", "shop", tuple(statements[:-1]), Outcome.COMMIT),
        RawTransaction(1, "app", "shop", tuple(statements[-1:]), Outcome.AUTOCOMMIT),
    )
    return RawCapture(f"{items}-items.slow.log", "slow-mariadb", transactions), rows
