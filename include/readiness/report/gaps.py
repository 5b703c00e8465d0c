"""What a run did not measure, said plainly: the limits of the answer."""

from __future__ import annotations

from collections.abc import Mapping

from readiness.model.load import StageResult
from readiness.model.verdict import VerdictWord
from readiness.report.measured import Measured
from readiness.report.numbers import duration, rate
from readiness.report.view import RunView

_WANTED = {
    "aas": "Active sessions",
    "read_iops": "Storage reads",
    "write_iops": "Storage writes",
    "host_cpu_ratio": "CPU of the database's host",
}


def not_measured(run: RunView, figures: Mapping[str, Measured]) -> tuple[str, ...]:
    """One sentence per gap, the ones that weigh most first, the run's own notes last."""
    gaps = []
    if run.verdict.scope == "demonstration":
        gaps.append("Your database: data, traffic and forecast of this demonstration are invented.")
    gaps += _between(run)
    gaps += _never_run(run)
    gaps += _metrics(figures)
    gaps.append("Replica lag and failover: one clone without replicas was loaded.")
    gaps.append(_other_flows(run))
    gaps += _longest_hold(run)
    notes = [note for result in run.results for note in result.notes]
    noted = [f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in (*run.record.notes, *notes)]
    return tuple(dict.fromkeys([*gaps, *noted]))


def _other_flows(run: RunView) -> str:
    flows = list(dict.fromkeys([run.record.flow, *(f for r in run.results for f in r.companions)]))
    loaded = f"{', '.join(flows[:-1])} and {flows[-1]} were" if flows[1:] else f"{flows[0]} was"
    return f"Other flows running at the same time: only {loaded} loaded."


def _between(run: RunView) -> list[str]:
    held = run.verdict.rate_held_per_s
    above = [r.stage.rate_per_s for r in run.results if r.stage.rate_per_s > held]
    if run.verdict.verdict is VerdictWord.INVALID or not above or held <= 0:
        return []
    return [f"Where between {rate(held)} and {rate(min(above))} it gives way: no stage ran there."]


def _never_run(run: RunView) -> list[str]:
    begun = {r.stage.name for r in run.results}
    missing = [run.label(s.name) for s in run.stages if s.name not in begun]
    if not missing:
        return []
    word = "Stage" if len(missing) == 1 else "Stages"
    return [f"{word} {', '.join(missing)}: never begun."]


def _metrics(figures: Mapping[str, Measured]) -> list[str]:
    with_data = [f for f in figures.values() if f.achieved_per_s is not None]
    if not with_data:
        return ["Anything at all: no stage has a measured second."]
    return [
        f"{name}: no sample came."
        for metric, name in _WANTED.items()
        if not any(metric in f.means for f in with_data)
    ]


def _longest_hold(run: RunView) -> list[str]:
    top = max((r.stage.rate_per_s for r in run.results), default=0.0)
    holds = [_held_s(r) for r in run.results if r.stage.rate_per_s == top]
    return [f"A peak longer than {duration(max(holds))}."] if holds else []


def _held_s(result: StageResult) -> float:
    """How long the stage held its rate: less than planned when it was stopped."""
    ran_s = max((t.second for t in result.ticks), default=-1) + 1
    return max(min(ran_s - result.stage.ramp_s, result.stage.hold_s), 0.0)
