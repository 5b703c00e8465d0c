"""The entities of the invented shop, made from a seed alone: no clock, no machine.

Few merchants and products carry most sales, and some users buy often (Zipf's law).
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from readiness.demo import ids, words

PRODUCTS_PER_MERCHANT = 24
SALES_BEGIN = dt.datetime(2025, 5, 1, tzinfo=dt.UTC)
SALES_END = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)
_MERCHANT_SKEW = 0.9
_PRODUCT_SKEW = 0.8
_USER_SKEW = 0.3
_LEAVES_EVERY = 7


@dataclass(frozen=True, slots=True)
class User:
    """Someone with an account."""

    id: str
    first_name: str
    last_name: str
    email: str
    phone: str


@dataclass(frozen=True, slots=True)
class Product:
    """Something a merchant sells."""

    id: int
    merchant: str
    sku: str
    price_cents: int


@dataclass(frozen=True, slots=True)
class Sale:
    """One checkout of two products; `loan` is 0 where the user left."""

    number: int
    at: dt.datetime
    checkout: int
    user: User
    items: tuple[Product, Product]
    loan: int
    offer: str

    @property
    def amount_cents(self) -> int:
        """What the items cost together."""
        return self.items[0].price_cents + self.items[1].price_cents

    @property
    def application(self) -> int:
        """The id of its credit application; starts where a shop of some years is."""
        return 400_001 + self.number


@dataclass(frozen=True, slots=True)
class World:
    """All entities; `sales` in the order of their times."""

    merchants: list[str]
    products: list[Product]
    users: list[User]
    sales: list[Sale]

    @property
    def loans(self) -> list[Sale]:
        """The sales that ended in a loan."""
        return [s for s in self.sales if s.loan]


def make_world(seed: int, *, users: int) -> World:
    """The same world for the same seed and size."""
    rng = random.Random(seed)
    merchants = [ids.ulid(rng, milliseconds(SALES_BEGIN)) for _ in range(max(users // 40, 2))]
    products = [p for number, m in enumerate(merchants) for p in _products(rng, number, m)]
    people = [_user(rng, number) for number in range(users)]
    sales = list(_sales(rng, products, people))
    return World(merchants, products, people, sales)


def milliseconds(at: dt.datetime) -> int:
    """Milliseconds since the epoch."""
    return int(at.timestamp() * 1000)


def zipf(count: int, exponent: float) -> list[float]:
    """Cumulative weights of ranks 1 to `count`."""
    return list(accumulate(rank**-exponent for rank in range(1, count + 1)))


def _products(rng: random.Random, merchant_number: int, merchant: str) -> Iterator[Product]:
    first = 700_001 + PRODUCTS_PER_MERCHANT * merchant_number
    for product_id in range(first, first + PRODUCTS_PER_MERCHANT):
        price = min(990 + int(rng.paretovariate(1.3) * 2900), 249_900)
        yield Product(
            product_id, merchant, f"SKU-{rng.randrange(10**8):08d}-{product_id % 97:02d}", price
        )


def _user(rng: random.Random, number: int) -> User:
    first, last = rng.choice(words.FIRST_NAMES), rng.choice(words.LAST_NAMES)
    local = f"{first}.{last}.{number}".lower().replace("'", "")
    phone = f"+1{rng.randrange(200, 990)}555{rng.randrange(10_000):04d}"
    return User(ids.uuid4(rng), first, last, f"{local}@{rng.choice(words.EMAIL_DOMAINS)}", phone)


def _sales(rng: random.Random, products: list[Product], users: list[User]) -> Iterator[Sale]:
    count = len(users) * 7 // 5
    merchants = range(len(products) // PRODUCTS_PER_MERCHANT)
    chosen = rng.choices(merchants, cum_weights=zipf(len(merchants), _MERCHANT_SKEW), k=count)
    buyers = rng.choices(users, cum_weights=zipf(len(users), _USER_SKEW), k=count)
    weights = zipf(PRODUCTS_PER_MERCHANT, _PRODUCT_SKEW)
    for number, at in enumerate(_times(rng, count)):
        first = PRODUCTS_PER_MERCHANT * chosen[number]
        items = _two(rng, products[first : first + PRODUCTS_PER_MERCHANT], weights)
        at_ms = milliseconds(at)
        loan = ids.snowflake(rng, at_ms + 40_000) if number % _LEAVES_EVERY else 0
        checkout = ids.snowflake(rng, at_ms)
        yield Sale(number, at, checkout, buyers[number], items, loan, ids.uuid4(rng))


def _two(
    rng: random.Random, products: list[Product], weights: list[float]
) -> tuple[Product, Product]:
    """Two different products of one merchant."""
    one = rng.choices(products, cum_weights=weights)[0]
    other = one
    while other is one:
        other = rng.choices(products, cum_weights=weights)[0]
    return one, other


def _times(rng: random.Random, count: int) -> list[dt.datetime]:
    seconds = (SALES_END - SALES_BEGIN).total_seconds()
    return sorted(SALES_BEGIN + dt.timedelta(seconds=rng.random() * seconds) for _ in range(count))
