"""A private MariaDB or MySQL server in a folder of its own: started, asked, stopped, never lost.

Attached servers (the default) die with the process that started them, however it ends; detached
ones stay until `stop`. Nothing outside the folder is touched but a temporary folder for the
socket. A datadir is made whole or not at all; after a kill it recovers at the next start.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from readiness.adapters.guarded import Guarded, start_guarded
from readiness.adapters.guardian import make_folder
from readiness.adapters.mysql_session import Login, open_session
from readiness.adapters.processes import ProcessIdentity, end, identify
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.server_command import (
    ServerOptions,
    bootstrap_sql,
    initialise_command,
    start_command,
)
from readiness.adapters.server_room import (
    PortTaken,
    free_port,
    port_taken,
    require_free_port,
    require_free_space,
)
from readiness.adapters.server_state import (
    ServerState,
    read_state,
    remove_temporary_folder,
    server_processes_of,
    temporary_folder_name,
    write_state,
)
from readiness.errors import Busy, ReadinessError, ServerError
from readiness.model.clone import Endpoint
from readiness.ports import Session

EMPTY_DATADIR_BYTES = 250 << 20
_FREE_PORT_TRIES = 3
_TAKEN = ("Address already in use", "Bind on TCP/IP port")


class LocalServer:
    """One private server; `directory` holds `data/`, logs and `server.json`."""

    def __init__(
        self,
        directory: Path,
        *,
        options: ServerOptions | None = None,
        binary: ServerBinary | None = None,
    ) -> None:
        self.directory = directory.resolve()
        self.options = options or ServerOptions()
        self._binary = binary
        self._attached: Guarded | None = None
        self._detached: subprocess.Popen[bytes] | None = None

    @property
    def binary(self) -> ServerBinary:
        """The server program; raises ServerError when there is none."""
        if self._binary is None:
            self._binary = find_server()
        return self._binary

    @property
    def datadir(self) -> Path:
        """Where the server's data is."""
        return self.directory / "data"

    @property
    def is_initialised(self) -> bool:
        """True when the datadir is whole."""
        return self.datadir.is_dir()

    def initialise(self, *, needed_bytes: int = EMPTY_DATADIR_BYTES) -> None:
        """Makes an empty datadir once. Raises ServerError, also when the disk has less free than
        `needed_bytes` (what the datadir will hold later, loaded data included)."""
        if self.is_initialised:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        require_free_space(self.directory, needed_bytes, what="a private server")
        partial = self.directory / "data.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700)
        try:
            self._run_to_end(initialise_command(self.binary, partial), bootstrap_sql(self.binary))
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
        partial.rename(self.datadir)

    def start(self, *, timeout_s: float = 60.0) -> Endpoint:
        """Starts the server (made first if need be) and waits until it answers. Raises ServerError:
        the port is taken, the disk is full, it died; Busy when it runs already."""
        self.initialise()
        self._refuse_if_running()
        self._refuse_another_engine()
        (self.directory / "tmp").mkdir(exist_ok=True)
        for last in [False] * (_FREE_PORT_TRIES - 1) + [True]:
            port = self.options.port or free_port()
            require_free_port(port)
            try:
                return self._start_on(port, timeout_s)
            except PortTaken:
                if self.options.port or last:
                    raise
        raise AssertionError("the last try returns or raises")

    def stop(self, *, timeout_s: float = 60.0) -> bool:
        """Ends the server in good order (SIGTERM, after `timeout_s` SIGKILL), so that its datadir may
        be copied. False when it did not run."""
        state = read_state(self.directory)
        if self._attached is not None:
            stopped = self._stop_attached(self._attached, timeout_s)
        else:
            stopped = state is not None and end(state.process, grace_s=timeout_s)
        self._forget(state)
        return stopped

    def kill(self) -> bool:
        """Ends the server at once, as a crash would. False when it did not run."""
        state = read_state(self.directory)
        was_running = state is not None and state.is_running
        if self._attached is not None:
            self._attached.kill()
        elif state is not None:
            end(state.process, grace_s=0)
        self._forget(state)
        return was_running

    def status(self) -> ServerState | None:
        """What runs in the folder, whoever started it; None when nothing does."""
        state = read_state(self.directory)
        return state if state is not None and state.is_running else None

    def running_state(self) -> ServerState:
        """Like `status`, but raises ServerError when nothing runs."""
        state = self.status()
        if state is None:
            raise ServerError(
                f"No server runs in {self.directory}.", hint="readiness server start --dir DIR"
            )
        return state

    def root_login(self, database: str = "") -> Login:
        """How root logs in: over the socket, without a password."""
        return Login(socket=self.running_state().socket, user="root", database=database)

    def root_session(self, database: str = "") -> Session:
        """A session as root over the socket."""
        return open_session(**self.root_login(database))

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_on(self, port: int, timeout_s: float) -> Endpoint:
        """One try on one port; nothing is left when it fails."""
        folder = temporary_folder_name()
        log = self.directory / "error.log"
        log_start = log.stat().st_size if log.exists() else 0
        self._note_folder(folder)
        try:
            state = self._launch(port, folder)
            write_state(self.directory, state)
            self._wait_ready(state, log_start, timeout_s)
        except BaseException:
            self.kill()
            remove_temporary_folder(str(folder))
            raise
        return state.endpoint

    def _note_folder(self, folder: Path) -> None:
        """Writes down the socket's folder before it is made: after a kill between the two, `kill`
        and `stop` find it."""
        before = read_state(self.directory)
        binary = self.binary
        blank = ServerState(0, 0, 0, "", "", str(self.datadir), binary.engine, binary.version)
        write_state(self.directory, replace(before or blank, temporary_folder=str(folder)))

    def _launch(self, port: int, folder: Path) -> ServerState:
        command = start_command(
            self.binary,
            self.options,
            directory=self.directory,
            socket=folder / "mysql.sock",
            port=port,
        )
        log = self.directory / "error.log"
        owner = ProcessIdentity(0, 0)
        if self.options.is_attached:
            self._attached = start_guarded(
                command, error_log=log, folder=str(folder), home=self.directory
            )
            pid = self._attached.pid
            owner = identify(os.getpid()) or owner
        else:
            make_folder(str(folder), str(self.directory))
            self._detached = _start_detached(command, log)
            pid = self._detached.pid
        process = identify(pid) or ProcessIdentity(pid, 0)
        return ServerState(
            pid=pid,
            started_ticks=process.started_ticks,
            port=port,
            socket=str(folder / "mysql.sock"),
            temporary_folder=str(folder),
            datadir=str(self.datadir),
            engine=self.binary.engine,
            version=self.binary.version,
            owner_pid=owner.pid,
            owner_ticks=owner.started_ticks,
        )

    def _wait_ready(self, state: ServerState, log_start: int, timeout_s: float) -> None:
        """Returns when the server answers on its socket; raises ServerError when it died."""
        deadline = time.monotonic() + timeout_s
        while True:
            if self._has_ended():
                raise _death(self.directory / "error.log", log_start, state.port)
            with contextlib.suppress(ReadinessError):
                open_session(socket=state.socket, user="root", connect_timeout_s=2).close()
                return
            if time.monotonic() > deadline:
                raise ServerError(
                    f"The private server does not answer after {timeout_s:.0f} s.",
                    hint=f"See {self.directory / 'error.log'}",
                )
            time.sleep(0.05)

    def _has_ended(self) -> bool:
        if self._attached is not None:
            return self._attached.exit_code() is not None
        return self._detached is not None and self._detached.poll() is not None

    def _stop_attached(self, running: Guarded, timeout_s: float) -> bool:
        was_running = running.exit_code() is None
        running.terminate()
        if running.wait(timeout_s) is None:
            running.kill()
        return was_running

    def _forget(self, state: ServerState | None) -> None:
        if self._detached is not None:
            self._detached.wait()
        if self._attached is not None:
            self._attached.wait(0)
        self._attached = self._detached = None
        if state is not None:
            remove_temporary_folder(state.temporary_folder)
            stopped = replace(state, pid=0, started_ticks=0, socket="", temporary_folder="")
            # Another hand removed the folder meanwhile, or the disk is full, and this is to free it:
            # what the file says then is of a process that is gone, which `is_running` sees.
            with contextlib.suppress(OSError):
                write_state(self.directory, stopped)

    def _refuse_if_running(self) -> None:
        """Looks at processes too: the state file of a dead try may say nothing."""
        for process, _ in server_processes_of(self.directory):
            raise Busy(
                f"A server already runs in {self.directory}: process {process.pid}.",
                hint=f"readiness server stop --dir {self.directory}",
            )

    def _refuse_another_engine(self) -> None:
        """A datadir of the other engine is not opened, and not harmed."""
        made_by = read_state(self.directory)
        if made_by is not None and made_by.engine != self.binary.engine:
            raise ServerError(
                f"The data in {self.directory} is of {made_by.engine} {made_by.version};"
                f" the server found here is {self.binary.engine} {self.binary.version}.",
                hint="Name a server of that engine:  READINESS_MYSQLD=/path/to/the/server",
            )

    def _run_to_end(self, command: list[str], stdin: bytes) -> None:
        log = self.directory / "error.log"
        log_start = log.stat().st_size if log.exists() else 0
        running = start_guarded(command, error_log=log, stdin=stdin)
        try:
            code = running.wait(180)
        finally:
            running.kill()
        if code != 0:
            raise _death(log, log_start, 0)


def _start_detached(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as out:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )


def _death(log: Path, start: int, port: int) -> ServerError:
    """Why a server died, from the lines it logged since `start`."""
    with log.open("rb") as lines:
        lines.seek(start)
        text = lines.read().decode("utf-8", "replace")
    if any(sign in text for sign in _TAKEN):
        return port_taken(port)
    if "No space left on device" in text or "disk is full" in text.lower():
        free_mb = shutil.disk_usage(log.parent).free / 1e6
        return ServerError(
            f"The disk is full: {free_mb:,.0f} MB free at {log.parent}.",
            hint="Free some space, or use a folder on another disk.",
        )
    errors = [
        line.partition("[ERROR]")[2].strip() for line in text.splitlines() if "[ERROR]" in line
    ]
    said = errors[0] if errors else "it said nothing"
    return ServerError(f"The private server died at its start: {said}", hint=f"See {log}")
