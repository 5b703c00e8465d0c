"""Refuses captures whose SQL a workload would carry wrongly: it is read in the default sql_mode."""

from __future__ import annotations

from collections.abc import Iterable

from readiness.errors import WorkloadError
from readiness.ports import Session

_READ_DIFFERENTLY = frozenset(
    {
        "ANSI_QUOTES",
        "HIGH_NOT_PRECEDENCE",
        "NO_BACKSLASH_ESCAPES",
        "ORACLE",
        "PIPES_AS_CONCAT",
    }
)


def refuse_other_sql_modes(modes: Iterable[str], whose: str) -> None:
    """`modes` in upper case; raises WorkloadError for one in which the same bytes say another
    thing. Combined modes (ANSI) come with the modes that they stand for."""
    found = sorted(_READ_DIFFERENTLY.intersection(modes))
    if found:
        raise WorkloadError(
            f"{whose} has sql_mode {', '.join(found)}, in which quotes, backslashes or operators"
            " mean something else than in a workload file",
            hint="Capture the flow once with the application's sql_mode free of"
            f" {' and '.join(found)}.",
        )


def global_sql_modes(session: Session) -> list[str]:
    """The modes in which a server's new sessions begin."""
    rows = session.query("SELECT @@GLOBAL.sql_mode")
    return str(rows[0][0]).upper().split(",") if rows else []
