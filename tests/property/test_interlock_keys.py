"""The interlock's law: load is allowed if and only if every key holds."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.described_server import DescribedServer

from readiness import interlock
from readiness.errors import TargetRefused
from readiness.model.clone import Endpoint, Key, Marker
from readiness.ports import ProductionEndpoint

NOW_S = 1_000_000.0
CLONE = Endpoint("clone.internal", 3306)
LOOPBACK = Endpoint("127.0.0.1", 3306)


@dataclass(frozen=True)
class World:
    """One combination of what may be wrong."""

    has_marker: bool
    may_read_marker: bool
    lease_left_s: float
    is_copied_marker: bool
    is_production_by_id: bool
    is_production_by_address: bool
    is_replica: bool
    may_see_replication: bool
    has_replicas: bool
    has_foreign_session: bool
    may_see_others: bool
    is_loopback: bool
    is_ours: bool
    is_adopted: bool

    def broken(self) -> set[str]:
        """The keys that must not hold, said independently of the interlock."""
        marker = self.has_marker and self.may_read_marker
        rules = {
            "marker": not marker,
            "lease": not marker or self.lease_left_s <= 0,
            "identity": not marker or self.is_copied_marker,
            "production": self.is_production_by_id or self.is_production_by_address,
            "quiet": self.is_replica
            or self.has_replicas
            or self.has_foreign_session
            or not (self.may_see_others and self.may_see_replication),
            "local": self.is_loopback and not self.is_ours and not (marker and self.is_adopted),
        }
        return {name for name, is_broken in rules.items() if is_broken}


WORLDS = st.builds(
    World,
    **{
        name: st.sampled_from([3600.0, 0.0, -60.0]) if name == "lease_left_s" else st.booleans()
        for name in World.__dataclass_fields__
    },
)
# Most random worlds break much; these break at most what a few fields break.
GOOD = World(
    has_marker=True,
    may_read_marker=True,
    lease_left_s=3600.0,
    is_copied_marker=False,
    is_production_by_id=False,
    is_production_by_address=False,
    is_replica=False,
    may_see_replication=True,
    has_replicas=False,
    has_foreign_session=False,
    may_see_others=True,
    is_loopback=False,
    is_ours=False,
    is_adopted=False,
)


def keys_of(world: World) -> list[Key]:
    processes = [("readiness_load", "Query")]
    processes += [("replicator", "Binlog Dump")] if world.has_replicas else []
    processes += [("shop_app", "Sleep")] if world.has_foreign_session else []
    server = DescribedServer(
        may_read_marker=world.may_read_marker,
        is_replica=world.is_replica,
        may_see_replication=world.may_see_replication,
        may_see_others=world.may_see_others,
        processes=tuple(processes),
    )
    here = interlock.digest_of(interlock.describe(server))
    if world.has_marker:
        bond = "another server" if world.is_copied_marker else here
        run_id = "adopted-1" if world.is_adopted else "run-1"
        server.marker = Marker(run_id, "n", bond, NOW_S, NOW_S + world.lease_left_s)
    endpoint = LOOPBACK if world.is_loopback else CLONE
    production = [
        ProductionEndpoint(
            endpoint if world.is_production_by_address else Endpoint("orders.internal", 3306),
            here if world.is_production_by_id else "the identity of production",
        )
    ]
    return interlock.check(
        server, endpoint=endpoint, production=production, now_s=NOW_S, is_ours=world.is_ours
    )


@given(WORLDS)
def test_the_keys_that_do_not_hold_are_exactly_those_that_are_broken(world: World) -> None:
    assert {key.name for key in keys_of(world) if not key.holds} == world.broken()


@given(WORLDS)
def test_load_is_allowed_if_and_only_if_all_keys_hold(world: World) -> None:
    keys = keys_of(world)
    if world.broken():
        with pytest.raises(TargetRefused) as refused:
            interlock.require(keys, target="mysql://load@clone.internal/shop")
        assert {name for name, holds, _ in refused.value.keys if not holds} == world.broken()
    else:
        interlock.require(keys, target="mysql://load@clone.internal/shop")


@pytest.mark.parametrize("is_loopback", [False, True])
def test_a_clone_that_nothing_is_wrong_with_is_allowed(is_loopback: bool) -> None:
    fields = {name: getattr(GOOD, name) for name in World.__dataclass_fields__}
    world = World(**{**fields, "is_loopback": is_loopback, "is_ours": is_loopback})
    interlock.require(keys_of(world), target="mysql://load@clone.internal/shop")
