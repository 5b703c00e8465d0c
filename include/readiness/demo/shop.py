"""The shop's application: one checkout, executed for real on two connections.

`checkout_api` sells and lends, `identity_api` knows people and decides on credit. A transaction
ends before the next one begins, rows that others may hold are locked in the order of their ids,
and every other row written is new or found by its primary key: checkouts side by side wait for
each other, and do not deadlock. Every persona sends the same shapes of statements.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

from readiness.demo import identity, lending, storefront
from readiness.demo.order import Basket, Service

if TYPE_CHECKING:
    from pymysql.connections import Connection
    from pymysql.cursors import Cursor

    from readiness.demo.personas import Persona

    Connect = Callable[[str], Connection[Cursor]]

CHECKOUT_API = "checkout_api"
IDENTITY_API = "identity_api"
SERVICE_USERS = (CHECKOUT_API, IDENTITY_API)


def _nothing() -> None:
    """Between two statements."""


class Checkout:
    """One persona buys one basket; `seed` makes the identifiers.

    `connect(user)` gives a new connection in the shop's database with autocommit on."""

    def __init__(
        self,
        persona: Persona,
        connect: Connect,
        *,
        basket: Basket,
        seed: int,
        after: Callable[[], None] = _nothing,
    ) -> None:
        self._persona = persona
        self._basket = basket
        self._rng = random.Random(seed)
        self._connect = connect
        self._after = after

    def run(self) -> int:
        """Executes the checkout; the id of its loan."""
        sell = Service(self._connect(CHECKOUT_API), self._after)
        try:
            know = Service(self._connect(IDENTITY_API), self._after)
            try:
                return self._run(sell, know)
            finally:
                know.close()
        finally:
            sell.close()

    def _run(self, sell: Service, know: Service) -> int:
        persona, rng = self._persona, self._rng
        order = storefront.browse(sell, rng, self._basket)
        storefront.open_checkout(sell, order)
        identity.sign_up(know, rng, persona, order)
        identity.sign_in(know, rng, order)
        storefront.attach_user(sell, order)
        identity.apply_for_credit(know, rng, persona, order)
        identity.decide(know, rng, order)
        identity.lose_a_race(know, order)
        storefront.pay(sell, rng, persona, order)
        lending.fund(sell, rng, order)
        storefront.confirm(sell, persona, order)
        storefront.publish(sell, order)
        identity.close_application(know, order)
        storefront.show(sell, order)
        return order.loan
