"""What does not fit is refused with the figure received, the figure needed, and what to set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes.flows import TextFlow

from readiness.errors import LoadRefused
from readiness.flow.asked import Asked, asked_of, busiest
from readiness.flow.preflight import Crew, Finding, Host, Server, findings, require
from readiness.model.load import LoadOptions, Stage

STAGE = Stage("peak", rate_per_s=100.0, hold_s=300.0, ramp_s=10.0)
ASKED = Asked(
    (STAGE,), connections=2, lasts_s=1.75, idle_s=1.0, statement_bytes=2000, in_flight_limit=300
)
SERVER = Server(1000, 3, 0, 28_800.0, 16 << 20)
HOST = Host(open_files=1 << 19, ports=60_000, port_rests_s=1.0, cores=4)
CREW = Crew(workers=1)


def told(asked: Asked = ASKED, server: Server = SERVER, host: Host = HOST) -> list[Finding]:
    return findings([asked], server, host, CREW)


def one(found: list[Finding]) -> Finding:
    (only,) = found
    return only


def test_a_load_with_room_is_let_through() -> None:
    assert require(told()) == ()


def test_connections_that_the_pauses_alone_hold_are_refused() -> None:
    # 100/s x (1.75 s of pauses + 0.25 s opened ahead) = 200 checkouts of 2 connections, 5 to spare.
    found = one(told(server=replace(SERVER, max_connections=407)))
    assert found.refuses
    assert "407" in found.text
    assert "needs 400" in found.text
    assert "SET GLOBAL max_connections = 408" in found.remedy


def test_connections_that_only_a_slow_server_needs_are_a_warning() -> None:
    found = one(told(server=replace(SERVER, max_connections=408)))
    assert not found.refuses
    (note,) = require([found])
    assert "needs 600" in note
    assert "SET GLOBAL max_connections = 608" in note


def test_an_account_has_a_limit_of_its_own() -> None:
    found = one(told(server=replace(SERVER, max_user_connections=404)))
    assert found.refuses
    assert "MAX_USER_CONNECTIONS 405" in found.remedy


def test_flows_of_one_plan_share_the_server() -> None:
    server = replace(SERVER, max_connections=900)
    assert not any(f.refuses for f in findings([ASKED, ASKED], server, HOST, CREW))
    assert any(f.refuses for f in findings([ASKED, ASKED, ASKED], server, HOST, CREW))


def test_a_pool_of_a_fixed_size_is_all_it_takes() -> None:
    pooled = replace(ASKED, is_pooled=True, pool_size=20)
    assert told(pooled, replace(SERVER, max_connections=48)) == []
    assert one(told(pooled, replace(SERVER, max_connections=47))).refuses


def test_files_are_counted_for_each_worker() -> None:
    few = replace(HOST, open_files=300)
    assert one(told(host=few)).refuses
    assert findings([ASKED], SERVER, few, Crew(workers=2)) != []
    assert findings([ASKED], SERVER, few, Crew(workers=3)) == []


def test_ports_rest_after_a_close_unless_they_are_used_again() -> None:
    assert told(host=replace(HOST, ports=1000)) == []
    found = one(told(host=replace(HOST, ports=12_000, port_rests_s=60.0)))
    assert found.refuses
    assert "needs 12,400" in found.text  # 60 s x 100/s x 2, and those that are open
    assert told(host=replace(HOST, ports=None, port_rests_s=60.0)) == []
    pooled = replace(ASKED, is_pooled=True)
    assert told(pooled, host=replace(HOST, ports=1000, port_rests_s=60.0)) == []


def test_a_short_peak_rests_few_ports() -> None:
    low, high = Stage("low", 1.0, 600.0), Stage("high", 1000.0, 5.0, from_rate_per_s=1.0)
    assert busiest([low, high, low], 60.0) == pytest.approx(5055.0)
    assert busiest([high], 60.0) == pytest.approx(5000.0)


def test_workers_are_counted_by_what_a_checkout_costs() -> None:
    crew = Crew(workers=1, cpu_ratio=0.8)
    costly = replace(ASKED, cpu_s=0.009)  # 100/s: 0.9 cores
    found = findings([costly], SERVER, HOST, crew)
    assert [(f.name, f.refuses) for f in found] == [("workers", True)]
    assert "0.90 cores" in found[0].text
    assert "workers: 2 " in found[0].remedy
    assert findings([costly], SERVER, HOST, Crew(workers=3)) == []
    assert not findings([costly], SERVER, HOST, Crew(workers=2))[0].refuses  # paced work costs more


def test_more_workers_than_cores_means_more_hosts() -> None:
    found = one(findings([replace(ASKED, cpu_s=0.05)], SERVER, HOST, CREW))
    assert "workers: 4, shards: 2" in found.remedy


def test_pauses_longer_than_the_servers_patience_are_refused() -> None:
    assert one(told(server=replace(SERVER, wait_timeout_s=1.0))).refuses
    assert not one(told(server=replace(SERVER, wait_timeout_s=2.0))).refuses
    assert told(server=replace(SERVER, wait_timeout_s=2.1)) == []


def test_a_gate_lets_no_more_in_than_it_says() -> None:
    server = replace(SERVER, max_connections=408)
    assert findings([replace(ASKED, in_flight_limit=200)], server, HOST, CREW) == []
    gated = replace(ASKED, admitted_per_s=20.0)
    assert not one(told(gated, replace(SERVER, max_connections=88))).refuses
    assert one(told(gated, replace(SERVER, max_connections=87))).refuses
    options = LoadOptions(admit=10, admit_every_s=0.5)
    assert asked_of(TextFlow(["SELECT 1"]), [STAGE], options).rate_per_s == 20.0


def test_the_longest_statement_must_pass() -> None:
    assert told(server=replace(SERVER, max_allowed_packet_bytes=2001)) == []
    found = one(told(server=replace(SERVER, max_allowed_packet_bytes=2000)))
    assert "2,001" in found.text
    assert "max_allowed_packet = 2048" in found.remedy


def test_a_limit_of_checkouts_that_pauses_alone_exceed_is_told() -> None:
    found = one(told(replace(ASKED, in_flight_limit=100)))
    assert not found.refuses
    assert "175 in flight" in found.text


def test_two_things_are_refused_as_one() -> None:
    server = replace(SERVER, max_connections=50, max_allowed_packet_bytes=1024)
    with pytest.raises(LoadRefused) as caught:
        require(told(server=server))
    assert caught.value.exit_code == 2
    assert "max_connections is 50" in caught.value.message
    assert "max_allowed_packet" in caught.value.message
    assert len(caught.value.hint.splitlines()) == 2


def test_a_flow_is_asked_for_what_it_holds() -> None:
    flow = TextFlow(["BEGIN", "1: SELECT 1", "1: [2] SELECT {n}", "COMMIT"], 500.0, counts=(1, 2))
    asked = asked_of(flow, [STAGE], LoadOptions(pacing=2.0, in_flight_limit=7))
    assert asked.connections == 2
    assert asked.lasts_s == pytest.approx(2.0)  # the third step may be left out
    assert asked.idle_s == pytest.approx(3.0)  # the first connection, from BEGIN to COMMIT
    assert asked.statement_bytes == len("SELECT 63")
    assert asked.in_flight_limit == 7
