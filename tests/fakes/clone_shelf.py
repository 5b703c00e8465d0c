"""Clones that exist only as records: a `CloneBackend` for the janitor's tests."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from readiness.errors import CloneError
from readiness.model.clone import Clone, Endpoint, Snapshot
from readiness.ports import Session


def shelved(
    name: str,
    *,
    lease_until: float,
    created_at: float = 0.0,
    pid: int = 7,
    run_id: str = "run-1",
) -> Clone:
    """A clone's record; without `run_id` it is a folder of which only the name is known."""
    return Clone(name, run_id, "gold", Endpoint(), pid, f"/clones/{name}", created_at, lease_until)


class CloneShelf:
    """Keeps `clones`; refuses to destroy those in `stuck`; `gone` vanish by another hand."""

    name = "shelf"

    def __init__(
        self,
        clones: Sequence[Clone],
        *,
        stuck: Collection[str] = (),
        gone: Collection[str] = (),
    ) -> None:
        self.clones = list(clones)
        self.stuck = set(stuck)
        self.gone = set(gone)

    def snapshot(self, source: str, name: str) -> Snapshot:
        """There is nothing to copy."""
        raise CloneError(f"no {source} for {name}")

    def restore(
        self,
        snapshot: Snapshot,
        *,
        run_id: str,
        variant: str,
        lease_s: float,
        load_bytes: int = 0,
    ) -> Clone:
        """There is nothing to restore."""
        raise CloneError(f"no {snapshot.name} for {run_id} {variant} {lease_s} {load_bytes}")

    def admit(self, name: str, *, masked: str) -> Clone:
        """There is nothing to admit."""
        raise CloneError(f"no {name} that is {masked}")

    def reset(self, name: str) -> Clone:
        """There is nothing to reset."""
        raise CloneError(f"no {name}")

    def freeze(self, name: str, snapshot_name: str) -> Snapshot:
        """There is nothing to freeze."""
        raise CloneError(f"no {name} for {snapshot_name}")

    def renew(self, name: str, lease_s: float) -> Clone:
        """There is nothing to renew."""
        raise CloneError(f"no {name} for {lease_s}")

    def admin_session(self, name: str, database: str = "") -> Session:
        """There is no server."""
        raise CloneError(f"no {name} with {database}")

    def list(self) -> list[Clone]:
        """What is on the shelf."""
        return list(self.clones)

    def destroy(self, name: str) -> bool:
        """Takes it away; raises CloneError for one that is stuck, OSError for one that vanishes."""
        if name in self.stuck:
            raise CloneError("its folder is in use.")
        there = [clone for clone in self.clones if clone.name == name]
        self.clones = [clone for clone in self.clones if clone.name != name]
        if name in self.gone:
            raise FileNotFoundError(2, "No such file or directory")
        return bool(there)
