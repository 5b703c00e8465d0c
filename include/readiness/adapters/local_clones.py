"""Clones on this machine: cold snapshots of a private server, restored as servers of their own.

ROOT/snapshots/NAME/{data,manifest.json} and ROOT/clones/NAME/{clone.json,data,server.json,…}.
A snapshot appears whole or not at all; a restore first writes down what it will make, so that
a retry goes on where the try before stopped and a killed one can be found and destroyed.
"""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from readiness import interlock
from readiness.adapters.cold_copy import copy_tree
from readiness.adapters.local_server import LocalServer
from readiness.adapters.local_snapshots import LocalSnapshots
from readiness.adapters.mysql_session import Login
from readiness.adapters.processes import end
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_room import require_free_space
from readiness.adapters.server_state import (
    read_state,
    remove_temporary_folder,
    server_processes_of,
    temporary_folders_of,
)
from readiness.clones import leases, lifecycle, manifest, naming
from readiness.clones.lifecycle import Step
from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint, Snapshot
from readiness.ports import Session

_SYSTEM_SCHEMAS = {
    "mysql",
    "sys",
    "information_schema",
    "performance_schema",
    interlock.MARKER_SCHEMA,
}
_LOAD_RIGHTS = "SELECT, INSERT, UPDATE, DELETE, EXECUTE, CREATE TEMPORARY TABLES, LOCK TABLES"
_PASSWORD_FILE = "load.password"  # noqa: S105 - the name of a file


class LocalClones:
    """`ports.CloneBackend` under the folder `root`. Servers of clones run with `options`, and die
    with this process unless `options.is_attached` is False."""

    name = "local"

    def __init__(
        self,
        root: Path,
        *,
        binary: ServerBinary | None = None,
        options: ServerOptions | None = None,
    ) -> None:
        self.root = root.resolve()
        self.options = options or ServerOptions()
        self._binary = binary
        self.snapshots = LocalSnapshots(root, binary)
        self._servers: dict[str, LocalServer] = {}

    @property
    def binary(self) -> ServerBinary:
        """The server program that clones run on; raises ServerError when there is none."""
        if self._binary is None:
            self._binary = find_server()
        return self._binary

    def snapshot(self, source: str, name: str) -> Snapshot:
        """As `LocalSnapshots.take` does it."""
        return self.snapshots.take(source, name)

    def restore(self, snapshot: Snapshot, *, run_id: str, variant: str, lease_s: float) -> Clone:
        """A running clone with marker and load user; goes on where a dead try stopped.

        Raises CloneError (another engine or version, a snapshot that is not whole) and ServerError
        (disk, port, it died). A server that did not start leaves its data, for a retry; `list` shows
        it and `destroy` removes it."""
        name = naming.clone_name(run_id, variant)
        lifecycle.require_fit(snapshot, engine=self.binary.engine, version=self.binary.version)
        directory, server = self._directory(name), self.server(name)
        record = lifecycle.read_record(directory)
        step = lifecycle.next_step(
            record,
            snapshot=snapshot.name,
            is_copied=server.is_initialised,
            is_running=server.status() is not None,
        )
        if step is Step.COPY or record is None:
            self.destroy(name)
            record = self._copied(snapshot, name, run_id, lease_s)
        if step is not Step.ADOPT:
            self._end_processes(directory)
            server.start()
        return self._finish(record, snapshot, lease_s)

    def admit(self, name: str, *, masked: str) -> Clone:
        """As the port says. Raises CloneError, also where no server runs; ServerError."""
        clone = replace(self.named(name), masked=masked)
        session = self.admin_session(name)
        try:
            interlock.note_masked(session, masked)
            self._make_load_user(session, name, _data_schemas(session))
        finally:
            session.close()
        lifecycle.write_record(self._directory(name), clone)
        return clone

    def reset(self, name: str) -> Clone:
        """As the port says. Raises CloneError where clone or snapshot are gone; ServerError."""
        clone = self.named(name)
        snapshot = self.snapshots.named(clone.snapshot)
        self.server(name).kill()
        shutil.rmtree(self.server(name).datadir)
        self._copy(snapshot, self._directory(name))
        self.server(name).start()
        lease_s = max(0.0, clone.lease_until - time.time())
        return self._finish(replace(clone, masked=""), snapshot, lease_s)

    def renew(self, name: str, lease_s: float) -> Clone:
        """Moves the lease of clone and marker to now + `lease_s`. Raises CloneError."""
        clone = leases.renewed(self.named(name), now_s=time.time(), lease_s=lease_s)
        session = self.admin_session(name)
        try:
            interlock.renew_marker(session, now_s=time.time(), lease_s=lease_s)
        finally:
            session.close()
        lifecycle.write_record(self._directory(name), clone)
        return clone

    def end_lease(self, name: str, *, in_s: float) -> Clone:
        """Lets the clone's lease end `in_s` seconds from now, be it sooner than it was to; the marker
        keeps its end. Raises CloneError."""
        clone = replace(self.named(name), lease_until=time.time() + in_s)
        lifecycle.write_record(self._directory(name), clone)
        return clone

    def destroy(self, name: str) -> bool:
        """Removes server, data and temporary folders of a clone; False when there was none."""
        directory = self._directory(name)
        self.server(name).kill()
        self._end_processes(directory)
        if not directory.exists():
            return False
        # The record goes last: what is killed half way through is still listed.
        for entry in directory.iterdir():
            if entry.name != lifecycle.RECORD_FILE:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        shutil.rmtree(directory)
        return True

    def named(self, name: str) -> Clone:
        """The clone of that name. Raises CloneError when there is none."""
        for clone in self.list():
            if clone.name == name:
                return clone
        raise CloneError(f"There is no clone {name}.", hint="readiness clone list")

    def server(self, name: str) -> LocalServer:
        """The private server of a clone."""
        if name not in self._servers:
            directory = self._directory(name)
            self._servers[name] = LocalServer(directory, options=self.options, binary=self._binary)
        return self._servers[name]

    def admin_session(self, name: str, database: str = "") -> Session:
        """A session as root: for the marker, the interlock and the sampler."""
        return self.server(name).root_session(database)

    def load_login(self, name: str) -> Login:
        """How the load user logs in: over TCP, with the password only the clone's folder holds."""
        clone = self.named(name)
        return Login(
            host=clone.endpoint.host,
            port=clone.endpoint.port,
            user=interlock.LOAD_USER,
            password=self.load_password_file(name).read_text("ascii").strip(),
            database=clone.database,
            tls="off",
        )

    def load_password_file(self, name: str) -> Path:
        """The file (mode 0600) that holds the load user's password."""
        return self._directory(name) / _PASSWORD_FILE

    def _copied(self, snapshot: Snapshot, name: str, run_id: str, lease_s: float) -> Clone:
        """The record of a clone whose data is copied; nothing of it stays when that fails."""
        try:
            record = self._begin(name, run_id, snapshot, lease_s)
            self._copy(snapshot, self._directory(name))
        except BaseException:
            self.destroy(name)
            raise
        return record

    def _begin(self, name: str, run_id: str, snapshot: Snapshot, lease_s: float) -> Clone:
        """Writes down what will be made, before it is."""
        directory = self._directory(name)
        directory.mkdir(parents=True, mode=0o700)
        require_free_space(directory, lifecycle.restore_need_bytes(snapshot), what=f"clone {name}")
        now_s = time.time()
        clone = Clone(
            name,
            run_id,
            snapshot.name,
            Endpoint(),
            0,
            str(directory),
            now_s,
            now_s + lease_s,
            owner=f"{getpass.getuser()}@{socket.gethostname()}",
        )
        lifecycle.write_record(directory, clone)
        return clone

    def _copy(self, snapshot: Snapshot, directory: Path) -> None:
        """Copies the snapshot's data, without what belongs to the server it came from."""
        wanted = manifest.read_manifest(Path(snapshot.path))
        partial = directory / "data.partial"
        copy_tree(Path(snapshot.path) / "data", partial, log=directory / "copy.log")
        copied = manifest.size_of(partial)
        if (copied.files, copied.bytes) != (wanted.files, wanted.bytes):
            raise CloneError(
                f"Snapshot {snapshot.name} is not what its manifest says.", hint="Take it again."
            )
        for path in lifecycle.not_carried(partial):
            path.unlink()
        partial.rename(directory / "data")

    def _finish(self, record: Clone, snapshot: Snapshot, lease_s: float) -> Clone:
        """Marker and record of a clone whose server answers; the load user where it is masked."""
        masked = record.masked or snapshot.masked
        now_s = time.time()
        state = self.server(record.name).running_state()
        session = self.admin_session(record.name)
        try:
            schemas = _data_schemas(session)
            interlock.write_marker(
                session, run_id=record.run_id, now_s=now_s, lease_s=lease_s, masked=masked
            )
        finally:
            session.close()
        clone = lifecycle.as_running(
            replace(record, lease_until=now_s + lease_s),
            endpoint=state.endpoint,
            pid=state.pid,
            database=schemas[0] if len(schemas) == 1 else "",
        )
        lifecycle.write_record(self._directory(record.name), clone)
        return self.admit(record.name, masked=masked) if masked else clone

    def _make_load_user(self, session: Session, name: str, schemas: tuple[str, ...]) -> None:
        """An account for this clone alone, that can change rows and nothing else."""
        password, account = secrets.token_urlsafe(24), f"'{interlock.LOAD_USER}'@'127.0.0.1'"
        file = self.load_password_file(name)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(f"{password}\n")
        session.query(f"DROP USER IF EXISTS {account}")
        session.query(f"CREATE USER {account} IDENTIFIED BY %s", (password,))
        for schema in schemas:
            quoted = "`" + schema.replace("`", "``").replace("_", r"\_") + "`"
            session.query(f"GRANT {_LOAD_RIGHTS} ON {quoted}.* TO {account}")

    def _end_processes(self, directory: Path) -> None:
        """Ends servers of a try whose state file says nothing, and removes their socket folders."""
        for process, _ in list(server_processes_of(directory)):
            end(process, grace_s=0)
        for folder, _ in temporary_folders_of(directory):
            remove_temporary_folder(str(folder))

    def _directory(self, name: str) -> Path:
        return self.root / "clones" / naming.checked(name)

    def _folders(self) -> Iterator[Path]:
        top = self.root / "clones"
        if top.is_dir():
            yield from sorted(path for path in top.iterdir() if path.is_dir())

    def list(self) -> list[Clone]:
        """All clones that exist, also half-made ones; `pid` is 0 where no server runs."""
        clones = []
        for folder in self._folders():
            clone = lifecycle.read_record(folder) or lifecycle.half_made(folder)
            state = read_state(folder)
            is_running = state is not None and state.is_running
            clones.append(clone if is_running else replace(clone, pid=0))
        return clones


def _data_schemas(session: Session) -> tuple[str, ...]:
    names = (str(row[0]) for row in session.query("SHOW DATABASES"))
    return tuple(sorted(name for name in names if name not in _SYSTEM_SCHEMAS))
