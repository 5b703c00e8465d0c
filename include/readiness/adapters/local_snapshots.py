"""Snapshots on this machine: ROOT/snapshots/NAME/{data,manifest.json}, whole or not at all."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path

from readiness.adapters.cold_copy import closed_datadir, copy_tree
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.server_room import require_free_space
from readiness.adapters.server_state import read_state
from readiness.clones import manifest, naming
from readiness.errors import CloneError
from readiness.model.clone import Snapshot


class LocalSnapshots:
    """The snapshots under the folder `root`."""

    def __init__(self, root: Path, binary: ServerBinary | None = None) -> None:
        self.root = root.resolve()
        self._binary = binary

    def _found(self) -> ServerBinary:
        if self._binary is None:
            self._binary = find_server()
        return self._binary

    def take(self, source: str, name: str, *, masked: str = "") -> Snapshot:
        """A copy of the stopped server in `source` (its folder, or a bare datadir).

        The same name over an unchanged source gives the snapshot that is there; over a changed one
        it is taken anew. Raises CloneError when a server has the datadir open; ServerError when
        the disk is too full."""
        datadir = _datadir_of(Path(source).resolve())
        target = self.root / "snapshots" / naming.checked(name)
        with closed_datadir(datadir):
            size = manifest.size_of(datadir)
            there = _manifest_or_none(target)
            same = (str(datadir), size.changed_ns, masked)
            if there and (there.source, there.source_changed_ns, there.masked) == same:
                return there.snapshot(target)
            self.delete(name)
            partial = target.with_name(f"{name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir(parents=True, mode=0o700)
            require_free_space(partial, size.bytes, what=f"snapshot {name}")
            try:
                copy_tree(datadir, partial / "data", log=partial / "copy.log")
                made = replace(self._manifest_for(name, datadir, size, partial), masked=masked)
                manifest.write_manifest(partial, made)
            except BaseException:
                shutil.rmtree(partial, ignore_errors=True)
                raise
        partial.rename(target)
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
        return manifest.read_manifest(path).snapshot(path)

    def verify(self, snapshot: Snapshot) -> None:
        """Raises CloneError unless the snapshot's files are, bit by bit, what was taken."""
        if manifest.digest_of(Path(snapshot.path) / "data") != snapshot.sha256:
            raise CloneError(
                f"Snapshot {snapshot.name} is not what its manifest says.", hint="Take it again."
            )

    def _manifest_for(
        self, name: str, source: Path, size: manifest.TreeSize, partial: Path
    ) -> manifest.Manifest:
        (partial / "copy.log").unlink(missing_ok=True)
        data = partial / "data"
        copied = manifest.size_of(data)
        if (copied.files, copied.bytes) != (size.files, size.bytes):
            raise CloneError(f"The copy of {source} is not whole.")
        state = read_state(source.parent)
        made = manifest.Manifest(
            name=name,
            engine=state.engine if state else self._found().engine,
            version=state.version if state else self._found().version,
            files=copied.files,
            bytes=copied.bytes,
            sha256=manifest.digest_of(data),
            created_at=time.time(),
            source=str(source),
            source_changed_ns=size.changed_ns,
        )
        manifest.write_manifest(partial, made)
        return made

    def all(self) -> list[Snapshot]:
        """All whole snapshots, by name."""
        top = self.root / "snapshots"
        found = [(path, _manifest_or_none(path)) for path in sorted(top.glob("*"))]
        return [made.snapshot(path) for path, made in found if made]


def _datadir_of(folder: Path) -> Path:
    """The datadir of a server's folder; a bare datadir stands for itself."""
    inner = folder / "data"
    return inner if (inner / "ibdata1").exists() else folder


def _manifest_or_none(folder: Path) -> manifest.Manifest | None:
    if folder.suffix == ".partial":
        return None
    try:
        return manifest.read_manifest(folder)
    except CloneError:
        return None
