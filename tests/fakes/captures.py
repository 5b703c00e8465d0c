"""Captures written by hand: a line of SQL a statement, no log file, no server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from readiness.model.draft import RawDraft, RawLiteral, RawPiece, RawRow, RawStep, RawVariable
from readiness.model.transactions import Outcome, RawCapture, RawStatement, RawTransaction
from readiness.model.workload import Slot
from readiness.workload.schema import Column, ForeignKey, Index, Schema, Table

DATA = Path(__file__).parents[1] / "unit" / "workload" / "data"


def paylater_schema() -> Schema:
    """The schema behind the recorded logs in tests/unit/workload/data."""
    return Schema.from_json(json.loads((DATA / "schema.json").read_text()))


def transaction(
    *statements: str | bytes,
    thread: int = 1,
    outcome: Outcome = Outcome.COMMIT,
    sql_mode: str = "",
    gap_ns: int | None = None,
) -> RawTransaction:
    """One transaction; its control statements are among `statements`."""
    raw = [s.encode() if isinstance(s, str) else s for s in statements]
    made = tuple(RawStatement(sql, line, gap_ns) for line, sql in enumerate(raw, 1))
    return RawTransaction(thread, "app", "shop", made, outcome, sql_mode)


def alone(statement: str | bytes, thread: int = 1) -> RawTransaction:
    """One autocommit statement."""
    return transaction(statement, thread=thread, outcome=Outcome.AUTOCOMMIT)


def capture(*transactions: RawTransaction) -> RawCapture:
    """One log with these transactions."""
    return RawCapture("by hand", "mariadb", transactions)


def statements(*texts: str) -> RawCapture:
    """One log of autocommit statements."""
    return capture(*(alone(text) for text in texts))


def shop_schema() -> Schema:
    """Five tables: shops and products exist; users are keyed by UUID, orders and lines numbered."""
    number = Column("bigint", nullable=False)
    numbered = Column("bigint", nullable=False, auto_increment=True)
    text = Column("varchar")
    primary = Index("PRIMARY", unique=True, columns=("id",))
    return Schema(
        "shop",
        "utf8mb4_unicode_ci",
        {
            "shops": Table({"id": number, "name": text}, (primary,)),
            "products": Table(
                {"id": number, "shop_id": number, "sku": text, "price_cents": number},
                (primary, Index("sku", unique=True, columns=("sku",))),
                (ForeignKey(("shop_id",), "shops", ("id",)),),
            ),
            "users": Table(
                {
                    "id": Column("char"),
                    "email": text,
                    "email_hash": text,
                    "name": text,
                    "born_on": Column("date"),
                },
                (primary, Index("email", unique=True, columns=("email",))),
            ),
            "orders": Table(
                {
                    "id": numbered,
                    "user_id": Column("char"),
                    "shop_id": number,
                    "note": text,
                    "total_cents": number,
                    "created_at": Column("datetime"),
                    "due_on": Column("date"),
                },
                (primary, Index("user_id", unique=False, columns=("user_id",))),
                (
                    ForeignKey(("user_id",), "users", ("id",)),
                    ForeignKey(("shop_id",), "shops", ("id",)),
                ),
            ),
            "order_lines": Table(
                {
                    "id": numbered,
                    "order_id": number,
                    "product_id": number,
                    "quantity": number,
                    "price_cents": number,
                },
                (primary, Index("order_id", unique=False, columns=("order_id",))),
                (
                    ForeignKey(("order_id",), "orders", ("id",)),
                    ForeignKey(("product_id",), "products", ("id",)),
                ),
            ),
        },
    )


def text_of(step: RawStep) -> str:
    """The step as `… WHERE id = @user_id_0 …`, literals that stay as they are, rows of a turn as
    `[order_lines_0 2]{, (@order_id_0, …)}`."""
    return "".join(_text(p) for p in step.pieces)


def _text(piece: RawPiece) -> str:
    match piece:
        case Slot(name):
            return f"@{name}"
        case RawLiteral():
            return piece.text.decode(errors="replace")
        case RawRow():
            inside = "".join(_text(p) for p in piece.pieces)
            return f"[{piece.turn.repeat} {piece.turn.number}]{{{inside}}}"
        case bytes():
            return piece.decode(errors="replace")


def variables(draft: RawDraft) -> Mapping[str, RawVariable]:
    """The draft's variables by name."""
    return {v.name: v for v in draft.variables}
