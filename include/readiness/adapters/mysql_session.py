"""A SQL session on PyMySQL: autocommit on, TLS as asked, errors as ours.

Text comes back as str, BINARY and BLOB columns as bytes. Errors of the server are told by their
number; its own text is kept only where it can hold nothing but names.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from functools import lru_cache
from typing import TypedDict, Unpack

import pymysql
from pymysql.constants import CR, ER

from readiness.config.dsn import Dsn
from readiness.errors import ConfigError, StatementFailed, TargetError, TargetUnavailable
from readiness.ports import Row, Session

_LOST = {CR.CR_SERVER_GONE_ERROR, CR.CR_SERVER_LOST, ER.SERVER_SHUTDOWN}
_SPEAKS_OF_NAMES_ONLY = {
    ER.DBACCESS_DENIED_ERROR,
    ER.TABLEACCESS_DENIED_ERROR,
    ER.SPECIFIC_ACCESS_DENIED_ERROR,
    ER.NO_SUCH_TABLE,
    ER.BAD_DB_ERROR,
    ER.UNKNOWN_SYSTEM_VARIABLE,
    ER.LOCK_WAIT_TIMEOUT,
    ER.LOCK_DEADLOCK,
    ER.OPTION_PREVENTS_STATEMENT,
}
_AUTH_SOCKET_DENIED = 1698
_NO_COMMON_WAY = {CR.CR_SSL_CONNECTION_ERROR, CR.CR_AUTH_PLUGIN_CANNOT_LOAD, CR.CR_AUTH_PLUGIN_ERR}


class Login(TypedDict, total=False):
    """Where and as whom: `socket` (a path) wins over `host` and `port`; `tls` is off, on (no
    certificate check) or verify. Times are seconds; `read_timeout_s` 0 waits for ever."""

    host: str
    port: int
    socket: str
    user: str
    password: str
    database: str
    tls: str
    connect_timeout_s: float
    read_timeout_s: float


def login_of(dsn: Dsn) -> Login:
    """How the account of a DSN logs in; reads the password now."""
    return Login(
        host=dsn.host,
        port=dsn.port,
        socket=dsn.socket,
        user=dsn.user,
        password=dsn.password(),
        database=dsn.database,
        tls=dsn.tls,
    )


class MySqlSession:
    """`ports.Session` over one PyMySQL connection."""

    def __init__(self, connection: pymysql.Connection[pymysql.cursors.Cursor], where: str) -> None:
        self._connection = connection
        self._where = where

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        """All rows of one statement; raises StatementFailed, TargetUnavailable when it broke.

        `%s` stands for a parameter when there are parameters; otherwise the text goes as it is."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql, tuple(parameters) or None)
                return list(cursor.fetchall())
        except pymysql.MySQLError as error:
            raise translated(error, self._where) from None

    def close(self) -> None:
        """Ends the connection; closing twice is closing once."""
        if self._connection.open:
            try:
                self._connection.close()
            except (pymysql.MySQLError, OSError):
                return  # the server went first


def open_session(**login: Unpack[Login]) -> Session:
    """Connects. Raises TargetUnavailable (nobody answers), TargetError (login, database),
    ConfigError (a value of `tls` that does not exist)."""
    return MySqlSession(connect(login), place_of(login))


def connect(login: Login) -> pymysql.Connection[pymysql.cursors.Cursor]:
    """A PyMySQL connection, autocommit on; raises as `open_session` does."""
    where = place_of(login)
    context = tls_context(login.get("tls", "off"))
    try:
        connection = pymysql.Connection(
            host=login.get("host") or "127.0.0.1",
            port=login.get("port") or 3306,
            unix_socket=login.get("socket") or None,
            user=login.get("user") or "root",
            password=login.get("password") or "",
            database=login.get("database") or None,
            charset="utf8mb4",
            autocommit=True,
            ssl=context,
            ssl_disabled=context is None,
            connect_timeout=login.get("connect_timeout_s") or 5.0,
            read_timeout=login.get("read_timeout_s") or None,
            defer_connect=True,
        )
        # PyMySQL knows only of a socket that it opened itself that it is as good as TLS; over one that
        # is not, MySQL takes the request for its public key for a wrong password.
        connection._secure = bool(login.get("socket"))  # type: ignore[attr-defined]
        connection.connect(_unix_socket(login))
    except (pymysql.MySQLError, OSError, RuntimeError) as error:
        raise _refusal(error, login, where) from None
    return connection


@lru_cache(maxsize=3)
def tls_context(tls: str) -> ssl.SSLContext | None:
    """One shared context per mode (a context costs 1 MB): off → None, on, verify."""
    if tls == "off":
        return None
    if tls not in {"on", "verify"}:
        raise ConfigError(f"tls is {tls!r}, which is none of off, on, verify.")
    context = ssl.create_default_context()
    if tls == "on":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _unix_socket(login: Login) -> socket.socket | None:
    """A connected socket; None for TCP. PyMySQL forgets to close its own when nobody listens."""
    if not login.get("socket"):
        return None
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.settimeout(login.get("connect_timeout_s") or 5.0)
        made.connect(login["socket"])
    except BaseException:
        made.close()
        raise
    return made


def place_of(login: Login) -> str:
    """The target as messages name it: the socket, or host:port."""
    host, port = login.get("host") or "127.0.0.1", login.get("port") or 3306
    return login.get("socket") or f"{host}:{port}"


def _code(error: BaseException) -> int:
    first = error.args[0] if error.args else 0
    return first if isinstance(first, int) else 0


def _refusal(error: Exception, login: Login, where: str) -> TargetError:
    """What a failed connect means to the user."""
    code, user = _code(error), login.get("user") or "root"
    if code in {ER.ACCESS_DENIED_ERROR, _AUTH_SOCKET_DENIED}:
        return TargetError(
            f"{where} refused the login of user {user}: wrong password, or no such account.",
            hint="Give the password by password_file=… or password_env=… in the DSN.",
        )
    if code in {ER.BAD_DB_ERROR, ER.DBACCESS_DENIED_ERROR}:
        return TargetError(
            f"{where} has no database {login.get('database', '')} that user {user} may use.",
            hint="Check the name after the port: mysql://user@host:port/database",
        )
    if code in {ER.HOST_NOT_PRIVILEGED, ER.HOST_IS_BLOCKED}:
        return TargetError(
            f"{where} has no account that may log in from this machine, or blocks it.",
            hint="Create the account for this machine's address, or FLUSH HOSTS.",
        )
    because = getattr(error, "original_exception", error)
    if isinstance(because, ssl.SSLError | RuntimeError) or code in _NO_COMMON_WAY:
        return TargetError(
            f"{where} and this client agree on no TLS or no way to log in.",
            hint="Say it in the DSN: ?tls=off, ?tls=on or ?tls=verify",
        )
    if code == ER.CON_COUNT_ERROR:
        return TargetUnavailable(f"{where} has no connection left (max_connections).")
    return TargetUnavailable(
        f"Nobody answers at {where}.", hint="Is the server up, and is the port open from here?"
    )


def translated(error: pymysql.MySQLError, where: str) -> TargetError:
    """What a failed statement means, without its text."""
    code = _code(error)
    if code in _LOST or isinstance(error, pymysql.InterfaceError):
        return TargetUnavailable(f"The connection to {where} broke.")
    said = f": {error.args[1]}" if code in _SPEAKS_OF_NAMES_ONLY and len(error.args) > 1 else "."
    return StatementFailed(f"{where} answered a statement with error {code}{said}", code)
