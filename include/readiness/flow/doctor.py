"""What is on a machine and what of it needs a person: facts by topic; no value, no secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from readiness.artifacts import json_files
from readiness.artifacts.lease_lock import VERSION as LOCK_VERSION
from readiness.artifacts.raw_logs import RawLog
from readiness.clones.janitor import Fate, decide
from readiness.config.masking import WAIVED
from readiness.errors import ArtifactError
from readiness.flow.janitor import silence_line
from readiness.flow.prune import DAY_S, Kept, days_left, fates_of_runs
from readiness.flow.server_log import LogMemory
from readiness.model.clone import Clone

_WIDTH = 12


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact; `needs_person` when somebody must do what it says."""

    topic: str
    text: str
    needs_person: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """All that was found, in the order of its topics."""

    findings: tuple[Finding, ...]

    @property
    def is_well(self) -> bool:
        """Nothing needs a person."""
        return not any(finding.needs_person for finding in self.findings)

    def lines(self) -> list[str]:
        """As people read it: a mark, the topic, the fact."""
        needed = sum(finding.needs_person for finding in self.findings)
        last = f"{needed} thing{'s' * (needed != 1)} marked ! need{'s' * (needed == 1)} a person"
        return [
            *(f"{' !'[f.needs_person]} {f.topic:<{_WIDTH}} {f.text}" for f in self.findings),
            "all is well" if self.is_well else last,
        ]

    def to_json(self) -> dict[str, object]:
        """As machines read it."""
        return {"well": self.is_well, "findings": [asdict(f) for f in self.findings]}


def of_raw_logs(kept: Kept, now_s: float) -> Iterator[Finding]:
    """Each raw log with its age, size, and when it will be deleted."""
    try:
        logs = kept.logs.found()
    except ArtifactError as error:
        yield Finding("raw log", error.message, True)
        return
    if not logs:
        yield Finding("raw log", "none")
    for log in logs:
        yield _of_raw_log(log, kept.log_days, now_s)


def _of_raw_log(log: RawLog, days: float, now_s: float) -> Finding:
    age = (now_s - log.written_at) / DAY_S
    what = f"{log.path} ({log.origin}): {log.size_bytes:,} bytes, {age:,.1f} days old"
    if log.doubt:
        return Finding("raw log", f"{what}; it {log.doubt}: look, and delete it yourself", True)
    left = days_left(log, days, now_s)
    if left:
        return Finding("raw log", f"{what}, deleted in {left:,.1f} days")
    return Finding("raw log", f"{what}, due: readiness prune", True)


def of_runs(kept: Kept, now_s: float) -> Iterator[Finding]:
    """How many runs there are and how long they stay."""
    fates = list(fates_of_runs(kept, now_s))
    size = sum(thing.size_bytes for _, thing in fates)
    stay = "for ever" if kept.run_days is None else f"{kept.run_days:g} days"
    yield Finding("runs", f"{len(fates)} in {kept.runs}, {size / 1e6:,.1f} MB; they stay {stay}")
    for fate, thing in fates:
        if fate == "told":
            yield Finding("runs", f"{thing.path} {thing.why}", True)


def of_clones(clones: Sequence[Clone], silent_s: float, now_s: float) -> Iterator[Finding]:
    """Each clone with its lease, as the janitor sees it."""
    if not clones:
        yield Finding("clones", "none")
    if clones and silent_s:
        yield Finding("clones", silence_line(silent_s).removeprefix("! "), True)
    for clone in clones:
        decision = decide(clone, now_s=now_s)
        is_ended = decision.fate is Fate.DESTROY
        act = "; readiness clone janitor" * is_ended
        text = f"{clone.name} {decision.why}{act}; {masked_words(clone.masked)}"
        yield Finding("clones", text, decision.fate is not Fate.KEEP)


def masked_words(masked: str) -> str:
    """What a clone or snapshot holds of people, by what is noted of it."""
    if not masked:
        return "not masked: it holds production's personal data"
    return masked if masked.startswith(WAIVED) else f"masked by {masked}"


def of_leases(locks: Sequence[Path], now_s: float) -> Iterator[Finding]:
    """Who holds which machine or snapshot, and until when."""
    for path in locks:
        try:
            held = json_files.read_json(path, version=LOCK_VERSION)
            left_min = (float(held["until"]) - now_s) / 60
            text = f"{held['what']}: held by {held['owner']}"
        except (ArtifactError, KeyError, TypeError, ValueError):
            yield Finding("leases", f"{path} cannot be read: no run that needs it starts", True)
            continue
        ends = (
            f", for {left_min:,.0f} min" if left_min > 0 else ", ended: the next run takes it over"
        )
        yield Finding("leases", f"{text}{ends}")


def of_server_logs(memories: Sequence[Path]) -> Iterator[Finding]:
    """General logs that we have switched on and that are not off, or whose files are still here."""
    for path in memories:
        try:
            record = LogMemory.at(path).read()
        except ArtifactError as error:
            yield Finding("server log", error.message, True)
            continue
        if record is None:
            continue
        if record.is_on:
            text = f"the general log of {record.server} is on since {record.on_at} UTC"
            yield Finding("server log", f"{text}: readiness capture --from DSN --off", True)
        elif record.made.has("FILE") and Path(record.made.file).exists():
            text = f"{record.made.file} of {record.server} is still here and holds personal data"
            yield Finding("server log", f"{text}: remove it", True)
