"""The interlock's law: a target is opened if and only if every key of the purpose holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.fakes.described_server import ALL_GRANTS, DescribedServer, load_account

from readiness import interlock
from readiness.errors import TargetError, TargetRefused, TargetUnavailable
from readiness.interlock import Purpose
from readiness.model.clone import Endpoint, Key, Marker
from readiness.ports import ProductionEndpoint, Session

NOW_S = 1_000_000.0
CLONE = Endpoint("clone.internal", 3306)
LOOPBACK = Endpoint("127.0.0.1", 3306)
ORDERS = Endpoint("orders.internal", 3306)
NONCE = "0" * 31 + "1"
FOR_LOAD = {"masked", "account"}
TARGET = "mysql://load@clone.internal/shop"


@dataclass(frozen=True)
class World:
    """One combination of what may be wrong."""

    has_marker: bool = True
    may_read_marker: bool = True
    lease_left_s: float = 3600.0
    is_copied_marker: bool = False
    masked: str = "policy default: 14 columns, proven by 61 checks"
    is_production_by_id: bool = False
    is_production_by_address: bool = False
    is_production_by_another_name: bool = False
    production: str = "asked"  # or unasked, silent, hidden, unproven; or same: the id read there
    has_nonce_on_production: bool = False
    is_replica: bool = False
    may_see_replication: bool = True
    has_replicas: bool = False
    has_foreign_session: bool = False
    may_see_others: bool = True
    is_loopback: bool = False
    is_loopback_by_name: bool = False
    is_ours: bool = False
    is_adopted: bool = False
    account: str = "load"  # or all, absent

    def broken(self, purpose: Purpose) -> set[str]:
        """The keys that must not hold, said independently of the interlock."""
        marker = self.has_marker and self.may_read_marker
        asked = self.production in {"asked", "same"}
        is_unmade = self.is_ours and marker and not self.masked
        rules = {
            "marker": not marker,
            "lease": not marker or self.lease_left_s <= 0,
            "identity": not marker or self.is_copied_marker,
            "production": self.is_production_by_id
            or self.is_production_by_address
            or self.is_production_by_another_name
            or self.production == "same",
            "nonce": not marker
            or self.production in {"silent", "hidden", "unproven"}
            or (asked and self.has_nonce_on_production),
            "quiet": self.is_replica
            or self.has_replicas
            or self.has_foreign_session
            or not (self.may_see_others and self.may_see_replication),
            "local": (self.is_loopback or self.is_loopback_by_name)
            and not self.is_ours
            and not (marker and self.is_adopted),
            "masked": not marker or not self.masked,
            "account": self.account != "load" or is_unmade,
        }
        names = {name for name, is_broken in rules.items() if is_broken}
        return names if purpose is Purpose.LOAD else names - FOR_LOAD


_CHOICES: dict[str, list[object]] = {
    "lease_left_s": [3600.0, 0.0, -60.0],
    "masked": ["", "waived: invented data"],
    "production": ["asked", "unasked", "silent", "hidden", "unproven", "same"],
    "account": ["load", "all", "absent"],
}
FIELDS = {n: _CHOICES.get(n, [False, True]) for n in World.__dataclass_fields__}
WORLDS = st.builds(World, **{name: st.sampled_from(values) for name, values in FIELDS.items()})
PURPOSES = st.sampled_from(Purpose)
# Most random worlds break much; these break what one or two changes of a good one break.
NEARLY_GOOD = [
    replace(World(), **dict(zip(names, values, strict=True)))
    for names in combinations(FIELDS, 2)
    for values in product(*(FIELDS[name] for name in names))
]


def keys_of(world: World, purpose: Purpose) -> list[Key]:
    server = _server(world)
    here = interlock.digest_of(interlock.describe(server))
    if world.has_marker:
        bond = "another server" if world.is_copied_marker else here
        run_id = "adopted-1" if world.is_adopted else "run-1"
        until = NOW_S + world.lease_left_s
        server.marker = Marker(run_id, NONCE, bond, NOW_S, until, world.masked)
    endpoint = LOOPBACK if world.is_loopback else CLONE
    known = ProductionEndpoint(
        endpoint if world.is_production_by_address else ORDERS,
        here if world.is_production_by_id else "the identity of production",
        "" if world.production == "unasked" else "mysql://watch@orders.internal/",
    )
    place = interlock.Place(
        endpoint,
        [known],
        is_ours=world.is_ours,
        ask=lambda _known: _production(world, server),
        load=lambda: _account(world),
        resolve=lambda e: _addresses(world, e, of_target=e is endpoint),
    )
    return interlock.check(server, place, now_s=NOW_S, purpose=purpose)


def _server(world: World) -> DescribedServer:
    processes = [("readiness_load", "Query")]
    processes += [("replicator", "Binlog Dump")] if world.has_replicas else []
    processes += [("shop_app", "Sleep")] if world.has_foreign_session else []
    return DescribedServer(
        may_read_marker=world.may_read_marker,
        is_replica=world.is_replica,
        may_see_replication=world.may_see_replication,
        rights=frozenset({"PROCESS"} if world.may_see_others else ()),
        processes=tuple(processes),
    )


def _production(world: World, target: DescribedServer) -> Session:
    if world.production == "silent":
        raise TargetUnavailable("Nobody answers at orders.internal:3306.")
    nonce = NONCE if world.has_nonce_on_production else "f" * 32
    return DescribedServer(
        uuid=target.uuid if world.production == "same" else "uid-of-production",
        marker=Marker("run-1", nonce, "there", 0.0, 0.0),
        may_read_marker=world.production not in {"hidden", "unproven"},
        rights=frozenset({"SHOW DATABASES"} if world.production == "hidden" else ()),
        has_marker_schema=world.production == "hidden",
    )


def _account(world: World) -> Session:
    if world.account == "absent":
        raise TargetError("clone.internal:3306 refused the login of user load.")
    return load_account(*(ALL_GRANTS if world.account == "all" else ()))


def _addresses(world: World, endpoint: Endpoint, *, of_target: bool) -> list[Endpoint]:
    found = [Endpoint("10.0.0.7" if of_target else "10.0.0.8", endpoint.port)]
    if world.is_production_by_another_name:
        found = [Endpoint("10.0.0.9", endpoint.port)]
    if of_target and world.is_loopback_by_name:
        found.append(Endpoint("127.0.0.1", endpoint.port))
    return found


def assert_lawful(world: World, purpose: Purpose) -> None:
    """Exactly the broken keys do not hold; refused if and only if there is one; told with a remedy
    and without a secret."""
    keys, broken = keys_of(world, purpose), world.broken(purpose)
    assert {key.name for key in keys if not key.holds} == broken, world
    if not broken:
        interlock.require(keys, target=TARGET, purpose=purpose)
        return
    with pytest.raises(TargetRefused) as refused:
        interlock.require(keys, target=TARGET, purpose=purpose)
    refusal = refused.value
    assert {name for name, holds, _ in refusal.keys if not holds} == broken, world
    assert not refusal.hint.startswith("More:"), world
    said = "\n".join([refusal.message, refusal.hint, *(why for _, _, why in refusal.keys)])
    assert not [secret for secret in (NONCE, "SELECT run_id", "PASSWORD '") if secret in said]


@settings(max_examples=1500)
@given(WORLDS, PURPOSES)
@example(World(), Purpose.LOAD)
@example(World(), Purpose.MASK)
@example(World(masked="", account="absent", is_ours=True), Purpose.MASK)
def test_a_target_is_opened_if_and_only_if_all_keys_hold(world: World, purpose: Purpose) -> None:
    assert_lawful(world, purpose)


@pytest.mark.parametrize("purpose", Purpose)
def test_the_law_holds_for_every_two_things_that_may_be_wrong(purpose: Purpose) -> None:
    for world in NEARLY_GOOD:
        assert_lawful(world, purpose)


@pytest.mark.parametrize("is_loopback", [False, True])
@pytest.mark.parametrize("purpose", Purpose)
def test_a_clone_that_nothing_is_wrong_with_is_opened(is_loopback: bool, purpose: Purpose) -> None:
    world = World(is_loopback=is_loopback, is_ours=is_loopback)
    interlock.require(keys_of(world, purpose), target=TARGET, purpose=purpose)
