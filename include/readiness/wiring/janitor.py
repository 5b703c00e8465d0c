"""The janitor of this machine's clones, as the command and the DAG run it.

A clone whose run was never sealed tells that the run was killed, paused or deleted. Nobody else can
say so to its channel, so the janitor does.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from readiness.adapters import leftovers
from readiness.adapters.clone_folder import remove_tree
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_state import server_processes_of
from readiness.artifacts.lock import RunLock
from readiness.artifacts.run_folder import RunFolder
from readiness.clones.janitor import ServerProcess, minutes, silence_s
from readiness.config.settings import Settings
from readiness.errors import ArtifactError
from readiness.flow.announce import Desk, announce_end
from readiness.flow.janitor import Beat, Round, last_round_at, make_round
from readiness.model.clone import Clone
from readiness.wiring.messages import desk_of, keep

DIARY_FILE = "janitor.json"
SEALED = "run_sealed"  # the last event of a run whose seal task has run


def tend_clones(
    settings: Settings,
    *,
    desk: Desk | None = None,
    is_dry_run: bool = False,
    now_s: float | None = None,
) -> Round:
    """One round over the clones of the state folder, now unless `now_s` says when; `desk` is told of
    runs that were never sealed.

    Raises Busy while another janitor is here."""
    with RunLock(settings.state / "janitor.lock"):
        made = make_round(_beat(settings), now_s=now_s or time.time(), is_dry_run=is_dry_run)
    if not is_dry_run:
        for clone in made.destroyed:
            _close(RunFolder(settings.runs / clone.run_id), clone, made, desk or desk_of(settings))
    return made


def janitor_silence_s(settings: Settings) -> float:
    """How long no janitor came, when that is too long; else 0."""
    return silence_s(
        last_round_at(settings.state / DIARY_FILE), time.time(), _clones(settings).list()
    )


def _close(folder: RunFolder, clone: Clone, made: Round, desk: Desk) -> None:
    """Notes in the run's folder that its clone is gone, and tells it of a run without a seal."""
    if not folder.path.is_dir():
        return
    ended_min = minutes(made.at - clone.lease_until)
    is_sealed = any(event["event"] == SEALED for event in _events(folder))
    folder.append_event(made.at, "clone_destroyed_by_janitor", clone=clone.name)
    if not is_sealed:
        problem = f"the run did not end: its clone's lease ended {ended_min} min ago"
        closing = "clone destroyed by the janitor"
        keep(folder, announce_end(folder, desk, problems=[problem], closing=closing))


def _events(folder: RunFolder) -> list[dict[str, Any]]:
    try:
        return folder.read_events()
    except ArtifactError:
        return []


def _beat(settings: Settings) -> Beat:
    clones = _clones(settings)

    def processes() -> list[ServerProcess]:
        found = server_processes_of(clones.root / "clones")
        return [ServerProcess(process.pid, str(datadir.parent)) for process, datadir in found]

    return Beat(
        clones,
        processes,
        settings.state / DIARY_FILE,
        halves=lambda: leftovers.half_made(clones.root),
        remove=lambda half: remove_tree(Path(half.path)),
    )


def _clones(settings: Settings) -> LocalClones:
    return LocalClones(settings.state, options=ServerOptions(is_attached=False))
