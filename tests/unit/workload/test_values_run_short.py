"""The budget: is there a new value for each checkout of a plan, and what is said when there is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readiness.errors import WorkloadError
from readiness.model.workload import Form, Variable, VariableKind, Workload
from readiness.workload.make.budget import require_values, spaces
from readiness.workload.make.free import BLOCK, Free, Order
from readiness.workload.make.lanes import lane_key, with_shared_lanes
from readiness.workload.make.pools import Pools

REF = Variable("order_ref_0", VariableKind.FRESH, "pattern(999999)", "orders.ref", Form.TEXT, "'1'")
ALONE = Pools((), unique={"orders.ref": ()})


def flow(*variables: Variable) -> Workload:
    return Workload("checkout", 3, variables, (), ())


def by(generator: str, form: Form = Form.TEXT) -> Workload:
    return flow(replace(REF, generator=generator, form=form))


def test_as_many_checkouts_as_values_are_allowed_and_no_more() -> None:
    assert require_values(flow(REF), ALONE, 1_000_000)
    with pytest.raises(WorkloadError) as caught:
        require_values(flow(REF), ALONE, 1_000_001)
    said = caught.value.message + caught.value.hint
    assert all(part in said for part in ("@order_ref_0", "orders.ref", "1,000,000", "1,000,001"))
    assert all(part in said for part in ("wider pattern", "@gen", "fewer checkouts"))


def test_more_than_half_is_a_warning() -> None:
    assert require_values(flow(REF), ALONE, 500_000) == ()
    (warning,) = require_values(flow(REF), ALONE, 500_001)
    assert "@order_ref_0" in warning
    assert "half" in warning


def test_variables_of_one_column_share_its_values() -> None:
    both = flow(REF, replace(REF, name="order_ref_1"))
    with pytest.raises(WorkloadError, match="@order_ref_0, @order_ref_1"):
        require_values(both, ALONE, 600_000)


def test_what_the_target_holds_is_subtracted() -> None:
    free = Free(600_000, 400_000, Order.UP)
    pools = replace(ALONE, free={lane_key(REF): free})
    (space,) = spaces(flow(REF), pools)
    assert space.left == 400_000 // BLOCK * BLOCK
    with pytest.raises(WorkloadError):
        require_values(flow(REF), pools, 400_001)


@pytest.mark.parametrize("checkouts", [1, 3_000_000])
def test_other_columns_of_the_key_keep_values_apart_but_are_told(checkouts: int) -> None:
    pools = Pools((), unique={"orders.ref": ("merchant_id",)})
    (warning,) = require_values(flow(REF), pools, checkouts)
    assert "merchant_id" in warning


def test_drawn_values_of_a_key_of_two_columns_are_no_news() -> None:
    pools = Pools((), unique={"orders.ref": ("merchant_id",)})
    assert require_values(by("hex64"), pools, 10**6) == ()


def test_nothing_is_told_where_a_key_of_two_columns_was_read() -> None:
    free = {lane_key(REF): Free(500_000, 500_000, Order.UP)}
    pools = Pools((), unique={"orders.ref": ("merchant_id",)}, free=free)
    assert require_values(flow(REF), pools, 1000) == ()


def test_a_column_without_a_unique_key_has_no_budget() -> None:
    assert require_values(flow(REF), Pools(()), 10**9) == ()


@pytest.mark.parametrize(
    "generator", ["uuid1", "uuid4", "uuid7", "ulid", "snowflake(0)", "uuid7_hex", "uuid1_swapped"]
)
def test_ids_are_endless(generator: str) -> None:
    assert spaces(by(generator), ALONE) == ()


@pytest.mark.parametrize(
    ("generator", "form", "left"),
    [
        ("integer(10..99)", Form.NUMBER, 90),
        ("decimal(0.10..0.99)", Form.NUMBER, 90),
        ("pattern(A-99)", Form.TEXT, 2600),
        ("phone(+10999)", Form.TEXT, 1000),
        ("hex8", Form.TEXT, 16**8),
        ("binary4", Form.HEX, 2**32),
        ("pan(16)", Form.TEXT, 10**9),
        ("text(5)", Form.TEXT, 26**5),
        ("date(1980-01-01..1980-12-31)", Form.TEXT, 366),
        ("ipv4", Form.TEXT, 1 << 17),
        # Drawn values are likely to meet after as many as the root of all there are.
        ("hex16", Form.TEXT, 2**32),
        ("email(28)", Form.TEXT, 2**30),
        ("first_name", Form.TEXT, 7),
        ("datetime(2025-01-01..2025-12-31)", Form.TEXT, 5615),
    ],
)
def test_what_is_left_is_counted(generator: str, form: Form, left: int) -> None:
    assert [space.left for space in spaces(by(generator, form), ALONE)] == [left]


def test_shapes_of_one_unique_column_that_overlap_are_made_from_one() -> None:
    """Three captures may share a digit by chance: ORD-12.. would meet a value of ORD-....."""
    narrow = replace(REF, name="order_ref_1", generator="pattern(120999)")
    other = replace(REF, name="order_ref_2", generator="pattern(\\A99999)")
    shared = with_shared_lanes(flow(narrow, REF, other), {"orders.ref"})
    generators = [v.generator for v in shared.variables]
    assert generators == ["pattern(999999)", "pattern(999999)", "pattern(\\A99999)"]
    assert with_shared_lanes(flow(narrow, REF, other), set()) == flow(narrow, REF, other)
