"""Finds a database server program on this machine, and says what it is.

Order: READINESS_MYSQLD, then mariadbd and mysqld on PATH and in the usual system folders.
Both engines can make a fresh datadir from the server program and its own SQL files alone, so
that no client package is needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from readiness.errors import ServerError

_SYSTEM_FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/usr/libexec", "/usr/bin")
_VERSION = re.compile(r"\bVer (\d+\.\d+\.\d+)")
HOW_TO_GET_ONE = (
    "Install one:  apt-get install mariadb-server-core   (it starts no service)\n"
    "or name yours:  READINESS_MYSQLD=/path/to/mariadbd\n"
    "or use a container:  docker compose run --rm demo"
)


@dataclass(frozen=True, slots=True)
class ServerBinary:
    """A server program. `engine` is "mariadb" or "mysql", `version` like "10.11.19";
    `prefix_options` are what this installation needs on every command line."""

    path: Path
    engine: str
    version: str
    prefix_options: tuple[str, ...] = ()


def find_server(*, engine: str = "", environ: Mapping[str, str] | None = None) -> ServerBinary:
    """The first usable server, of `engine` if given. Raises ServerError with what to install."""
    settings = os.environ if environ is None else environ
    named = settings.get("READINESS_MYSQLD", "")
    if named:
        return _the_named(Path(named), engine)
    for path in _candidates(settings):
        found = probe(path)
        if found and engine in {"", found.engine}:
            return found
    raise ServerError(
        f"There is no {engine or 'database'} server on this machine"
        " (looked for mariadbd and mysqld on PATH and in the system folders).",
        hint=HOW_TO_GET_ONE,
    )


def probe(path: Path) -> ServerBinary | None:
    """What the program at `path` says it is; None when it is no MariaDB or MySQL server."""
    options = _prefix_options(path)
    command = [str(path), "--no-defaults", *options, "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = _VERSION.search(done.stdout)
    if done.returncode or not version:
        return None
    engine = "mariadb" if "mariadb" in done.stdout.lower() else "mysql"
    return ServerBinary(path, engine, version.group(1), options)


def bootstrap_files(binary: ServerBinary) -> tuple[Path, ...]:
    """MariaDB's own SQL files that make the system tables, in order. Raises ServerError."""
    for folder in _share_folders(binary):
        for prefix in ("mysql", "mariadb"):  # MariaDB 11 renamed them
            names = [
                f"{prefix}_system_tables.sql",
                f"{prefix}_performance_tables.sql",
                f"{prefix}_system_tables_data.sql",
                "maria_add_gis_sp_bootstrap.sql",
                f"{prefix}_sys_schema.sql",
            ]
            files = tuple(folder / name for name in names)
            if all(file.is_file() for file in files):
                return files
    raise ServerError(
        f"{binary.path} comes without its system table files (mysql_system_tables.sql).",
        hint=HOW_TO_GET_ONE,
    )


def _the_named(path: Path, engine: str) -> ServerBinary:
    found = probe(path)
    if found is None:
        raise ServerError(
            f"READINESS_MYSQLD names {path}, which is no MariaDB or MySQL server program.",
            hint=HOW_TO_GET_ONE,
        )
    if engine not in {"", found.engine}:
        raise ServerError(
            f"READINESS_MYSQLD names {path}, which is {found.engine}, and {engine} was asked for.",
            hint="Unset READINESS_MYSQLD, or leave --engine out.",
        )
    return found


def _candidates(settings: Mapping[str, str]) -> Iterator[Path]:
    folders = [*settings.get("PATH", "").split(os.pathsep), *_SYSTEM_FOLDERS]
    for name in ("mariadbd", "mysqld"):
        for folder in dict.fromkeys(f for f in folders if f):
            found = shutil.which(name, path=folder)
            if found:
                yield Path(found)


def _prefix_options(path: Path) -> tuple[str, ...]:
    """An unpacked server (PREFIX/bin/mysqld beside PREFIX/usr) must be told where it lives."""
    base = path.absolute().parent.parent / "usr"
    plugins = base / "lib" / "mysql" / "plugin"
    if base.is_relative_to("/usr") or not plugins.is_dir() or base == Path("/usr"):
        return ()
    return (f"--basedir={base}", f"--plugin-dir={plugins}")


def _share_folders(binary: ServerBinary) -> Iterator[Path]:
    top = binary.path.resolve().parent.parent
    for base in dict.fromkeys((top, top / "usr", Path("/usr"), Path("/usr/local"))):
        for name in ("mysql", "mariadb", ""):
            yield base / "share" / name
