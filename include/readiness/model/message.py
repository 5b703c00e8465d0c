"""What is said to people in a chat channel, how saying it ended, and what a run remembers of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Block = Mapping[str, object]
"""One block of a message, as the channel's Web API takes it."""


class Fate(StrEnum):
    """What became of one message."""

    DELIVERED = "delivered"
    UNCHANGED = "unchanged"  # it already says this; nothing was sent
    REFUSED = "refused"  # the answer was no, and will be no again: token, scope, channel
    UNFIT = "unfit"  # its blocks are not accepted; a plainer form may be
    GONE = "gone"  # the message to edit does not exist any more
    UNAVAILABLE = "unavailable"  # surely not stored, and not for lack of a right: try later
    UNSURE = "unsure"  # no answer came: it may stand in the channel or not


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `slot` is its place in the run's talk ("root", "report", "page-abort"): messages
    of one slot replace each other. `name` says what it is ("root-start"); `text` is what a
    notification shows; `plainer` are blocks for a channel that refuses `blocks`."""

    slot: str
    name: str
    text: str
    blocks: tuple[Block, ...]
    plainer: tuple[Block, ...] = ()
    is_broadcast: bool = False  # a reply in a thread that the channel sees too


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG for the thread: its file name, its title, what it shows in words, a line above it."""

    filename: str
    title: str
    alt: str
    comment: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a channel said to one message. `error` is the channel's own word or what broke;
    `hint` says what to do about it."""

    fate: Fate
    channel: str = ""
    ts: str = ""
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """What a run remembers of one slot. `ts` and `channel` name the message ("": none is known);
    `digest` is of what it says; `tries` counts sendings after which it may stand there."""

    fate: Fate = Fate.UNAVAILABLE
    channel: str = ""
    ts: str = ""
    digest: str = ""
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """One message of an announcement and what became of it."""

    name: str
    fate: Fate
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How an announcement ended. `through` names the messenger ("slack", "outbox"); `took_s` is
    wall time in seconds; `notes` say what was left out, or why nothing was said."""

    verb: str
    through: str
    parts: tuple[Part, ...] = ()
    took_s: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def is_delivered(self) -> bool:
        """Whether everything that was to be said stands in the channel."""
        said = {Fate.DELIVERED, Fate.UNCHANGED}
        return bool(self.parts) and all(part.fate in said for part in self.parts)

    @property
    def facts(self) -> dict[str, object]:
        """The same as plain JSON values, for a line of `events.jsonl`."""
        return {
            "verb": self.verb,
            "through": self.through,
            "is_delivered": self.is_delivered,
            "took_s": round(self.took_s, 3),
            "parts": [_facts(part) for part in self.parts],
            "notes": list(self.notes),
        }


def _facts(part: Part) -> dict[str, str]:
    told = {"name": part.name, "fate": str(part.fate), "error": part.error, "hint": part.hint}
    return {key: value for key, value in told.items() if value}
