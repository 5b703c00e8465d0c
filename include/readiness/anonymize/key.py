"""Loads the secret key of the pseudonyms, or makes it; refuses a key that others can read."""

from __future__ import annotations

import os
import secrets
import stat
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


def load_key(path: Path | None = None) -> Key:
    """The key (at least 16 bytes); a new one is written, readable by the owner alone.

    Raises ConfigError when the file lies in a git work tree, is readable by others, or is short."""
    path = (path or default_path()).absolute()
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


def existing_key(path: Path | None = None) -> bytes:
    """The key as `load_key` gives it, never a new one: what was made with a key needs that key.

    Raises ConfigError also when there is none."""
    path = (path or default_path()).absolute()
    if not path.is_file():
        raise ConfigError(
            f"There is no key file {path}.",
            hint="Set READINESS_KEY_FILE to the key that the workload was built with. If it is lost,"
            " build the workload again.",
        )
    return load_key(path)


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_hex(_LENGTH).encode() + b"\n")


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
