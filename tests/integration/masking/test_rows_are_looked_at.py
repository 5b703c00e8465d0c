"""A sample is of both ends of a table and of what stands between, and costs few statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer
from readiness.masking.catalogue import read_catalogue
from readiness.masking.plan.sampling import Sample, sample_rows
from readiness.ports import Row, Session

pytestmark = pytest.mark.mysql
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"


class Counted:
    """A session that counts its statements."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.count = 0

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        self.count += 1
        return self.session.query(sql, parameters)

    def close(self) -> None:
        self.session.close()


@pytest.fixture(scope="module", params=["mariadb", "mysql"])
def session(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Counted]:
    folder = tmp_path_factory.mktemp("s")
    with LocalServer(folder / "s", binary=binary_of(request.param)) as server:
        session = Counted(server.root_session())
        session.query("CREATE DATABASE shop")
        session.query("USE shop")
        yield session
        session.close()


def sampled(session: Session, table: str, definition: str, fill: str = "") -> list[Sample]:
    session.query(f"CREATE TABLE {table} ({definition})")
    if fill:
        session.query(f"INSERT INTO {table} {fill}")
        session.query(f"ANALYZE TABLE {table}")
    return sample_rows(session, read_catalogue(session, "shop"), table)


def test_both_ends_and_the_middle_of_numbers_are_seen(session: Counted) -> None:
    rows = sampled(session, "counted", "id BIGINT PRIMARY KEY", f"{NUMBERS} SELECT i * 5 FROM n")
    ids = sorted(int(r["id"] or b"0") for r in rows)
    assert len(rows) == 200
    assert (ids[0], ids[-1]) == (5, 5000)
    assert any(1500 < i < 3500 for i in ids)


@pytest.mark.parametrize(
    ("table", "definition"),
    [
        ("textual", "id CHAR(8) PRIMARY KEY, x INT"),
        ("composed", "id CHAR(8), x INT, PRIMARY KEY (id, x)"),
        ("bare", "id CHAR(8), x INT"),
    ],
)
def test_any_key_and_none_give_as_many_rows(session: Counted, table: str, definition: str) -> None:
    rows = sampled(session, table, definition, f"{NUMBERS} SELECT LPAD(i, 8, '0'), i FROM n")
    assert len([r for r in rows if len(r) == 2]) == 200


def test_a_small_table_is_seen_whole_and_once(session: Counted) -> None:
    rows = sampled(
        session, "small", "id INT PRIMARY KEY, s VARCHAR(9)", "VALUES (1, 'a'), (2, NULL)"
    )
    assert sorted(r["id"] or b"" for r in rows) == [b"1", b"2"]
    assert {r["s"] for r in rows} == {b"a", None}


def test_an_empty_table_gives_nothing(session: Counted) -> None:
    assert sampled(session, "nothing", "id INT PRIMARY KEY, s VARCHAR(9)") == []


def test_long_values_are_cut_and_strange_ones_come_as_bytes(session: Counted) -> None:
    rows = sampled(
        session,
        "large",
        "id INT PRIMARY KEY, t LONGTEXT, b LONGBLOB, d DATE, m DATETIME(3), n DECIMAL(9,2),"
        " l VARCHAR(9) CHARACTER SET latin1, v INT GENERATED ALWAYS AS (id + 1) VIRTUAL",
        "(id, t, b, d, m, n, l) VALUES (1, REPEAT('x', 99999), UNHEX('00FF'), '2026-02-03',"
        " '2026-02-03 04:05:06.700', 12.30, 'Straße')",
    )
    (row,) = [r for r in rows if len(r) > 1]
    assert len(row["t"] or b"") == 16_384
    assert row["b"] == b"\x00\xff"
    assert row["d"] == b"2026-02-03"
    assert (row["m"] or b"").startswith(b"2026-02-03 04:05:06.7")
    assert row["n"] == b"12.30"
    assert row["l"] == "Straße".encode()
    assert "v" not in row


def test_a_catalogue_costs_few_statements_however_many_tables(session: Counted) -> None:
    for number in range(40):
        session.query(f"CREATE TABLE many_{number} (id INT PRIMARY KEY)")
    session.count = 0
    catalogue = read_catalogue(session, "shop")
    assert len(catalogue.tables) > 40
    assert session.count <= 9
