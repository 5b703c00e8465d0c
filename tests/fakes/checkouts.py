"""A small invented checkout: its workload, its pools, its raw draft, and a database that answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from readiness.errors import StatementFailed
from readiness.model.draft import RawDraft, RawLiteral, RawPiece, RawStep, RawVariable
from readiness.model.transactions import Outcome
from readiness.model.workload import (
    Bind,
    Form,
    Repeat,
    Row,
    Sample,
    Slot,
    StatementKind,
    Step,
    Turn,
    Variable,
    VariableKind,
    Workload,
)
from readiness.ports import Reply
from readiness.ports import Row as Answer
from readiness.workload.make.pools import Group, Pool, Pools
from readiness.workload.make.rows import Family

FRESH, EXISTING = VariableKind.FRESH, VariableKind.EXISTING
DERIVED, TIME, SERVER = VariableKind.DERIVED, VariableKind.TIME, VariableKind.SERVER

VARIABLES = (
    Variable(
        "user_id_0", FRESH, "uuid4", "users.id", Form.TEXT, "'5f1c3a90-0000-4000-8000-00000001'"
    ),
    Variable("user_email_0", FRESH, "email(28)", "users.email", Form.TEXT, "'q.x@mail.example'"),
    Variable("device_id_0", FRESH, "binary16", "devices.id", Form.HEX, "x'00ff'"),
    Variable("order_ref_0", FRESH, "pattern(ORD-AXXXXX)", "orders.ref", Form.TEXT, "'ORD-QX1Y2Z'"),
    Variable("amount_0", FRESH, "integer(1000..99999)", "orders.cents", Form.NUMBER, "4711"),
    Variable("merchant_id_0", EXISTING, "sample", "merchants.id", Form.NUMBER),
    Variable("sku_0", EXISTING, "sample", "products.sku", Form.TEXT),
    Variable("sku_1", EXISTING, "sample", "products.sku", Form.TEXT),
    Variable(
        "email_hash_0",
        DERIVED,
        "",
        "users.email_hash",
        Form.TEXT,
        expression="SHA2(LOWER(@user_email_0), 256)",
    ),
    Variable("due_0", TIME, "", "loans.due", Form.TEXT, expression="CURDATE() + INTERVAL 14 DAY"),
    Variable("loan_id_0", SERVER, "", "loans.id", Form.NUMBER),
    Variable(
        "payload_0",
        DERIVED,
        "",
        "events.payload",
        Form.TEXT,
        expression="CONCAT('{\"loan\": ', @loan_id_0, ', \"ref\": \"', @order_ref_0, '\"}')",
    ),
)
SAMPLES = (
    Sample(("merchant_id_0",), "merchants", ("id",), weight_by="loans.merchant_id"),
    Sample(("sku_0",), "products", ("sku",), where=(("merchant_id", "merchant_id_0"),)),
    Sample(("sku_1",), "products", ("sku",), where=(("merchant_id", "merchant_id_0"),), distinct=1),
)
STEPS = (
    Step("s001", 1, 1, StatementKind.BEGIN, 0.0, (b"BEGIN",)),
    Step(
        "s002",
        1,
        1,
        StatementKind.INSERT,
        4.1,
        (
            b"INSERT INTO users (id, email, email_hash, device) VALUES (",
            Slot("user_id_0"),
            b", ",
            Slot("user_email_0"),
            b", ",
            Slot("email_hash_0"),
            b", ",
            Slot("device_id_0"),
            b")",
        ),
    ),
    Step(
        "s003",
        1,
        1,
        StatementKind.INSERT,
        0.25,
        (
            b"INSERT INTO loans (user_id, merchant_id, cents, due, note) VALUES (",
            Slot("user_id_0"),
            b", ",
            Slot("merchant_id_0"),
            b", ",
            Slot("amount_0"),
            b", ",
            Slot("due_0"),
            b", '100%; really')",
        ),
        (Bind("loan_id_0"),),
    ),
    Step("s004", 1, 1, StatementKind.COMMIT, 1.0, (b"COMMIT",)),
    Step(
        "s005",
        2,
        0,
        StatementKind.INSERT,
        0.0,
        (
            b"INSERT INTO events (payload, a, b) VALUES (",
            Slot("payload_0"),
            b", ",
            Slot("sku_0"),
            b", ",
            Slot("sku_1"),
            b")",
        ),
    ),
)


def small_workload() -> Workload:
    """Every kind of variable once, two connections, an id from the server."""
    return Workload(
        name="checkout",
        captures=3,
        variables=VARIABLES,
        samples=SAMPLES,
        steps=STEPS,
        counts={"literals": 12, "generated": 8},
        set_names="SET NAMES utf8mb4 COLLATE utf8mb4_unicode_ci",
    )


def basket_workload() -> Workload:
    """Baskets of 1, 2 and 3 items: one INSERT of as many rows, one SELECT and UPDATE for each item,
    and a transaction for each that runs only where there are several."""
    skus = [f"sku_{k}" for k in range(3)]
    turns = [Turn("order_items_0", number) for number in (1, 2, 3)]
    variables = [
        Variable("order_ref_0", FRESH, "pattern(ORD-AXXXXX)", "orders.ref", Form.TEXT, "'ORD-QX1'"),
        *(Variable(sku, EXISTING, "sample", "products.sku", Form.TEXT) for sku in skus),
        *(Variable(f"note_id_{k}", SERVER, "", "notes.id", Form.NUMBER) for k in (1, 2)),
    ]
    samples = [Sample((sku,), "products", ("sku",), distinct=k) for k, sku in enumerate(skus)]
    rows = [Row(t, (b", (", Slot("order_ref_0"), b", ", Slot(s), b")"))
            for t, s in zip(turns[1:], skus[1:], strict=True)]  # fmt: skip
    first = (b"INSERT INTO order_items (ref, sku) VALUES (", Slot("order_ref_0"), b", ",
             Slot("sku_0"), b")")  # fmt: skip
    steps = [
        Step("s001", 1, 1, StatementKind.BEGIN, 0.0, (b"BEGIN",), shape="00000001"),
        Step("s002", 1, 1, StatementKind.INSERT, 1.0, (*first, *rows), shape="00000002"),
    ]
    for turn, sku in zip(turns, skus, strict=True):
        select = (b"SELECT stock FROM products WHERE sku = ", Slot(sku), b" FOR UPDATE")
        update = (b"UPDATE products SET stock = stock - 1 WHERE sku = ", Slot(sku))
        steps += [
            Step("", 1, 1, StatementKind.SELECT, 2.0, select, turn=turn, shape="00000003"),
            Step("", 1, 1, StatementKind.UPDATE, 0.0, update, turn=turn, shape="00000004"),
        ]
    steps.append(Step("", 1, 1, StatementKind.COMMIT, 0.0, (b"COMMIT",), shape="00000005"))
    for k, turn in enumerate(turns[1:], start=1):
        insert = (b"INSERT INTO notes (text) VALUES ('/* @turn order_items_0 2 */')",)
        read = (b"SELECT text FROM notes WHERE id = ", Slot(f"note_id_{k}"))
        bind = (Bind(f"note_id_{k}"),)
        steps += [
            Step("", 1, k + 1, StatementKind.BEGIN, 0.0, (b"BEGIN",), turn=turn),
            Step("", 1, k + 1, StatementKind.INSERT, 0.0, insert, bind, turn=turn),
            Step("", 1, k + 1, StatementKind.SELECT, 0.0, read, turn=turn),
            Step("", 1, k + 1, StatementKind.COMMIT, 0.0, (b"COMMIT",), turn=turn),
        ]
    return Workload(
        name="basket",
        captures=3,
        variables=tuple(variables),
        samples=tuple(samples),
        steps=tuple(replace(s, statement_id=f"s{n:03}") for n, s in enumerate(steps, start=1)),
        repeats=(Repeat("order_items_0", (1, 2, 3)),),
        tables={"products": "3f2a9c11", "order items": "91bc0a2d"},
    )


def small_pools() -> Pools:
    """Merchant 2 nine times as often as merchant 1; both have two products."""
    merchants = Group.of({(b"1",): 1, (b"2",): 9})
    products = {
        (b"1",): Group.of({(b"A-1",): 1, (b"it's",): 1}),
        (b"2",): Group.of({(b"B-1",): 1, (b"B-2",): 3}),
    }
    where = (("merchant_id", "merchant_id_0"),)
    return Pools(
        (
            Pool(Family("merchants", "loans.merchant_id", ()), ("id",), {(): merchants}),
            Pool(Family("products", "", where), ("sku",), products),
        )
    )


def fresh(name: str, generator: str, *values: bytes | None, form: Form = Form.TEXT) -> RawVariable:
    """A fresh variable of `people.<name>` as two or more captures saw it."""
    return RawVariable(name, FRESH, generator, "people", name, form, values)


def step(*pieces: RawPiece, statement_id: str = "s001") -> RawStep:
    """One autocommit INSERT."""
    return RawStep(statement_id, 1, 0, StatementKind.INSERT, 0.0, pieces)


def draft(*steps: RawStep, variables: Sequence[RawVariable] = ()) -> RawDraft:
    """A draft of two captures."""
    outcomes = (Outcome.AUTOCOMMIT,) * len(steps)
    return RawDraft("checkout", 2, tuple(variables), (), steps, outcomes, {"literals": 3})


def literal(text: bytes, *, column: str = "note", varies: bool = True) -> RawLiteral:
    """A quoted or bare literal that meets `people.<column>`."""
    form = Form.TEXT if text[:1] == b"'" else Form.NUMBER
    return RawLiteral(text, form, "people", column, varies=varies)


class ScriptedSession:
    """A `ports.ScriptSession` that notes what it ran; `answer` gives replies or raises."""

    def __init__(self, answer: Callable[[bytes], Reply]) -> None:
        self.answer = answer
        self.ran: list[bytes] = []
        self.closings = 0

    def run(self, sql: bytes) -> Reply:
        self.ran.append(sql)
        return self.answer(sql)

    def close(self) -> None:
        self.closings += 1


def duplicate_key(sql: bytes) -> Reply:
    """An answer: every INSERT into loans meets a duplicate key."""
    if b"INTO loans" in sql:
        raise StatementFailed("the target answered a statement with error 1062.", 1062)
    return Reply(affected_rows=1)


class TableSession:
    """A `ports.Session` over a few tables: answers the pool queries by the table they name."""

    def __init__(self, tables: dict[str, list[Answer]], *, offset_s: int = 0) -> None:
        self.tables = tables
        self.offset_s = offset_s
        self.queries: list[str] = []

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Answer]:
        self.queries.append(sql)
        if "UTC_TIMESTAMP" in sql:
            return [(self.offset_s,)]
        if "information_schema" in sql:
            return []
        for table, rows in self.tables.items():
            if f"`{table}` t" in sql:
                wanted = set(parameters)
                return [row for row in rows if not wanted or str(row[0]) in wanted]
        raise StatementFailed("the target answered a statement with error 1146.", 1146)

    def close(self) -> None:
        self.queries.clear()


def with_variable(name: str, **changes: object) -> Workload:
    """The small workload with one variable changed."""
    workload = small_workload()
    changed = tuple(
        replace(v, **changes) if v.name == name else v  # type: ignore[arg-type]
        for v in workload.variables
    )
    return replace(workload, variables=changed)
