"""What one checkout of the invented shop works on: its services' connections and its order."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from readiness.demo import ids

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

Value = str | int | None


class Basket(NamedTuple):
    """What is bought: different products of one merchant."""

    merchant: str
    skus: tuple[str, ...]


class Item(NamedTuple):
    """A product as the shop found it."""

    id: int
    sku: str
    price_cents: int


class Service:
    """One service's connection, autocommit on; `after` is called after each statement."""

    def __init__(self, connection: Connection[Cursor], after: Callable[[], None]) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._after = after

    def run(self, sql: str, *values: Value) -> list[tuple[Value, ...]]:
        """Executes one statement; its rows."""
        self._cursor.execute(sql, values or None)
        rows = list(self._cursor.fetchall())
        self._after()
        return rows

    def insert(self, sql: str, *values: Value) -> int:
        """Executes one INSERT; the first id that the server gave."""
        self.run(sql, *values)
        return self._cursor.lastrowid

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


@dataclass(slots=True)
class Order:
    """What the shop made up at the start; the zeros are filled on the way."""

    merchant: str
    items: tuple[Item, ...]
    fee_bps: int
    checkout: int
    token: str
    reference: str
    created_at: str
    user: str
    public_id: str
    device: str
    idempotency_key: str = ""
    application: int = 0
    score: int = 0
    offer: str = ""
    payment_method: int = 0
    loan: int = 0
    loan_number: str = ""
    first_message: int = 0

    @property
    def amount_cents(self) -> int:
        """What the items cost together."""
        return sum(item.price_cents for item in self.items)

    @property
    def product_ids(self) -> tuple[int, ...]:
        """The ids of the products."""
        return tuple(item.id for item in self.items)


def new_order(rng: random.Random, merchant: str, fee_bps: int, items: tuple[Item, ...]) -> Order:
    """An order with fresh identifiers."""
    return Order(
        merchant=merchant,
        items=items,
        fee_bps=fee_bps,
        checkout=ids.snowflake(rng, clock_ms()),
        token=ids.ulid(rng, clock_ms()),
        reference="ORD-" + ids.symbols(rng, 10),
        created_at=clock(),
        user=ids.uuid4(rng),
        public_id="usr_" + ids.symbols(rng, 16),
        device=ids.hex_text(rng, 32),
    )


def clock(*, later: dt.timedelta = dt.timedelta()) -> str:
    """The local time with microseconds, as the application writes it."""
    return (_local_now() + later).strftime("%Y-%m-%d %H:%M:%S.%f")


def clock_seconds(*, later: dt.timedelta) -> str:
    """The local time `later`, to the second."""
    return (_local_now() + later).strftime("%Y-%m-%d %H:%M:%S")


def clock_ms() -> int:
    """Milliseconds since the epoch."""
    return int(_local_now().timestamp() * 1000)


def _local_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).astimezone()
