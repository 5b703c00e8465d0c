"""Three invented people who check out; no two share a value that is theirs."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Persona:
    """One buyer: what only this person has. `merchant_rank` counts merchants by loans, 0 first;
    `items` is how many products of it are bought."""

    first_name: str
    last_name: str
    email: str
    phone: str
    date_of_birth: dt.date
    line1: str
    city: str
    region: str
    postal_code: str
    card_brand: str
    card_number: str
    exp_month: int
    exp_year: int
    income_cents: int
    ip_address: str
    user_agent: str
    merchant_rank: int
    items: int = 2

    @property
    def holder(self) -> str:
        """The name on the card."""
        return f"{self.first_name} {self.last_name}".upper()


PERSONAS = (
    Persona(
        first_name="Marisol",
        last_name="Quintanar",
        email="Marisol.Quintanar@mail.example.test",
        phone="+14155550142",
        date_of_birth=dt.date(1984, 2, 29),
        line1="1207 Alder Avenue",
        city="Cedar Falls",
        region="IA",
        postal_code="50613",
        card_brand="visa",
        card_number="4111111111111111",
        exp_month=7,
        exp_year=2029,
        income_cents=6_432_100,
        ip_address="203.0.113.17",
        user_agent="Mozilla/5.0 (Macintosh; Intel Mac OS X 14_2) Version/17.2 Safari/605.1",
        merchant_rank=2,
    ),
    Persona(
        first_name="Tobias",
        last_name="O'Ferrall",
        email="tobias.oferrall@inbox.example.test",
        phone="+13125550178",
        date_of_birth=dt.date(1991, 11, 3),
        line1="88 Canal Street, Apt 4",
        city="Harbor Springs",
        region="MI",
        postal_code="49740",
        card_brand="mastercard",
        card_number="5555555555554444",
        exp_month=12,
        exp_year=2027,
        income_cents=8_817_600,
        ip_address="198.51.100.201",
        user_agent="Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/131.0 Safari/537.36",
        merchant_rank=5,
    ),
    Persona(
        first_name="Zoë",
        last_name="Nakagawa-Lind",
        email="zoe.nakagawa@post.example.test",
        phone="+12065550119",
        date_of_birth=dt.date(1975, 6, 18),
        line1="5 Fern Way",
        city="Otter Point",
        region="WA",
        postal_code="98501",
        card_brand="discover",
        card_number="6011111111111117",
        exp_month=3,
        exp_year=2031,
        income_cents=5_270_950,
        ip_address="192.0.2.64",
        user_agent="Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/130.0 Mobile Safari/537.36",
        merchant_rank=11,
    ),
)
