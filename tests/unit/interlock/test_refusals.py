"""What a refusal says, and what an adoption and a marker write."""

from __future__ import annotations

import pytest
from tests.fakes.described_server import DescribedServer

from readiness import interlock
from readiness.errors import StatementFailed, TargetRefused
from readiness.model.clone import Endpoint, Key
from readiness.ports import ProductionEndpoint

NOW_S = 1_000_000.0
TARGET = "mysql://load@orders.example.internal/shop?tls=verify"
ELSEWHERE = Endpoint("orders.example.internal", 3306)


def keys_of(server: DescribedServer, **changed: object) -> dict[str, Key]:
    arguments: dict[str, object] = {
        "endpoint": ELSEWHERE,
        "production": [],
        "now_s": NOW_S,
        "is_ours": False,
        **changed,
    }
    return {key.name: key for key in interlock.check(server, **arguments)}  # type: ignore[arg-type]


def refusal_of(server: DescribedServer, **changed: object) -> TargetRefused:
    with pytest.raises(TargetRefused) as refused:
        interlock.require(list(keys_of(server, **changed).values()), target=TARGET)
    return refused.value


def marked(**properties: object) -> DescribedServer:
    server = DescribedServer(**properties)  # type: ignore[arg-type]
    interlock.write_marker(server, run_id="run-1", now_s=NOW_S, lease_s=3600)
    return server


def test_a_target_without_marker_is_refused_and_adoption_is_offered() -> None:
    refusal = refusal_of(DescribedServer())
    assert "may be production" in refusal.message
    assert "No statement was sent" in refusal.message
    assert f"readiness clone adopt '{TARGET}'" in refusal.hint
    assert refusal.exit_code == 2


def test_production_is_never_offered_for_adoption() -> None:
    production = [ProductionEndpoint(ELSEWHERE)]
    assert "adopt" not in refusal_of(DescribedServer(), production=production).hint


@pytest.mark.parametrize(
    "spelling", ["Orders.Example.Internal", "orders.example.internal.", "ORDERS.EXAMPLE.INTERNAL"]
)
def test_production_is_known_by_its_address_in_any_spelling(spelling: str) -> None:
    production = [ProductionEndpoint(Endpoint(spelling, 3306))]
    assert not keys_of(marked(), production=production)["production"].holds


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "0.0.0.0"])
def test_every_way_to_write_this_machine_is_a_loopback_address(host: str) -> None:
    key = keys_of(marked(), endpoint=Endpoint(host, 3306))["local"]
    assert not key.holds
    assert "tunnel" in key.why


def test_production_behind_a_tunnel_is_known_by_its_identity() -> None:
    server = marked()
    identity = interlock.digest_of(interlock.describe(server))
    production = [ProductionEndpoint(Endpoint("db-1.internal", 3306), identity)]
    tunnel = Endpoint("127.0.0.1", 13306)
    key = keys_of(server, production=production, endpoint=tunnel, is_ours=True)["production"]
    assert not key.holds
    assert "db-1.internal:3306" in key.why


def test_a_marker_copied_with_the_datadir_is_void() -> None:
    original = marked()
    copy = DescribedServer(datadir="/elsewhere/data/", marker=original.marker)
    assert "copied" in keys_of(copy)["identity"].why


def test_an_expired_lease_says_for_how_long() -> None:
    key = keys_of(marked(), now_s=NOW_S + 3600 + 1800)["lease"]
    assert not key.holds
    assert "30 min ago" in key.why


def test_foreign_sessions_are_counted_and_named_by_user() -> None:
    server = marked(processes=(("shop_app", "Sleep"), ("shop_app", "Query"), ("cron", "Sleep")))
    assert "3 foreign sessions of cron, shop_app" in keys_of(server)["quiet"].why


def test_our_own_load_and_the_server_itself_are_no_company() -> None:
    own = (("readiness_load", "Query"), ("system user", "Daemon"), ("event_scheduler", "Daemon"))
    assert keys_of(marked(processes=own))["quiet"].holds


def test_an_account_that_cannot_see_others_is_told_which_right_it_lacks() -> None:
    assert "PROCESS" in keys_of(marked(may_see_others=False))["quiet"].why
    assert "SLAVE MONITOR" in keys_of(marked(may_see_replication=False))["quiet"].why
    mysql = marked(may_see_replication=False, version="9.7.0")
    assert "REPLICATION CLIENT" in keys_of(mysql)["quiet"].why


def test_each_marker_has_a_fresh_nonce() -> None:
    first, second = marked().marker, marked().marker
    assert first
    assert second
    assert first.nonce != second.nonce


def test_adoption_writes_a_marker_that_opens_a_loopback_address() -> None:
    server, tunnel = DescribedServer(), Endpoint("127.0.0.1", 13306)
    interlock.adopt(server, endpoint=tunnel, production=[], now_s=NOW_S, lease_s=3600)
    assert all(key.holds for key in keys_of(server, endpoint=tunnel).values())


@pytest.mark.parametrize("trouble", [{"is_replica": True}, {"processes": (("app", "Sleep"),)}])
def test_a_database_that_others_use_is_not_adopted_and_not_written_to(
    trouble: dict[str, object],
) -> None:
    server = DescribedServer(**trouble)  # type: ignore[arg-type]
    with pytest.raises(TargetRefused):
        interlock.adopt(server, endpoint=ELSEWHERE, production=[], now_s=NOW_S, lease_s=60)
    assert server.written == []


def test_another_error_than_absence_is_not_taken_for_a_missing_marker() -> None:
    class Broken(DescribedServer):
        def _marker_rows(self) -> list[tuple[object, ...]]:
            raise StatementFailed("table is crashed", 1194)

    with pytest.raises(StatementFailed):
        interlock.read_marker(Broken())
