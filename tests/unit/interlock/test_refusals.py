"""What a refusal says, and what an adoption and a marker write."""

from __future__ import annotations

from typing import Any

import pytest
from tests.fakes.described_server import ALL_GRANTS, LOAD_GRANTS, DescribedServer, load_account

from readiness import interlock
from readiness.errors import ConfigError, StatementFailed, TargetRefused, TargetUnavailable
from readiness.interlock import Place, Purpose
from readiness.model.clone import Endpoint, Key
from readiness.ports import ProductionEndpoint
from readiness.report.terminal import format_error

NOW_S = 1_000_000.0
TARGET = "mysql://load@orders.example.internal/shop?tls=verify"
ELSEWHERE = Endpoint("orders.example.internal", 3306)


def keys_of(
    server: DescribedServer,
    *,
    now_s: float = NOW_S,
    purpose: Purpose = Purpose.LOAD,
    account: DescribedServer | None = None,
    endpoint: Endpoint = ELSEWHERE,
    **place: object,
) -> dict[str, Key]:
    loads = account or load_account()
    where = Place(endpoint, load=lambda: loads, **place)  # type: ignore[arg-type]  # by name
    return {key.name: key for key in interlock.check(server, where, now_s=now_s, purpose=purpose)}


def refusal_of(server: DescribedServer, **changed: Any) -> TargetRefused:
    with pytest.raises(TargetRefused) as refused:
        interlock.require(list(keys_of(server, **changed).values()), target=TARGET)
    return refused.value


def marked(**properties: object) -> DescribedServer:
    server = DescribedServer(**properties)  # type: ignore[arg-type]
    interlock.write_marker(
        server, run_id="run-1", now_s=NOW_S, lease_s=3600, masked="waived: invented data"
    )
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
    assert "PROCESS" in keys_of(marked(rights=frozenset()))["quiet"].why
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
    interlock.adopt(server, Place(tunnel), now_s=NOW_S, lease_s=3600, masked="said by me: invented")
    assert all(key.holds for key in keys_of(server, endpoint=tunnel).values())


@pytest.mark.parametrize("trouble", [{"is_replica": True}, {"processes": (("app", "Sleep"),)}])
def test_a_database_that_others_use_is_not_adopted_and_not_written_to(
    trouble: dict[str, object],
) -> None:
    server = DescribedServer(**trouble)  # type: ignore[arg-type]
    with pytest.raises(TargetRefused):
        interlock.adopt(server, Place(ELSEWHERE), now_s=NOW_S, lease_s=60)
    assert server.written == []


def test_another_error_than_absence_is_not_taken_for_a_missing_marker() -> None:
    class Broken(DescribedServer):
        def _marker_rows(self) -> list[tuple[object, ...]]:
            raise StatementFailed("table is crashed", 1194)

    with pytest.raises(StatementFailed):
        interlock.read_marker(Broken())


def test_a_refusal_is_told_as_one_reads_it_in_the_terminal() -> None:
    keys = keys_of(DescribedServer(), production=[ProductionEndpoint(Endpoint("db-1", 3306))])
    with pytest.raises(TargetRefused) as refused:
        interlock.require(list(keys.values()), target=TARGET, where="orders:3306, database shop")
    lines = format_error(refused.value).splitlines()
    assert lines[0] == (
        "✕ Refused: this target may be production. No statement was sent to it as load."
    )
    assert "target       orders:3306, database shop" in lines[2]
    assert len([line for line in lines if " ok " in line or " missing " in line]) == len(keys) == 9
    assert f"    readiness clone adopt '{TARGET}'" in lines
    assert "  More: docs/runbooks/refused-target.md" in lines


@pytest.mark.parametrize(
    ("changed", "headline"),
    [
        ({"now_s": NOW_S + 7200}, "the lease of this clone has ended"),
        ({"account": load_account(*ALL_GRANTS)}, "the account of this load may do more"),
    ],
)
def test_the_headline_names_what_is_wrong(changed: dict[str, Any], headline: str) -> None:
    assert headline in refusal_of(marked(), **changed).message


def test_a_clone_that_nobody_masked_is_refused_for_load_and_opened_for_masking() -> None:
    server = marked()
    interlock.write_marker(server, run_id="run-1", now_s=NOW_S, lease_s=3600)
    refusal = refusal_of(server)
    assert "may hold personal data" in refusal.message
    assert f"readiness mask --target '{TARGET}'" in refusal.hint
    assert "masked" not in keys_of(server, purpose=Purpose.MASK)
    assert all(key.holds for key in keys_of(server, purpose=Purpose.MASK).values())


def test_the_key_of_masking_shows_the_words_that_vouch_for_it() -> None:
    assert "waived: invented data" in keys_of(marked())["masked"].why


GRANT = "GRANT {} ON {} TO `readiness_load`@`%`"


@pytest.mark.parametrize(
    "line",
    [
        GRANT.format("SELECT, SHOW DATABASES, PROCESS, SLAVE MONITOR, BINLOG MONITOR", "*.*"),
        GRANT.format("REPLICATION CLIENT, LOCK TABLES", "*.*"),
        GRANT.format("ALL PRIVILEGES", "`shop`.*"),
        GRANT.format("SELECT", r"`readiness\_marker`.*"),
        GRANT.format("SELECT, UPDATE", "`performance_schema`.*"),
        GRANT.format("SELECT (`a`, `b`), UPDATE (`c`)", "`shop`.`t`"),
        GRANT.format("EXECUTE", "PROCEDURE `shop`.`p`"),
        GRANT.format("ALL PRIVILEGES", "`a TO b ON c`.*"),
    ],
)
def test_an_account_that_looks_and_changes_rows_may_load(line: str) -> None:
    assert keys_of(marked(), account=load_account(*LOAD_GRANTS, line))["account"].holds


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (GRANT.format("REPLICATION SLAVE", "*.*"), "REPLICATION SLAVE on *.*"),
        (GRANT.format("BINLOG REPLAY", "*.*"), "BINLOG REPLAY"),
        (GRANT.format("REPLICATION SLAVE ADMIN", "*.*"), "REPLICATION SLAVE ADMIN"),
        (GRANT.format("CLONE_ADMIN,REPLICATION_SLAVE_ADMIN", "*.*"), "CLONE_ADMIN"),
        (GRANT.format("SUPER", "*.*"), "SUPER"),
        (GRANT.format("FILE", "*.*"), "FILE"),
        (GRANT.format("FEDERATED ADMIN", "*.*"), "FEDERATED ADMIN"),
        (GRANT.format("CREATE USER", "*.*"), "CREATE USER"),
        (GRANT.format("INSERT", "*.*"), "INSERT on *.*"),
        (GRANT.format("EXECUTE", "*.*"), "EXECUTE on *.*"),
        (GRANT.format("ALL PRIVILEGES", "*.*") + " WITH GRANT OPTION", "ALL PRIVILEGES on *.*"),
        (GRANT.format("UPDATE", "`mysql`.`user`"), "UPDATE on mysql.*"),
        (GRANT.format("ALL PRIVILEGES", "`%`.*"), "ALL PRIVILEGES on mysql.*"),
        (GRANT.format("UPDATE", "`readiness_marker`.*"), "UPDATE on readiness_marker.*"),
        (GRANT.format("UPDATE", "`readiness%`.*"), "UPDATE on readiness_marker.*"),
        ("GRANT `admins` TO `readiness_load`@`%`", "a role"),
        ("GRANT `admins`@`%` TO `readiness_load`@`%`", "a role"),
        ("GRANT PROXY ON ''@'%' TO 'readiness_load'@'%'", "PROXY"),
        ("ALLOW everything", "a grant that cannot be read"),
    ],
)
def test_an_account_that_reaches_further_may_not(line: str, told: str) -> None:
    key = keys_of(marked(), account=load_account(*LOAD_GRANTS, line))["account"]
    assert not key.holds
    assert told in key.why


def test_who_would_load_as_root_is_told_the_grants_of_an_account_to_load_as() -> None:
    root = load_account(*ALL_GRANTS, user="root@10.0.0.%")
    hint = refusal_of(marked(), account=root).hint
    assert r"ON `shop`.* TO 'readiness_load'@'10.0.0.%'" in hint
    assert r"GRANT SELECT ON `readiness\_marker`.* TO" in hint
    assert "PROCESS, SLAVE MONITOR" in hint


WATCHED = ProductionEndpoint(Endpoint("db-1.internal", 3306), dsn="mysql://watch@db-1.internal/")
SILENT_TOO = ProductionEndpoint(Endpoint("db-2.internal", 3306))


def asked(answer: DescribedServer) -> dict[str, Any]:
    return {"production": [WATCHED, SILENT_TOO], "ask": lambda _known: answer}


def of_production(**properties: Any) -> DescribedServer:
    return DescribedServer(uuid="uid-of-production", user="watch@%", **properties)


def test_the_nonce_is_looked_for_at_every_check_with_one_select() -> None:
    production, server = of_production(), marked()
    for _ in range(2):
        key = keys_of(server, **asked(production))["nonce"]
    assert key.holds
    assert "absent on 1 of 2 production endpoints" in key.why
    assert sum("readiness_marker" in sql for sql in production.asked) == 2
    assert production.written == []


def test_a_nonce_that_stands_on_production_too_is_refused() -> None:
    server = marked()
    keys = keys_of(server, **asked(of_production(marker=server.marker)))
    assert "stands on production db-1.internal:3306" in keys["nonce"].why
    assert (
        "Name another target"
        in refusal_of(server, **asked(of_production(marker=server.marker))).hint
    )


def test_production_without_an_account_is_compared_and_the_key_says_so() -> None:
    why = keys_of(marked(), production=[SILENT_TOO])["nonce"].why
    assert "compared by address and server id only" in why


def test_production_that_cannot_be_asked_is_told_with_what_to_do() -> None:
    def nobody(_known: ProductionEndpoint) -> DescribedServer:
        raise TargetUnavailable("Nobody answers at db-1.internal:3306.")

    refusal = refusal_of(marked(), production=[WATCHED], ask=nobody)
    assert "Let db-1.internal:3306 answer" in refusal.hint
    assert "adopt" not in refusal.hint


@pytest.mark.parametrize("sees_all", [False, True])
def test_what_an_account_may_not_read_is_absent_only_where_it_sees_all_schemas(
    sees_all: bool,
) -> None:
    rights = frozenset({"SHOW DATABASES"} if sees_all else ())
    production = of_production(may_read_marker=False, rights=rights, has_marker_schema=False)
    key = keys_of(marked(), **asked(production))["nonce"]
    assert key.holds is sees_all
    if not sees_all:
        assert r"GRANT SELECT ON `readiness\_marker`.* TO 'watch'@'%'" in key.remedy


def test_production_needs_no_configured_identity_where_it_may_be_asked() -> None:
    server = marked()
    key = keys_of(server, **asked(DescribedServer(user="watch@%")))["production"]
    assert "server id" in key.why
    assert not key.holds


def test_an_address_that_leads_to_production_by_another_name_is_production() -> None:
    key = keys_of(
        marked(), production=[SILENT_TOO], resolve=lambda e: [Endpoint("10.1.2.3", e.port)]
    )["production"]
    assert not key.holds
    assert "address" in key.why


def test_a_name_that_leads_to_this_machine_may_be_a_tunnel() -> None:
    key = keys_of(marked(), resolve=lambda e: [Endpoint("127.0.0.1", e.port)])["local"]
    assert "tunnel" in key.why


def test_who_adopts_says_in_their_words_how_it_was_masked_and_it_is_kept() -> None:
    server = DescribedServer()
    interlock.adopt(server, Place(ELSEWHERE), now_s=NOW_S, lease_s=60, masked="said by me: test")
    again = interlock.adopt(server, Place(ELSEWHERE), now_s=NOW_S, lease_s=60)
    assert again.masked == "said by me: test"
    with pytest.raises(ConfigError, match="120 characters"):
        interlock.adopt(server, Place(ELSEWHERE), now_s=NOW_S, lease_s=60, masked="x" * 121)


def test_words_that_came_with_copied_data_are_not_kept() -> None:
    copy = DescribedServer(datadir="/elsewhere/", marker=marked().marker)
    assert interlock.adopt(copy, Place(ELSEWHERE), now_s=NOW_S, lease_s=60).masked == ""


def test_what_production_does_not_answer_is_not_adopted() -> None:
    def nobody(_known: ProductionEndpoint) -> DescribedServer:
        raise TargetUnavailable("Nobody answers.")

    server = DescribedServer()
    with pytest.raises(TargetRefused):
        interlock.adopt(server, Place(ELSEWHERE, [WATCHED], ask=nobody), now_s=NOW_S, lease_s=60)
    assert server.written == []
