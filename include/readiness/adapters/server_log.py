"""`ports.ServerLog` on PyMySQL: the SQL that reads and sets a server's general log."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Unpack

import pymysql
from pymysql.constants import ER
from pymysql.cursors import SSCursor

from readiness import interlock
from readiness.adapters.mysql_session import (
    Login,
    MySqlSession,
    connect,
    place_of,
    translated,
)
from readiness.errors import CaptureError, ReadinessError, StatementFailed
from readiness.model.clone import Endpoint
from readiness.model.server_log import LogFacts, LogSettings

_BATCH_ROWS = 500
_MAY_NOT_SET = {
    ER.SPECIFIC_ACCESS_DENIED_ERROR,
    ER.INCORRECT_GLOBAL_LOCAL_VAR,  # some services make the variables read-only
    ER.OPTION_PREVENTS_STATEMENT,
}
_MAY_NOT_READ = {
    ER.TABLEACCESS_DENIED_ERROR,
    ER.DBACCESS_DENIED_ERROR,
    ER.COLUMNACCESS_DENIED_ERROR,
}


class MySqlServerLog:
    """One session, whose own statements stay out of the log where the account may say so."""

    def __init__(self, **login: Unpack[Login]) -> None:
        self._login = login
        self._where = place_of(login)
        self._connection = connect(login)
        self._session = MySqlSession(self._connection, self._where)
        with suppress(StatementFailed):
            self._session.query("SET SESSION sql_log_off = 1")
        self._session.query("SET time_zone = '+00:00'")

    def facts(self) -> LogFacts:
        """The server and our session, asked now."""
        identity = interlock.describe(self._session)
        connection_id, now, epoch_s, slow = self._session.query(
            "SELECT CONNECTION_ID(), CAST(NOW(6) AS CHAR), UNIX_TIMESTAMP(), @@global.slow_query_log"
        )[0]
        uptime_s = self._session.query("SHOW GLOBAL STATUS LIKE 'Uptime'")[0][1]
        login = self._login
        endpoint = Endpoint(
            login.get("host", ""), login.get("port", 0) or 0, login.get("socket", "")
        )
        return LogFacts(
            engine=identity.engine,
            version=identity.version,
            identity=interlock.digest_of(identity),
            datadir=identity.datadir,
            connection_id=int(str(connection_id)),
            now=str(now),
            started_s=float(str(epoch_s)) - float(str(uptime_s)),
            is_slow_log_on=bool(slow),
            is_near=bool(endpoint.socket) or interlock.is_loopback(endpoint),
        )

    def settings(self) -> LogSettings:
        """How the log is set now."""
        is_on, output, file = self._session.query(
            "SELECT @@global.general_log, @@global.log_output, @@global.general_log_file"
        )[0]
        return LogSettings(bool(is_on), str(output), str(file))

    def apply(self, settings: LogSettings) -> None:
        """Sets all three, off first and on last. Raises CaptureError."""
        if not settings.is_on:
            self._set("general_log", 0)
        self._set("log_output", settings.output)
        self._set("general_log_file", settings.file)
        if settings.is_on:
            self._set("general_log", 1)

    def _set(self, name: str, value: object) -> None:
        try:
            self._session.query(f"SET GLOBAL {name} = %s", (value,))
        except StatementFailed as error:
            if error.code not in _MAY_NOT_SET:
                raise
            raise CaptureError(
                f"{self._where} does not let user {self._login.get('user') or 'root'} set {name}"
                f" (error {error.code}).",
                hint="On RDS and Aurora: in the parameter group (Aurora: of the cluster) set"
                " general_log=1 and log_output=TABLE or FILE, and back to 0 afterwards.\n"
                "Elsewhere: an account with SYSTEM_VARIABLES_ADMIN (MySQL) or SUPER (MariaDB).",
            ) from None

    def rows(
        self, *, since: str, until: str, without: Collection[int]
    ) -> Iterator[tuple[bytes, ...]]:
        """Rows of mysql.general_log as they stand, streamed. Raises CaptureError."""
        bounds = ["thread_id <> CONNECTION_ID()"]
        values: list[object] = []
        for bound, moment in (("event_time >= %s", since), ("event_time <= %s", until)):
            if moment:
                bounds.append(bound)
                values.append(moment)
        if without:
            bounds.append("thread_id NOT IN %s")
            values.append(tuple(without))
        sql = (
            "SELECT CAST(event_time AS CHAR), user_host, thread_id, command_type, argument"
            f" FROM mysql.general_log WHERE {' AND '.join(bounds)}"
        )
        yield from self._stream(sql, values)

    def _stream(self, sql: str, values: Sequence[object]) -> Iterator[tuple[bytes, ...]]:
        is_whole = False
        try:
            cursor = self._connection.cursor(SSCursor)
            cursor.execute(sql, tuple(values) or None)
            while batch := cursor.fetchmany(_BATCH_ROWS):
                for row in batch:
                    yield tuple(_bytes(value) for value in row)
            is_whole = True
        except pymysql.MySQLError as error:
            raise self._unread(error) from None
        finally:
            if not is_whole:  # rows on the way would answer the next statement
                self.close()

    def _unread(self, error: pymysql.MySQLError) -> ReadinessError:
        failed = translated(error, self._where)
        if isinstance(failed, StatementFailed) and failed.code in _MAY_NOT_READ:
            return CaptureError(
                f"{self._where} does not let this user read mysql.general_log.",
                hint="GRANT SELECT ON mysql.general_log TO …",
            )
        return failed

    def close(self) -> None:
        """Ends the connection; closing twice is closing once."""
        self._session.close()


def _bytes(value: object) -> bytes:
    """A BLOB comes as bytes, text as str of valid UTF-8."""
    return value if isinstance(value, bytes) else str(value).encode()
