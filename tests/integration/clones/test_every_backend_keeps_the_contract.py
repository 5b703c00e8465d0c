"""The contract of clone backends: the same laws for each of them, local, cloud or in memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.integration.clones.backends import BACKENDS, ROWS, Backend, Stand, rows_of

from readiness import interlock
from readiness.errors import CloneError, ReadinessError
from readiness.model.clone import Clone, Marker
from readiness.ports import CloneBackend

MASKED = "policy default 3f2a9c11d0ab"


@pytest.fixture(scope="module", params=BACKENDS)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stand]:
    backend: Backend = request.param
    with backend(tmp_path_factory.mktemp("b")) as stand:
        yield stand


@pytest.fixture
def stand(shared: Stand) -> Iterator[Stand]:
    yield shared
    for clone in shared.backend.list():
        shared.backend.destroy(clone.name)
    assert shared.rest() == []


def restored(
    stand: Stand, variant: str = "a", *, by: CloneBackend | None = None, lease_s: float = 3600
) -> Clone:
    backend = by or stand.backend
    return backend.restore(stand.snapshot, run_id="run-1", variant=variant, lease_s=lease_s)


def marker(stand: Stand, name: str) -> Marker:
    session = stand.backend.admin_session(name)
    try:
        found = interlock.read_marker(session)
    finally:
        session.close()
    assert found
    return found


def rows(stand: Stand, name: str) -> list[tuple[object, ...]]:
    return rows_of(stand.backend.admin_session(name))


def delete_half(stand: Stand, name: str) -> None:
    session = stand.backend.admin_session(name)
    session.query("DELETE FROM shop.users WHERE id >= %s", (ROWS // 2,))
    session.close()


def test_a_clone_holds_the_rows_of_production_and_production_keeps_them(stand: Stand) -> None:
    clone = restored(stand)
    there = rows(stand, clone.name)
    delete_half(stand, clone.name)
    stand.backend.destroy(clone.name)
    assert len(there) == ROWS
    assert stand.production() == there


def test_a_fresh_clone_has_a_marker_and_nobody_may_load_it(stand: Stand) -> None:
    clone = restored(stand)
    assert (clone.masked, marker(stand, clone.name).masked) == ("", "")
    assert marker(stand, clone.name).run_id == "run-1"
    assert not stand.load_user_is_there(clone.name)


def test_a_clone_made_anew_under_its_masking_is_not_admitted(stand: Stand) -> None:
    name = restored(stand).name
    begun = marker(stand, name).nonce
    stand.backend.reset(name)
    with pytest.raises(CloneError, match="made anew"):
        stand.backend.admit(name, masked=MASKED, nonce=begun)
    assert marker(stand, name).masked == ""
    assert not stand.load_user_is_there(name)
    stand.backend.admit(name, masked=MASKED, nonce=marker(stand, name).nonce)
    assert stand.load_user_is_there(name)


def test_a_clone_says_whose_it_is_of_what_and_until_when(stand: Stand) -> None:
    before = time.time()
    clone = restored(stand)
    assert stand.again().list() == stand.backend.list() == [clone]
    assert (clone.run_id, clone.snapshot) == ("run-1", stand.snapshot.name)
    assert clone.owner
    assert before <= clone.created_at <= time.time()
    assert clone.lease_until == pytest.approx(marker(stand, clone.name).lease_until, abs=1)


def test_the_load_user_comes_with_the_admission(stand: Stand) -> None:
    name = restored(stand).name
    clone = stand.backend.admit(name, masked=MASKED)
    assert clone.masked == marker(stand, name).masked == stand.again().list()[0].masked == MASKED
    assert stand.load_user_is_there(name)
    assert stand.backend.admit(name, masked=MASKED) == clone
    assert stand.load_user_is_there(name)


@pytest.mark.parametrize("words", ["", "x" * 191])
def test_an_admission_that_does_not_say_why_leaves_no_load_user(stand: Stand, words: str) -> None:
    name = restored(stand).name
    with pytest.raises(CloneError):
        stand.backend.admit(name, masked=words)
    assert not stand.load_user_is_there(name)


def test_restoring_twice_gives_one_clone_also_to_another_process(stand: Stand) -> None:
    first = restored(stand)
    delete_half(stand, first.name)
    again = restored(stand, by=stand.again())
    assert (again.name, again.pid, again.endpoint) == (first.name, first.pid, first.endpoint)
    assert len(stand.backend.list()) == 1
    assert len(rows(stand, again.name)) == ROWS // 2


def test_restoring_again_after_the_admission_keeps_it(stand: Stand) -> None:
    stand.backend.admit(restored(stand).name, masked=MASKED)
    again = restored(stand, by=stand.again())
    assert again.masked == marker(stand, again.name).masked == MASKED
    assert stand.load_user_is_there(again.name)


def test_variants_live_side_by_side(stand: Stand) -> None:
    first, second = restored(stand, "a"), restored(stand, "b")
    assert first.endpoint != second.endpoint
    delete_half(stand, first.name)
    assert len(rows(stand, second.name)) == ROWS


def test_a_clone_that_crashed_is_found_with_its_rows_and_its_admission(stand: Stand) -> None:
    name = stand.backend.admit(restored(stand).name, masked=MASKED).name
    delete_half(stand, name)
    stand.crash(name)
    assert restored(stand).masked == MASKED
    assert len(rows(stand, name)) == ROWS // 2
    assert stand.load_user_is_there(name)


def test_a_reset_clone_is_as_it_was_restored(stand: Stand) -> None:
    first = stand.backend.admit(restored(stand).name, masked=MASKED)
    nonce = marker(stand, first.name).nonce
    delete_half(stand, first.name)
    again = stand.backend.reset(first.name)
    assert len(rows(stand, first.name)) == ROWS
    assert (again.masked, marker(stand, first.name).masked) == ("", "")
    assert not stand.load_user_is_there(first.name)
    assert marker(stand, first.name).nonce != nonce
    assert (again.owner, again.lease_until) == (first.owner, first.lease_until)
    assert stand.backend.list() == [again]


def test_variants_of_a_golden_master_are_masked_from_the_start(stand: Stand) -> None:
    name = stand.backend.admit(restored(stand).name, masked=MASKED).name
    delete_half(stand, name)
    golden = stand.backend.freeze(name, "master")
    assert golden.masked == MASKED
    assert stand.load_user_is_there(name)
    variant = stand.backend.restore(golden, run_id="run-1", variant="b", lease_s=60)
    for clone in (variant, stand.backend.reset(variant.name)):
        assert clone.masked == marker(stand, clone.name).masked == MASKED
        assert len(rows(stand, clone.name)) == ROWS // 2
        assert stand.load_user_is_there(clone.name)
    assert marker(stand, variant.name).nonce != marker(stand, name).nonce


def test_no_golden_master_is_made_of_what_may_be_personal(stand: Stand) -> None:
    name = restored(stand).name
    with pytest.raises(CloneError, match="not masked"):
        stand.backend.freeze(name, "master")
    stand.backend.admit(name, masked=MASKED)
    with pytest.raises(CloneError, match=stand.snapshot.name):
        stand.backend.freeze(name, stand.snapshot.name)
    assert stand.backend.list()[0].pid


def test_a_lease_moves_on_clone_and_marker_and_never_back(stand: Stand) -> None:
    clone = restored(stand, lease_s=60)
    renewed = stand.backend.renew(clone.name, 7200)
    assert renewed.lease_until > time.time() + 7000
    assert marker(stand, clone.name).lease_until == pytest.approx(renewed.lease_until, abs=1)
    assert stand.backend.renew(clone.name, 10).lease_until == renewed.lease_until
    assert restored(stand, lease_s=10).lease_until == renewed.lease_until
    assert marker(stand, clone.name).lease_until == pytest.approx(renewed.lease_until, abs=1)


def test_destroying_twice_is_destroying_once(stand: Stand) -> None:
    name = restored(stand).name
    assert stand.backend.destroy(name)
    assert stand.backend.list() == []
    assert not stand.backend.destroy(name)
    assert not stand.again().destroy(name)


def test_what_is_destroyed_is_unknown(stand: Stand) -> None:
    name, backend = restored(stand).name, stand.backend
    backend.destroy(name)
    for verb in (
        lambda: backend.admit(name, masked=MASKED),
        lambda: backend.reset(name),
        lambda: backend.renew(name, 60),
        lambda: backend.freeze(name, "master"),
        lambda: backend.admin_session(name),
    ):
        with pytest.raises(CloneError):
            verb()
    assert backend.list() == []


def test_a_load_that_will_not_fit_is_refused_and_nothing_is_made(stand: Stand) -> None:
    with pytest.raises(ReadinessError):
        stand.backend.restore(
            stand.snapshot, run_id="run-1", variant="a", lease_s=60, load_bytes=1 << 50
        )
    assert stand.backend.list() == []


def test_a_snapshot_of_another_engine_is_refused_and_nothing_is_made(stand: Stand) -> None:
    with pytest.raises(CloneError):
        stand.backend.restore(
            replace(stand.snapshot, engine="postgres"), run_id="run-1", variant="a", lease_s=60
        )
    assert stand.backend.list() == []
