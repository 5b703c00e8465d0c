"""What a calibration found, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from readiness.load.calibrate import Rung, knee
from readiness.model.fidelity import Fidelity, Trial
from readiness.report.numbers import plain, quantity, rate, share, significant

_HEAD = "  clients   checkouts/s        p50        p99   commit p99   generator CPU"


def capacity_text(rungs: Sequence[Rung]) -> str:
    """Clients against what they reached, and where more of them bring nothing."""
    return "\n".join([_HEAD, *map(_rung, rungs), "", capacity_answer(rungs)])


def _rung(rung: Rung) -> str:
    response = (quantity(ms, "ms") for ms in (rung.response_p50_ms, rung.response_p99_ms))
    p50, p99 = response
    commit, cpu = quantity(rung.commit_p99_ms, "ms"), share(rung.generator_cpu_ratio)
    failed = f"   {share(rung.failed_ratio)} failed" if rung.failed_ratio else ""
    line = f"  {rung.clients:>7}   {significant(rung.per_s):>11}   {p50:>8}   {p99:>8}"
    return plain(f"{line}   {commit:>10}   {cpu:>13}{failed}")


def capacity_answer(rungs: Sequence[Rung]) -> str:
    """The knee in a sentence, or why there is none."""
    found = knee(rungs)
    if found is None:
        last = rungs[-1]
        return (
            f"Throughput still grew at {last.clients} clients, {rate(last.per_s)}:"
            f" try more, --clients {4 * last.clients}."
        )
    if limit_of(rungs) == "server":
        return f"The knee: {found.clients} clients, {rate(found.per_s)}. More bring less than 5 %."
    if limit_of(rungs) == "generator":
        return (
            f"The generator was the limit at {rate(found.per_s)}, not the server: this is no"
            " capacity of it. Try more --workers."
        )
    return (
        f"This host was the limit at {rate(found.per_s)}: its cores were short. This is no capacity"
        " of the server. Load from another host, or when nothing else works here."
    )


def limit_of(rungs: Sequence[Rung]) -> str:
    """What held throughput back where it stopped growing: "server", "generator", "host"; "" where
    it still grew."""
    return rungs[-1].limited_by if knee(rungs) else ""


def fidelity_text(fidelity: Fidelity) -> str:
    """Each way with its score, the most alike first, and the best one's metrics."""
    ranked = sorted(fidelity.trials, key=lambda t: (bool(t.doubt), -t.likeness.score))
    lines = [f"  score   pacing     connections     at {rate(fidelity.rate_per_s)}"]
    lines += map(_trial, ranked)
    best = fidelity.best
    if best is None:
        return plain("\n".join([*lines, "", "None of them can be believed."]))
    lines += ["", f"  {'metric':<32} {'production':>12} {'measured':>12} {'error':>7}"]
    for one in best.likeness.compared:
        figures = f"{significant(one.production):>12} {significant(one.measured):>12}"
        lines.append(f"  {one.metric:<32} {figures} {share(one.error):>7}")
    if best.likeness.missing:
        lines.append(f"  not measured here: {', '.join(best.likeness.missing)}")
    lines += ["", f"Nearest to production, score {best.likeness.score:.2f}. In the plan:"]
    lines += [f"  pacing: {_pacing(best.pacing)}", f"  connections: {best.connections}"]
    return plain("\n".join(lines))


def _trial(trial: Trial) -> str:
    doubt = f"   not believed: {trial.doubt}" if trial.doubt else ""
    line = f"  {trial.likeness.score:>5.2f}   {_pacing(trial.pacing):<8}   {trial.connections:<12}"
    return f"{line}{doubt}".rstrip()


def _pacing(pacing: float) -> str:
    return {0.0: "none", 1.0: "captured"}.get(pacing, f"{pacing:g}")


def capacity_json(rungs: Sequence[Rung]) -> Iterator[tuple[str, object]]:
    """The same for machines."""
    found = knee(rungs)
    yield "knee_clients", found.clients if found else None
    yield "capacity_per_s", found.per_s if found and limit_of(rungs) == "server" else None
    yield "limited_by", limit_of(rungs)
