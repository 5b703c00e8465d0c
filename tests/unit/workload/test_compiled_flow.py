"""A compiled flow: what each checkout sends, and what an id from the server changes."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.fakes.checkouts import small_pools, small_workload, with_variable

from readiness.errors import WorkloadError
from readiness.model.workload import Form
from readiness.ports import CheckoutFlow
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.literal import literal_of
from readiness.workload.make.pools import Pools


def flow(namespace: bytes = b"run", seed: int = 1) -> CheckoutFlow:
    return compile_flow(small_workload(), small_pools(), namespace=namespace, seed=seed)


def sent(made: CheckoutFlow, number: int) -> list[bytes]:
    values = made.new_values(number)
    made.bind(2, values, 77)
    return [made.render(step, values) for step in range(len(made.statement_ids))]


def test_statements_keep_their_text_around_the_values() -> None:
    statement = sent(flow(), 0)[2]
    assert statement.startswith(
        b"INSERT INTO loans (user_id, merchant_id, cents, due, note) VALUES ('"
    )
    assert statement.endswith(b", '100%; really')")


def test_a_statement_without_values_is_sent_as_captured() -> None:
    assert sent(flow(), 0)[0] == b"BEGIN"


def test_the_server_id_reaches_what_is_derived_from_it() -> None:
    assert b'{"loan": 77, "ref": "ORD-' in sent(flow(), 0)[4].replace(b"\\", b"")


def test_only_the_insert_takes_an_id() -> None:
    assert list(flow().binds) == [False, False, True, False, False]


def test_connections_count_from_zero() -> None:
    assert list(flow().connections) == [0, 0, 0, 0, 1]


def test_checkouts_differ_and_repeat_by_number() -> None:
    assert sent(flow(), 5)[1] == sent(flow(), 5)[1]
    assert sent(flow(), 5)[1] != sent(flow(), 6)[1]


def test_runs_differ() -> None:
    assert sent(flow(b"one"), 5)[1] != sent(flow(b"two"), 5)[1]
    assert sent(flow(seed=1), 5)[1] != sent(flow(seed=2), 5)[1]


def test_products_belong_to_the_sampled_merchant_and_differ() -> None:
    for number in range(50):
        statements = sent(flow(), number)
        is_second = b", 2, " in statements[2]
        expected = [b"'B-1'", b"'B-2'"] if is_second else [b"'A-1'", b"'it\\'s'"]
        assert all(product in statements[4] for product in expected)


def test_merchants_come_as_often_as_their_weights_say() -> None:
    made = flow()
    drawn = Counter(b", 2, " in sent(made, n)[2] for n in range(1000))
    assert 850 < drawn[True] < 950


def test_a_pool_without_the_table_is_refused() -> None:
    with pytest.raises(WorkloadError, match="merchants"):
        compile_flow(small_workload(), Pools(()), namespace=b"run", seed=1)


def test_a_text_in_number_form_is_refused() -> None:
    workload = with_variable("sku_0", form=Form.NUMBER)
    made = compile_flow(workload, small_pools(), namespace=b"run", seed=1)
    with pytest.raises(WorkloadError, match="no number"):
        made.new_values(0)


@pytest.mark.parametrize(
    ("form", "raw", "literal"),
    [
        (Form.TEXT, b"it's\n", rb"'it\'s\n'"),
        (Form.NUMBER, b"-1.5", b"-1.5"),
        (Form.HEX, b"\x00\xff", b"x'00ff'"),
    ],
)
def test_values_are_written_as_literals(form: Form, raw: bytes, literal: bytes) -> None:
    assert literal_of(form)(raw) == literal
