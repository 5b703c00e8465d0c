"""How a run's messages are delivered: what may be sent again, and what never twice.

A message of a slot is posted at most once and edited in place from then on; a page is sent at least
once and at most twice; a picture once. What may come to stand in the channel is written to the run
folder before it is sent, so a retry or another process knows of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from readiness.artifacts.messages import MessageBox
from readiness.errors import ArtifactError
from readiness.flow.publishing import Guard
from readiness.model.message import Answer, Block, Fate, Message, Part, Picture, Slot
from readiness.ports import Clock, Messenger
from readiness.report.slack_blocks import faults

PAGE_TRIES = 2
PICTURE = "chart"
_NOT_STORED = frozenset({Fate.REFUSED, Fate.UNFIT, Fate.GONE, Fate.UNAVAILABLE})


class _Send(Protocol):
    def __call__(self, body: Mapping[str, object], /, *, within_s: float) -> Answer: ...


@dataclass(frozen=True, slots=True)
class Line:
    """The line to a channel: who carries messages, and the clock they are timed by."""

    messenger: Messenger
    clock: Clock

    def now_s(self) -> float:
        """Seconds that never go back."""
        return self.clock.monotonic_ns() / 1e9


class Telling:
    """One announcement; its messages share the time until `until_s`.

    Use it while the box is held. Raises ArtifactError when the folder cannot remember a message
    that must not be sent twice; then it was not sent."""

    def __init__(
        self, line: Line, box: MessageBox, *, until_s: float, guard: Guard | None = None
    ) -> None:
        self.parts: list[Part] = []
        self.notes: list[str] = []
        self._line = line
        self._box = box
        self._until_s = until_s
        self._guard = guard or Guard()
        self._left = 1
        self._slots = box.read_slots(line.messenger.name)

    def tell(self, steps: Sequence[Callable[[], None]]) -> None:
        """Takes the steps in order; each sends one message."""
        for n, step in enumerate(steps):
            self._left = len(steps) - n
            step()

    def thread(self, *slots: str) -> str:
        """The first of these messages that a reply can be tied to; "" when none is known."""
        return next((s.ts for name in slots if (s := self._slot(name)).ts), "")

    def show(self, message: Message, *, thread: str = "") -> None:
        """Posts the message, or edits what stands in its slot."""
        if self._is_kept_back(message.name, message):
            return
        slot, until_s = self._slot(message.slot), self._deadline_s()
        if slot.ts and slot.digest == _digest(message):
            answer = Answer(Fate.UNCHANGED)
        elif slot.ts:
            answer = self._edit(message, slot, until_s)
            if answer.fate is Fate.GONE:
                answer = self._post(message, thread, until_s)
        elif slot.fate is Fate.UNSURE:
            answer = Answer(Fate.UNSURE, error="it was posted before and no answer came")
        else:
            answer = self._post(message, thread, until_s)
        self._told(message.name, answer)

    def page(self, message: Message) -> None:
        """Sends the page, a second time when no answer came; nothing once it is delivered."""
        if self._is_kept_back(message.name, message):
            return
        slot, until_s = self._slot(message.slot), self._deadline_s(shares=2)
        fate = Fate.UNCHANGED if slot.fate is Fate.DELIVERED else slot.fate
        answer = Answer(fate)
        while slot.fate is not Fate.DELIVERED and slot.tries < PAGE_TRIES:
            share_s = (until_s - self._line.now_s()) / (PAGE_TRIES - slot.tries)
            if share_s <= 0:
                break
            self._remember(message.slot, Slot(Fate.UNSURE, tries=slot.tries + 1), is_needed=False)
            answer = self._send(message, self._line.messenger.post, self._new(), share_s)
            tries = slot.tries + (answer.fate not in _NOT_STORED)
            slot = Slot(answer.fate, answer.channel, answer.ts, _digest(message), tries)
            self._remember(message.slot, slot, is_needed=False)
            if answer.fate is not Fate.UNSURE:
                break
        self._told(message.name, answer)

    def hang(self, picture: Picture, png: bytes, *, thread: str) -> None:
        """Uploads the picture, once in the life of a run."""
        if self._is_kept_back(PICTURE, picture, png):
            return
        slot, until_s = self._slot(PICTURE), self._deadline_s()
        if slot.fate in {Fate.DELIVERED, Fate.UNSURE}:
            is_there = slot.fate is Fate.DELIVERED
            self._told(PICTURE, Answer(Fate.UNCHANGED if is_there else Fate.UNSURE))
            return
        body: dict[str, object] = {
            "channel": self._line.messenger.channel,
            "filename": picture.filename,
            "title": picture.title,
            "alt_txt": picture.alt,
            "initial_comment": picture.comment,
            **({"thread_ts": thread} if thread else {}),
        }
        self._remember(PICTURE, Slot(Fate.UNSURE, tries=1))
        self._keep(PICTURE, {**body, "bytes": len(png), "sha256": hashlib.sha256(png).hexdigest()})
        within_s = until_s - self._line.now_s()
        answer = self._line.messenger.upload(body, png, within_s=within_s)
        self._remember(PICTURE, Slot(answer.fate, answer.channel, answer.ts, tries=1))
        self._told(PICTURE, answer)

    def _is_kept_back(self, name: str, said: Message | Picture, png: bytes = b"") -> bool:
        """Whether a captured value stands in it: then it is told as refused, and not sent."""
        text = json.dumps(asdict(said), ensure_ascii=False).encode()
        why = self._guard.why_not(text) or self._guard.why_not(png)
        if why:
            self._told(name, Answer(Fate.REFUSED, error=f"not sent: {why}"))
        return bool(why)

    def _edit(self, message: Message, slot: Slot, until_s: float) -> Answer:
        fixed: dict[str, object] = {"channel": slot.channel, "ts": slot.ts}
        within_s = until_s - self._line.now_s()
        answer = self._send(message, self._line.messenger.edit, fixed, within_s)
        if answer.fate is Fate.DELIVERED:
            self._remember(message.slot, replace(slot, digest=_digest(message)))
        return answer

    def _post(self, message: Message, thread: str, until_s: float) -> Answer:
        fixed = self._new()
        if thread:
            fixed |= {"thread_ts": thread, "reply_broadcast": message.is_broadcast}
        self._remember(message.slot, Slot(Fate.UNSURE, tries=1))
        within_s = until_s - self._line.now_s()
        answer = self._send(message, self._line.messenger.post, fixed, within_s)
        stands = Slot(answer.fate, answer.channel, answer.ts, _digest(message), 1)
        self._remember(message.slot, Slot() if answer.fate in _NOT_STORED else stands)
        return answer

    def _send(
        self, message: Message, send: _Send, fixed: Mapping[str, object], within_s: float
    ) -> Answer:
        """Sends the message in the first form that the channel takes."""
        until_s = self._line.now_s() + within_s
        answer = Answer(Fate.UNFIT, error="no form of it keeps the channel's limits")
        for blocks in _forms(message):
            body = {**fixed, "text": message.text, "blocks": list(blocks)}
            self._keep(message.name, body)
            answer = send(body, within_s=until_s - self._line.now_s())
            if answer.fate is not Fate.UNFIT:
                break
        return answer

    def _new(self) -> dict[str, object]:
        """What every new message says besides itself."""
        channel = self._line.messenger.channel
        return {"channel": channel, "unfurl_links": False, "unfurl_media": False}

    def _slot(self, name: str) -> Slot:
        return self._slots.get(name, Slot())

    def _deadline_s(self, *, shares: int = 1) -> float:
        """When the message of this step must be done: the steps to come need their part."""
        now_s = self._line.now_s()
        part = min(shares / (self._left + shares - 1), 1.0)
        return now_s + max(self._until_s - now_s, 0.0) * part

    def _remember(self, name: str, slot: Slot, *, is_needed: bool = True) -> None:
        self._slots[name] = slot
        try:
            self._box.write_slots(self._line.messenger.name, self._slots)
        except ArtifactError as error:
            if is_needed:
                raise
            self.notes.append(error.message)

    def _keep(self, name: str, body: Mapping[str, object]) -> None:
        try:
            self._box.keep(name, body)
        except ArtifactError as error:
            self.notes.append(error.message)

    def _told(self, name: str, answer: Answer) -> None:
        self.parts.append(Part(name, answer.fate, answer.error, answer.hint))


def _forms(message: Message) -> Iterator[tuple[Block, ...]]:
    """The message's blocks, its plainer ones, none: those that keep the limits."""
    forms = (message.blocks, message.plainer, ())
    for n, blocks in enumerate(forms):
        if blocks not in forms[:n] and not faults(message.text, blocks):
            yield blocks


def _digest(message: Message) -> str:
    said = json.dumps(asdict(message), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()
