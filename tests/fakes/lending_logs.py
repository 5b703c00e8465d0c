"""General logs of an invented lender: a user signs up, borrows, and the loan is paid out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.log_writers import Sent, general_mysql

from readiness.workload.schema import Column, ForeignKey, Index, Schema, Table


@dataclass(frozen=True)
class Borrower:
    """What one capture holds of one person."""

    user_id: str
    name: str
    city: str
    loan_id: int
    cents: int
    note: str


BORROWERS = (
    Borrower("5f0c1c9e-8f0e-4c1b-9a51-0d7a3f2b6c11", "Quillon Vantersp", "Oulu", 7300118, 41250, "a"),
    Borrower("c2b7a6d4-1e53-4f7a-8c3d-6b1f9e0a2d47", "Maristela Okonjo", "Brno", 7300951, 90317, "b"),
    Borrower("91d3e8fa-6a2c-4b90-b7e4-f25c8d1a0e63", "Tibor Halvorsen", "Lagos", 7302204, 15580, "c"),
)  # fmt: skip


def lending_schema() -> Schema:
    """Users and their loans; a loan belongs to a user."""
    primary = Index("PRIMARY", unique=True, columns=("id",))
    text, number = Column("varchar"), Column("bigint", nullable=False)
    return Schema(
        "lending",
        "utf8mb4_general_ci",
        {
            "users": Table({"id": Column("char"), "name": text, "city": text}, (primary,)),
            "loans": Table(
                {"id": number, "user_id": Column("char"), "cents": number, "note": text,
                 "state": text},
                (primary, Index("user_id", unique=False, columns=("user_id",))),
                (ForeignKey(("user_id",), "users", ("id",)),),
            ),
        },
    )  # fmt: skip


def statements_of(one: Borrower) -> list[str]:
    """The whole flow of one person."""
    return [
        "BEGIN",
        f"INSERT INTO users (id, name, city) VALUES ('{one.user_id}', '{one.name}', '{one.city}')",
        "INSERT INTO loans (id, user_id, cents, note, state) VALUES "
        f"({one.loan_id}, '{one.user_id}', {one.cents}, '{one.note}', 'asked')",
        "COMMIT",
        f"UPDATE loans SET state = 'paid out' WHERE id = {one.loan_id}",
        "SELECT l.id, u.name FROM loans l JOIN users u ON u.id = l.user_id "
        f"WHERE l.user_id = '{one.user_id}' AND u.name = '{one.name}' LIMIT 5",
    ]


def write_logs(folder: Path, borrowers: Sequence[Borrower] = BORROWERS) -> list[Path]:
    """A log for each, and their schema as schema.json."""
    (folder / "schema.json").write_text(json.dumps(lending_schema().to_json()))
    logs = []
    for number, one in enumerate(borrowers, 1):
        logs.append(folder / f"capture{number}.log")
        sent = [Sent(7, sql.encode()) for sql in statements_of(one)]
        logs[-1].write_bytes(general_mysql(sent))
    return logs
