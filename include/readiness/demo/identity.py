"""The knowing side of the invented shop: who the buyer is, and whether to lend."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import random

from readiness.demo import ids
from readiness.demo.order import Order, Service, clock, clock_seconds
from readiness.demo.personas import Persona

_OFFERED = (4, 6, 12)


def sign_up(db: Service, rng: random.Random, persona: Persona, order: Order) -> None:
    """Finds nobody by e-mail or phone, proves the phone, then makes the account at once."""
    digest = hashlib.sha256(persona.email.lower().encode()).hexdigest()
    db.run("SELECT id, status FROM users WHERE email = %s", persona.email)
    db.run("SELECT COUNT(*) FROM users WHERE phone = %s", persona.phone)
    code_id = _prove_phone(db, rng, persona)
    db.run("START TRANSACTION")
    db.run("UPDATE otp_codes SET is_used = 1 WHERE id = %s AND is_used = 0", code_id)
    _insert_user(db, persona, order, digest)
    _insert_address(db, persona, order)
    _insert_device(db, rng, persona, order)
    _audit(db, "identity", "user.created", f"user:{order.user}", f"sha256={digest}")
    db.run("COMMIT")
    db.run("SELECT id, public_id, status, version FROM users WHERE id = %s", order.user)
    db.run("SELECT id FROM users WHERE email_sha256 = %s", digest)
    db.run("SELECT city, region, postal_code FROM user_addresses WHERE user_id = %s", order.user)


def _prove_phone(db: Service, rng: random.Random, persona: Persona) -> int:
    code_id = db.insert(
        "INSERT INTO otp_codes (phone, code, expires_at) VALUES (%s, %s, %s)",
        persona.phone,
        f"{rng.randrange(100_000, 1_000_000)}",
        clock_seconds(later=dt.timedelta(minutes=10)),
    )
    db.run(
        "INSERT INTO rate_limits (bucket, hits, window_start) VALUES (%s, 1, NOW())"
        " ON DUPLICATE KEY UPDATE hits = hits + 1",
        f"otp:{persona.phone}",
    )
    db.run("SELECT code, expires_at FROM otp_codes WHERE id = %s AND is_used = 0", code_id)
    return code_id


def _insert_user(db: Service, persona: Persona, order: Order, digest: str) -> None:
    db.run(
        "INSERT INTO users (id, public_id, email, email_sha256, email_domain, phone, first_name,"
        " last_name, search_name, date_of_birth, status, version, created_at, updated_at)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'pending', 0, %s, NOW(6))",
        order.user,
        order.public_id,
        persona.email,
        digest,
        persona.email.partition("@")[2],
        persona.phone,
        persona.first_name,
        persona.last_name,
        persona.holder,
        persona.date_of_birth.isoformat(),
        clock(),
    )


def _insert_address(db: Service, persona: Persona, order: Order) -> None:
    db.run(
        "INSERT INTO user_addresses (user_id, line1, city, region, postal_code, is_default)"
        " VALUES (%s, %s, %s, %s, %s, 1)",
        order.user,
        persona.line1,
        persona.city,
        persona.region,
        persona.postal_code,
    )


def _insert_device(db: Service, rng: random.Random, persona: Persona, order: Order) -> None:
    db.run(
        "INSERT INTO devices (id, user_id, fingerprint, ip_address, user_agent, last_seen_at)"
        " VALUES (UNHEX(%s), %s, %s, INET6_ATON(%s), %s, NOW(6))",
        order.device,
        order.user,
        ids.hex_text(rng, 40),
        persona.ip_address,
        persona.user_agent,
    )


def _audit(db: Service, actor: str, action: str, target: str, details: str) -> None:
    db.run(
        "INSERT INTO audit_log (actor, action, target, details, created_at)"
        " VALUES (%s, %s, %s, %s, NOW(6))",
        actor,
        action,
        target,
        details,
    )


def sign_in(db: Service, rng: random.Random, order: Order) -> None:
    """One transaction with a savepoint that is rolled back to: a session, no newsletter."""
    token = ids.hex_text(rng, 64)
    data = json.dumps({"uid": order.user, "cart": str(order.checkout)}).encode()
    db.run("START TRANSACTION")
    db.run(
        "INSERT INTO user_sessions (token, user_id, data, expires_at) VALUES (%s, %s, %s, %s)",
        token,
        order.user,
        base64.b64encode(data).decode(),
        clock_seconds(later=dt.timedelta(hours=12)),
    )
    db.run("SAVEPOINT newsletter")
    _audit(db, "identity", "newsletter.offered", f"user:{order.user}", "declined")
    db.run("ROLLBACK TO SAVEPOINT newsletter")
    db.run("RELEASE SAVEPOINT newsletter")
    db.run("UPDATE devices SET last_seen_at = NOW(6) WHERE id = UNHEX(%s)", order.device)
    db.run("COMMIT")
    db.run("SELECT user_id, data FROM user_sessions WHERE token = %s", token)


def apply_for_credit(db: Service, rng: random.Random, persona: Persona, order: Order) -> None:
    """One transaction: the application, the bureau's report, the fraud check; then reads."""
    order.score = rng.randrange(600, 820)
    db.run("START TRANSACTION")
    order.application = db.insert(
        "INSERT INTO credit_applications (uuid, user_id, checkout_id, requested_cents,"
        " income_cents, state, created_at) VALUES (%s, %s, %s, %s, %s, 'received', NOW(6))",
        ids.uuid4(rng),
        order.user,
        order.checkout,
        order.amount_cents,
        persona.income_cents,
    )
    _insert_report(db, rng, order)
    _insert_fraud_check(db, rng, order)
    db.run("COMMIT")
    _measure_exposure(db, order)
    db.run(
        "SELECT COUNT(*) FROM fraud_checks f JOIN credit_applications a ON a.id = f.application_id"
        " WHERE f.device_id = UNHEX(%s) AND a.state = 'declined'",
        order.device,
    )


def _insert_report(db: Service, rng: random.Random, order: Order) -> None:
    db.run(
        "INSERT INTO credit_reports (application_id, bureau, bureau_ref, score, raw, pulled_at)"
        " VALUES (%s, 'northern', %s, %s, UNHEX(%s), NOW(6))",
        order.application,
        "CR-" + ids.symbols(rng, 14),
        order.score,
        ids.hex_text(rng, 256),
    )


def _insert_fraud_check(db: Service, rng: random.Random, order: Order) -> None:
    signals = {"device": order.device, "application": order.application, "rules": ["velocity"]}
    db.run(
        "INSERT INTO fraud_checks (application_id, device_id, score, signals, created_at)"
        " VALUES (%s, UNHEX(%s), %s, %s, NOW(6))",
        order.application,
        order.device,
        f"0.{rng.randrange(1000, 4000)}",
        json.dumps(signals),
    )


def _measure_exposure(db: Service, order: Order) -> None:
    """A statement prepared in SQL, as some data layers do."""
    db.run(
        "PREPARE exposure FROM 'SELECT COALESCE(SUM(principal_cents), 0) FROM loans"
        " WHERE user_id = ? AND state IN (?, ?)'"
    )
    db.run("SET @user = %s, @active = 'active', @late = 'late'", order.user)
    db.run("EXECUTE exposure USING @user, @active, @late")
    db.run("DEALLOCATE PREPARE exposure")


def decide(db: Service, rng: random.Random, order: Order) -> None:
    """One transaction: three offers, the approval, the active user."""
    db.run("START TRANSACTION")
    db.run(
        "SELECT state, lock_version FROM credit_applications WHERE id = %s FOR UPDATE",
        order.application,
    )
    db.run(
        "SELECT score FROM credit_reports WHERE application_id = %s ORDER BY id DESC LIMIT 1",
        order.application,
    )
    order.offer = _insert_offers(db, rng, order)
    db.run(
        "UPDATE credit_applications SET state = 'approved', decision_hash = %s, lock_version = 1"
        " WHERE id = %s AND lock_version = 0",
        hashlib.sha256(f"{order.offer}|{order.score}".encode()).hexdigest(),
        order.application,
    )
    db.run(
        "UPDATE users SET status = 'active', version = 1, updated_at = NOW(6)"
        " WHERE id = %s AND version = 0",
        order.user,
    )
    db.run("COMMIT")


def _insert_offers(db: Service, rng: random.Random, order: Order) -> str:
    """Three offers in one statement; the first is the one that is taken."""
    until = clock_seconds(later=dt.timedelta(hours=24))
    rows: list[str | int | None] = []
    for count in _OFFERED:
        share = order.amount_cents // count
        rows += [ids.uuid4(rng), order.application, count, "0.0000", share, until]
    db.run(
        "INSERT INTO offers (id, application_id, installments, apr, installment_cents, state,"
        " expires_at) VALUES " + ", ".join(["(%s, %s, %s, %s, %s, 'open', %s)"] * len(_OFFERED)),
        *rows,
    )
    return str(rows[0])


def lose_a_race(db: Service, order: Order) -> None:
    """A transaction that finds the application already decided, and rolls back."""
    db.run("START TRANSACTION")
    db.run(
        "UPDATE credit_applications SET state = 'expired', lock_version = 1"
        " WHERE id = %s AND lock_version = 0",
        order.application,
    )
    db.run("SELECT state, lock_version FROM credit_applications WHERE id = %s", order.application)
    db.run("ROLLBACK")


def close_application(db: Service, order: Order) -> None:
    """One transaction: the application is funded; then the profile as the user sees it."""
    db.run("START TRANSACTION")
    db.run(
        "UPDATE credit_applications SET state = 'funded', lock_version = 2 WHERE id = %s",
        order.application,
    )
    db.run("UPDATE users SET version = 2, updated_at = NOW(6) WHERE id = %s", order.user)
    db.run("COMMIT")
    db.run("SELECT first_name, last_name, status FROM users WHERE public_id = %s", order.public_id)
