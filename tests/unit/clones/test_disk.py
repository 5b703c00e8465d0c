"""A need for disk counts all that a clone will hold, and never shrinks by what load adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.clones.disk import SPARE_BYTES, need_bytes

SIZES = st.integers(0, 10**13)


def test_a_copy_alone_needs_its_own_bytes_and_room_for_the_server() -> None:
    assert need_bytes(5_000) == 5_000 + SPARE_BYTES


def test_load_adds_bytes_per_checkout_times_arrivals_and_the_binary_log() -> None:
    assert need_bytes(10**9, 6_000, 250_000, 10**8) == 10**9 + 15 * 10**8 + 10**8 + SPARE_BYTES


@given(SIZES, st.floats(0, 1e6), st.floats(0, 1e6), SIZES)
def test_load_never_makes_the_need_smaller(
    data: int, per_checkout: float, arrivals: float, binlog: int
) -> None:
    assert need_bytes(data, per_checkout, arrivals, binlog) >= need_bytes(data) > data


@pytest.mark.parametrize("wrong", [(-1,), (1, -1.0, 1.0), (1, 1.0, -1.0), (1, 0.0, 0.0, -1)])
def test_a_negative_estimate_is_no_estimate(wrong: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="never negative"):
        need_bytes(*wrong)
