"""One column of values on a real server, masked as a masking run would: INSERT … SELECT, strict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.engines import binary_of

from readiness.adapters.local_server import LocalServer
from readiness.masking.sql import expression_of, key_statement, run_key
from readiness.model.catalogue import ColumnFacts
from readiness.model.masking import Look, MaskedColumn, Source
from readiness.ports import Session

MODE = "STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION"
KEY = run_key(b"k" * 32, "run-1")


@contextmanager
def masking_session(engine: str, folder: Path) -> Iterator[Session]:
    """A session of a private server, as masking prepares it."""
    with LocalServer(folder, binary=binary_of(engine)) as server:
        session = server.root_session()
        session.query("CREATE DATABASE shop CHARACTER SET utf8mb4")
        session.query("USE shop")
        session.query(f"SET SESSION sql_mode = '{MODE}', time_zone = '+00:00'")
        session.query(*key_statement(KEY))
        yield session
        session.close()


def facts(
    column_type: str, *, collation: str = "", charset: str = "", is_json: bool = False
) -> ColumnFacts:
    """A column named v; `varchar(60)`, `decimal(10,2) unsigned`."""
    data_type = column_type.split("(")[0].split(" ")[0]
    inside = column_type.partition("(")[2].partition(")")[0]
    is_text = data_type in {"char", "varchar", "binary", "varbinary"}
    chars = int(inside) if is_text else 65_535 * ("text" in data_type or "blob" in data_type)
    return ColumnFacts(
        "v",
        data_type,
        column_type,
        max_chars=chars,
        charset=charset or collation.split("_")[0],
        collation=collation,
        is_json=is_json,
    )


def masked(  # noqa: PLR0913 - a value's whole situation
    session: Session,
    look: Look,
    column: ColumnFacts,
    values: Sequence[object],
    *,
    domain: str = "",
    attempt: int = 0,
    is_folded: bool = False,
) -> list[object]:
    """What the values become, in their order."""
    told = MaskedColumn(
        "t", "v", look, domain or look.value, Source.POLICY, "", is_folded=is_folded
    )
    expression = expression_of(told, column, attempt=attempt)
    assert "\\" not in expression
    assert "%" not in expression
    return through(session, column, expression, values)


def through(
    session: Session, column: ColumnFacts, expression: str, values: Sequence[object]
) -> list[object]:
    """What any expression makes of them."""
    collate = f" COLLATE {column.collation}" if column.collation else ""
    charset = f" CHARACTER SET {column.charset}" if column.charset else ""
    for table in ("t", "m"):
        session.query(f"DROP TABLE IF EXISTS {table}")
        session.query(
            f"CREATE TABLE {table} (id INT PRIMARY KEY, v {column.column_type}{charset}{collate} NULL)"
        )
    for at in range(0, len(values), 1000):
        part = list(enumerate(values[at : at + 1000], at))
        places = ", ".join(["(%s, %s)"] * len(part))
        session.query(f"INSERT INTO t VALUES {places}", [x for pair in part for x in pair])
    session.query(f"INSERT INTO m (id, v) SELECT id, {expression} FROM t")
    return [row[0] for row in session.query("SELECT v FROM m ORDER BY id")]
