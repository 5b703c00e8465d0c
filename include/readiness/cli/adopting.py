"""`readiness clone adopt`: a person is shown what they are about to trust, and says so."""

from __future__ import annotations

import getpass
import socket
import sys
import time
from dataclasses import dataclass

from readiness import interlock
from readiness.cli import console
from readiness.config.settings import Settings
from readiness.errors import ConfigError
from readiness.model.clone import Key, Marker
from readiness.wiring.targets import Target, keys_of, place_of


@dataclass(frozen=True, slots=True)
class Adoption:
    """For how long, in whose words it is masked ("": it must be masked before load), and whether a
    person agreed before."""

    lease_s: float
    masked: str
    is_agreed: bool


def adopt_target(target: Target, settings: Settings, wish: Adoption) -> tuple[Marker, str]:
    """The marker that was written, and what to say of it. Raises TargetRefused before a person is
    asked, ConfigError where nobody agreed, and for a clone of ours."""
    if target.clone is not None:
        raise ConfigError(
            f"{target.clone.name} is a clone of ours: it needs no adoption.",
            hint=f"Let it live longer:  readiness clone renew {target.clone.name}",
        )
    place = place_of(target, settings)
    masked = f"said by {_person()}: {wish.masked}" if wish.masked else ""
    with target.session() as session:
        interlock.require_adoptable(session, place)
        seen, keys = interlock.look(session), keys_of(target, session, settings)
        console.progress(_shown(seen, keys, target, wish.masked))
        _confirm(is_agreed=wish.is_agreed)
        marker = interlock.adopt(
            session, place, now_s=time.time(), lease_s=wish.lease_s, masked=masked
        )
        after = keys_of(target, session, settings)
    return marker, _said(marker, after, target)


def _person() -> str:
    return f"{getpass.getuser()}@{socket.gethostname()}"


def _confirm(*, is_agreed: bool) -> None:
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise ConfigError("Adoption asks a person.", hint="At a terminal, or with --yes.")
    console.progress("Load may destroy what is in it. Type adopt to trust it:")
    if sys.stdin.readline().strip() != "adopt":
        raise ConfigError("Not adopted. Nothing was written.")


def _shown(seen: interlock.Seen, keys: list[Key], target: Target, masked: str) -> str:
    server = seen.identity
    users = ", ".join(f"{count} of {user}" for user, count in seen.sessions.items())
    rows = [
        ("target", target.where),
        ("server", f"{server.engine} {server.version}, id {server.uuid}"),
        ("data", f"{server.datadir} on {server.hostname}, port {server.port}"),
        ("size", f"{seen.data_bytes / 1e6:,.1f} MB of data and indexes"),
        ("sessions", users or "none but this one"),
        ("masked", masked or "nobody said so: mask it before load"),
    ]
    lines = [f"  {name:<10}{text}" for name, text in rows]
    lines += [
        f"  {key.name:<10}{'ok     ' if key.holds else 'missing'}   {key.why}" for key in keys
    ]
    return "\n".join(["You are about to trust, as a clone:", *lines])


def _said(marker: Marker, keys: list[Key], target: Target) -> str:
    until = time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(marker.lease_until))
    missing = [key for key in keys if not key.holds]
    lines = [f"adopted until {until}"]
    lines += [f"before load, {key.name}: {key.why}" for key in missing]
    lines += [key.remedy.replace("{target}", target.text) for key in missing if key.remedy]
    return "\n".join(lines)
