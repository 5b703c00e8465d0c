"""Whether a value that stands within a text, or is all of it, stands there for a reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from readiness.model.workload import VariableKind
from readiness.workload.find.distinct import is_distinct
from readiness.workload.find.groups import Group, Values, is_telling
from readiness.workload.find.names import singular

_REFERENCE = re.compile(r"(?:^|_)id$|Id$|^ID$")


def may_make_key(group: Group, sources: Sequence[tuple[Group, Values]]) -> bool:
    """Whether an indexed text is made of these values and constants. One of them says enough itself:
    it is long, or a server's id. A unique key is not made of what comes again (names, dates)."""
    if group.rank == 0 and not any(is_distinct(source) for source, _ in sources):
        return False
    return any(is_telling(values) or _is_server(source) for source, values in sources)


def is_accident(group: Group, sources: Sequence[Group | None]) -> bool:
    """A short number, or text of digits, that only equals a key: a quantity is no id, however alike
    they are. A column named `…_id` refers to something; and amounts may be equal for a reason."""
    if len(sources) != 1 or sources[0] is None or is_telling(group.values):
        return False
    if _is_server(sources[0]):
        return not _REFERENCE.search(group.home.meeting.column)
    return sources[0].is_indexed


def likeliest(source: Group, target: Group) -> tuple[float, int]:
    """Smaller is likelier: of short ids that run in lock-step the one whose table is named by the
    text, or by the column or table that the text meets; else the one that was given last."""
    if not _is_server(source) or is_telling(source.values):
        return 0.0, 0
    text = (target.values[0] or b"").decode(errors="replace")
    around = " ".join((text, *target.home.column)).lower()
    words = [w for w in singular(source.column[0]).lower().split("_") if w]
    return -sum(w in around for w in words) / len(words), -source.bound_by


def _is_server(source: Group) -> bool:
    return source.kind is VariableKind.SERVER
