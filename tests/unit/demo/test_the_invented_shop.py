"""The shop's data is the same for the same seed, adds up, and names nobody."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict

import pytest

from readiness.demo.personas import PERSONAS, Persona
from readiness.demo.seed_data import schema_statements
from readiness.demo.seed_rows import Row, merchant_part, tables
from readiness.demo.seed_world import World, make_world

USERS = 400


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(7, users=USERS)


@pytest.fixture(scope="module")
def rows(world: World) -> dict[str, list[Row]]:
    return {table: list(made) for table, made in tables(7, world)}


def columns() -> dict[str, list[str]]:
    """Columns of each table, as schema.sql lists them."""
    found = {}
    for statement in schema_statements():
        if name := re.match(r"CREATE TABLE (\w+) \(", statement):
            found[name[1]] = re.findall(r"^  ([a-z]\w*) [A-Z]", statement, re.MULTILINE)
    return found


def column(rows: dict[str, list[Row]], table: str, name: str) -> list[object]:
    place = columns()[table].index(name)
    return [row[place] for row in rows[table]]


def test_the_same_seed_gives_the_same_rows(rows: dict[str, list[Row]]) -> None:
    again = {t: list(made) for t, made in tables(7, make_world(7, users=USERS))}
    assert again == rows


def test_another_seed_gives_other_rows(rows: dict[str, list[Row]]) -> None:
    other = dict(tables(8, make_world(8, users=USERS)))
    assert set(other["users"]).isdisjoint(rows["users"])


def test_there_are_at_least_twenty_tables_and_every_row_fits(rows: dict[str, list[Row]]) -> None:
    widths = {table: len(names) for table, names in columns().items()}
    assert len(widths) >= 20
    assert {t: {len(r) for r in made} for t, made in rows.items()} == {t: {widths[t]} for t in rows}


def test_few_merchants_carry_most_loans(world: World) -> None:
    loans = Counter(s.items[0].merchant for s in make_world(7, users=4000).loans)
    top = sum(n for _, n in loans.most_common(len(loans) // 10))
    assert top > 0.4 * loans.total()


def test_items_and_installments_add_up_to_the_principal(rows: dict[str, list[Row]]) -> None:
    parts: dict[object, int] = defaultdict(int)
    for loan, cents in zip(
        column(rows, "installments", "loan_id"),
        column(rows, "installments", "amount_cents"),
        strict=True,
    ):
        parts[loan] += int(str(cents))
    principals = zip(
        column(rows, "loans", "id"), column(rows, "loans", "principal_cents"), strict=True
    )
    assert parts == dict(principals)


def test_each_paid_installment_has_one_payment(rows: dict[str, list[Row]]) -> None:
    is_paid = zip(
        column(rows, "installments", "id"), column(rows, "installments", "is_paid"), strict=True
    )
    paid = [installment for installment, flag in is_paid if flag]
    assert column(rows, "payments", "installment_id") == paid
    assert 0 < len(paid) < len(rows["installments"])


def test_entries_add_up_to_each_merchants_balance(rows: dict[str, list[Row]]) -> None:
    sums: dict[object, int] = defaultdict(int)
    for _, _, account, cents, *_ in rows["ledger_entries"]:
        sums[account] += int(str(cents))
    merchants = [row for row in rows["ledger_accounts"] if row[1] == "merchant"]
    assert {row[0]: row[3] for row in merchants} == {row[0]: sums[row[0]] for row in merchants}


@pytest.mark.parametrize("cents", [0, 1, 999, 20_358, 499_800])
def test_a_merchant_gets_the_amount_less_the_fee(cents: int) -> None:
    assert 0 <= cents - merchant_part(cents) <= cents * 0.03


def test_mail_and_telephone_lead_to_nobody(rows: dict[str, list[Row]]) -> None:
    assert all(str(e).endswith(".example.test") for e in column(rows, "users", "email"))
    assert all(str(phone)[5:8] == "555" for phone in column(rows, "users", "phone"))


def test_no_two_personas_share_a_value() -> None:
    shape = {"items"}  # as many items in each basket: only values differ
    for name in {field.name for field in dataclasses.fields(Persona)} - shape:
        values = [getattr(p, name) for p in PERSONAS]
        assert len(set(values)) == len(PERSONAS), name
