"""The lending side of the invented shop: the loan, its installments, the ledger."""

from __future__ import annotations

import random

from readiness.demo import ids
from readiness.demo.order import Order, Service, clock_ms
from readiness.demo.seed_rows import DAYS_BETWEEN, HOUSE_ACCOUNT, INSTALLMENTS, merchant_part


def fund(db: Service, rng: random.Random, order: Order) -> None:
    """One transaction: loan, four installments, two entries, the merchant's balance.

    The account is locked before the entries refer to it: the foreign key's shared lock first
    would deadlock two checkouts of one merchant."""
    order.loan = ids.snowflake(rng, clock_ms())
    order.loan_number = f"LN-{order.loan}"
    account = int(
        db.run(
            "SELECT id, balance_cents FROM ledger_accounts WHERE merchant_id = %s", order.merchant
        )[0][0]
        or 0
    )
    db.run("BEGIN")
    _insert_loan(db, order)
    _insert_installments(db, order)
    db.run("SELECT balance_cents, version FROM ledger_accounts WHERE id = %s FOR UPDATE", account)
    _insert_entries(db, rng, order, account)
    db.run(
        "UPDATE ledger_accounts SET balance_cents = balance_cents + %s, version = version + 1"
        " WHERE id = %s",
        merchant_part(order.amount_cents),
        account,
    )
    db.run(
        "UPDATE loans SET state = 'active', version = 1 WHERE id = %s AND version = 0", order.loan
    )
    db.run("COMMIT")
    db.run("SELECT SUM(amount_cents) FROM ledger_entries WHERE reference = %s", order.loan_number)


def _insert_loan(db: Service, order: Order) -> None:
    db.run(
        "INSERT INTO loans (id, loan_number, user_id, merchant_id, checkout_id, offer_id,"
        " principal_cents, state, version, created_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, 'pending', 0, NOW(6))",
        order.loan,
        order.loan_number,
        order.user,
        order.merchant,
        order.checkout,
        order.offer,
        order.amount_cents,
    )


def _insert_installments(db: Service, order: Order) -> None:
    share, rest = divmod(order.amount_cents, INSTALLMENTS)
    rows: list[int] = []
    for seq in range(INSTALLMENTS):
        rows += [order.loan, seq + 1, DAYS_BETWEEN * seq, share + (rest if seq == 0 else 0)]
    row = "(%s, %s, CURDATE() + INTERVAL %s DAY, %s)"
    db.insert(
        "INSERT INTO installments (loan_id, seq, due_on, amount_cents) VALUES "
        + ", ".join([row] * INSTALLMENTS),
        *rows,
    )


def _insert_entries(db: Service, rng: random.Random, order: Order, account: int) -> None:
    transfer = ids.uuid4(rng)
    part = merchant_part(order.amount_cents)
    db.insert(
        "INSERT INTO ledger_entries (transfer_id, account_id, amount_cents, reference, created_at)"
        " VALUES (%s, %s, %s, %s, NOW(6)), (%s, %s, %s, %s, NOW(6))",
        *(transfer, account, part, order.loan_number),
        *(transfer, HOUSE_ACCOUNT, order.amount_cents - part, order.loan_number),
    )
