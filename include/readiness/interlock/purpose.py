"""What a target is opened for."""

from __future__ import annotations

from enum import StrEnum


class Purpose(StrEnum):
    """LOAD sends the statements of a workload; MASK changes the clone itself, before any load."""

    LOAD = "load"
    MASK = "mask"
