"""What a snapshot is taken of: a stopped datadir, or a server that runs on this very machine.

A running server is copied through its files, so it must be proven that the address leads to the
process which has the files open here: behind a loopback port may be a tunnel, and the datadir it
names may be there on both ends.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.adapters.mysql_session import Login, login_of, open_session, place_of
from readiness.adapters.server_state import read_state
from readiness.clones.datadir import SYSTEM_TABLESPACE
from readiness.clones.tables import server_of, variables_of
from readiness.config.dsn import Dsn
from readiness.errors import CloneError, TargetUnavailable
from readiness.ports import Session

_PROC = Path("/proc")
_LISTENS = "0A"
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


@dataclass(frozen=True, slots=True)
class StoppedSource:
    """A datadir that no server is known to have open."""

    datadir: Path


@dataclass(frozen=True, slots=True)
class RunningSource:
    """A server whose process is on this machine. `login` leads to it, `owner` is the user id that its
    files belong to."""

    login: Login
    engine: str
    version: str
    datadir: Path
    owner: int
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it listens, as messages name it."""
        return place_of(self.login)

    @contextlib.contextmanager
    def session(self) -> Iterator[Session]:
        """A session of the account that the address names."""
        opened = open_session(**self.login)
        try:
            yield opened
        finally:
            opened.close()


def find_source(source: str) -> StoppedSource | RunningSource:
    """What `source` names: the folder of a private server, a datadir, or mysql://… of a server here.

    Raises CloneError (it runs elsewhere, or its files cannot be read), ConfigError, TargetError."""
    if source.startswith("mysql://"):
        return _server_at(login_of(replace(Dsn.parse(source), database="")))
    folder = Path(source).resolve()
    home = folder.parent if folder.name == "data" else folder
    state = read_state(home)
    if state is not None and state.is_running:
        return _server_at(Login(socket=state.socket, user="root"))
    inner = folder / "data"
    return StoppedSource(inner if (inner / SYSTEM_TABLESPACE).exists() else folder)


def _server_at(login: Login) -> RunningSource:
    opened = open_session(**login)
    try:
        engine, version = server_of(opened)
        datadir, its_socket = opened.query("SELECT @@datadir, @@socket")[0]
        variables = variables_of(opened)
    finally:
        opened.close()
    pid = _process_at(login, str(its_socket))
    path = Path(str(datadir))
    owner = _owner_of_open_datadir(path, pid, place_of(login))
    return RunningSource(login, engine, version, path, owner, variables)


def _process_at(login: Login, its_socket: str) -> int:
    """The pid of the server that `login` leads to. Raises CloneError when that is not sure."""
    where = place_of(login)
    pid = _listener(login.get("socket") or its_socket)
    if pid and (login.get("socket") or _listens_on(pid, login.get("port") or 3306)):
        return pid
    raise CloneError(
        f"{where} is no server of this machine: it may be a tunnel, or a container.",
        hint="Take the snapshot on the machine where the server runs.",
    )


def _listener(path: str) -> int:
    """The pid that listens on a socket; 0 where none can be reached."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
        asked.settimeout(5)
        try:
            asked.connect(path)
            raw = asked.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        except OSError:
            return 0
    return int(_CREDENTIALS.unpack(raw)[0])


def _listens_on(pid: int, port: int) -> bool:
    """Whether the process has a socket open that listens on this TCP port."""
    wanted = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in (_PROC / str(pid) / "net" / table).read_text("ascii").splitlines()[1:]:
                part = line.split()
                if part[3] == _LISTENS and int(part[1].rpartition(":")[2], 16) == port:
                    wanted.add(f"socket:[{part[9]}]")
    return any(target in wanted for target in _open_files(pid))


def _open_files(pid: int) -> Iterator[str]:
    """What the process has open, as /proc names it; nothing where we may not look."""
    with contextlib.suppress(OSError):
        for entry in (_PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                yield str(entry.readlink())


def _owner_of_open_datadir(datadir: Path, pid: int, where: str) -> int:
    """The owner of the datadir's files. Raises CloneError unless the process has them open here, and
    we may read them."""
    file = datadir / SYSTEM_TABLESPACE
    try:
        facts = file.stat()
        may_read = os.access(file, os.R_OK) and os.access(datadir, os.R_OK | os.X_OK)
    except PermissionError:
        raise _no_rights(datadir, where) from None
    except OSError:
        facts, may_read = None, True
    if not may_read:
        raise _no_rights(datadir, where)
    if facts is None or not _has_open(pid, facts):
        raise CloneError(
            f"{where} keeps its data in {datadir}, which is not on this machine's disk.",
            hint="Take the snapshot on the machine, or in the container, where the server runs.",
        )
    return facts.st_uid


def _has_open(pid: int, facts: os.stat_result) -> bool:
    with contextlib.suppress(OSError):
        for entry in (_PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                if os.path.samestat(entry.stat(), facts):
                    return True
    return False


def _no_rights(datadir: Path, where: str) -> CloneError:
    with contextlib.suppress(OSError, KeyError):
        return CloneError(
            f"This user may not read {datadir}, where {where} keeps its data.",
            hint=f"Run it as user {pwd.getpwuid(datadir.stat().st_uid).pw_name}, or as root.",
        )
    return CloneError(
        f"This user may not read {datadir}, where {where} keeps its data.", hint="Run it as root."
    )


def server_died(place: str, error: TargetUnavailable) -> CloneError:
    """The error for a server that went away while it was copied."""
    return CloneError(
        f"The server at {place} went away while it was copied: {error.message}",
        hint="See its error log; then take the snapshot again.",
    )
