"""A round of the janitor destroys exactly the clones whose lease has ended."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.clone_shelf import CloneShelf, shelved

from readiness.clones.janitor import Fate, decide
from readiness.flow.janitor import Beat, make_round
from readiness.model.clone import Clone

NOW = 1_000_000.0
TIMES = st.floats(NOW - 1e5, NOW + 1e5)


@st.composite
def clones(draw: st.DrawFn) -> list[Clone]:
    return [
        shelved(
            f"readiness-{number}",
            lease_until=draw(TIMES),
            created_at=draw(st.floats(NOW - 1e5, NOW)),
            pid=draw(st.sampled_from([0, 7])),
            run_id=draw(st.sampled_from(["", "run-1"])),
        )
        for number in range(draw(st.integers(0, 6)))
    ]


def has_expired(clone: Clone) -> bool:
    return bool(clone.run_id) and clone.lease_until <= NOW


@given(clones())
def test_what_has_expired_goes_and_the_rest_stays(found: list[Clone]) -> None:
    shelf = CloneShelf(found)
    with tempfile.TemporaryDirectory() as folder:
        beat = Beat(shelf, list, Path(folder) / "janitor.json")
        made = make_round(beat, now_s=NOW)
        assert list(made.destroyed) == [c for c in found if has_expired(c)]
        assert shelf.clones == [c for c in found if not has_expired(c)]
        assert make_round(beat, now_s=NOW).destroyed == ()


@given(clones())
def test_a_dry_run_says_the_same_and_does_nothing(found: list[Clone]) -> None:
    shelf = CloneShelf(found)
    with tempfile.TemporaryDirectory() as folder:
        diary = Path(folder) / "janitor.json"
        made = make_round(Beat(shelf, list, diary), now_s=NOW, is_dry_run=True)
        assert not diary.exists()
    assert shelf.clones == found
    assert list(made.destroyed) == [c for c in found if has_expired(c)]


@given(clones(), st.floats(0, 1e5))
def test_waiting_never_saves_a_clone(found: list[Clone], later_s: float) -> None:
    for clone in found:
        if decide(clone, now_s=NOW).fate is Fate.DESTROY:
            assert decide(clone, now_s=NOW + later_s).fate is Fate.DESTROY


@given(clones())
def test_every_clone_is_accounted_for_once(found: list[Clone]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = make_round(Beat(CloneShelf(found), list, Path(folder) / "j.json"), now_s=NOW)
    names = [d.name for d in (*made.destroyed, *made.kept, *made.told, *made.failed)]
    assert sorted(names) == sorted(clone.name for clone in found)
