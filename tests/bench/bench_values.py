"""What the values of one checkout cost, beside the same values made by hand with the standard library.

Fifty values, as the invented pay-later checkout has them: ids, e-mail, amounts, sampled rows, hashes,
JSON, dates. The peer is what a load script does: uuid, random, hashlib, datetime and f-strings, with
the literals written as they go into the statements; it promises no uniqueness.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from statistics import median

from tests.bench.measure import Row, row

from readiness.model.workload import Form, Sample, Variable, VariableKind, Workload
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import Group, Pool, Pools
from readiness.workload.make.rows import Family

PEER = "uuid, random, hashlib by hand"
_CHECKOUTS = 20_000
_RUNS = 5
_FRESH = [
    "uuid4",
    "uuid4",
    "uuid4",
    "uuid4",
    "uuid7",
    "uuid1",
    "ulid",
    "snowflake(1577836800000)",
    "snowflake(1577836800000)",
    "hex64",
    "hex64",
    "hex40",
    "hex32",
    "email(32)",
    "email(28)",
    "phone(+10999999999)",
    "first_name",
    "last_name",
    "date(1950-01-01..2004-12-31)",
    "pattern(9999)",
    "pattern(99999)",
    "pattern(ORD-2026-AXXXXX)",
    "pattern(usr_xxxxxxxxxxxxxxxx)",
    "integer(1000..999999)",
    "integer(1..9)",
    "decimal(0.0001..0.9999)",
    "pan(16)",
    "ipv4",
]
_DERIVED = (
    "SHA2(@v13, 256)",
    "LOWER(@v13)",
    "SUBSTRING_INDEX(@v13, '@', -1)",
    "MD5(@v0)",
    "UPPER(CONCAT(@v16, ' ', @v17))",
    "RIGHT(@v26, 4)",
    'CONCAT(\'{"token": "\', @v6, \'", "order": \', @v7, \', "ref": "\', @v21, \'"}\')',
    "REPLACE(TO_BASE64(CONCAT('{\"cart\": ', @v7, ', \"user\": \"', @v0, '\"}')), '\\n', '')",
    "CONCAT('otp:', @v15)",
    "@v23 DIV 4",
    "@v23 - (@v23 * 3) DIV 100",
    "NOW(6)",
    "NOW(6) + INTERVAL 300 SECOND",
    "NOW() + INTERVAL 30 MINUTE",
    "CURDATE() + INTERVAL 14 DAY",
    "CURDATE() + INTERVAL 28 DAY",
    "LEFT(@v9, 16)",
    "CONCAT('user:', @v0)",
)
_MERCHANTS = 200
_PRODUCTS = 12


def value_rows(say: Callable[[str], None]) -> Iterator[Row]:
    """The row; both take turns, so that both meet the same machine."""
    say(f"values of {_CHECKOUTS} checkouts, {_RUNS} runs")
    make, by_hand = _flow(), _ByHand()
    count = len(_FRESH) + 4 + len(_DERIVED)
    if len(by_hand(0)) != count:
        raise SystemExit(f"the peer makes other than {count} values: no bench.")
    ours: list[float] = []
    theirs: list[float] = []
    for at in range(_RUNS):
        ours.append(_us(make, at * _CHECKOUTS))
        theirs.append(_us(by_hand, at * _CHECKOUTS))
    name, unit = f"workload: {count} values of one checkout", "CPU µs"
    yield row(name, median(ours), unit, peer=(PEER, median(theirs)), runs=_RUNS)


def _us(make: Callable[[int], object], first: int) -> float:
    began = time.process_time()
    for number in range(first, first + _CHECKOUTS):
        make(number)
    return (time.process_time() - began) / _CHECKOUTS * 1e6


def _flow() -> Callable[[int], object]:
    numbers = ("snowflake", "integer")
    variables = [
        Variable(
            f"v{at}",
            VariableKind.FRESH,
            text,
            f"t.c{at}",
            Form.NUMBER if text.startswith(numbers) else Form.TEXT,
        )
        for at, text in enumerate(_FRESH)
    ]
    sampled = ("merchant", "product_0", "sku_0", "price_0")
    variables += [
        Variable(n, VariableKind.EXISTING, "sample", "", Form.TEXT if "sku" in n else Form.NUMBER)
        for n in sampled
    ]
    variables += [
        Variable(f"d{at}", VariableKind.DERIVED, "", "", _form(text), expression=text)
        for at, text in enumerate(_DERIVED)
    ]
    where = (("merchant_id", "merchant"),)
    samples = (
        Sample(("merchant",), "merchants", ("id",)),
        Sample(sampled[1:], "products", ("id", "sku", "price"), where=where),
    )
    workload = Workload("checkout", 3, tuple(variables), samples, ())
    return compile_flow(workload, _pools(where), namespace=b"bench", seed=1).new_values


def _form(text: str) -> Form:
    return Form.NUMBER if "DIV" in text else Form.TEXT


def _pools(where: tuple[tuple[str, str], ...]) -> Pools:
    merchants = {(b"%d" % m,): 1 + m for m in range(_MERCHANTS)}
    products = {
        (b"%d" % m,): Group.of(
            {
                (b"%d" % (m * 100 + p), b"SKU-%05d" % p, b"%d" % (p * 99)): 1 + p
                for p in range(_PRODUCTS)
            }
        )
        for m in range(_MERCHANTS)
    }
    return Pools(
        (
            Pool(Family("merchants", "", ()), ("id",), {(): Group.of(merchants)}),
            Pool(Family("products", "", where), ("id", "sku", "price"), products),
        )
    )


class _ByHand:
    """The same fifty values."""

    def __init__(self) -> None:
        self._random = random.Random(1)
        self._merchants = list(range(_MERCHANTS))
        self._weights = [1 + m for m in range(_MERCHANTS)]
        self._products = {
            m: [(m * 100 + p, f"SKU-{p:05d}", p * 99) for p in range(_PRODUCTS)]
            for m in range(_MERCHANTS)
        }

    def __call__(self, number: int) -> list[bytes]:
        r = self._random
        user, snow = uuid.uuid4(), (time.time_ns() // 10**6 - 1577836800000) << 22 | number % 4096
        ids = [user, uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), uuid.uuid4(), uuid.uuid1()]
        token = "".join(r.choices(string.ascii_uppercase, k=26))
        hexes = [r.randbytes(size).hex() for size in (32, 32, 20, 16)]
        email = f"{r.randbytes(9).hex()}@mail.example"
        phone, first, last = f"+10{r.randrange(10**9):09d}", r.choice(_NAMES), r.choice(_NAMES)
        born = datetime.fromordinal(r.randrange(711_858, 731_946)).date()
        ref = "ORD-2026-" + "".join(r.choices(_CODE, k=6))
        public = "usr_" + "".join(r.choices(string.ascii_lowercase + string.digits, k=16))
        amount, card = r.randrange(1000, 10**6), f"400000{r.randrange(10**10):010d}"
        merchant = r.choices(self._merchants, cum_weights=None, weights=self._weights)[0]
        product, sku, price = r.choice(self._products[merchant])
        now = datetime.now(UTC).replace(tzinfo=None)
        cart = f'{{"cart": {snow}, "user": "{user}"}}'
        texts = [
            *ids, token, *hexes, email, f"{r.randbytes(7).hex()}@mail.example", phone, first, last,
            born, f"{r.randrange(10**4):04d}", f"{r.randrange(10**5):05d}", ref, public,
            f"{r.random():.4f}", card, f"198.18.{r.randrange(256)}.{r.randrange(256)}", sku,
            hashlib.sha256(email.encode()).hexdigest(), email.lower(), email.rpartition("@")[2],
            hashlib.md5(str(user).encode(), usedforsecurity=False).hexdigest(),
            f"{first} {last}".upper(), card[-4:],
            f'{{"token": "{token}", "order": {snow}, "ref": "{ref}"}}',
            base64.b64encode(cart.encode()).decode(), f"otp:{phone}", now,
            now + timedelta(seconds=300), (now + timedelta(minutes=30)).replace(microsecond=0),
            now.date() + timedelta(days=14), now.date() + timedelta(days=28), hexes[0][:16],
            f"user:{user}",
        ]  # fmt: skip
        numbers = [snow, snow + 1, amount, r.randrange(1, 10), merchant, product, price]
        numbers += [amount // 4, amount - amount * 3 // 100]
        return [f"'{text}'".encode() for text in texts] + [b"%d" % n for n in numbers]


_NAMES = ["Ada", "Berit", "Carla", "Dagny", "Elin", "Filip", "Greta", "Hamid"]
_CODE = string.ascii_uppercase + string.digits
