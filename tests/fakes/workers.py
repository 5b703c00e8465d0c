"""A load worker that says what it was told to say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from readiness.errors import WorkerLost
from readiness.load.messages import Message, WorkerReport, tick_to_json
from readiness.load.tally import SecondTally
from readiness.model.histogram import Histogram


class ScriptedWorker:
    """`ports.WorkerProcess`: speaks its first line at once and the others after "go", then ends.

    One that `stays` ends when its input is closed, a `stubborn` one only when it is killed; while
    somebody waits for one that `interrupts_waiting`, Ctrl-C is pressed; one that `hears_no_stop`
    has ended before a stop could reach it. It waits `pause_s` before each line after "go"."""

    def __init__(
        self,
        lines: Sequence[Message],
        *,
        stays: bool = False,
        stubborn: bool = False,
        interrupts_waiting: bool = False,
        hears_no_stop: bool = False,
        pause_s: float = 0.0,
    ) -> None:
        self._lines = [json.dumps(line).encode() + b"\n" for line in lines]
        self._interrupts = interrupts_waiting
        self._hears_no_stop = hears_no_stop
        self._pause_s = pause_s
        self._stubborn = stubborn or interrupts_waiting
        self._stays = stays or self._stubborn
        self._started = threading.Event()
        self._ended = threading.Event()
        self.heard: list[Message] = []
        self.was_killed = False

    @property
    def is_ended(self) -> bool:
        return self._ended.is_set()

    def received(self, kind: str) -> list[object]:
        return [message[kind] for message in self.heard if kind in message]

    def lines(self) -> Iterator[bytes]:
        yield from self._lines[:1]
        if len(self._lines) > 1 and self._started.wait(10):
            for line in self._lines[1:]:
                time.sleep(self._pause_s)
                yield line
        if self._stays:
            self._ended.wait(10)

    def send(self, line: bytes) -> None:
        message = json.loads(line)
        if self._hears_no_stop and "stop" in message:
            raise WorkerLost("it has ended")
        self.heard.append(message)
        if "go" in self.heard[-1]:
            self._started.set()

    def close_input(self) -> None:
        if not self._stubborn:
            self._ended.set()

    def kill(self) -> None:
        self.was_killed = self.was_killed or not self._ended.is_set()
        self._ended.set()

    def wait(self, timeout_s: float) -> int | None:
        if self._interrupts and not self.is_ended:
            raise KeyboardInterrupt
        return 0 if self._ended.wait(min(timeout_s, 0.2)) else None

    def log_path(self) -> str:
        return "worker.log"


def second(
    number: int, *, responses: Sequence[int] = (), in_flight: int = 0, **counts: int
) -> Message:
    """The message of one second; `counts` are offered, finished, failed, dropped, started."""
    tally = SecondTally()
    for name, count in counts.items():
        setattr(tally, name, count)
    for response in responses:
        tally.checkout.record(response)
    return {"tick": tick_to_json(tally.take(number, in_flight=in_flight))}


def report(*, drain: Message | None = None, ok: int = 0, **changes: object) -> Message:
    """The message that ends a worker; statement s001 took 1 ms in each of `ok` checkouts."""
    service = Histogram()
    for _ in range(ok):
        service.record(1_000_000)
    plain = WorkerReport(
        drain=SecondTally().take(0, in_flight=0),
        statements={"s001": service},
        errors={},
        service=service,
        ok=ok,
        failed=0,
        cut=0,
        next_number=0,
    )
    made = replace(plain, **changes).to_json()  # type: ignore[arg-type]
    return {"report": made | ({"drain": drain["tick"]} if drain else {})}
