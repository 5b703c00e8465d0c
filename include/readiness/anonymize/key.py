"""Loads the secret key of the pseudonyms, or makes it; refuses a key that others can read.

The key is a file outside of any repository, or the environment variable READINESS_KEY. A check value
tells which key made something, so that a wrong one is told before anything is written."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from readiness.errors import ConfigError

_SHORTEST = 16
_LENGTH = 32


class Key(bytes):
    """The key, which shows itself nowhere: not in a log, not in a traceback's variables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<Key: not shown>"

    __str__ = __repr__


def default_path(environ: Mapping[str, str] = os.environ) -> Path:
    """$READINESS_KEY_FILE, else `readiness/key` in the user's configuration folder."""
    named = environ.get("READINESS_KEY_FILE")
    if named:
        return Path(named).expanduser()
    folder = environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "readiness" / "key"


def load_key(path: Path | None = None, environ: Mapping[str, str] = os.environ) -> Key:
    """The key (at least 16 bytes): of the file, else of $READINESS_KEY, else of the default file. A
    new one is written where there is no file, readable by the owner alone.

    Raises ConfigError when the file lies in a git work tree, is readable by others, or is short."""
    given = _from_environment(path, environ)
    if given:
        return given
    path = (path or default_path(environ)).absolute()
    _refuse_in_repository(path)
    try:
        _create(path)
    except FileExistsError:
        _refuse_readable_by_others(path)
    except OSError as error:
        raise ConfigError(
            f"The key file {path} cannot be written: {error.strerror}.",
            hint="Name another place by --key-file or READINESS_KEY_FILE.",
        ) from None
    return _read(path)


def existing_key(path: Path | None = None, environ: Mapping[str, str] = os.environ) -> Key:
    """The key as `load_key` gives it, never a new one: what was made with a key needs that key.

    Raises ConfigError also when there is none."""
    place = (path or default_path(environ)).absolute()
    if not _from_environment(path, environ) and not place.is_file():
        raise ConfigError(
            f"There is no key file {place}.",
            hint="Name the key that the workload was built with, by --key-file or"
            " READINESS_KEY_FILE. If it is lost, build the workload again with --new-key.",
        )
    return load_key(path, environ)


def key_check(key: bytes) -> str:
    """8 hexadecimal digits that tell one key from another and nothing of either."""
    return hmac.digest(key, b"readiness: which key is it", "sha256").hex()[:8]


def require_key(key: bytes, check: str, *, made: str) -> None:
    """Raises ConfigError unless `check` is "" or that of the key; `made` names what was made with the
    key that is needed."""
    if check and check != key_check(key):
        raise ConfigError(
            f"{made} was made with another key: its check value is {check}, that of this key"
            f" {key_check(key)}. Nothing was written.",
            hint="Name that key by --key-file or READINESS_KEY_FILE. If it is lost, build with"
            " --new-key: every pseudonym changes.",
        )


def _from_environment(path: Path | None, environ: Mapping[str, str]) -> Key | None:
    """The key of $READINESS_KEY; None where there is none, or another file is named by an option."""
    key = Key(environ.get("READINESS_KEY", "").strip().encode())
    named = environ.get("READINESS_KEY_FILE", "")
    if not key or (path is not None and path != Path(named).expanduser()):
        return None
    if named:
        raise ConfigError(
            "READINESS_KEY and READINESS_KEY_FILE are both set.",
            hint="Keep one of them: a file is seen by fewer programs than a variable.",
        )
    if len(key) < _SHORTEST:
        raise ConfigError(
            f"READINESS_KEY holds {len(key)} bytes; a key has at least {_SHORTEST}.",
            hint="Make one:  openssl rand -hex 32",
        )
    return key


def _create(path: Path) -> None:
    """Whole or not at all; a file that is there stays. Raises FileExistsError then."""
    if path.exists():
        raise FileExistsError
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, made = tempfile.mkstemp(dir=path.parent, prefix=".key-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_hex(_LENGTH).encode() + b"\n")
        os.link(made, path)  # unlike a rename, it replaces nothing
    finally:
        Path(made).unlink()


def _read(path: Path) -> Key:
    try:
        key = Key(path.read_bytes().strip())
    except OSError as error:
        raise ConfigError(f"The key file {path} cannot be read: {error.strerror}.") from None
    if len(key) < _SHORTEST:
        raise ConfigError(
            f"The key file {path} holds {len(key)} bytes; a key has at least {_SHORTEST}.",
            hint="Remove the file, and a new key is made.",
        )
    return key


def _refuse_in_repository(path: Path) -> None:
    resolved = path.resolve()
    for folder in resolved.parents:
        if (folder / ".git").exists():
            raise ConfigError(
                f"The key file {path} lies in the git work tree {folder}, where it could be "
                "committed.",
                hint="Name a place outside by --key-file or READINESS_KEY_FILE.",
            )


def _refuse_readable_by_others(path: Path) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise ConfigError(
            f"The key file {path} is open to others (mode {mode:04o}).",
            hint=f"Type: chmod 600 {path}",
        )
