"""What the load of a plan will add to its clone's disk, before the clone is made.

Nothing was measured yet, so it is estimated: the bytes of the INSERTs of a checkout as they are sent,
times a factor for indexes and half-filled pages, times the checkouts that the plan's stages are due to
begin. UPDATEs rewrite what is there, and a clone writes no binary log.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from readiness.config.plan import Plan
from readiness.load.schedule import area
from readiness.model.load import Stage
from readiness.model.workload import Piece, Row, Slot, StatementKind, Turn, Workload
from readiness.wiring.targets import workload_at

# Rows, their entries in secondary indexes, pages that random keys leave half full: 4.8 was measured for
# a row with a random unique key and two more indexes, less for rows with fewer.
_ROWS_PER_BYTE_SENT = 6.0


@dataclass(frozen=True, slots=True)
class LoadRoom:
    """`checkouts` due, and the `bytes` that they and the flows beside them add; 0 where nobody knows: the normal rate is
    measured later, or no workload is named."""

    checkouts: int = 0
    bytes: int = 0

    @property
    def text(self) -> str:
        """It in words; "" where nobody knows."""
        if not self.bytes:
            return ""
        mb = self.bytes / 1e6
        return (
            f"room for {self.checkouts:,} checkouts, estimated at {mb:,.1f} MB from their INSERTs"
        )


def room_of(plan: Plan) -> LoadRoom:
    """What the plan's load adds. Raises ConfigError, WorkloadFileError."""
    asked, path = plan.flow.normal_rate, plan.flow.workload
    if path is None or (asked is not None and asked.needs_calibration):
        return LoadRoom()
    normal = asked.at(0.0) if asked else 0.0
    room = _room(plan.stages_at(normal), path)
    beside = [_room(plan.companion_stages(f, normal), f.workload) for f in plan.companions]
    return replace(room, bytes=room.bytes + sum(other.bytes for other in beside))


def _room(stages: Iterable[Stage], path: Path | None) -> LoadRoom:
    checkouts = math.ceil(sum(area(stage, stage.duration_s) for stage in stages))
    each = bytes_per_checkout(workload_at(path)) if path else 0.0
    return LoadRoom(checkouts, math.ceil(checkouts * each))


def bytes_per_checkout(workload: Workload) -> float:
    """Bytes that a checkout adds to the tables, estimated; on average where its basket varies."""
    sizes = {v.name: len(v.example or v.expression) for v in workload.variables}
    share = {r.name: r.counts for r in workload.repeats}
    inserts = (step for step in workload.steps if step.kind is StatementKind.INSERT)
    sent = sum(_share(s.turn, share) * _sent(s.pieces, sizes, share) for s in inserts)
    return sent * _ROWS_PER_BYTE_SENT


def _sent(
    pieces: Iterable[Piece], sizes: Mapping[str, int], share: Mapping[str, tuple[int, ...]]
) -> float:
    return sum(_size(piece, sizes, share) for piece in pieces)


def _size(piece: Piece, sizes: Mapping[str, int], share: Mapping[str, tuple[int, ...]]) -> float:
    if isinstance(piece, Slot):
        return sizes.get(piece.variable, 0)
    if isinstance(piece, Row):
        return _share(piece.turn, share) * _sent(piece.pieces, sizes, share)
    return len(piece)


def _share(turn: Turn | None, share: Mapping[str, tuple[int, ...]]) -> float:
    """Of how many checkouts a part is sent: 1 where it stands in all of them."""
    if turn is None:
        return 1.0
    counts = share[turn.repeat]
    return sum(count >= turn.number for count in counts) / len(counts)
