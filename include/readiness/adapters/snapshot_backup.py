"""Copies a running MariaDB with mariadb-backup: the files, then what was written meanwhile."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from readiness.adapters.guarded import run_guarded
from readiness.adapters.mysql_session import Login
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_room import disk_full
from readiness.adapters.snapshot_source import RunningSource
from readiness.errors import CloneError

HOW_TO_GET_IT = (
    "Install it:  apt-get install mariadb-backup   (of the server's version)\n"
    "or stop the server, and take the snapshot of its folder:  readiness server stop --dir DIR"
)
_PROGRAMS = ("mariadb-backup", "mariabackup")
_VERSION = re.compile(r"MariaDB server (\d+)\.(\d+)\.\d+")
_RIGHTS = "GRANT RELOAD, PROCESS, LOCK TABLES, BINLOG MONITOR ON *.* TO …"


def find_program(source: RunningSource, binary: ServerBinary | None) -> Path:
    """The backup program for this server: on PATH, or beside the server program.

    Raises CloneError when there is none, or only one of another series."""
    beside = str(binary.path.resolve().parent) if binary else ""
    places = os.pathsep.join(p for p in (os.environ.get("PATH", ""), beside, "/usr/bin") if p)
    found = [path for name in _PROGRAMS if (path := shutil.which(name, path=places))]
    if not found:
        raise CloneError(
            f"{source.place} runs, and there is no mariadb-backup here to copy it with.",
            hint=HOW_TO_GET_IT,
        )
    series = _series_of(found[0])
    if series != source.version.split(".")[:2]:
        raise CloneError(
            f"{found[0]} is of MariaDB {'.'.join(series) or 'an unknown version'};"
            f" the server at {source.place} is {source.version}.",
            hint=HOW_TO_GET_IT,
        )
    return Path(found[0])


def _series_of(program: str) -> list[str]:
    command = [program, "--no-defaults", "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    version = _VERSION.search(done.stdout + done.stderr)
    return list(version.groups()) if version else []


def back_up(source: RunningSource, program: Path, partial: Path) -> None:
    """Makes `partial`/data. The program dies with this process. Raises CloneError, ServerError (disk)."""
    options = partial / "backup.cnf"
    log = partial / "backup.log"
    target = f"--target-dir={partial / 'data'}"
    _write_options(options, source.login)
    try:
        _run([str(program), f"--defaults-file={options}", "--backup", target], source, log)
    finally:
        options.unlink(missing_ok=True)
    _run([str(program), "--no-defaults", "--prepare", target], source, log)
    log.unlink()


def _write_options(path: Path, login: Login) -> None:
    """The login, where only this user can read it: an argument stands in every process list."""
    said = {"user": login.get("user") or "root", "password": login.get("password") or ""}
    if login.get("socket"):
        said["socket"] = os.path.abspath(login["socket"])  # noqa: PTH100 - links stay: paths are short
    else:
        said["host"], said["port"] = "127.0.0.1", str(login.get("port") or 3306)
    lines = [f'{name}="{_escaped(value)}"' for name, value in said.items()]
    lines += ["ssl"] if login.get("tls", "off") != "off" else []
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write("[mariabackup]\n" + "\n".join(lines) + "\n")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _run(command: list[str], source: RunningSource, log: Path) -> None:
    code = run_guarded(command, error_log=log)
    if code != 0:
        raise _failure(code, source, log)


def _failure(code: int, source: RunningSource, log: Path) -> Exception:
    """Why it failed, without the text of any statement."""
    text = log.read_text("utf-8", "replace")
    if "No space left on device" in text or "Errcode: 28" in text:
        return disk_full(log.parent, source_bytes(source), what="the backup")
    if "Access denied" in text or "missing required privilege" in text:
        return CloneError(
            f"{source.place} does not let user {source.login.get('user')} make a backup.",
            hint=_RIGHTS,
        )
    if "server has gone away" in text or "Lost connection" in text or "Can't connect" in text:
        return CloneError(
            f"The server at {source.place} went away while it was copied.",
            hint="See its error log; then take the snapshot again.",
        )
    return CloneError(f"mariadb-backup ended with {code}{_said(text)}.", hint="Take it again.")


def _said(text: str) -> str:
    """The last line that tells of an error; what follows the word "query" is left out."""
    told = [line for line in text.splitlines() if re.search("error|fail", line, re.IGNORECASE)]
    last = told[-1].partition("query")[0].strip().rstrip(".:") if told else ""
    return f": {last[-200:]}" if last else ""


def source_bytes(source: RunningSource) -> int:
    """Bytes of the server's files, binary logs left out; those that vanish meanwhile count nothing."""
    total = 0
    for folder, _, names in os.walk(source.datadir):
        for name in names:
            if re.fullmatch(r".*-?bin(log)?\.\d{6,}", name):
                continue
            try:
                total += os.stat(f"{folder}/{name}").st_size  # noqa: PTH116 - many files
            except OSError:
                continue
    return total
