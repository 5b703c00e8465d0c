"""Every kind of reply of a real server is walked to its end: the next statement gets its own."""

from __future__ import annotations

import pytest
from pymysql.constants import CLIENT
from tests.fakes.flows import TextFlow
from tests.fakes.playing import play, steady

from readiness.adapters.local_server import LocalServer
from readiness.adapters.mysql_connect import connector
from readiness.load.messages import Target
from readiness.ports import Session

pytestmark = pytest.mark.mysql

MEGABYTE = 1024 * 1024
KINDS = {
    "no row": "SELECT id FROM shop.items WHERE FALSE",
    "many rows": "SELECT a.id, a.name, b.name FROM shop.items a, shop.items b LIMIT 9000",
    "an empty and a NULL value": "SELECT '', NULL, name FROM shop.items",
    "a warning": "SELECT CAST('7x' AS SIGNED)",
    "several results": "CALL shop.several()",
    "nothing but OK": "DO SLEEP(0)",
    "a row of 20 MB": f"SELECT REPEAT('x', {20 * MEGABYTE}), 1",
    "a row of exactly 16 MiB": f"SELECT REPEAT('x', {16 * MEGABYTE - 1 - 4})",
}
REFUSED = {
    "no such table": ("SELECT * FROM shop.nothing", {1146}),
    "a duplicate key": ("INSERT INTO shop.items VALUES (1, 'again')", {1062}),
    # Refused by the client's word, by the server's, or by the engine's own: nothing is sent.
    "a file of this host": (
        "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE shop.orders",
        {1148, 2068, 3948, 4166},
    ),
}


@pytest.fixture(scope="module")
def target(root: Session, private_server: LocalServer) -> Target:
    root.query(
        "CREATE PROCEDURE shop.several() BEGIN SELECT 1; SELECT id FROM shop.items; UPDATE shop.items"
        " SET name = name WHERE FALSE; SELECT 'last'; END"
    )
    root.query(f"SET GLOBAL max_allowed_packet = {64 * MEGABYTE}")
    return Target("root", "shop", socket=private_server.running_state().socket)


@pytest.mark.parametrize("kind", KINDS)
def test_the_next_statement_gets_its_own_reply(target: Target, kind: str) -> None:
    flow = TextFlow(
        [
            "SELECT 1",
            KINDS[kind],
            "SELECT 2",
            KINDS[kind],
            "INSERT INTO shop.orders (item) VALUES (1)",
        ]
    )
    played = play(flow, connector(target), steady(6, 0.5))
    assert (played.report.ok, played.report.errors) == (3, {})
    assert {name: h.count for name, h in played.report.statements.items()} == dict.fromkeys(
        flow.statement_ids, 3
    )


def test_all_kinds_without_eof_packets(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CLIENT, "CAPABILITIES", CLIENT.CAPABILITIES | CLIENT.DEPRECATE_EOF)
    connect = connector(target)
    opened, capabilities = connect()
    opened.close()
    assert capabilities.deprecate_eof
    flow = TextFlow([sql for kind in KINDS.values() for sql in (kind, "SELECT 1")])
    played = play(flow, connect, steady(6, 0.5))
    assert (played.report.ok, played.report.errors) == (3, {})


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refusal_is_counted_by_its_code(target: Target, root: Session, kind: str) -> None:
    sql, codes = REFUSED[kind]
    before = root.query("SELECT COUNT(*) FROM shop.orders")
    played = play(TextFlow(["SELECT 1", sql]), connector(target), steady(6, 0.5))
    ((where, code),) = played.report.errors
    assert (where, code in codes, played.report.failed) == ("s002", True, 3)
    assert root.query("SELECT COUNT(*) FROM shop.orders") == before


@pytest.mark.parametrize("size", [12_000, 5_000_000])
@pytest.mark.parametrize("tls", ["off", "on"])
def test_a_reply_of_any_size_is_read_to_its_end(
    private_server: LocalServer, root: Session, size: int, tls: str
) -> None:
    port = private_server.running_state().port
    here = Target("loader", "shop", host="127.0.0.1", port=port, password="secret-word", tls=tls)
    flow = TextFlow([f"SELECT REPEAT('x', {size})", "SELECT 1"])
    played = play(flow, connector(here), steady(6, 0.5))
    assert (played.report.ok, played.report.errors) == (3, {})
