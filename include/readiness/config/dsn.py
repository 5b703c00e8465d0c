"""The address of a database: `mysql://user@host:port/database?tls=…`, never with its password.

The password comes from a file or an environment variable that the DSN names, so that it stands
neither in argv nor in a log. Messages never repeat the text they refuse.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from readiness.config.nearest import did_you_mean
from readiness.errors import ConfigError
from readiness.model.clone import Endpoint

FORM = "mysql://user@host:port/database?tls=off|on|verify&socket=PATH&password_file=FILE"
_OPTIONS = ("password_env", "password_file", "socket", "tls")
_TLS = ("off", "on", "verify")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Dsn:
    """A parsed DSN. `tls` is off (default on loopback and sockets), on (encrypted; the default
    elsewhere) or verify (certificate and name checked). `database` may be empty."""

    user: str
    host: str
    port: int
    database: str
    socket: str
    tls: str
    password_file: str = ""
    password_env: str = ""

    @classmethod
    def parse(cls, text: str) -> Dsn:
        """The address in `text`. Raises ConfigError that says which part is wrong."""
        parts = _split(text)
        options = _options(parts)
        host, port = _host_and_port(parts)
        socket = options.get("socket", "")
        if socket and not socket.startswith("/"):
            raise ConfigError("The socket of a DSN is an absolute path: socket=/run/….sock.")
        if not (host or socket):
            raise ConfigError("The DSN names no host and no socket.", hint=f"It reads {FORM}")
        is_near = bool(socket) or host in _LOOPBACK
        return cls(
            user=_user(parts),
            host="" if socket else host,
            port=0 if socket else port,
            database=unquote(parts.path.removeprefix("/")),
            socket=socket,
            tls=options.get("tls", "off" if is_near else "on"),
            password_file=options.get("password_file", ""),
            password_env=options.get("password_env", ""),
        )

    @property
    def endpoint(self) -> Endpoint:
        """Where the server listens."""
        return Endpoint(self.host, self.port, self.socket)

    def password(self, environ: Mapping[str, str] | None = None) -> str:
        """The password, read now ("" when the DSN names none). Raises ConfigError."""
        if self.password_env:
            value = (os.environ if environ is None else environ).get(self.password_env)
            if value is None:
                raise ConfigError(
                    f"The environment has no {self.password_env}, which the DSN names.",
                    hint=f"export {self.password_env}=…, or name a password_file.",
                )
            return value
        return _from_file(Path(self.password_file)) if self.password_file else ""

    def __str__(self) -> str:
        return f"mysql://{self.user}@{self.endpoint}/{self.database}"


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text.strip())
        has_password = parts.password is not None
    except ValueError:
        raise ConfigError("The DSN is no URL.", hint=f"It reads {FORM}") from None
    if parts.scheme != "mysql":
        raise ConfigError("The DSN does not begin with mysql://.", hint=f"It reads {FORM}")
    if has_password:
        raise ConfigError(
            "The DSN holds a password, which every process of this host can read.",
            hint="Change it, then name it by password_file=FILE or password_env=NAME.",
        )
    if parts.fragment or "/" in parts.path.removeprefix("/"):
        raise ConfigError("The DSN has more than one database.", hint=f"It reads {FORM}")
    return parts


def _options(parts: SplitResult) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name not in _OPTIONS:
            raise ConfigError(
                f"The DSN has an unknown option.{did_you_mean(name, _OPTIONS)}",
                hint=f"Options: {', '.join(_OPTIONS)}",
            )
        if name in given or not value:
            raise ConfigError(f"The DSN's {name} is needed once, with a value.")
        given[name] = value
    if given.get("tls", "off") not in _TLS:
        raise ConfigError(f"The DSN's tls is one of {', '.join(_TLS)}.")
    if "password_env" in given and "password_file" in given:
        raise ConfigError("The DSN names both a password_file and a password_env: keep one.")
    return given


def _host_and_port(parts: SplitResult) -> tuple[str, int]:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise ConfigError("The DSN's port is a number from 1 to 65535.")
    return unquote(parts.hostname or ""), port or 3306


def _user(parts: SplitResult) -> str:
    if not parts.username:
        raise ConfigError("The DSN names no user.", hint=f"It reads {FORM}")
    return unquote(parts.username)


def _from_file(path: Path) -> str:
    try:
        text = path.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"The password file {path} cannot be read: {why}.") from None
    password = text.removesuffix("\n").removesuffix("\r")
    if not password or "\n" in password:
        raise ConfigError(f"The password file {path} must hold one line: the password.")
    return password
