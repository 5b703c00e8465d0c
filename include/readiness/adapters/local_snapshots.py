"""Snapshots on this machine: ROOT/snapshots/NAME/{data,manifest.json}, whole or not at all.

A snapshot is made in NAME.partial, whose intent.json is written first, and renamed when it is whole:
a crash leaves a folder that says what it was to become, and the next try begins anew. One that is
there already stays until the new one is whole, if the disk has room for both.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from readiness.adapters.processes import ProcessIdentity, identify, is_alive
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.server_room import require_free_space
from readiness.adapters.snapshot_source import find_source
from readiness.adapters.snapshot_ways import Taken, Way, way_for
from readiness.clones import disk, manifest, naming, tables
from readiness.errors import Busy, CloneError, ServerError
from readiness.model.clone import Snapshot
from readiness.ports import Session


@dataclass(frozen=True, slots=True)
class HalfSnapshot:
    """A snapshot that is being taken, or was when its process died. `intent` is None where it died
    before it wrote one down; `age_s` is counted from its last change."""

    name: str
    path: Path
    intent: manifest.Intent | None
    is_alive: bool
    age_s: float


class LocalSnapshots:
    """The snapshots under the folder `root`."""

    def __init__(self, root: Path, binary: ServerBinary | None = None) -> None:
        self.root = root.resolve()
        self._binary = binary

    def take(self, source: str, name: str, *, masked: str = "") -> Snapshot:
        """A copy of one moment of what `source` names: a private server's folder (stopped or running),
        a stopped datadir, or mysql://user@/?socket=… of a server on this machine.

        The same name over an unchanged stopped source gives the snapshot that is there; otherwise it
        is taken anew. `masked` goes into the manifest: how personal data left the clone that is
        copied. Raises CloneError (torn, no way to copy it, no rights), ServerError (disk), Busy (it
        is being taken), TargetError and ConfigError for an address."""
        found = find_source(source)
        target = self.root / "snapshots" / naming.checked(name)
        way = way_for(found, self._server)
        with way.held():
            size = way.size()
            there = _manifest_or_none(target)
            if there and size.changed_ns and _is_of(there, way, size, masked):
                return there.snapshot(target)
            with self._partial(target, way) as partial:
                self._make_room(target, partial, size.bytes)
                taken = way.copy(partial)
                made = _manifest_for(name, way, taken, partial, masked)
                self._put(partial, target)
        return made.snapshot(target)

    def delete(self, name: str) -> bool:
        """Removes a snapshot; False when there was none."""
        target = self.root / "snapshots" / naming.checked(name)
        if not target.exists():
            return False
        # Without its manifest it is no snapshot any more, however far the removal gets.
        (target / manifest.MANIFEST_FILE).unlink(missing_ok=True)
        shutil.rmtree(target)
        return True

    def named(self, name: str) -> Snapshot:
        """The snapshot of that name. Raises CloneError when there is none."""
        path = self.root / "snapshots" / naming.checked(name)
        if not path.exists():
            raise self._no_such(name)
        return manifest.read_manifest(path).snapshot(path)

    def verify(self, snapshot: Snapshot) -> None:
        """Raises CloneError unless the snapshot's files are, bit by bit, what was taken."""
        if manifest.digest_of(Path(snapshot.path) / "data") != snapshot.sha256:
            raise _not_as_said(snapshot)

    def verify_tables(self, session: Session, snapshot: Snapshot) -> int:
        """Compares CHECKSUM TABLE of all tables with the manifest; the number of tables compared.

        Only a server can read tables, so the first restore of a snapshot writes its sums into the
        manifest, and later ones are held against them: a throw-away start at the snapshot would cost
        every snapshot what only restored ones need. Sums of another release are not compared (0).
        Reads all rows. Raises CloneError naming the tables that differ."""
        folder = Path(snapshot.path)
        known = manifest.read_manifest(folder)
        asked = " ".join(tables.server_of(session))
        if known.checksums_by and known.checksums_by != asked:
            return 0
        found = tables.checksums_of(session)
        if not known.checksums_by:
            made = replace(known, checksums=found, checksums_by=asked)
            manifest.write_manifest(folder, made)
            return len(found)
        differ = tables.differing(known.checksums, found)
        if differ:
            raise CloneError(
                f"Tables are not what snapshot {snapshot.name} holds: {differ}.",
                hint="Destroy the clone and restore it again; if it stays so, take a new snapshot.",
            )
        return len(found)

    def half(self) -> list[HalfSnapshot]:
        """Snapshots that are being taken or were left half, by name."""
        found = sorted((self.root / "snapshots").glob("*.partial"))
        return [made for path in found if (made := _half_at(path))]

    def all(self) -> list[Snapshot]:
        """All whole snapshots, by name."""
        top = self.root / "snapshots"
        found = [(path, _manifest_or_none(path)) for path in sorted(top.glob("*"))]
        return [made.snapshot(path) for path, made in found if made]

    def _no_such(self, name: str) -> CloneError:
        names = ", ".join(found.name for found in self.all())
        return CloneError(
            f"There is no snapshot {name}"
            + (f"; there are {names}." if names else ", nor any other."),
            hint=f"Take it:  readiness clone create --snapshot {name} --source SOURCE",
        )

    def _server(self) -> ServerBinary | None:
        """The server program, where there is one: few sources need it."""
        try:
            self._binary = self._binary or find_server()
        except ServerError:
            return None
        return self._binary

    @contextmanager
    def _partial(self, target: Path, way: Way) -> Iterator[Path]:
        """The folder in which the snapshot is made, with its intent; gone again when that fails."""
        partial = target.with_name(f"{target.name}.partial")
        half = _half_at(partial)
        if half and half.is_alive and half.intent:
            raise Busy(
                f"Process {half.intent.pid} is taking snapshot {target.name}.",
                hint="Wait for it to end, or take one of another name.",
            )
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True, mode=0o700)
        try:
            manifest.write_intent(partial, _intent_of(target.name, way))
            yield partial
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _make_room(self, target: Path, partial: Path, data_bytes: int) -> None:
        """Raises ServerError when it does not fit, though the one that it replaces went."""
        need = disk.need_bytes(data_bytes)
        old_bytes = manifest.size_of(target).bytes if target.exists() else 0
        if shutil.disk_usage(partial).free < need <= shutil.disk_usage(partial).free + old_bytes:
            self.delete(target.name)
        require_free_space(partial, need, what=f"snapshot {target.name}")

    def _put(self, partial: Path, target: Path) -> None:
        (partial / manifest.INTENT_FILE).unlink()
        self.delete(target.name)
        partial.rename(target)


def _is_of(there: manifest.Manifest, way: Way, size: manifest.TreeSize, masked: str) -> bool:
    had = (there.source, there.source_changed_ns, there.method, there.masked)
    return had == (way.source, size.changed_ns, way.method, masked)


def _manifest_for(
    name: str, way: Way, taken: Taken, partial: Path, masked: str
) -> manifest.Manifest:
    data = partial / "data"
    copied = manifest.size_of(data)
    made = manifest.Manifest(
        name=name,
        engine=taken.engine,
        version=taken.version,
        files=copied.files,
        bytes=copied.bytes,
        sha256=manifest.digest_of(data),
        created_at=time.time(),
        source=way.source,
        source_changed_ns=taken.changed_ns,
        method=way.method,
        masked=masked,
        variables=taken.variables,
    )
    manifest.write_manifest(partial, made)
    return made


def _intent_of(name: str, way: Way) -> manifest.Intent:
    me = identify(os.getpid()) or ProcessIdentity(os.getpid(), 0)
    return manifest.Intent(name, way.source, way.method, time.time(), me.pid, me.started_ticks)


def _half_at(path: Path) -> HalfSnapshot | None:
    try:
        age_s = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return None
    intent = manifest.read_intent(path)
    lives = intent is not None and is_alive(ProcessIdentity(intent.pid, intent.started_ticks))
    return HalfSnapshot(path.name.removesuffix(".partial"), path, intent, lives, age_s)


def _not_as_said(snapshot: Snapshot) -> CloneError:
    return CloneError(
        f"Snapshot {snapshot.name} is not what its manifest says.", hint="Take it again."
    )


def _manifest_or_none(folder: Path) -> manifest.Manifest | None:
    if folder.suffix == ".partial":
        return None
    try:
        return manifest.read_manifest(folder)
    except CloneError:
        return None
