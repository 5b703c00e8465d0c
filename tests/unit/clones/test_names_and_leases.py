"""Names are deterministic and safe as folders; leases only move forward."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readiness.clones import leases, naming
from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint

PARTS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,70}[a-z0-9])?", fullmatch=True)


def clone_until(lease_until: float) -> Clone:
    return Clone("c", "r", "s", Endpoint(), 1, "/c", 0.0, lease_until)


def test_a_name_tells_run_and_variant() -> None:
    assert naming.clone_name("demo-1", "base") == "readiness-demo-1-base"


@given(PARTS, PARTS)
def test_a_name_is_always_a_short_folder_of_ours(run_id: str, variant: str) -> None:
    name = naming.clone_name(run_id, variant)
    assert re.fullmatch(r"readiness-[a-z0-9-]*[a-z0-9]", name)
    assert len(name) <= 63
    assert name == naming.clone_name(run_id, variant)


def test_long_runs_that_differ_at_the_end_get_different_names() -> None:
    assert naming.clone_name("a" * 80, "b") != naming.clone_name("a" * 81, "b")


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a/b", "..", "a b", "a\n", "ä", "a" + "\0"])
def test_what_is_no_safe_folder_name_is_refused(name: str) -> None:
    with pytest.raises(CloneError, match="is no name"):
        naming.checked(name)


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.floats(0, 1e6))
def test_renewing_never_shortens_a_lease(until: float, now_s: float, lease_s: float) -> None:
    renewed = leases.renewed(clone_until(until), now_s=now_s, lease_s=lease_s)
    assert renewed.lease_until >= max(until, now_s + lease_s)
