"""The selling side of the invented shop: browse, open, attach, pay, confirm, show."""

from __future__ import annotations

import hashlib
import json
import random
from typing import cast

from readiness.demo import ids
from readiness.demo.order import Basket, Item, Order, Service, new_order
from readiness.demo.personas import Persona


def browse(db: Service, rng: random.Random, basket: Basket) -> Order:
    """Reads flags, merchant, settings, products and stock, each in autocommit."""
    db.run("SELECT is_enabled FROM feature_flags WHERE name = 'pay_in_four'")
    merchant = db.run(
        "SELECT id, name, fee_bps, status FROM merchants WHERE id = %s", basket.merchant
    )[0]
    db.run("SELECT name, value FROM merchant_settings WHERE merchant_id = %s", basket.merchant)
    db.run(
        "SELECT id, title, price_cents FROM products WHERE merchant_id = %s ORDER BY id LIMIT 12",
        basket.merchant,
    )
    items = tuple(_product(db, basket.merchant, sku) for sku in basket.skus)
    for item in items:
        db.run("SELECT stock, reserved FROM inventory WHERE product_id = %s", item.id)
    return new_order(rng, basket.merchant, int(merchant[2] or 0), items)


def _product(db: Service, merchant: str, sku: str) -> Item:
    rows = db.run(
        "SELECT id, sku, price_cents FROM products WHERE merchant_id = %s AND sku = %s",
        merchant,
        sku,
    )
    return Item(*cast(tuple[int, str, int], rows[0]))


def open_checkout(db: Service, order: Order) -> None:
    """One transaction: the checkout, its items, the reserved stock."""
    ticket = f"{order.merchant}:{order.reference}"
    order.idempotency_key = hashlib.sha256(ticket.encode()).hexdigest()
    payload = {"channel": "web", "locale": "en_US", "order_ref": order.reference}
    db.run("BEGIN")
    db.run(
        "INSERT INTO idempotency_keys (idem_key, scope, response, created_at)"
        " VALUES (%s, 'checkout.create', NULL, NOW())",
        order.idempotency_key,
    )
    db.run(
        "INSERT INTO checkouts (id, token, merchant_id, user_id, order_ref, state, amount_cents,"
        " payload, version, created_at, updated_at)"
        " VALUES (%s, %s, %s, NULL, %s, 'open', %s, %s, 0, %s, %s)",
        order.checkout,
        order.token,
        order.merchant,
        order.reference,
        order.amount_cents,
        json.dumps(payload),
        order.created_at,
        order.created_at,
    )
    _insert_items(db, order)
    _lock_stock(db, order)
    for product in order.product_ids:
        db.run("UPDATE inventory SET reserved = reserved + 1 WHERE product_id = %s", product)
    _event(db, order, "checkout.opened", {"items": len(order.items), "order_ref": order.reference})
    db.run("COMMIT")
    db.run("SELECT id, state, amount_cents, version FROM checkouts WHERE token = %s", order.token)
    db.run(
        "SELECT i.sku, i.quantity, i.unit_price_cents, p.title FROM checkout_items i"
        " JOIN products p ON p.id = i.product_id WHERE i.checkout_id = %s ORDER BY i.id",
        order.checkout,
    )


def _insert_items(db: Service, order: Order) -> None:
    db.insert(
        "INSERT INTO checkout_items"
        " (checkout_id, product_id, sku, quantity, unit_price_cents, tax_ratio) VALUES "
        + ", ".join(["(%s, %s, %s, 1, %s, 0.0000)"] * len(order.items)),
        *(value for item in order.items for value in (order.checkout, *item)),
    )


def _lock_stock(db: Service, order: Order) -> None:
    """Locks the rows in the order of their ids, so that two checkouts never cross."""
    places = ", ".join(["%s"] * len(order.items))
    db.run(
        f"SELECT product_id, stock, reserved FROM inventory WHERE product_id IN ({places})"
        " ORDER BY product_id FOR UPDATE",
        *order.product_ids,
    )


def _event(db: Service, order: Order, event: str, data: dict[str, object]) -> None:
    db.run(
        "INSERT INTO checkout_events (checkout_id, event, data, created_at)"
        " VALUES (%s, %s, %s, NOW(6))",
        order.checkout,
        event,
        json.dumps(data),
    )


def attach_user(db: Service, order: Order) -> None:
    """One transaction: the checkout gets its user."""
    db.run("BEGIN")
    db.run("SELECT state, version FROM checkouts WHERE id = %s FOR UPDATE", order.checkout)
    db.run(
        "UPDATE checkouts SET user_id = %s, state = 'identified', version = 1,"
        " updated_at = NOW(6) WHERE id = %s AND version = 0",
        order.user,
        order.checkout,
    )
    _event(db, order, "checkout.identified", {"user_id": order.user})
    db.run("COMMIT")


def pay(db: Service, rng: random.Random, persona: Persona, order: Order) -> None:
    """One transaction: a new card, the chosen offer, the authorized checkout."""
    db.run(
        "SELECT o.id, o.installments, o.installment_cents FROM offers o"
        " JOIN credit_applications a ON a.id = o.application_id"
        " WHERE a.checkout_id = %s AND o.state = 'open' ORDER BY o.installments",
        order.checkout,
    )
    db.run("BEGIN")
    order.payment_method = _insert_card(db, rng, persona, order)
    db.run("UPDATE offers SET state = 'taken' WHERE id = %s AND state = 'open'", order.offer)
    db.run(
        "UPDATE checkouts SET state = 'authorized', version = 2, updated_at = NOW(6),"
        " payload = JSON_SET(payload, '$.payment_method', %s, '$.offer', %s)"
        " WHERE id = %s AND version = 1",
        order.payment_method,
        order.offer,
        order.checkout,
    )
    _event(db, order, "checkout.authorized", {"payment_method_id": order.payment_method})
    db.run("COMMIT")
    db.run(
        "SELECT id, brand, card_last4 FROM payment_methods WHERE id = %s AND user_id = %s",
        order.payment_method,
        order.user,
    )


def _insert_card(db: Service, rng: random.Random, persona: Persona, order: Order) -> int:
    return db.insert(
        "INSERT INTO payment_methods (user_id, brand, card_token, card_last4, card_hash,"
        " exp_month, exp_year, holder) VALUES (%s, %s, %s, %s, UNHEX(%s), %s, %s, %s)",
        order.user,
        persona.card_brand,
        "pm_" + ids.symbols(rng, 24),
        persona.card_number[-4:],
        hashlib.sha256(persona.card_number.encode()).hexdigest(),
        persona.exp_month,
        persona.exp_year,
        persona.holder,
    )


def confirm(db: Service, persona: Persona, order: Order) -> None:
    """One transaction: confirmed, stock taken, messages and mail queued, answer kept."""
    db.run("BEGIN")
    db.run(
        "UPDATE checkouts SET state = 'confirmed', version = 3, updated_at = NOW(6)"
        " WHERE id = %s AND version = 2",
        order.checkout,
    )
    order.first_message = _queue_messages(db, order)
    _queue_mail(db, persona, order)
    db.run(
        "UPDATE idempotency_keys SET response = %s WHERE idem_key = %s",
        json.dumps({"status": 200, "checkout": order.token, "loan": order.loan_number}),
        order.idempotency_key,
    )
    db.run(
        "INSERT INTO audit_log (actor, action, target, details, created_at)"
        " VALUES (%s, 'checkout.confirmed', %s, NULL, NOW(6))",
        order.public_id,
        f"checkout:{order.checkout}",
    )
    _lock_stock(db, order)
    for product in order.product_ids:
        db.run(
            "UPDATE inventory SET stock = stock - 1, reserved = reserved - 1 WHERE product_id = %s",
            product,
        )
    db.run("COMMIT")


def _queue_messages(db: Service, order: Order) -> int:
    checkout = {"checkout_id": str(order.checkout), "user_id": order.user}
    loan = {"loan_number": order.loan_number, "principal_cents": order.amount_cents}
    return db.insert(
        "INSERT INTO outbox (topic, aggregate_id, payload)"
        " VALUES ('checkout.confirmed', %s, %s), ('loan.created', %s, %s)",
        order.token,
        json.dumps(checkout),
        order.loan_number,
        json.dumps(loan),
    )


def _queue_mail(db: Service, persona: Persona, order: Order) -> None:
    body = (
        f"Hi {persona.first_name},\n\nyour loan {order.loan_number} is set."
        f" It's four payments.\r\nOrder: {order.reference}\n"
    )
    db.run(
        "INSERT INTO email_queue (to_address, subject, body, send_after)"
        " VALUES (%s, 'Your plan is confirmed', %s, NOW())",
        persona.email,
        body,
    )


def show(db: Service, order: Order) -> None:
    """The page after the checkout: reads in autocommit."""
    db.run(
        "SELECT c.state, c.version, l.loan_number FROM checkouts c"
        " LEFT JOIN loans l ON l.checkout_id = c.id WHERE c.token = %s AND c.merchant_id = %s",
        order.token,
        order.merchant,
    )
    db.run(
        "SELECT id, seq, due_on, amount_cents FROM installments WHERE loan_id = %s ORDER BY seq",
        order.loan,
    )
    for product in order.product_ids:
        db.run("SELECT title, price_cents FROM products WHERE id = %s", product)
    db.run(
        "SELECT event, created_at FROM checkout_events WHERE checkout_id = %s ORDER BY id",
        order.checkout,
    )
    db.run(
        "SELECT l.loan_number, GROUP_CONCAT(i.due_on ORDER BY i.seq) AS dues FROM loans l"
        " JOIN installments i ON i.loan_id = l.id WHERE l.user_id = %s GROUP BY l.id",
        order.user,
    )


def publish(db: Service, order: Order) -> None:
    """One transaction: both queued messages leave."""
    db.run("BEGIN")
    db.run("SELECT id, topic, payload FROM outbox WHERE id = %s FOR UPDATE", order.first_message)
    db.run("UPDATE outbox SET is_published = 1 WHERE id = %s", order.first_message)
    db.run("UPDATE outbox SET is_published = 1 WHERE id = %s", order.first_message + 1)
    db.run("COMMIT")
