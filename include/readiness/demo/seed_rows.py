"""The rows of the invented shop, table by table, parents before children."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterator

from readiness.demo import ids, words
from readiness.demo.seed_world import SALES_BEGIN, SALES_END, Sale, World, milliseconds

Row = tuple[str | int | bytes | None, ...]
Rows = Callable[[World, random.Random], Iterator[Row]]

INSTALLMENTS = 4
DAYS_BETWEEN = 14
FEE_BPS = 299
HOUSE_ACCOUNT = 5_001
_FIRST_INSTALLMENT = 900_001
_LATE_EVERY = 25


def tables(seed: int, world: World) -> Iterator[tuple[str, Iterator[Row]]]:
    """Each table that has rows, with its rows in column order."""
    for number, (table, rows) in enumerate(_TABLES.items()):
        yield table, rows(world, random.Random(seed * 1000 + number))


def _text(at: dt.datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S.%f")


def _merchants(world: World, rng: random.Random) -> Iterator[Row]:
    for merchant in world.merchants:
        first, second = rng.choices(words.MERCHANT_WORDS, k=2)
        name = f"{first} {second} {rng.choice(words.MERCHANT_TRADES)}"
        code = rng.choice(("5311", "5651", "5732", "5945"))
        yield merchant, name, code, "active", rng.randint(1, 4), FEE_BPS


def _merchant_settings(world: World, _: random.Random) -> Iterator[Row]:
    for merchant in world.merchants:
        yield merchant, "checkout", '{"installments": [4], "min_cents": 1000}'
        yield merchant, "webhook", f"https://{merchant.lower()}.shop.example.test/hook"


def _products(world: World, rng: random.Random) -> Iterator[Row]:
    for p in world.products:
        title = f"{rng.choice(words.MERCHANT_WORDS)} {rng.choice(words.PRODUCT_WORDS)}"
        yield p.id, p.merchant, p.sku, title, p.price_cents


def _inventory(world: World, rng: random.Random) -> Iterator[Row]:
    for p in world.products:
        yield p.id, rng.randrange(100_000, 1_000_000), 0


def _users(world: World, rng: random.Random) -> Iterator[Row]:
    for number, u in enumerate(world.users):
        at = _text(SALES_BEGIN - dt.timedelta(minutes=37 * (len(world.users) - number)))
        digest = hashlib.sha256(u.email.encode()).hexdigest()
        born = dt.date(1946, 1, 1) + dt.timedelta(days=rng.randrange(59 * 365))
        public_id = "usr_" + ids.symbols(rng, 16)
        search_name = f"{u.first_name} {u.last_name}".upper()
        yield (
            *(u.id, public_id, u.email, digest, u.email.partition("@")[2], u.phone),
            *(u.first_name, u.last_name, search_name, born.isoformat(), "active", 1, at, at),
        )


def _addresses(world: World, rng: random.Random) -> Iterator[Row]:
    for number, u in enumerate(world.users):
        city, region, prefix = rng.choice(words.CITIES)
        line1 = f"{rng.randrange(1, 9000)} {rng.choice(words.STREETS)}"
        yield (
            200_001 + number,
            u.id,
            line1,
            city,
            region,
            f"{prefix}{rng.randrange(100):02d}",
            "US",
            1,
        )


def _devices(world: World, rng: random.Random) -> Iterator[Row]:
    seen = _text(SALES_END)
    for u in world.users:
        address = bytes((198, 51, 100, rng.randrange(256)))
        agent = rng.choice(words.USER_AGENTS)
        yield rng.randbytes(16), u.id, ids.hex_text(rng, 40), address, agent, seen


def _payment_methods(world: World, rng: random.Random) -> Iterator[Row]:
    for number, u in enumerate(world.users):
        brand = rng.choice(("visa", "mastercard"))
        token = "pm_" + ids.symbols(rng, 24)
        last4 = f"{rng.randrange(10_000):04d}"
        holder = f"{u.first_name} {u.last_name}".upper()
        expiry = (rng.randint(1, 12), rng.randint(2027, 2031))
        yield 300_001 + number, u.id, brand, token, last4, rng.randbytes(32), *expiry, holder


def _checkouts(world: World, rng: random.Random) -> Iterator[Row]:
    for s in world.sales:
        at = _text(s.at)
        state, version = ("confirmed", 3) if s.loan else ("abandoned", 1)
        payload = f'{{"channel": "web", "locale": "en_US", "loan": "{s.loan}"}}'
        yield (
            *(s.checkout, ids.ulid(rng, milliseconds(s.at)), s.items[0].merchant, s.user.id),
            *(
                f"ORD-{ids.symbols(rng, 10)}",
                state,
                s.amount_cents,
                "USD",
                payload,
                version,
                at,
                at,
            ),
        )


def _checkout_items(world: World, _: random.Random) -> Iterator[Row]:
    for s in world.sales:
        for number, item in enumerate(s.items):
            row_id = 500_001 + 2 * s.number + number
            yield row_id, s.checkout, item.id, item.sku, 1, item.price_cents, "0.0000"


def _applications(world: World, rng: random.Random) -> Iterator[Row]:
    for s in world.loans:
        income = rng.randrange(2_000_000, 15_000_000)
        request = (ids.uuid4(rng), s.user.id, s.checkout, s.amount_cents, income)
        yield s.application, *request, "funded", ids.hex_text(rng, 64), 2, _text(s.at)


def _offers(world: World, _: random.Random) -> Iterator[Row]:
    for s in world.loans:
        until = s.at.replace(microsecond=0, tzinfo=None) + dt.timedelta(days=1)
        share = s.amount_cents // INSTALLMENTS
        yield s.offer, s.application, INSTALLMENTS, "0.0000", share, "taken", str(until)


def _loans(world: World, _: random.Random) -> Iterator[Row]:
    for s in world.loans:
        state = "paid" if all(_is_paid(s, seq) for seq in range(INSTALLMENTS)) else "active"
        number = f"LN-{s.at:%Y%m}-{s.loan % 10**10:010d}"
        ties = (s.user.id, s.items[0].merchant, s.checkout, s.offer)
        yield s.loan, number, *ties, s.amount_cents, state, 1, _text(s.at)


def _due(sale: Sale, seq: int) -> dt.date:
    return sale.at.date() + dt.timedelta(days=DAYS_BETWEEN * seq)


def _is_paid(sale: Sale, seq: int) -> bool:
    """The first at once, others when due; of some loans the last is late."""
    is_late = seq == INSTALLMENTS - 1 and sale.number % _LATE_EVERY == 0
    return _due(sale, seq) < SALES_END.date() and not is_late


def _share(sale: Sale, seq: int) -> int:
    """Equal shares; the first takes what is left over."""
    share, rest = divmod(sale.amount_cents, INSTALLMENTS)
    return share + (rest if seq == 0 else 0)


def _installments(world: World, _: random.Random) -> Iterator[Row]:
    for number, s in enumerate(world.loans):
        for seq in range(INSTALLMENTS):
            row_id = _FIRST_INSTALLMENT + INSTALLMENTS * number + seq
            due = _due(s, seq).isoformat()
            yield row_id, s.loan, seq + 1, due, _share(s, seq), int(_is_paid(s, seq))


def _payments(world: World, rng: random.Random) -> Iterator[Row]:
    row_id = 1_200_000
    for number, s in enumerate(world.loans):
        for seq in (q for q in range(INSTALLMENTS) if _is_paid(s, q)):
            row_id += 1
            installment = _FIRST_INSTALLMENT + INSTALLMENTS * number + seq
            reference = "RP-" + ids.symbols(rng, 12)
            paid_at = f"{_due(s, seq).isoformat()} 06:00:00"
            yield row_id, s.loan, installment, _share(s, seq), reference, paid_at


def merchant_part(amount_cents: int) -> int:
    """What the merchant gets of an amount, after the fee."""
    return amount_cents - amount_cents * FEE_BPS // 10_000


def _accounts(world: World, _: random.Random) -> Iterator[Row]:
    balances: Counter[str] = Counter()
    for s in world.loans:
        balances[s.items[0].merchant] += merchant_part(s.amount_cents)
    yield HOUSE_ACCOUNT, "house", None, 0, 0
    for number, merchant in enumerate(world.merchants):
        yield HOUSE_ACCOUNT + 1 + number, "merchant", merchant, balances[merchant], 1


def _entries(world: World, rng: random.Random) -> Iterator[Row]:
    accounts = {m: HOUSE_ACCOUNT + 1 + number for number, m in enumerate(world.merchants)}
    for number, s in enumerate(world.loans):
        transfer = ids.uuid4(rng)
        reference = f"LN-{s.at:%Y%m}-{s.loan % 10**10:010d}"
        part = merchant_part(s.amount_cents)
        pairs = ((accounts[s.items[0].merchant], part), (HOUSE_ACCOUNT, s.amount_cents - part))
        for side, (account, amount) in enumerate(pairs):
            yield 600_001 + 2 * number + side, transfer, account, amount, reference, _text(s.at)


def _flags(_: World, __: random.Random) -> Iterator[Row]:
    yield 1, "one_time_code", 1
    yield 2, "pay_in_four", 1
    yield 3, "gift_cards", 0


def _jobs(_: World, __: random.Random) -> Iterator[Row]:
    yield "dunning", None, None
    yield "settlement", None, None


_TABLES: dict[str, Rows] = {
    "merchants": _merchants,
    "merchant_settings": _merchant_settings,
    "products": _products,
    "inventory": _inventory,
    "users": _users,
    "user_addresses": _addresses,
    "devices": _devices,
    "payment_methods": _payment_methods,
    "checkouts": _checkouts,
    "checkout_items": _checkout_items,
    "credit_applications": _applications,
    "offers": _offers,
    "loans": _loans,
    "installments": _installments,
    "payments": _payments,
    "ledger_accounts": _accounts,
    "ledger_entries": _entries,
    "feature_flags": _flags,
    "job_locks": _jobs,
}
