"""The invented pay-later shop behind tests/samples/checkout-captures: its tables, and rows of a clone.

The captures were taken on another database: no merchant, product or user here is one of theirs.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import random
import uuid
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from pymysql.connections import Connection
from pymysql.cursors import Cursor

from readiness.sql.lexer import split_statements

SAMPLES = Path(__file__).parents[1] / "samples" / "checkout-captures"
SETS = {"plain": SAMPLES, "salted": SAMPLES / "salted"}
LOGS = ("checkout_general.log", "checkout_capture2.log", "checkout_capture3.log")
SERVICES = ("checkout_api", "identity", "decision", "ledger_svc")
COLLATION = "utf8mb4_unicode_ci"
_SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BEGAN = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
_PRODUCTS_EACH = 12
_STOCK = 100_000  # a run must not empty it: `AND stock >= 1` would then update nothing

Row = Sequence[object]


def captures_of(which: str) -> tuple[Path, ...]:
    """The three general logs of the set `which`, "plain" or "salted"."""
    return tuple(SETS[which] / name for name in LOGS)


def secrets_of(which: str) -> set[str]:
    """What the generator of the captures knew of their three people: names, mail, cards, ids.

    Numbers of fewer than five digits are left out: any text may hold them by accident."""
    found: set[str] = set()
    for name in LOGS:
        truth = json.loads((SETS[which] / name).with_suffix(".truth.json").read_text("utf-8"))
        for value in truth.values():
            found.update(map(str, value) if isinstance(value, list) else [str(value)])
    return {value for value in found if len(value) >= 5 or not value.isdigit()}


def load_paylater(
    connection: Connection[Cursor],
    *,
    seed: int = 7,
    merchants: int = 120,
    users: int = 1500,
    sales: int = 600,
) -> None:
    """Makes the tables in the connection's empty database and fills them, the same for a seed.

    Few merchants have most of the `sales`, as in production."""
    with connection.cursor() as cursor:
        for statement in split_statements((SAMPLES / "schema.sql").read_bytes()):
            cursor.execute(statement.decode())
        cursor.execute("SET autocommit = 0")
        for table, columns, rows in _tables(random.Random(seed), merchants, users, sales):
            _insert(cursor, table, columns, list(rows))
        cursor.execute("COMMIT")
        cursor.execute("SET autocommit = 1")


def _insert(cursor: Cursor, table: str, columns: str, rows: Sequence[Row]) -> None:
    marks = ", ".join(["%s"] * (columns.count(",") + 1))
    cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)


def _tables(
    rng: random.Random, merchants: int, users: int, sales: int
) -> Iterator[tuple[str, str, Iterator[Row]]]:
    sellers = ["01" + _symbols(rng, 24) for _ in range(merchants)]
    buyers = [_uuid(rng) for _ in range(users)]
    yield "merchants", "id, name, mcc", ((m, f"Shop {n}", "5311") for n, m in enumerate(sellers))
    keys = ("checkout", "webhook")
    settings = ((m, key, "{}") for m in sellers for key in keys)
    yield "merchant_settings", "merchant_id, skey, sval", settings
    yield "products", "merchant_id, sku, title, price_cents, stock", _products(rng, sellers)
    flags = (("new_underwriting", 1), ("otp_v2", 1), ("bnpl_split4", 0))
    yield "feature_flags", "name, enabled", iter(flags)
    house = [("house", "affiliate"), ("house", "fees")]
    owners = iter([*(("merchant", m) for m in sellers), *house])
    yield "ledger_accounts", "owner_type, owner_id", owners
    yield "users", _USER_COLUMNS, (_user(rng, n, key) for n, key in enumerate(buyers))
    yield "job_locks", "name", iter([("settle",), ("dunning",)])
    yield from _sales(rng, sellers, buyers, sales)


def _products(rng: random.Random, sellers: Sequence[str]) -> Iterator[Row]:
    for merchant in sellers:
        for number in range(_PRODUCTS_EACH):
            sku = f"SKU-{rng.choice('ABCDEF')}-{rng.randrange(1000) * 100 + number:05d}"
            yield merchant, sku, f"Thing solution {number}", rng.randrange(999, 89999), _STOCK


_USER_COLUMNS = (
    "id, public_id, email, email_sha256, email_domain, phone, first_name, last_name, search_name,"
    " dob, ssn_last4, ssn_cipher, status, locale, version, created_at, updated_at"
)


def _user(rng: random.Random, number: int, key: str) -> Row:
    email = f"buyer.{number}@mail.test"
    digest = hashlib.sha256(email.encode()).hexdigest()
    born = dt.date(1950, 1, 1) + dt.timedelta(days=rng.randrange(20_000))
    at = _BEGAN + dt.timedelta(minutes=37 * number)
    names = (f"First{number % 97}", f"Last{number % 311}", f"FIRST{number % 97} LAST{number % 311}")
    return (
        *(key, "usr_" + _symbols(rng, 16), email, digest, "mail.test", f"+1415{number:07d}"),
        *names,
        *(born, f"{number % 10_000:04d}", rng.randbytes(48), "active", "en_US", 1, at, at),
    )


def _sales(
    rng: random.Random, sellers: Sequence[str], buyers: Sequence[str], count: int
) -> Iterator[tuple[str, str, Iterator[Row]]]:
    """Finished checkouts, each with its application, offer and loan."""
    skew = list(accumulate(1 / (rank + 1) for rank in range(len(sellers))))
    sold = rng.choices(sellers, cum_weights=skew, k=count)
    bought = rng.choices(buyers, k=count)
    at = [_BEGAN + dt.timedelta(minutes=11 * n) for n in range(count)]
    offers = [_uuid(rng) for _ in range(count)]
    checkout = (
        "id, token, merchant_id, user_id, order_ref, state, amount_cents, created_at, updated_at"
    )
    yield (
        "checkouts",
        checkout,
        (
            (
                n + 1,
                _symbols(rng, 26),
                sold[n],
                bought[n],
                f"OLD-{n}",
                "confirmed",
                9900,
                at[n],
                at[n],
            )
            for n in range(count)
        ),
    )
    application = "id, uuid, user_id, checkout_id, requested_cents, state, created_at"
    yield (
        "credit_applications",
        application,
        ((n + 1, _uuid(rng), bought[n], n + 1, 9900, "FUNDED", at[n]) for n in range(count)),
    )
    offer = "id, application_id, term_months, apr, monthly_cents, state, expires_at"
    yield (
        "offers",
        offer,
        ((offers[n], n + 1, 3, "0.0990", 3300, "taken", at[n]) for n in range(count)),
    )
    loan = (
        "id, loan_no, user_id, merchant_id, checkout_id, offer_id, principal_cents, apr,"
        " term_months, state, created_at"
    )
    yield (
        "loans",
        loan,
        (
            (
                *(n + 1, f"LN-OLD-{n}", bought[n], sold[n], n + 1, offers[n]),
                *(9900, "0.0990", 3, "authorized", at[n]),
            )
            for n in range(count)
        ),
    )


def _symbols(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(_SYMBOLS, k=count))


def _uuid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
