"""`readiness mask` is killed at any moment, or its server dies: no load gets in before all is proven, a
second try ends as if nothing had been, and the janitor leaves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.clones.killing import broken_before, killed_before, steps_of
from tests.integration.clones.masking_place import NAME, Place, Rows, masking_place, some_of

# Children of a fork have it then; alone each would take seconds to import it.
from readiness.adapters import masking_checks  # noqa: F401
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.errors import Busy

pytestmark = [pytest.mark.mysql, pytest.mark.long]


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with masking_place(request.param, tmp_path_factory.mktemp("k")) as made:
        yield made


@pytest.fixture(scope="module")
def steps(place: Place) -> list[str]:
    """What an uninterrupted masking does, step by step."""
    place.restore()
    return steps_of(place.mask, root=place.state)


@pytest.fixture(scope="module")
def end(place: Place, steps: list[str]) -> Rows:
    """How it ends: not as it was, and in both databases."""
    clone = place.clones().reset(NAME)
    assert list(Path(clone.directory).glob("masking*")) == []  # no proof of what is gone
    before = place.rows()
    place.mask()
    after = place.rows()
    assert (after[:2], after[3]) == (before[:2], before[3])
    assert "Person.Number" not in str(after[2])
    place.require_end(after)
    place.forget()
    return after


def test_killed_before_any_step_it_keeps_load_out_and_a_second_try_ends_it(
    place: Place, steps: list[str], end: Rows
) -> None:
    guarded = []
    place.restore()
    for number in some_of(steps):
        place.clones().reset(NAME)
        killed_before(number, place.mask, root=place.state)
        guarded.append(place.is_guarded(end))
        place.mask()
        place.require_end(end)
    place.forget()
    # Once load is let in it stays so.
    assert guarded == sorted(guarded, reverse=True)
    assert set(guarded) == {True, False}


def test_killed_and_then_given_up_nothing_is_left(
    place: Place, steps: list[str], end: Rows
) -> None:
    for number in some_of(steps)[::4]:
        place.restore()
        killed_before(number, place.mask, root=place.state)
        if number % 2:
            place.tend()
        else:
            assert place.clones().destroy(NAME)
            assert not place.clones().destroy(NAME)
        place.require_gone()
        place.forget()


def test_killed_again_and_again_it_ends_as_if_nothing_had_been(
    place: Place, steps: list[str], end: Rows
) -> None:
    """Each try goes further than the one before, which has left it less to do."""
    place.restore()
    number, kills = 5, 0
    while killed_before(number, place.mask, root=place.state):
        place.is_guarded(end)
        number, kills = number + 3, kills + 1
    assert kills >= 20
    place.require_end(end)
    place.forget()


def test_whose_server_dies_says_so_and_a_second_try_ends_it(
    place: Place, steps: list[str], end: Rows
) -> None:
    for number in some_of(steps)[1::3]:
        place.restore()
        place.clones().reset(NAME)
        server = place.clones().server(NAME)
        broken_before(number, server.kill, place.mask, root=place.state)
        place.restore()
        place.is_guarded(end)
        place.mask()
        place.require_end(end)
    place.forget()


def test_whose_clone_is_destroyed_meanwhile_it_says_so_and_makes_nothing_of_it_again(
    place: Place, steps: list[str], end: Rows
) -> None:
    for number in some_of(steps)[2::4]:
        place.restore()
        clones = place.clones()
        broken_before(number, lambda c=clones: c.destroy(NAME), place.mask, root=place.state)
        assert not place.clones().destroy(NAME)
        place.require_gone()
        place.forget()


def test_a_reset_meanwhile_is_refused_and_the_masking_ends(
    place: Place, steps: list[str], end: Rows
) -> None:
    """Before it has begun the clone may be reset: then what is there anew is masked."""
    place.restore()
    refused = place.state / "refused.txt"
    for number in [n for n in some_of(steps) if n > 3][::3]:
        detached = ServerOptions(is_attached=False)
        clones = LocalClones(place.state, binary=place.binary, options=detached)
        place.clones().reset(NAME)
        is_broken = broken_before(
            number, lambda c=clones: _reset(c, refused), place.mask, root=place.state
        )
        assert not (is_broken and refused.exists())
        if is_broken:
            assert place.is_guarded(end)
        else:
            place.require_end(end)
        refused.unlink(missing_ok=True)
        clones.server(NAME).kill()
    place.forget()


def _reset(clones: LocalClones, refused: Path) -> None:
    """In the process that masks; leaves a word where the clone is not its own to reset."""
    try:
        clones.reset(NAME)
    except Busy:
        refused.touch()
