"""By the example of a clean capture, each run of the flow in a mixed log is found as a whole.

The truth comes from how the logs were made: each checkout opens five connections of its own, and
all that it does names its user; a repayment names one too, and inserts into `payments`."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.captures import alone, capture, paylater_schema, transaction

from readiness.capture.choice import Numbered, choose
from readiness.capture.example import Example, learn, read_statement
from readiness.capture.flows import UNLINKED, Flow
from readiness.capture.parts import UNKNOWN, form_of
from readiness.capture.selection import Selection
from readiness.capture.sessions import read_capture
from readiness.errors import CaptureError
from readiness.flow.choosing import keys_of
from readiness.model.transactions import RawCapture, RawTransaction

TESTS = Path(__file__).parents[2]
CLEAN = TESTS / "unit/workload/data"
MIXED = TESTS / "samples/checkout-captures"
RECORD = re.compile(rb"\n(?=(?:\d{6} [ \d]\d:\d\d:\d\d\t|\t\t) *\d+ [A-Z])")


def example(*names: str, schema: bool = False) -> Example:
    keys = keys_of(paylater_schema()) if schema else None
    return learn([read_capture(CLEAN / f"{name}.log") for name in names], keys)


def connections_by_checkout(log: Path) -> list[set[int]]:
    """Which connections name the user that a checkout made, without those that repay a loan."""
    text = log.read_bytes()
    users = re.findall(rb"INSERT INTO `users` [^;]*?VALUES \('([0-9a-f-]{36})'", text)
    found: dict[bytes, set[int]] = {user: set() for user in users}
    repaying: set[int] = set()
    for record in RECORD.split(text):
        head = re.match(rb"(?:\d{6} [ \d]\d:\d\d:\d\d\t|\t\t) *(\d+) ", record)
        if head is None:
            continue
        if b"INSERT INTO `payments`" in record:
            repaying.add(int(head[1]))
        for user in users:
            if user in record:
                found[user].add(int(head[1]))
    return sorted((threads - repaying for threads in found.values()), key=min)


def numbered(read: RawCapture) -> Iterable[Numbered]:
    return enumerate(read.transactions)


def work_of(flow: Flow) -> list[RawTransaction]:
    """Without the set-up of its connections: SET alone."""
    return [t for t in flow.transactions if not t.statements[0].sql.upper().startswith(b"SET ")]


def flows_in(transactions: Sequence[RawTransaction], known: Example) -> list[Flow]:
    return list(choose(enumerate(transactions), Selection(), known).flows)


def threads(flow: Flow) -> set[int]:
    return {t.thread_id for t in flow.transactions}


@pytest.mark.parametrize("schema", [False, True], ids=["no-schema", "schema"])
@pytest.mark.parametrize("names", [("plain_1",), ("plain_1", "plain_2", "plain_3")], ids=len)
@pytest.mark.parametrize(("log", "checkouts"), [("interleaved", 3), ("interleaved_single", 1)])
def test_a_mixed_log_gives_exactly_its_checkouts(
    log: str, checkouts: int, names: Sequence[str], schema: bool
) -> None:
    mixed = MIXED / f"{log}.log"
    chosen = choose(numbered(read_capture(mixed)), Selection(), example(*names, schema=schema))
    truth = connections_by_checkout(mixed)
    assert [len(connections) for connections in truth] == [5] * checkouts
    assert sorted(map(threads, chosen.flows), key=min) == truth
    assert [len(work_of(flow)) for flow in chosen.flows] == [17] * checkouts
    assert [len(flow.transactions) for flow in chosen.flows] == [17 + 12] * checkouts
    assert all(flow.coverage == pytest.approx(1, abs=0.05) for flow in chosen.flows)


def test_an_example_and_a_mixed_log_may_be_of_different_kinds() -> None:
    slow = read_capture(MIXED / "checkout_general.slow.log")
    by_general = choose(numbered(slow), Selection(), example("plain_1"))
    assert [flow.coverage for flow in by_general.flows] == [1]
    mixed = read_capture(MIXED / "interleaved.log")
    by_slow = choose(numbered(mixed), Selection(), learn([slow]))
    assert [len(work_of(flow)) for flow in by_slow.flows] == [17, 17, 17]


def test_what_was_left_out_is_counted_with_its_reason() -> None:
    whole = read_capture(MIXED / "interleaved.log")
    chosen = choose(numbered(whole), Selection(), example("plain_1"))
    kept = sum(len(flow.transactions) for flow in chosen.flows)
    assert kept + sum(chosen.left_out.values()) == len(whole.transactions)
    assert chosen.left_out[UNKNOWN] > 20  # repayments and the cron job


@pytest.mark.parametrize("seed", range(4))
def test_checkouts_of_a_pool_that_deals_out_any_connection_are_told_apart(seed: int) -> None:
    known = example("plain_1")
    runs = [
        flow.transactions
        for name in ("plain_1", "plain_2", "salted_1", "salted_2", "salted_3")
        for flow in flows_in(read_capture(CLEAN / f"{name}.log").transactions, known)
    ]
    mixed, truth = shuffled(runs, random.Random(seed))
    flows = flows_in(mixed, known)
    assert len(flows) == len(runs)
    for flow in flows:
        owners = Counter(truth[id(t)] for t in flow.transactions if writes(t))
        assert len(owners) == 1
        assert len(work_of(flow)) == 17


def writes(transaction: RawTransaction) -> bool:
    return any(s.sql.lstrip().upper().startswith(b"INSERT") for s in transaction.statements)


def shuffled(
    runs: Sequence[Sequence[RawTransaction]], chance: random.Random
) -> tuple[list[RawTransaction], dict[int, int]]:
    """Transactions of all runs, each run in its order, on three connections at random."""
    waiting = {number: list(run) for number, run in enumerate(runs)}
    mixed: list[RawTransaction] = []
    truth: dict[int, int] = {}
    while waiting:
        number = chance.choice(list(waiting))
        mixed.append(replace(waiting[number].pop(0), thread_id=chance.randrange(3)))
        truth[id(mixed[-1])] = number
        if not waiting[number]:
            del waiting[number]
    return mixed, truth


def order(number: int, *, user: str, shop: str = "s-4711-acme", thread: int = 1) -> RawCapture:
    """A small flow over two connections: three transactions, one of them a read alone."""
    key = f"ord-{number:08d}"
    return capture(
        transaction(
            "BEGIN",
            f"SELECT * FROM shops WHERE id = '{shop}'",
            f"INSERT INTO orders (id, user_id, shop_id) VALUES ('{key}', '{user}', '{shop}')",
            "COMMIT",
            thread=thread,
        ),
        alone(f"SELECT name FROM users WHERE id = '{user}'", thread=thread),
        transaction(
            "BEGIN",
            f"INSERT INTO payments (id, order_id) VALUES ('pay-{number:08d}', '{key}')",
            f"UPDATE orders SET paid = 1 WHERE id = '{key}'",
            "COMMIT",
            thread=thread + 1,
        ),
    )


LEARNED = learn([order(1, user="usr-00000001"), order(2, user="usr-00000002", shop="s-9999-other")])


def test_two_orders_of_one_user_at_one_shop_stay_two() -> None:
    first, second = order(3, user="usr-00000003"), order(4, user="usr-00000003", thread=5)
    mixed = [t for pair in zip(first.transactions, second.transactions, strict=True) for t in pair]
    flows = flows_in(mixed, LEARNED)
    assert [threads(flow) for flow in flows] == [{1, 2}, {5, 6}]
    assert all(flow.coverage == 1 for flow in flows)


def test_a_retry_after_a_rollback_belongs_to_its_order() -> None:
    run = order(3, user="usr-00000003").transactions
    lost = replace(run[2], outcome=run[2].outcome.ROLLBACK)
    flows = flows_in([run[0], run[1], lost, run[2]], LEARNED)
    assert [len(flow.transactions) for flow in flows] == [4]


def test_half_an_order_at_the_end_of_a_log_is_no_flow() -> None:
    whole, cut = order(3, user="usr-00000003"), order(4, user="usr-00000004", thread=5)
    mixed = [*whole.transactions, cut.transactions[2]]
    chosen = choose(enumerate(mixed), Selection(), LEARNED)
    assert len(chosen.flows) == 1
    assert chosen.left_out == {UNLINKED: 1}


def test_numbered_ids_link_only_within_their_table() -> None:
    def numbered(order_id: int, coupon_id: int) -> RawCapture:
        return capture(
            transaction(
                "BEGIN",
                f"INSERT INTO lines (order_id, sku) VALUES ({order_id}, 'x')",
                f"INSERT INTO uses (coupon_id) VALUES ({coupon_id})",
                f"INSERT INTO orders (total) VALUES ({order_id * 3})",
                "INSERT INTO coupons (worth) VALUES (5)",
                "COMMIT",
            ),
            transaction("BEGIN", f"DELETE FROM orders WHERE id = {order_id}", "COMMIT", thread=2),
            transaction("BEGIN", f"DELETE FROM coupons WHERE id = {coupon_id}", "COMMIT", thread=3),
        )

    known = learn([numbered(70, 71), numbered(80, 82)])
    one, other = numbered(7, 8), numbered(8, 7)
    flows = flows_in([*one.transactions, *other.transactions], known)
    assert [[t.statements for t in f.transactions] for f in flows] == [
        [t.statements for t in one.transactions],
        [t.statements for t in other.transactions],
    ]


def test_an_example_without_statements_teaches_nothing() -> None:
    with pytest.raises(CaptureError, match="no statement of an application"):
        learn([capture(alone("SET NAMES utf8mb4"), alone("SELECT 1"))])


def test_a_log_without_the_flow_says_what_it_holds_instead() -> None:
    with pytest.raises(CaptureError, match="1 statements that the example does not have") as caught:
        flows_in([alone("DELETE FROM carts WHERE token = 'very-personal-1234'")], LEARNED)
    assert "personal" not in caught.value.message


def test_nothing_of_a_flow_shows() -> None:
    chosen = choose(numbered(order(3, user="usr-00000003")), Selection(), LEARNED)
    shown = json.dumps([repr(chosen), str(chosen.flows), repr(chosen.flows[0]), repr(LEARNED)])
    assert "usr-" not in shown
    assert "acme" not in shown


class CountedMost(dict[bytes, int]):
    """Counts its look-ups: one for each statement kind when two groups are compared."""

    asked = 0

    def __getitem__(self, shape: bytes) -> int:
        self.asked += 1
        return super().__getitem__(shape)


def comparisons(orders: int) -> int:
    most = CountedMost(LEARNED.most)
    runs = [order(n, user="usr-00000003").transactions for n in range(10, 10 + orders)]
    flows_in([t for run in runs for t in run], replace(LEARNED, most=most))
    return most.asked


def test_a_value_that_all_flows_share_costs_no_square() -> None:
    assert comparisons(1200) < 2.6 * comparisons(600)


def test_a_statement_is_read_once_for_each_form_and_never_as_another() -> None:
    """What stands for statements of equal form must be true of each of them."""
    statements = [
        (t, s)
        for name in ("interleaved", "interleaved_single")
        for t in read_capture(MIXED / f"{name}.log").transactions
        for s in t.statements
    ]
    shapes: defaultdict[bytes, set[tuple[bytes, bool]]] = defaultdict(set)
    for t, s in statements:
        read = read_statement(t, s)
        if read is not None:
            shapes[form_of(s.sql)].add((read.shape, read.sets))
    assert all(len(found) == 1 for found in shapes.values())
    assert len(shapes) < len(statements) / 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a FROM t WHERE b = 'x'", 'SELECT a FROM t WHERE b = "it\'s"'),
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 0xFF"),
        ("SELECT `a'1` FROM t WHERE b = 'x'", "SELECT `a'1` FROM t WHERE b = 'y`'"),
        ("SELECT a /* 'x */ FROM t", "SELECT a /* y's */ FROM t"),
    ],
)
def test_values_and_comments_make_no_other_form(one: str, other: str) -> None:
    assert form_of(one.encode()) == form_of(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a1 FROM t", "SELECT a2 FROM t"),
        ("SELECT `a` FROM t", "SELECT `b` FROM t"),
        ("SELECT /*! a */ 1", "SELECT /*! b */ 1"),
        ("SELECT @v1", "SELECT @v2"),
    ],
)
def test_names_and_hidden_sql_do(one: str, other: str) -> None:
    assert form_of(one.encode()) != form_of(other.encode())
