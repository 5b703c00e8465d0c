"""The task between restore and load: personal data leaves the clone, and load is let in."""

from __future__ import annotations

import time
from dataclasses import asdict

from readiness.airflow.lifecycle import renewed_plan, restore
from readiness.airflow.task_run import TaskRun
from readiness.config.masking import Masking
from readiness.config.plan import Plan
from readiness.errors import ConfigError
from readiness.model.masking import Masked
from readiness.wiring.masking import MaskRequest, mask_target
from readiness.wiring.production import with_watched
from readiness.wiring.targets import target_of

MASKED = "clone_masked"


def mask(task: TaskRun) -> str:
    """Takes personal data out of the clone, proves it and lets load in; what is said of it. A clone of
    a masked snapshot is left as it is. Goes on where a dead try stopped, also where the server died.

    Raises MaskingError, ConfigError (the policy), TargetRefused: then the clone has no load user."""
    plan = renewed_plan(task)
    if not task.clones.named(task.clone_name).pid:
        restore(task)
    clone = task.clones.named(task.clone_name)
    with task.onlooker.step("mask the clone") as tell:
        target = target_of(task.clones.admin_dsn(clone), task.clones)
        request = MaskRequest(target, _masking(plan), task.folder.path)
        settings = with_watched(task.settings, plan)
        masked = mask_target(request, task.clones, settings, progress=task.onlooker.progress)
        tell(_masked_words(masked))
    task.folder.append_event(time.time(), MASKED, clone=clone.name, **asdict(masked))
    return masked.title


def _masked_words(masked: Masked) -> str:
    """What was done and how it is proven; the policy stands in the marker."""
    if not masked.checks:
        return f"nothing to do: {masked.title}"
    return (
        f"{masked.columns} columns of {masked.tables} tables, 0 of {masked.values:,} personal values"
        f" left, proven by {masked.checks} checks"
    )


def _masking(plan: Plan) -> Masking:
    if plan.clone is None:
        raise ConfigError(
            f"The plan {plan.name} names no snapshot to clone.",
            hint="Give it  clone: {snapshot: NAME}",
        )
    return plan.clone.masking
