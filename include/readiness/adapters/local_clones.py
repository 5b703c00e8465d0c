"""Clones on this machine: snapshots of a server's files, restored as private servers of their own.

A restore first writes down what it will make, so that a retry goes on where the try before stopped
and a killed one can be found and destroyed. A clone's server listens on 127.0.0.1 and on a socket
in a closed folder; only the load user, made by `admit`, logs in over TCP.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from readiness import interlock
from readiness.adapters import clone_folder, clone_marks, clone_server
from readiness.adapters.clone_shelf import CloneShelf
from readiness.adapters.server_room import require_free_space
from readiness.artifacts.masking_file import MASKING_FILE
from readiness.clones import leases, lifecycle, manifest, naming, tables
from readiness.clones.lifecycle import Step
from readiness.errors import CloneError, ServerError
from readiness.flow.mask_begun import PLAN_FILE
from readiness.model.clone import Clone, Endpoint, Snapshot
from readiness.ports import Session

_STOP_S = 600.0  # a golden master waits for a stop in good order


class LocalClones(CloneShelf):
    """`ports.CloneBackend` under the folder `root`. Servers of clones run with `options`, and die
    with this process unless `options.is_attached` is False."""

    name = "local"

    def snapshot(self, source: str, name: str) -> Snapshot:
        """As `LocalSnapshots.take` does it."""
        return self.snapshots.take(source, name)

    def restore(
        self,
        snapshot: Snapshot,
        *,
        run_id: str,
        variant: str,
        lease_s: float,
        load_bytes: int = 0,
    ) -> Clone:
        """As the port says; goes on where a dead try stopped.

        Raises CloneError (another engine or version, a snapshot that is not whole or is torn) and
        ServerError (disk, port, it died), Busy. A server that did not start leaves its data; `list` shows
        it, a retry copies anew, and `destroy` removes it."""
        name = naming.clone_name(run_id, variant)
        lifecycle.require_fit(snapshot, engine=self.binary.engine, version=self.binary.version)
        with self.alone(name):
            step = self._next_step(name, snapshot)
            if step is Step.COPY:
                self.destroy(name)
                self._copied(self._intent(name, run_id, snapshot, lease_s), snapshot, load_bytes)
            return self._running(name, snapshot, step, lease_s)

    def replaced_by(self, snapshot: Snapshot, *, run_id: str, variant: str) -> Clone | None:
        """The whole clone that a restore of `snapshot` would copy anew, and so lose; None where there
        is none, or where it would go on with it."""
        name = naming.clone_name(run_id, variant)
        found = lifecycle.read_record(self._directory(name))
        if found is None or not self._is_marked(name):
            return None
        return found if self._next_step(name, snapshot) is Step.COPY else None

    def admit(self, name: str, *, masked: str, nonce: str = "") -> Clone:
        """As the port says. Raises CloneError, also where no server runs; ServerError."""
        clone = replace(self.named(name), masked=clone_marks.checked(masked))
        session = self.admin_session(name)
        try:
            if not interlock.note_masked(session, masked, nonce=nonce):
                raise clone_marks.made_anew(clone)
            lifecycle.write_record(self._directory(name), clone)
            clone_server.make_load_user(session, self._directory(name))
        finally:
            session.close()
        return clone

    def reset(self, name: str) -> Clone:
        """As the port says; a retry of a killed one completes it. Raises CloneError where clone or
        snapshot are gone; ServerError; Busy."""
        with self.alone(name):
            return self._reset(name)

    def _reset(self, name: str) -> Clone:
        clone = replace(self.named(name), pid=0, masked="")
        snapshot, directory = self.snapshots.named(clone.snapshot), self._directory(name)
        lifecycle.require_fit(snapshot, engine=self.binary.engine, version=self.binary.version)
        self._end(name)
        # From here on a restore copies anew, too, however far this gets.
        (directory / lifecycle.UNMARKED_FILE).touch()
        lifecycle.write_record(directory, clone)
        for file in (clone_server.PASSWORD_FILE, MASKING_FILE, PLAN_FILE):  # of the data before
            (directory / file).unlink(missing_ok=True)
        clone_folder.remove_tree(directory / "data")
        need = lifecycle.restore_need_bytes(snapshot)
        require_free_space(directory, need, what=f"clone {name}")
        self._fill(directory, snapshot)
        self._start(name, snapshot)
        return self._finish(clone, snapshot, None)  # the restore has read all tables already

    def freeze(self, name: str, snapshot_name: str) -> Snapshot:
        """A snapshot of a masked clone, to restore every variant from: the golden master. The clone
        is stopped for it and started again; also a retry of a killed one does that.

        Raises CloneError for a clone that is not masked, and for the name of its own snapshot; Busy."""
        with self.alone(name):
            return self._frozen(name, snapshot_name)

    def _frozen(self, name: str, snapshot_name: str) -> Snapshot:
        clone = self.named(name)
        if not clone.masked:
            raise self._unmasked(clone, "no golden master is made of it")
        if clone.snapshot == snapshot_name:
            raise CloneError(
                f"The snapshot {snapshot_name} is what {name} was restored from.",
                hint="Give the golden master a name of its own.",
            )
        if self.server(name).status() is None:
            self._start(name)  # one that was killed recovers first: a copy of it would be torn
            clone_marks.await_answer(self.server(name))
        try:
            self.server(name).stop(timeout_s=_STOP_S)
            return self.snapshots.take(clone.directory, snapshot_name, masked=clone.masked)
        finally:
            self._start(name)
            clone_marks.mark(self.server(name), self.named(name), clone.masked)

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
        """Removes server, data and temporary folders of a clone; False when there was none. Raises
        CloneError when something of it stays, and why."""
        directory = self._directory(name)
        self._end(name)
        clone_folder.remove_tree(directory.with_name(directory.name + lifecycle.NEW_SUFFIX))
        self._servers.pop(name, None)
        return clone_folder.remove(directory)

    def _running(self, name: str, snapshot: Snapshot, step: Step, lease_s: float) -> Clone:
        """The clone whose data is there: started where it does not run, marked, its lease renewed."""
        try:
            if step is not Step.ADOPT:
                self._start(name, snapshot)
            clone_marks.await_answer(self.server(name))
            record = leases.renewed(self.named(name), now_s=time.time(), lease_s=lease_s)
            return self._finish(record, snapshot, self._verify(snapshot))
        except CloneError:
            if not self._is_marked(name):  # it is torn, or half masked: no retry mends that
                self.destroy(name)
            raise

    def _next_step(self, name: str, snapshot: Snapshot) -> Step:
        server = self.server(name)
        return lifecycle.next_step(
            lifecycle.read_record(self._directory(name)),
            snapshot,
            is_copied=server.is_initialised,
            is_running=(state := server.status()) is not None and not state.is_orphaned,
            is_marked=self._is_marked(name),
        )

    def _is_marked(self, name: str) -> bool:
        return not (self._directory(name) / lifecycle.UNMARKED_FILE).exists()

    def _intent(self, name: str, run_id: str, snapshot: Snapshot, lease_s: float) -> Clone:
        now_s, directory = time.time(), str(self._directory(name))
        until = now_s + lease_s
        made = Clone(name, run_id, snapshot.name, Endpoint(), 0, directory, now_s, until)
        return replace(made, owner=lifecycle.owner_here())

    def _copied(self, record: Clone, snapshot: Snapshot, load_bytes: int) -> None:
        """Writes down what will be made, and copies; nothing of it stays when that fails."""
        directory = self._directory(record.name)
        try:
            lifecycle.begin(directory, record)
            need = lifecycle.restore_need_bytes(snapshot, load_bytes)
            require_free_space(directory, need, what=f"clone {record.name}")
            self._fill(directory, snapshot)
        except BaseException:
            self.destroy(record.name)
            raise

    def _fill(self, directory: Path, snapshot: Snapshot) -> None:
        options = tables.start_options(manifest.read_manifest(Path(snapshot.path)).variables)
        clone_server.prepare_start(directory, self.binary.engine, options)
        clone_folder.fill(directory, snapshot)

    def _verify(self, snapshot: Snapshot) -> Callable[[Session], object]:
        """Compares all tables with what the snapshot's manifest says of them, and tells the cost."""

        def verify(session: Session) -> None:
            began = time.monotonic()
            count = self.snapshots.verify_tables(session, snapshot)
            self._tell(f"{count} tables compared in {time.monotonic() - began:.1f} s")

        return verify

    def _start(self, name: str, snapshot: Snapshot | None = None) -> None:
        """Starts the clone's server: never one that would make a datadir of its own. With `snapshot`,
        a death at the first start on its data is told as what it means."""
        server = self.server(name)
        self._end(name)
        if not server.is_initialised:
            raise CloneError(f"The clone {name} has no data.", hint=f"readiness clone reset {name}")
        try:
            server.start()
        except ServerError:
            if snapshot and not self._is_marked(name):
                clone_marks.require_whole(server, snapshot)
            raise

    def _finish(
        self, record: Clone, snapshot: Snapshot, verify: Callable[[Session], object] | None
    ) -> Clone:
        """Marker and record of a clone whose server answers; the load user where it is masked."""
        server, masked = self.server(record.name), record.masked or snapshot.masked
        if self._is_marked(record.name):
            masked = masked or clone_marks.noted(server, record)
        else:
            clone_marks.settle(server, snapshot, verify)
        clone = clone_marks.mark(server, record, masked)
        return self.admit(record.name, masked=masked) if masked else clone

    def _end(self, name: str) -> None:
        """Ends the clone's server, however little is known of it."""
        self.server(name).kill()
        clone_folder.end_processes(self._directory(name))
