"""A lock with a lease has one holder, outlives processes, and is taken over when its time is up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from readiness.artifacts.lease_lock import Held, LeaseLocks
from readiness.errors import Busy

NOW = 1_796_000_000.0


@pytest.fixture
def locks(tmp_path: Path) -> LeaseLocks:
    return LeaseLocks(tmp_path / "locks")


def held_by(owner: str, for_s: float = 60.0) -> Held:
    return Held(owner, "the target shop", NOW + for_s)


def test_a_second_run_is_refused_and_told_who_holds_it(locks: LeaseLocks) -> None:
    locks.take("shop", held_by("weekly-1"), now_s=NOW)
    with pytest.raises(Busy, match="Another run uses the target shop: weekly-1") as caught:
        locks.take("shop", held_by("peak-2"), now_s=NOW + 59)
    assert "UTC" in caught.value.hint


def test_its_own_lock_may_be_taken_again(locks: LeaseLocks) -> None:
    locks.take("shop", held_by("weekly-1"), now_s=NOW)
    locks.take("shop", held_by("weekly-1", 90), now_s=NOW)
    assert locks.holder("shop") == held_by("weekly-1", 90)


def test_a_holder_whose_lease_ended_is_taken_over(locks: LeaseLocks) -> None:
    locks.take("shop", held_by("weekly-1"), now_s=NOW)
    locks.take("shop", held_by("peak-2", 120), now_s=NOW + 60)
    assert locks.holder("shop") == held_by("peak-2", 120)


def test_who_was_taken_over_is_told_when_it_renews(locks: LeaseLocks) -> None:
    locks.take("shop", held_by("peak-2"), now_s=NOW)
    with pytest.raises(Busy, match="peak-2"):
        locks.renew("shop", "weekly-1", until=NOW + 300)


def test_a_renewal_never_shortens_a_lease(locks: LeaseLocks) -> None:
    locks.take("shop", held_by("weekly-1"), now_s=NOW)
    locks.renew("shop", "weekly-1", until=NOW + 10)
    assert locks.holder("shop") == held_by("weekly-1")
    locks.renew("shop", "weekly-1", until=NOW + 600)
    assert locks.holder("shop") == held_by("weekly-1", 600)


def test_only_its_holder_frees_it_and_twice_is_once(locks: LeaseLocks) -> None:
    locks.take("shop", held_by("weekly-1"), now_s=NOW)
    assert not locks.release("shop", "peak-2")
    assert locks.release("shop", "weekly-1")
    assert not locks.release("shop", "weekly-1")
    assert locks.holder("shop") is None


def test_a_freed_lock_cannot_be_renewed(locks: LeaseLocks) -> None:
    with pytest.raises(Busy, match="its lease ended"):
        locks.renew("shop", "weekly-1", until=NOW + 10)


def test_of_many_at_once_one_gets_it(locks: LeaseLocks) -> None:
    def try_it(number: int) -> bool:
        try:
            locks.take("shop", held_by(f"run-{number}"), now_s=NOW)
        except Busy:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_it, range(32))) == 1
