"""The three ways to a copy of one moment: a stopped datadir, mariadb-backup, MySQL's CLONE plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from readiness.adapters.cold_copy import closed_datadir, copy_tree, require_unchanged
from readiness.adapters.server_binary import ServerBinary
from readiness.adapters.server_state import read_state
from readiness.adapters.snapshot_backup import back_up, find_program, source_bytes
from readiness.adapters.snapshot_plugin import clone, require_plugin
from readiness.adapters.snapshot_source import RunningSource, StoppedSource
from readiness.clones import torn
from readiness.clones.datadir import facts_of
from readiness.clones.manifest import TreeSize, size_of
from readiness.errors import CloneError

FindBinary = Callable[[], ServerBinary | None]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was copied. `changed_ns` is the latest change of a stopped source, 0 of a running one."""

    engine: str
    version: str
    changed_ns: int = 0
    variables: dict[str, str] = field(default_factory=dict)


class Way(Protocol):
    """One way to copy a source."""

    @property
    def method(self) -> str:
        """As the manifest names it."""
        ...

    @property
    def source(self) -> str:
        """What is copied, without a password."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """Inside, the source may be copied. Raises CloneError when it may not."""
        ...

    def size(self) -> TreeSize:
        """Its files and bytes."""
        ...

    def copy(self, partial: Path) -> Taken:
        """Makes `partial`/data. Raises CloneError, ServerError."""
        ...


class ColdCopy:
    """A datadir that was stopped in order, under the server's own lock."""

    method = torn.STOPPED

    def __init__(self, source: StoppedSource, find_binary: FindBinary) -> None:
        self._datadir = source.datadir
        self._find_binary = find_binary
        self.source = str(source.datadir)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps servers out. Raises CloneError also when the server did not end in order."""
        with closed_datadir(self._datadir):
            if not facts_of(self._datadir).was_stopped:
                raise CloneError(
                    f"The server of {self._datadir} did not end in order: its temporary tablespace"
                    " is still there. A copy of a running server looks the same.",
                    hint=torn.remedy(self.method),
                )
            yield

    def size(self) -> TreeSize:
        """All files of the datadir."""
        return size_of(self._datadir)

    def copy(self, partial: Path) -> Taken:
        """Copies the files, and sees that none changed meanwhile."""
        before = self.size()
        log = partial / "copy.log"
        copy_tree(self._datadir, partial / "data", log=log)
        require_unchanged(self._datadir, before)
        log.unlink()
        copied = size_of(partial / "data")
        if (copied.files, copied.bytes) != (before.files, before.bytes):
            raise CloneError(f"The copy of {self._datadir} is not whole.", hint="Take it again.")
        return self._taken(partial / "data", before.changed_ns)

    def _taken(self, copied: Path, changed_ns: int) -> Taken:
        """Who wrote it: what the redo log says, then the private server's own note, then the server
        that is found here."""
        facts, state = facts_of(copied), read_state(self._datadir.parent)
        variables = {"innodb_page_size": str(facts.page_bytes)}
        if facts.version:
            return Taken(facts.engine, facts.version, changed_ns, variables)
        if state is not None:
            return Taken(state.engine, state.version, changed_ns, variables)
        binary = self._find_binary()
        if binary is None:
            raise CloneError(
                f"Nothing says which server wrote {self._datadir}.",
                hint="Name the server program that did:  READINESS_MYSQLD=/path/to/the/server",
            )
        return Taken(facts.engine or binary.engine, binary.version, changed_ns, variables)


class BackupProgram:
    """A running MariaDB, by mariadb-backup."""

    method = torn.BACKUP

    def __init__(self, source: RunningSource, find_binary: FindBinary) -> None:
        self._running = source
        self._program = find_program(source, find_binary())
        self.source = source.place

    def held(self) -> AbstractContextManager[None]:
        """Nothing has to be held: the program follows what is written meanwhile."""
        return nullcontext()

    def size(self) -> TreeSize:
        """What the server has on its disk; never reused, since it changes."""
        return TreeSize(0, source_bytes(self._running), 0)

    def copy(self, partial: Path) -> Taken:
        """Backs up and prepares."""
        back_up(self._running, self._program, partial)
        return _taken_of(self._running)


class ClonePlugin:
    """A running MySQL, by its CLONE plugin."""

    method = torn.CLONE

    def __init__(self, source: RunningSource) -> None:
        self._running = source
        self.source = source.place
        require_plugin(source)

    def held(self) -> AbstractContextManager[None]:
        """Nothing has to be held: the server sees to it."""
        return nullcontext()

    def size(self) -> TreeSize:
        """What the server has on its disk; never reused, since it changes."""
        return TreeSize(0, source_bytes(self._running), 0)

    def copy(self, partial: Path) -> Taken:
        """Lets the server write it."""
        clone(self._running, partial)
        return _taken_of(self._running)


def way_for(source: StoppedSource | RunningSource, find_binary: FindBinary) -> Way:
    """The way to copy `source`. Raises CloneError where a running server has none."""
    if isinstance(source, StoppedSource):
        return ColdCopy(source, find_binary)
    if source.engine == "mariadb":
        return BackupProgram(source, find_binary)
    return ClonePlugin(source)


def _taken_of(source: RunningSource) -> Taken:
    return Taken(source.engine, source.version, variables=source.variables)
