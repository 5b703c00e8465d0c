"""What coordinator and worker say to each other: one JSON object a line, on pipes.

To the worker: the job, {"go": monotonic_ns}, {"beat": 1} each second, {"stop": reason}, and
{"rate": per_s, "from_s": k}: another rate from second k of the stage on, 0 to end it there.
From it: {"ready": 1} or {"refused": …}, {"tick": …} each second, {"draining": n}, {"report": …}.
A worker of another shard hears and says the same by mail: see `adapters.mailbox`.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from readiness.errors import (
    ConfigError,
    LoadError,
    ReadinessError,
    TargetError,
    TargetUnavailable,
    WorkerLost,
    WorkloadError,
)
from readiness.model.histogram import Histogram
from readiness.model.load import LoadOptions, Stage, Tick

Message = dict[str, Any]

_REFUSALS: dict[str, type[ReadinessError]] = {
    kind.__name__: kind
    for kind in (ConfigError, TargetError, TargetUnavailable, WorkerLost, WorkloadError)
}
_HISTOGRAMS = ("checkout", "commit", "connect", "lag", "timer_floor", "queue")


@dataclass(frozen=True, slots=True)
class Target:
    """Where the load goes and as whom; `socket` wins over host and port; `tls` is off, on or verify.

    The password travels on the worker's stdin, never in argv or environment; `repr` hides it."""

    user: str
    database: str
    host: str = ""
    port: int = 0
    socket: str = ""
    password: str = field(default="", repr=False)
    tls: str = "off"


@dataclass(frozen=True, slots=True)
class Job:
    """All that one worker must know. `pools` is the JSON form of the sampled rows; `namespace` makes
    this run's fresh values its own; checkout numbers begin at `first_number`, for all workers."""

    target: Target
    workload_path: str
    pools: Any
    namespace: str
    stage: Stage
    options: LoadOptions
    worker: int = 0
    first_number: int = 0

    def to_json(self) -> Message:
        """The form that `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        """The inverse of `to_json`; raises LoadError for a line that is no job."""
        try:
            return cls(
                **{
                    **data,
                    "target": Target(**data["target"]),
                    "stage": Stage(**data["stage"]),
                    "options": LoadOptions(**data["options"]),
                }
            )
        except (KeyError, TypeError) as error:
            raise LoadError(
                "A load worker received a job it cannot read.",
                hint="Start load with `readiness load`; workers are not started by hand.",
            ) from error


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a worker of another shard does. What else its job needs, the shard finds out for itself:
    no password and no row of the target may lie in a file."""

    namespace: str
    stage: Stage
    options: LoadOptions
    worker: int
    first_number: int

    def job(self, target: Target, workload_path: str, pools: Any) -> Job:
        """The job, against the target and with the pools as the worker's own host sees them."""
        return Job(
            target=target,
            workload_path=workload_path,
            pools=pools,
            namespace=self.namespace,
            stage=self.stage,
            options=self.options,
            worker=self.worker,
            first_number=self.first_number,
        )

    def to_json(self) -> Message:
        """The form that `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Assignment:
        """The inverse of `to_json`; raises LoadError for what is none."""
        try:
            stage, options = Stage(**data["stage"]), LoadOptions(**data["options"])
            return cls(**{**data, "stage": stage, "options": options})
        except (KeyError, TypeError) as error:
            raise LoadError(
                "A shard was told to do what it cannot read.",
                hint="All hosts of a run need the same version of this suite.",
            ) from error


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What one worker did in the whole stage; `drain` is all that happened after the last tick.

    `cut` counts checkouts ended by a stop (neither ok nor failed); `next_number` is above every
    checkout number it used; `stopped_by` is "" when the stage ran to its end."""

    drain: Tick
    statements: dict[str, Histogram]
    errors: dict[tuple[str, int], int]
    service: Histogram
    ok: int
    failed: int
    cut: int
    next_number: int
    stopped_by: str = ""
    retries: dict[tuple[str, int], int] = field(default_factory=dict)

    def to_json(self) -> Message:
        """The form that `from_json` reads."""
        return {
            "drain": tick_to_json(self.drain),
            "statements": {name: h.to_json() for name, h in self.statements.items()},
            "errors": _counts_to_json(self.errors),
            "retries": _counts_to_json(self.retries),
            "service": self.service.to_json(),
            "ok": self.ok,
            "failed": self.failed,
            "cut": self.cut,
            "next_number": self.next_number,
            "stopped_by": self.stopped_by,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WorkerReport:
        """The inverse of `to_json`."""
        return cls(
            drain=tick_from_json(data["drain"]),
            statements={n: Histogram.from_json(h) for n, h in data["statements"].items()},
            errors=_counts_from_json(data["errors"]),
            retries=_counts_from_json(data["retries"]),
            service=Histogram.from_json(data["service"]),
            ok=data["ok"],
            failed=data["failed"],
            cut=data["cut"],
            next_number=data["next_number"],
            stopped_by=data["stopped_by"],
        )


def _counts_to_json(counts: Mapping[tuple[str, int], int]) -> list[list[Any]]:
    return [[name, code, count] for (name, code), count in counts.items()]


def _counts_from_json(data: list[list[Any]]) -> dict[tuple[str, int], int]:
    return {(name, code): count for name, code, count in data}


def tick_to_json(tick: Tick) -> Message:
    """A tick with its histograms in their on-disk form."""
    made = {f.name: getattr(tick, f.name) for f in fields(tick)}
    return {**made, **{name: made[name].to_json() for name in _HISTOGRAMS}}


def tick_from_json(data: Mapping[str, Any]) -> Tick:
    """The inverse of `tick_to_json`."""
    return Tick(**{**data, **{name: Histogram.from_json(data[name]) for name in _HISTOGRAMS}})


def packed(tick: Tick) -> bytes:
    """A tick in a tenth of the memory; `unpacked` is the inverse."""
    return zlib.compress(encode(tick_to_json(tick)), 1)


def unpacked(data: bytes) -> Tick:
    """The tick that was packed."""
    return tick_from_json(decode(zlib.decompress(data)))


def encode(message: Mapping[str, Any]) -> bytes:
    """One message as one line, without its newline."""
    return json.dumps(message, separators=(",", ":")).encode()


def decode(line: bytes) -> Message:
    """The message of one line; raises LoadError when it is not one of ours."""
    try:
        message = json.loads(line)
    except ValueError as error:
        raise LoadError("A load worker and its coordinator misunderstood each other.") from error
    if not isinstance(message, dict):
        raise LoadError("A load worker and its coordinator misunderstood each other.")
    return message


def refusal_to_json(error: ReadinessError) -> Message:
    """Why a worker cannot begin: the kind of error, its message and hint."""
    return {"kind": type(error).__name__, "message": error.message, "hint": error.hint}


def refusal_from_json(data: Mapping[str, Any]) -> ReadinessError:
    """The error to raise in the coordinator: of the worker's kind, where that is known."""
    kind = _REFUSALS.get(str(data["kind"]), LoadError)
    return kind(str(data["message"]), hint=str(data["hint"]))
