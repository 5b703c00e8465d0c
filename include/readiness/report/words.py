"""What metrics, verdicts and ideas are called where people read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from readiness.model.metrics import of_production, unit_of
from readiness.model.verdict import VerdictWord
from readiness.report.numbers import SPACE, quantity


@dataclass(frozen=True, slots=True)
class Sign:
    """How a verdict looks: `tone` names a colour (good, warn, bad, inv), never used alone."""

    mark: str
    text: str
    tone: str


SIGNS = {
    VerdictWord.READY: Sign("✓", "READY", "good"),
    VerdictWord.READY_WITH_RISK: Sign("▲", "READY WITH RISK", "warn"),
    VerdictWord.NOT_READY: Sign("✕", "NOT READY", "bad"),
    VerdictWord.ABORTED: Sign("■", "ABORTED", "bad"),
    VerdictWord.INVALID: Sign("?", "INVALID", "inv"),
}

_TITLES = {
    "aas": "active sessions",
    "aas_cpu": "active sessions on CPU",
    "aas_commit": "active sessions in commit",
    "aas_lock": "active sessions waiting for a row lock",
    "aas_io": "active sessions reading data",
    "achieved_ratio": "achieved share of the offered rate",
    "buffer_pool_hit_ratio": "buffer pool hit ratio",
    "dropped_per_s": "dropped checkouts",
    "error_ratio": "errors",
    "expired_per_s": "checkouts that left the line",
    "foreign_cpu_ratio": "CPU used by other processes",
    "fsync_probe_ms": "storage flush of the idle host",
    "generator_cpu_ratio": "generator CPU, busiest worker",
    "host_cpu_ratio": "host CPU",
    "host_iowait_ratio": "host waiting for storage",
    "read_iops": "storage reads",
    "retries_per_s": "transactions tried again",
    "run_queue_delay_ratio": "generator waiting for a core",
    "steal_ratio": "CPU taken by the hypervisor",
    "write_iops": "storage writes",
}
_PLURAL = re.compile(
    r"errors|sessions|reads|writes|checkouts|commits|statements|connections|threads|waits|deadlocks"
    r"|tables|fsyncs|samples|bytes"
)
_ERRORS = {
    0: "not finished when the load ended",
    1040: "too many connections",
    1045: "access denied",
    1062: "duplicate key",
    1142: "no right to do that to the table",
    1146: "no such table",
    1205: "lock wait timeout",
    1213: "deadlock",
    1317: "interrupted",
    1406: "value too long for its column",
    1451: "a row that others refer to",
    1452: "a reference to no row",
    2003: "nobody answered",
    2006: "the server closed the connection",
    2013: "connection lost",
}
_LINEAGE = {
    "engine": "Server",
    "endpoint": "Listened at",
    "host cores": "Cores of its host",
    "clone": "Clone",
    "snapshot": "Made from snapshot",
    "snapshot method": "Snapshot taken",
    "masked": "Masked",
}
_NUMBER = r"([-+.e\d]+)"
_RULE = re.compile(rf"([\w.]+) ([<>]=?) {_NUMBER} for {_NUMBER} s(?: \({_NUMBER}\))?")
_UNIT_ENDINGS = ("_per_s", "_ms", "_ratio", "_bytes", "_s")


def title(metric: str, statistic: str = "value") -> str:
    """A metric or a validity rule as people say it: "commit p99", "active sessions"; unknown
    native names stay as they are."""
    own = of_production("")
    if metric.startswith(own):
        return f"production's own {title(metric.removeprefix(own), statistic)}"
    if metric.startswith("samples_"):
        return f"samples missing of {_spoken(metric.removeprefix('samples_'))}"
    known = _TITLES.get(metric.rpartition(".")[2])
    name = known or (metric if metric.startswith("native.") else _spoken(metric))
    return name if statistic in ("value", "mean", "") else f"{name} ({statistic})"


def is_plural(name: str) -> bool:
    """Whether a title takes "were": "errors", "active sessions in commit"."""
    return any(_PLURAL.fullmatch(word) for word in name.split())


def error_words(code: int) -> str:
    """A MySQL error code with what it means where that is commonly met: "1213, deadlock"."""
    said = _ERRORS.get(code, "")
    return ", ".join(part for part in (str(code) if code else "", said) if part)


def lineage_words(target: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Where the loaded database came from, as pairs of name and value."""
    names = {"mariadb": "MariaDB", "mysql": "MySQL"}
    rows = []
    for key, value in target.items():
        first, space, rest = value.partition(" ")
        said = f"{names.get(first, first)}{space}{rest}" if key == "engine" else value
        rows.append((_LINEAGE.get(key, key.replace("_", " ")), said))
    return tuple(rows)


def cause_words(aborted_by: str) -> str:
    """Why a stage was stopped, an abort rule spelt out: "errors > 5 % for 10 s"."""
    rule = _RULE.fullmatch(aborted_by.rstrip("."))
    if rule is None:
        return aborted_by.rstrip(".")
    metric, op, limit, for_s, value = rule.groups()
    unit = unit_of(metric)
    said = f"{title(metric)} {op} {quantity(float(limit), unit, as_set=True)} for {for_s}{SPACE}s"
    return f"{said}, last {quantity(float(value), unit)}" if value else said


def _spoken(metric: str) -> str:
    for ending in _UNIT_ENDINGS:
        if metric.endswith(ending):
            metric = metric.removesuffix(ending)
            break
    return metric.replace("_", " ")


OPS = {"<=": "≤", ">=": "≥", "<": "<", ">": ">", "==": "=", "!=": "≠"}

GLOSSARY = (
    (
        "Commit p99",
        "99 of 100 commits were at least this fast, from COMMIT sent to OK received. Percentiles"
        " come from merged histograms, never from averages of percentiles.",
    ),
    (
        "Active sessions",
        "The average number of sessions working or waiting in the database (AAS). Above the number"
        " of cores is no fault in itself: look at what they wait for.",
    ),
    (
        "Offered, achieved",
        "Checkouts that were due, and checkouts that finished. Arrivals are open loop: a slow"
        " database does not slow them down.",
    ),
    (
        "Schedule lag",
        "How late the load generator was against its own timetable. A late generator makes the"
        " database look better than it is.",
    ),
    (
        "Errors",
        "The share of finished checkouts in which a statement or a connection failed.",
    ),
    (
        "Dropped checkouts",
        "Due but never started, because as many as the plan allows were under way already: the"
        " database no longer kept up.",
    ),
    (
        "Held",
        "The highest rate at which every critical check passed, at that stage and at all below.",
    ),
    (
        "INVALID",
        "The run cannot be believed: it measured the generator or a busy host, not the database.",
    ),
)
