"""AUTO_INCREMENT ranges on a target: a clone of ours, or the pre-production of a capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readiness import interlock
from readiness.config.settings import Settings
from readiness.errors import ConfigError, TargetRefused
from readiness.interlock import Purpose
from readiness.ports import Progress
from readiness.wiring.targets import Target, keys_of
from readiness.workload.prove.salt import Salting, apply, plan, read_counters, to_text


@dataclass(frozen=True, slots=True)
class _Place:
    """What the target is: a clone that all keys open, or any other database; and how it reads."""

    is_clone: bool
    text: str


def salt(
    target: Target, settings: Settings, *, is_agreed: bool, progress: Progress
) -> Sequence[Salting]:
    """Says what it is about to do, and does it: on a clone, or where `is_agreed` on any database
    that is not configured as production (captures are taken on a pre-production, which is no clone).

    Raises TargetRefused for production, ConfigError where a person must agree first."""
    if not target.dsn.database:
        raise ConfigError("The target's DSN names no database.", hint="mysql://user@host/database")
    place = _place(target, settings)
    with target.session() as session:
        found = plan(read_counters(session, target.dsn.database))
        progress(f"{place.text}\n{to_text(found)}")
        if not any(s.action == "salt" for s in found):
            return found
        if not (place.is_clone or is_agreed):
            raise ConfigError(
                "This database is no clone of ours: its counters move only where a person agrees.",
                hint="No row changes. If it is where you capture, type it again with  --yes",
            )
        apply(session, found)
    return found


def _place(target: Target, settings: Settings) -> _Place:
    """Asks the interlock. Raises TargetRefused for a configured production server."""
    with target.admin_session() as session:
        identity = interlock.describe(session)
        keys = keys_of(target, session, settings, Purpose.MASK)
    production = next(key for key in keys if key.name == "production")
    if not production.holds:
        raise TargetRefused(
            "Refused: this target is production. Nothing was changed on it.",
            [(key.name, key.holds, key.why) for key in keys],
            hint=f"Salt the pre-production where you capture.\n\nMore: {interlock.RUNBOOK}",
            where=target.where,
        )
    server = f"{target.dsn.database} on {identity.engine} {identity.version}, {identity.hostname}"
    return _Place(
        all(key.holds for key in keys),
        f"ALTER TABLE … AUTO_INCREMENT on {server} ({production.why}); no row changes:",
    )
