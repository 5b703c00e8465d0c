"""What a machine keeps and what is well there, as the commands and the janitor's DAG ask."""

from __future__ import annotations

import time

from readiness.adapters.local_clones import LocalClones
from readiness.adapters.server_command import ServerOptions
from readiness.artifacts.lock import RunLock
from readiness.artifacts.raw_logs import RawLogs
from readiness.config.settings import Settings
from readiness.flow.prune import Kept, Pruned, prune


def prune_machine(
    settings: Settings, *, older_than_days: float | None = None, is_dry_run: bool = False
) -> Pruned:
    """Deletes raw logs (of `older_than_days`, else as the settings say) and old runs.

    Raises Busy while another process prunes, ArtifactError for a broken note."""
    kept = kept_of(settings, older_than_days)
    with RunLock(settings.state / "prune.lock"):
        return prune(kept, now_s=time.time(), is_dry_run=is_dry_run)


def kept_of(settings: Settings, older_than_days: float | None = None) -> Kept:
    """What there is to prune, and how long each stays."""
    clones = LocalClones(settings.state, options=ServerOptions(is_attached=False)).list()
    days = settings.raw_log_days if older_than_days is None else older_than_days
    held = {clone.run_id for clone in clones}
    return Kept(RawLogs(settings.state), settings.runs, held, days, settings.run_days)
