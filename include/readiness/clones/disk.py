"""How much disk a snapshot or a clone needs, before anything is written."""

from __future__ import annotations

SPARE_BYTES = 200 << 20  # redo log, temporary tables, logs: what a server makes by itself


def need_bytes(
    data_bytes: int, bytes_per_checkout: float = 0.0, arrivals: float = 0.0, binlog_bytes: int = 0
) -> int:
    """Bytes that a copy of `data_bytes` needs: itself, what `arrivals` checkouts add to it, the binary
    log that they write, and room for what the server makes by itself. Shared blocks (reflink) are
    not counted off: load rewrites them, and then they take their place.

    Raises ValueError for a negative figure: an estimate that went wrong must not pass as small."""
    if min(data_bytes, bytes_per_checkout, arrivals, binlog_bytes) < 0:
        raise ValueError("A need for disk is never negative.")
    return data_bytes + round(bytes_per_checkout * arrivals) + binlog_bytes + SPARE_BYTES
