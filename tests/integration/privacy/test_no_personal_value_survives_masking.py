"""Of the shop's personal values none stands in its masked clone: no table, no log, no file of a masked
table, in any encoding that the scanner knows.

What stands in files that only root of the machine reads is not searched: the redo log, undo
tablespaces, the doublewrite area and ibdata1 keep old pages until they are written over
(docs: what remains in files)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.fakes.engines import binary_of
from tests.integration.privacy.masked_shop import DATABASE, MaskedShop, masked_shop

from readiness.adapters.local_server import LocalServer
from readiness.anonymize.originals import Originals
from readiness.anonymize.scan import Searcher
from readiness.artifacts.masking_file import read_masking
from readiness.ports import Session

pytestmark = [pytest.mark.mysql, pytest.mark.long]

# By hand, from what each column of demo/schema.sql is for.
PERSONAL = {
    "users": ("email", "email_sha256", "phone", "first_name", "last_name", "search_name"),
    "user_addresses": ("line1",),
    "devices": ("fingerprint",),
    "user_sessions": ("token", "data"),
    "otp_codes": ("phone",),
    "payment_methods": ("card_token", "card_hash", "holder"),
    "email_queue": ("to_address", "body"),
    "credit_reports": ("raw",),
}
# Too short to search files for: they are compared at their own row.
BY_ROW = {
    "users": ("date_of_birth",),
    "devices": ("ip_address",),
    "otp_codes": ("code",),
    "payment_methods": ("card_last4",),
    "user_addresses": ("postal_code",),
}
IMPERSONAL = ("products", "merchants", "merchant_settings", "feature_flags", "ledger_accounts")
SHORTEST = 6


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MaskedShop]:
    with masked_shop(binary_of(request.param), tmp_path_factory.mktemp("shop")) as made:
        yield made


@pytest.fixture(scope="module")
def searcher(shop: MaskedShop) -> Searcher:
    """Looks for production's personal values, but words that its goods and merchants have, too."""
    with closing(shop.production.server.root_session(DATABASE)) as session:
        words = b"".join(dump(session, table) for table in IMPERSONAL).lower()
        values = {
            f"{table}.{column} {number}": value
            for table, columns in PERSONAL.items()
            for column in columns
            for number, value in enumerate(values_of(session, table, column))
            if len(value) >= SHORTEST and value.lower() not in words
        }
    assert len(values) > 5_000
    assert {name.partition(" ")[0] for name in values} == {
        f"{table}.{column}" for table, columns in PERSONAL.items() for column in columns
    }
    return Searcher(Originals(values))


def values_of(session: Session, table: str, column: str) -> list[bytes]:
    rows = session.query(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL")
    return [as_bytes(value) for (value,) in rows]


def as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def dump(session: Session, table: str) -> bytes:
    """All values of a table, each on a line."""
    rows = session.query(f"SELECT * FROM {table}")
    return b"\n".join(as_bytes(value) for row in rows for value in row if value is not None)


def tables_of(session: Session) -> list[str]:
    rows = session.query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (DATABASE,)
    )
    return [str(name) for (name,) in rows]


def found(searcher: Searcher, name: str, data: bytes) -> list[str]:
    """Where, which column and encoding; never the value."""
    return sorted(
        {
            f"{name}: {leak.value_id.partition(' ')[0]} {leak.encoding}"
            for leak in searcher.leaks(name, data)
        }
    )


def test_production_holds_them(shop: MaskedShop, searcher: Searcher) -> None:
    """The search itself finds what is there."""
    with closing(shop.production.server.root_session(DATABASE)) as session:
        assert len(found(searcher, "users", dump(session, "users"))) >= len(PERSONAL["users"])


def test_no_table_holds_one(shop: MaskedShop, searcher: Searcher) -> None:
    with closing(shop.clone.server.root_session(DATABASE)) as session:
        tables = tables_of(session)
        assert set(PERSONAL) < set(tables)
        assert [hit for t in tables for hit in found(searcher, t, dump(session, t))] == []


@pytest.mark.parametrize("table", BY_ROW)
def test_short_values_are_others_at_their_rows(shop: MaskedShop, table: str) -> None:
    for column in BY_ROW[table]:
        before, after = (
            shop_rows(server, table, column)
            for server in (shop.production.server, shop.clone.server)
        )
        assert before.keys() == after.keys(), column
        same = [key for key, value in before.items() if after[key] == value and value]
        assert len(same) <= max(1, len(before) // 50), f"{column}: {len(same)} of {len(before)}"


def shop_rows(server: LocalServer, table: str, column: str) -> dict[object, object]:
    with closing(server.root_session(DATABASE)) as session:
        return dict(session.query(f"SELECT id, {column} FROM {table}"))  # type: ignore[arg-type]


def test_births_keep_their_year(shop: MaskedShop) -> None:
    before, after = (
        shop_rows(server, "users", "date_of_birth")
        for server in (shop.production.server, shop.clone.server)
    )
    pairs = [(value, after[key]) for key, value in before.items()]
    assert all(isinstance(a, dt.date) and isinstance(b, dt.date) for a, b in pairs)
    assert [a for a, b in pairs if str(a)[:4] != str(b)[:4]] == []


def test_what_masking_told_holds_none(shop: MaskedShop, searcher: Searcher) -> None:
    files = sorted(path for path in shop.folder.rglob("*") if path.is_file())
    assert {path.name for path in files} >= {"masking.json", "masking.plan.json"}
    assert [hit for path in files for hit in found(searcher, path.name, path.read_bytes())] == []
    (proof,) = read_masking(shop.folder / "masking.json")
    assert (proof.database, len(proof.checks)) == (DATABASE, shop.masked.checks)


def test_the_servers_own_tables_hold_none(shop: MaskedShop, searcher: Searcher) -> None:
    """Statements and statistics: what performance_schema and the statistics remember."""
    queries = (
        "SELECT sql_text FROM performance_schema.events_statements_history_long",
        "SELECT sql_text FROM performance_schema.events_statements_history",
        "SELECT digest_text FROM performance_schema.events_statements_summary_by_digest",
    )
    own = {
        "mariadb": ("SELECT CONCAT_WS(' ', min_value, max_value) FROM mysql.column_stats",),
        "mysql": ("SELECT histogram FROM information_schema.column_statistics",
                  "SELECT query_sample_text FROM performance_schema.events_statements_summary_by_digest"),
    }  # fmt: skip
    with closing(shop.clone.server.root_session()) as session:
        for query in (*queries, *own[shop.clone.server.binary.engine]):
            text = b"\n".join(as_bytes(v) for (v,) in session.query(query) if v is not None)
            assert found(searcher, query, text) == []


def test_no_file_of_a_masked_table_and_no_log_holds_one(
    shop: MaskedShop, searcher: Searcher
) -> None:
    """Last: the clone is stopped, so that its pages are on the disk."""
    shop.clone.server.stop()
    folder = shop.clone.server.directory
    logs = sorted(folder.rglob("*.log"))
    files = [folder / "data" / DATABASE / f"{table}.ibd" for table in PERSONAL]
    assert logs
    assert all(path.is_file() for path in files)
    assert [hit for path in (*logs, *files) for hit in found(searcher, path.name, read(path))] == []


def read(path: Path) -> bytes:
    return path.read_bytes()
