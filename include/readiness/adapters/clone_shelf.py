"""The clones of this machine as they are: which there are, how to log in, who works on one.

ROOT/snapshots/NAME/{data,manifest.json} and ROOT/clones/NAME/{clone.json,data,server.json,…}.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from readiness import interlock
from readiness.adapters import clone_marks, clone_server
from readiness.adapters.local_server import LocalServer
from readiness.adapters.local_snapshots import LocalSnapshots
from readiness.adapters.mysql_session import Login
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_state import read_state
from readiness.artifacts.lock import RunLock
from readiness.clones import lifecycle, naming
from readiness.errors import Busy, CloneError
from readiness.model.clone import Clone
from readiness.ports import Progress, Session


class CloneShelf:
    """The clones under the folder `root`. Their servers run with `options`, and die with this process
    unless `options.is_attached` is False."""

    def __init__(
        self,
        root: Path,
        *,
        binary: ServerBinary | None = None,
        options: ServerOptions | None = None,
        tell: Progress | None = None,
    ) -> None:
        self.root = root.resolve()
        self.options = options or ServerOptions()
        self._tell = tell or (lambda _text: None)
        self._binary = binary
        self.snapshots = LocalSnapshots(root, binary)
        self._servers: dict[str, LocalServer] = {}

    @property
    def binary(self) -> ServerBinary:
        """The server program that clones run on; raises ServerError when there is none."""
        if self._binary is None:
            self._binary = find_server()
        return self._binary

    def named(self, name: str) -> Clone:
        """The clone of that name. Raises CloneError when there is none."""
        for clone in self.list():
            if clone.name == name:
                return clone
        raise CloneError(f"There is no clone {name}.", hint="readiness clone list")

    def server(self, name: str) -> LocalServer:
        """The private server of a clone."""
        if name not in self._servers:
            self._servers[name] = LocalServer(self._directory(name), binary=self._binary)
        found = self._servers[name]
        extra = (*self.options.extra, *clone_server.start_options(found.directory))
        found.options = replace(self.options, extra=extra)
        return found

    def admin_session(self, name: str, database: str = "") -> Session:
        """A session as root: for the marker, the interlock and the sampler. Raises CloneError where
        no server runs."""
        if self.server(name).status() is None:
            raise CloneError(
                f"No server runs for the clone {name}.",
                hint=f"readiness clone reset {name}   or   readiness clone destroy {name}",
            )
        return self.server(name).root_session(database)

    def admin_dsn(self, clone: Clone) -> str:
        """The DSN of root on the clone's socket, as a person types it: for masking."""
        socket = self.server(clone.name).running_state().socket
        return f"mysql://root@/{quote(clone.database)}?socket={quote(socket)}"

    def load_login(self, name: str) -> Login:
        """How the load user logs in: over TCP, with the password only the clone's folder holds.
        Raises CloneError for a clone that was not admitted."""
        clone = self.named(name)
        return Login(
            host=clone.endpoint.host,
            port=clone.endpoint.port,
            user=interlock.LOAD_USER,
            password=clone_server.read_password(self.load_password_file(name)),
            database=clone.database,
            tls="off",
        )

    def load_password_file(self, name: str) -> Path:
        """The file (mode 0600) that holds the load user's password. Raises CloneError for a clone
        that was not admitted."""
        clone, file = self.named(name), self._directory(name) / clone_server.PASSWORD_FILE
        if not (clone.masked and file.exists()):
            raise self._unmasked(clone, "it has no load user")
        return file

    def list(self) -> list[Clone]:
        """All clones that exist, also half-made ones; `pid` is 0 where no server runs."""
        return [clone for folder in self._folders() if (clone := _clone_in(folder))]

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Inside, no other command makes, resets, freezes or masks the clone of that name; whoever
        destroys it need not wait. Raises Busy. The lock dies with its process."""
        lock = RunLock(self.root / "locks" / f"{naming.checked(name)}.lock")
        try:
            lock.acquire()
        except Busy as error:
            raise Busy(f"Another command works on the clone {name}.", hint=error.hint) from None
        try:
            yield
        finally:
            lock.release()

    def _unmasked(self, clone: Clone, so: str) -> CloneError:
        return clone_marks.unmasked(clone, so, self.admin_dsn(clone) if clone.pid else "DSN")

    def _directory(self, name: str) -> Path:
        return self.root / "clones" / naming.checked(name)

    def _folders(self) -> Iterator[Path]:
        top = self.root / "clones"
        if top.is_dir():
            found = (path for path in top.iterdir() if path.suffix != lifecycle.NEW_SUFFIX)
            yield from sorted(path for path in found if path.is_dir())


def _clone_in(folder: Path) -> Clone | None:
    """The clone of a folder; None when another hand removed it meanwhile."""
    try:
        clone = lifecycle.read_record(folder) or lifecycle.half_made(folder)
    except FileNotFoundError:
        return None
    state = read_state(folder)
    is_running = state is not None and state.is_running
    return clone if is_running else replace(clone, pid=0)
