"""What a statement is, and what it does to a transaction."""

from __future__ import annotations

import pytest

from readiness.model.workload import StatementKind
from readiness.sql.kind import Control, chains, releases, statement_kind, transaction_control


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        (b"/* app */ select 1", StatementKind.SELECT),
        (b"(SELECT 1) UNION (SELECT 2)", StatementKind.SELECT),
        (b"WITH r AS (SELECT 1 AS a) UPDATE t SET a = 1", StatementKind.UPDATE),
        (b"WITH r AS (DELETE) SELECT 1", StatementKind.SELECT),
        (b"REPLACE INTO t VALUES (1)", StatementKind.INSERT),
        (b"DELETE FROM t", StatementKind.DELETE),
        (b"START TRANSACTION READ ONLY", StatementKind.BEGIN),
        (b"BEGIN WORK", StatementKind.BEGIN),
        (b"BEGIN NOT ATOMIC SELECT 1; END", StatementKind.OTHER),
        (b"COMMIT", StatementKind.COMMIT),
        (b"ROLLBACK", StatementKind.ROLLBACK),
        (b"ROLLBACK WORK TO SAVEPOINT a", StatementKind.SAVEPOINT),
        (b"RELEASE SAVEPOINT a", StatementKind.SAVEPOINT),
        (b"SET @a := 1", StatementKind.SET),
        (b"CALL p(1)", StatementKind.CALL),
        (b"PREPARE s FROM 'SELECT 1'", StatementKind.PREPARE),
        (b"EXECUTE s USING @a", StatementKind.EXECUTE),
        (b"SHOW WARNINGS", StatementKind.OTHER),
        (b"", StatementKind.OTHER),
    ],
)
def test_kinds(sql: bytes, kind: StatementKind) -> None:
    assert statement_kind(sql) is kind


@pytest.mark.parametrize(
    ("sql", "control"),
    [
        (b"SELECT 1", Control.NONE),
        (b"START SLAVE", Control.IMPLICIT_COMMIT),
        (b"begin", Control.BEGIN),
        (b"COMMIT WORK", Control.COMMIT),
        (b"ROLLBACK", Control.ROLLBACK),
        (b"ROLLBACK TO a", Control.SAVEPOINT),
        (b"SET autocommit=0", Control.AUTOCOMMIT_OFF),
        (b"SET @@session.autocommit = OFF", Control.AUTOCOMMIT_OFF),
        (b"SET NAMES utf8, autocommit = 1", Control.AUTOCOMMIT_ON),
        (b"SET GLOBAL autocommit = 0", Control.NONE),
        (b"SET @@global.autocommit = 0", Control.NONE),
        (b"CREATE TABLE t (a INT)", Control.IMPLICIT_COMMIT),
        (b"CREATE TEMPORARY TABLE t (a INT)", Control.NONE),
        (b"DROP TABLE t", Control.IMPLICIT_COMMIT),
        (b"LOCK TABLES t WRITE", Control.IMPLICIT_COMMIT),
        (b"LOAD DATA INFILE 'x' INTO TABLE t", Control.NONE),
    ],
)
def test_what_a_statement_does_to_the_transaction(sql: bytes, control: Control) -> None:
    assert transaction_control(sql) is control


def test_chain_and_release_need_to_be_said_positively() -> None:
    assert chains(b"COMMIT AND CHAIN NO RELEASE")
    assert not chains(b"COMMIT AND NO CHAIN")
    assert releases(b"ROLLBACK RELEASE")
    assert not releases(b"COMMIT AND CHAIN NO RELEASE")
