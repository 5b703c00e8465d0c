"""A server's general log: its settings, and what is remembered of switching it on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

FILE = "FILE"
TABLE = "TABLE"


@dataclass(frozen=True, slots=True)
class LogSettings:
    """general_log, log_output ("FILE", "TABLE", "FILE,TABLE", "NONE") and general_log_file."""

    is_on: bool
    output: str
    file: str

    def has(self, output: str) -> bool:
        """Whether the log goes there (FILE or TABLE) while it is on."""
        return output in self.output.upper().split(",")

    def __str__(self) -> str:
        return f"general_log={'ON' if self.is_on else 'OFF'}, log_output={self.output}"


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What must be known of a server and the session that asks it.

    `identity` is a digest that tells servers apart; `now` is the server's clock in UTC, to the
    microsecond; `started_s` is when it started, seconds since the epoch. `is_slow_log_on`: the slow
    log goes where log_output says, too. `is_near`: the address may be this machine."""

    engine: str
    version: str
    identity: str
    datadir: str
    connection_id: int
    now: str
    started_s: float
    is_slow_log_on: bool
    is_near: bool


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One switching on: what was `former`, what was `made` of it, from when to when (server's clock
    in UTC; `off_at` is "" while it is on), and by which sessions of ours."""

    server: str
    identity: str
    engine: str
    former: LogSettings
    made: LogSettings
    on_at: str
    started_s: float
    own_ids: tuple[int, ...]
    off_at: str = ""

    @property
    def is_on(self) -> bool:
        """Whether it still has to be switched off."""
        return not self.off_at

    def ended(self, facts: LogFacts) -> LogRecord:
        """After switching off, by the session of `facts`."""
        return replace(self.used_by(facts), off_at=facts.now)

    def used_by(self, facts: LogFacts) -> LogRecord:
        """With the session of `facts` among those that are ours."""
        return replace(self, own_ids=(*self.own_ids, facts.connection_id))

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LogRecord:
        """The inverse of `to_json`. Raises KeyError, TypeError, ValueError."""
        return cls(
            **{
                **data,
                "former": LogSettings(**data["former"]),
                "made": LogSettings(**data["made"]),
                "own_ids": tuple(int(n) for n in data["own_ids"]),
            }
        )
