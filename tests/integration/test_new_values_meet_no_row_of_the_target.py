"""Values of few digits are unique over workers, runs, and the rows that the target held before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from readiness.adapters.local_server import LocalServer
from readiness.errors import WorkloadError
from readiness.model.workload import (
    Form,
    Slot,
    StatementKind,
    Step,
    Variable,
    VariableKind,
    Workload,
)
from readiness.ports import Session
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.free import Order
from readiness.workload.make.pools import Pools, read_pools

pytestmark = pytest.mark.mysql

WORKERS = 4
PER_RUN = 10_000
DIGIT = (
    "(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
    " UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
)


@pytest.fixture(scope="module")
def session(private_server: LocalServer) -> Iterator[Session]:
    admin = private_server.root_session()
    admin.query("CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
    admin.close()
    session = private_server.root_session("shop")
    session.query("CREATE TABLE numbers (n INT PRIMARY KEY)")
    digits = " JOIN ".join(f"{DIGIT} t{k}" for k in range(6))
    number = " + ".join(f"t{k}.d * {10**k}" for k in range(6))
    session.query(f"INSERT INTO numbers SELECT {number} FROM {digits}")
    yield session
    session.close()


def workload(generator: str, column: str, form: Form = Form.TEXT, count: int = 1) -> Workload:
    """Inserts `count` values of a column into its table."""
    table, _, name = column.partition(".")
    names = [f"value_{k}" for k in range(count)]
    variables = tuple(Variable(n, VariableKind.FRESH, generator, column, form, "''") for n in names)
    pieces: list[bytes | Slot] = [f"INSERT INTO {table} ({name}) VALUES ".encode()]
    for k, n in enumerate(names):
        pieces += [b", (" if k else b"(", Slot(n), b")"]
    step = Step("s001", 1, 0, StatementKind.INSERT, 0.0, tuple(pieces))
    return Workload("checkout", 3, variables, (), (step,))


def table(session: Session, name: str, column: str, rows: str) -> None:
    session.query(
        f"CREATE TABLE {name} (id INT PRIMARY KEY AUTO_INCREMENT, {column}, UNIQUE (ref))"
    )
    session.query(f"INSERT INTO {name} (ref) {rows}")


def run(session: Session, made: Workload, namespace: bytes, checkouts: int = PER_RUN) -> Pools:
    """One run by several workers; the unique key of the table answers a value that is taken."""
    pools = read_pools(made, session)
    flows = [compile_flow(made, pools, namespace=namespace, seed=1) for _ in range(WORKERS)]
    head, *_ = flows[0].render(0, flows[0].new_values(0)).partition(b"VALUES ")
    rows: list[str] = []
    for worker, flow in enumerate(flows):
        for number in range(worker, checkouts, WORKERS):
            text = flow.render(0, flow.new_values(number))
            rows.append(text.partition(b"VALUES ")[2].decode())
    for at in range(0, len(rows), 2000):
        session.query(f"{head.decode()}VALUES " + ", ".join(rows[at : at + 2000]))
    return pools


def count(session: Session, name: str) -> int:
    return int(str(session.query(f"SELECT COUNT(*) FROM {name}")[0][0]))


def only(pools: Pools) -> Order:
    (free,) = pools.free.values()
    return free.order


def test_numbers_taken_everywhere_are_left_out(session: Session) -> None:
    """Order numbers of six digits, 40 % of them taken at random."""
    rows = "SELECT CONCAT('ORD-', LPAD(n, 6, '0')) FROM numbers WHERE RAND(7) < 0.4"
    table(session, "scattered", "ref VARCHAR(20)", rows)
    held = count(session, "scattered")
    made = workload("pattern(\\ORD-999999)", "scattered.ref", count=2)
    for namespace in (b"first", b"second"):
        assert only(run(session, made, namespace)) is Order.STRIPS
    assert count(session, "scattered") == held + 4 * PER_RUN


def test_numbers_that_grow_go_on_above_the_largest(session: Session) -> None:
    rows = "SELECT CONCAT('ORD-', LPAD(n, 6, '0')) FROM numbers WHERE n < 400000"
    table(session, "growing", "ref VARCHAR(20)", rows)
    made = workload("pattern(\\ORD-999999)", "growing.ref")
    for namespace in (b"first", b"second"):
        assert only(run(session, made, namespace)) is Order.UP
    (largest,) = session.query("SELECT MAX(ref) FROM growing")[0]
    assert count(session, "growing") == 400_000 + 2 * PER_RUN
    assert str(largest) < "ORD-450000"


def test_an_empty_table_takes_two_runs(session: Session) -> None:
    table(session, "empty_one", "ref VARCHAR(20)", "SELECT 'a note' FROM numbers WHERE n = 0")
    made = workload("pattern(AXXX)", "empty_one.ref")
    for namespace in (b"first", b"second"):
        run(session, made, namespace, 3000)
    assert count(session, "empty_one") == 1 + 2 * 3000


@pytest.mark.parametrize(
    ("name", "column", "generator", "form", "rows"),
    [
        ("whole", "ref INT", "integer(10000..99999)", Form.NUMBER, "SELECT n FROM numbers"
         " WHERE n BETWEEN 10001 AND 99999 AND n % 3 = 0"),
        ("exact", "ref DECIMAL(8,2)", "decimal(100.00..999.99)", Form.NUMBER, "SELECT n / 100"
         " FROM numbers WHERE n BETWEEN 10000 AND 99999 AND n % 2 = 0"),
        ("bytes", "ref BINARY(2)", "binary2", Form.HEX, "SELECT UNHEX(LPAD(HEX(n * 3), 4, '0'))"
         " FROM numbers WHERE n < 21845"),
        ("card", "ref VARCHAR(19)", "pan(12)", Form.TEXT, "SELECT CONCAT('400000',"
         " LPAD(n, 5, '0'), '0') FROM numbers WHERE n < 100000 AND n % 5 = 0"),
        ("mixed", "ref VARCHAR(9) COLLATE utf8mb4_bin", "pattern(wwww)", Form.TEXT,
         "SELECT CONV(n + 50000, 10, 36) FROM numbers WHERE n % 99 = 0"),
        ("quoted", "ref INT", "pattern(1999999)", Form.TEXT, "SELECT 1000000 + n * 2"
         " FROM numbers WHERE n < 500000 AND n % 5 = 0"),
        ("padded", "ref INT", "pattern(99999)", Form.TEXT, "SELECT n FROM numbers"
         " WHERE n < 99000 AND n % 5 > 0"),
    ],
)  # fmt: skip
def test_each_kind_of_column_is_asked_in_its_own_order(
    session: Session, name: str, column: str, generator: str, form: Form, rows: str
) -> None:
    table(session, name, column, rows)
    held = count(session, name)
    made = workload(generator, f"{name}.ref", form)
    for namespace in (b"first", b"second"):
        assert run(session, made, namespace, 3000).free
    assert count(session, name) == held + 2 * 3000


def test_ids_of_the_time_stand_above_those_of_the_target(session: Session) -> None:
    """A clone of a server whose clock, or whose epoch, is ahead of what was learned."""
    largest = 4_000_000_000_000_000_000
    table(session, "ids", "ref BIGINT", f"SELECT {largest}")
    made = workload("snowflake(1577836800000)", "ids.ref", Form.NUMBER)
    for namespace in (b"first", b"second"):
        run(session, made, namespace, 4000)
    smallest, biggest = session.query(f"SELECT MIN(ref), MAX(ref) FROM ids WHERE ref <> {largest}")[
        0
    ]
    assert largest < int(str(smallest)) < int(str(biggest)) < 2**63
    assert count(session, "ids") == 1 + 2 * 4000


def test_a_full_column_is_refused_by_name(session: Session) -> None:
    rows = "SELECT CONCAT('A-', LPAD(n, 3, '0')) FROM numbers WHERE n < 1000"
    table(session, "full_one", "ref VARCHAR(9)", rows)
    with pytest.raises(WorkloadError, match="@value_0") as caught:
        read_pools(workload("pattern(\\A-999)", "full_one.ref"), session)
    assert "@gen" in caught.value.hint


def test_what_is_read_of_a_large_table_is_bounded(session: Session) -> None:
    """Ten digits, a million rows: two looks into the index and the strips, no scan."""
    table(session, "large", "ref BIGINT", "SELECT 1000000000 + n * 8999 FROM numbers")
    session.query("FLUSH STATUS")
    read_pools(workload("integer(1000000000..9999999999)", "large.ref", Form.NUMBER), session)
    rows = session.query("SHOW SESSION STATUS LIKE 'Handler_read%'")
    assert sum(int(str(value)) for _, value in rows) < 20_000


def test_a_column_without_a_unique_key_is_not_asked(session: Session) -> None:
    session.query("CREATE TABLE plain_one (id INT PRIMARY KEY AUTO_INCREMENT, ref INT)")
    pools = read_pools(workload("integer(10..99)", "plain_one.ref", Form.NUMBER), session)
    assert (pools.free, pools.unique) == ({}, {})


def test_a_key_of_several_columns_is_told(session: Session) -> None:
    session.query("CREATE TABLE triples (a INT, b INT, ref INT, UNIQUE (a, b, ref))")
    pools = read_pools(workload("integer(10..99)", "triples.ref", Form.NUMBER), session)
    assert (pools.unique, pools.free) == ({"triples.ref": ("a", "b")}, {})


def test_numbers_of_each_shop_go_on_above_those_of_all(session: Session) -> None:
    """UNIQUE (shop, ref): the index gives the largest of each shop."""
    session.query("CREATE TABLE of_shops (shop INT, ref INT, UNIQUE (shop, ref))")
    session.query("INSERT INTO of_shops SELECT n % 20, 100000 + n FROM numbers WHERE n < 50000")
    session.query("ANALYZE TABLE of_shops")
    pools = read_pools(workload("integer(100000..999999)", "of_shops.ref", Form.NUMBER), session)
    (free,) = pools.free.values()
    assert (free.start, free.order) == (50_000, Order.UP)
    assert pools.unique == {"of_shops.ref": ("shop",)}


def test_an_empty_key_of_two_columns_takes_two_runs(session: Session) -> None:
    session.query("CREATE TABLE new_shops (shop INT DEFAULT 1, ref INT, UNIQUE (shop, ref))")
    made = workload("integer(100000..999999)", "new_shops.ref", Form.NUMBER)
    for namespace in (b"first", b"second"):
        run(session, made, namespace, 3000)
        session.query("ANALYZE TABLE new_shops")
    assert count(session, "new_shops") == 2 * 3000
