"""What is known of a private server on disk: `server.json` in its folder.

The folder also holds `data/` (the datadir), `error.log`, `general.log`, `slow.log` and `tmp/`.
The socket lives in a temporary folder of its own, since its path may be 107 bytes at most;
that folder's `home` file names the server's folder, so that it can be found when all else is lost.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from readiness.adapters.processes import ProcessIdentity, all_pids, command_line, identify, is_alive
from readiness.errors import ServerError
from readiness.model.clone import Endpoint

SCHEMA_VERSION = 1
STATE_FILE = "server.json"
_TEMPORARY_PREFIX = "readiness-"
_LONGEST_SOCKET_BYTES = 107


@dataclass(frozen=True, slots=True)
class ServerState:
    """A started server; after it was stopped, `pid` is 0 and the rest says what it was.
    `owner_pid` is 0 for a detached one, which outlives its starter."""

    pid: int
    started_ticks: int
    port: int
    socket: str
    temporary_folder: str
    datadir: str
    engine: str
    version: str
    owner_pid: int = 0
    owner_ticks: int = 0

    @property
    def process(self) -> ProcessIdentity:
        """The server's process."""
        return ProcessIdentity(self.pid, self.started_ticks)

    @property
    def endpoint(self) -> Endpoint:
        """Where it listens over TCP."""
        return Endpoint("127.0.0.1", self.port)

    @property
    def is_running(self) -> bool:
        """True while exactly the process that was started runs."""
        return self.pid > 0 and is_alive(self.process)

    @property
    def is_orphaned(self) -> bool:
        """True when the process that it lives for is dead: it may answer still, but is ending."""
        return self.owner_pid > 0 and not self.has_living_owner

    @property
    def has_living_owner(self) -> bool:
        """True while the process that started it, and will end it, lives."""
        return self.owner_pid > 0 and is_alive(ProcessIdentity(self.owner_pid, self.owner_ticks))


def read_state(directory: Path) -> ServerState | None:
    """The state of the server in `directory`; None when there is none or the file is torn."""
    try:
        data = json.loads((directory / STATE_FILE).read_text("utf-8"))
        if data.pop("schema_version") != SCHEMA_VERSION:
            return None
        return ServerState(**data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def write_state(directory: Path, state: ServerState) -> None:
    """Writes the state whole or not at all."""
    partial = directory / f"{STATE_FILE}.partial"
    partial.write_text(json.dumps({"schema_version": SCHEMA_VERSION, **asdict(state)}, indent=1))
    partial.replace(directory / STATE_FILE)


def temporary_folder_name() -> Path:
    """A fresh name for a socket's folder. Raises ServerError where sockets would not fit."""
    folder = Path(tempfile.gettempdir()) / f"{_TEMPORARY_PREFIX}{secrets.token_hex(6)}"
    if len(os.fsencode(folder / "mysql.sock")) > _LONGEST_SOCKET_BYTES:
        raise ServerError(
            f"The temporary folder {folder.parent} is too long a path for a socket.",
            hint="Name a shorter one:  TMPDIR=/tmp",
        )
    return folder


def remove_temporary_folder(folder: str) -> bool:
    """Removes a server's temporary folder; False when it was gone already."""
    path = Path(folder)
    if not path.name.startswith(_TEMPORARY_PREFIX) or not path.is_dir():
        return False
    shutil.rmtree(path, ignore_errors=True)
    return True


def temporary_folders_of(state_dir: Path) -> Iterator[tuple[Path, Path]]:
    """Temporary folders whose server's folder lies in `state_dir`, each with that folder."""
    top = state_dir.resolve()
    for folder in sorted(Path(tempfile.gettempdir()).glob(f"{_TEMPORARY_PREFIX}*")):
        try:
            home = Path((folder / "home").read_text())
        except OSError:
            continue
        if home.is_relative_to(top):
            yield folder, home


def server_processes_of(state_dir: Path) -> Iterator[tuple[ProcessIdentity, Path]]:
    """Server processes whose datadir lies in `state_dir`, each with its datadir."""
    top = state_dir.resolve()
    for pid in all_pids():
        process = identify(pid)
        datadir = datadir_on(command_line(pid))
        if process and datadir and datadir.is_relative_to(top):
            yield process, datadir


def datadir_on(arguments: list[str]) -> Path | None:
    """The datadir that a server's command line names; None for a program of another kind."""
    for argument in arguments:
        if argument == "--":  # a guardian's own command line goes on with its server's
            return None
        if argument.startswith("--datadir="):
            return Path(argument.removeprefix("--datadir="))
    return None
