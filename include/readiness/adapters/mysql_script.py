"""`ports.ScriptSession` on PyMySQL: runs captured statements byte for byte, tells insert ids."""

from __future__ import annotations

from typing import Any, Unpack

import pymysql

from readiness.adapters.mysql_session import Login, connect, place_of, translated
from readiness.ports import Reply, ScriptSession


class MySqlScript:
    """One PyMySQL connection below the level of cursors, where SQL is bytes."""

    def __init__(self, connection: pymysql.Connection[pymysql.cursors.Cursor], where: str) -> None:
        self._connection = connection
        self._where = where

    def run(self, sql: bytes) -> Reply:
        """Runs one statement and reads its rows; raises StatementFailed, TargetUnavailable."""
        try:
            self._connection.query(sql)
            return self._reply()
        except pymysql.MySQLError as error:
            raise translated(error, self._where) from None

    def _reply(self) -> Reply:
        """What the first result says, with the rows of all (a CALL has several) as the server counts
        them."""
        connection: Any = self._connection  # the type stubs do not know results
        first = last = connection._result
        rows = len(first.rows or ())
        while last.has_next:
            connection.next_result()
            last = connection._result
            rows += len(last.rows or ())
        warnings = connection.show_warnings() if last.warning_count else ()
        return Reply(
            insert_id=int(first.insert_id or 0),
            affected_rows=int(first.affected_rows or 0),
            rows=rows,
            warnings=tuple(int(warning[1]) for warning in warnings),
        )

    def close(self) -> None:
        """Ends the connection; closing twice is closing once."""
        if self._connection.open:
            try:
                self._connection.close()
            except (pymysql.MySQLError, OSError):
                return  # the server went first


def open_script(**login: Unpack[Login]) -> ScriptSession:
    """Connects; raises TargetUnavailable and TargetError as `mysql_session.open_session` does."""
    return MySqlScript(connect(login), place_of(login))
