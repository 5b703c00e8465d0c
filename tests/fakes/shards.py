"""A coordinator and a shard of one stage that meet in a folder; the shard runs in a thread."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.fakes.workers import ScriptedWorker

from readiness.adapters.mail_files import Patience, StagePost, from_path, to_path
from readiness.adapters.mailbox import Address, MailboxWorker
from readiness.adapters.shard_relay import Shard, serve_shard
from readiness.errors import ReadinessError
from readiness.load.coordinator import OnTick, Outside, StartBarrier, run_stage
from readiness.load.messages import Assignment, Message
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.ports import WorkerProcess

STAGE = Stage("5x", rate_per_s=10, hold_s=3)
QUICK = Patience(come_within_s=10.0)
HASTY = Patience(come_within_s=10.0, coordinator_silent_s=1.0, shard_silent_s=1.0)
ALONE = Patience(come_within_s=0.3)


def assignment(worker: int, workers: int = 2) -> Assignment:
    return Assignment("run-1", STAGE, LoadOptions(workers=workers), worker, first_number=7)


@dataclass
class Served:
    """A shard in a thread of its own: what it launched, and how it ended."""

    launched: list[Assignment] = field(default_factory=list)
    tries: int = 0
    error: ReadinessError | None = None
    thread: threading.Thread = field(default_factory=threading.Thread)

    def end(self) -> Served:
        self.thread.join(20)
        assert not self.thread.is_alive()
        return self


@dataclass
class Meeting:
    """The post of stage 5x under a folder, with a coordinator of one worker here and one by mail."""

    folder: Path
    patience: Patience = QUICK
    mailed: list[MailboxWorker] = field(default_factory=list)

    @property
    def post(self) -> StagePost:
        return StagePost(self.folder / "shards" / "5x")

    def serve(
        self, *workers: ScriptedWorker, patience: Patience | None = None, shard: int = 1
    ) -> Served:
        """Shard 1, with the given worker in each try."""
        left = list(workers)

        def launch(told: Assignment) -> WorkerProcess:
            served.launched.append(told)
            return left.pop(0)

        return self.serve_by(launch, served := Served(), patience=patience, shard=shard)

    def serve_by(
        self,
        launch: Callable[[Assignment], WorkerProcess],
        served: Served,
        *,
        patience: Patience | None = None,
        shard: int = 1,
    ) -> Served:
        def run() -> None:
            own, chosen = Shard(shard, [shard]), patience or self.patience
            try:
                served.tries = serve_shard(self.post, own, launch=launch, patience=chosen)
            except ReadinessError as error:
                served.error = error

        served.thread = threading.Thread(target=run)
        served.thread.start()
        return served

    def run(self, here: ScriptedWorker, on_tick: OnTick = lambda _: None) -> StageResult:
        """One try, coordinated; the post stays open."""
        self.post.open()
        box = self.post.new_box()
        return run_stage(
            STAGE,
            LoadOptions(workers=2),
            launch=lambda k: self.by_mail(box, k) if k else here,
            on_tick=on_tick,
            outside=Outside(StartBarrier(ready_within_s=20.0, lead_s=0.5)),
        )

    def by_mail(self, box: Path, worker: int) -> MailboxWorker:
        log = self.folder / f"worker-{worker}.log"
        address = Address(box, shard=worker, worker=worker)
        made = MailboxWorker(address, assignment(worker), log=log, patience=self.patience)
        self.mailed.append(made)
        return made

    def box(self) -> Path:
        """The box of a try that a test writes by hand."""
        self.post.open()
        return self.post.new_box()


class Pen:
    """Writes one side's mail by hand; `beats` goes on saying that it is there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_over = threading.Event()

    @classmethod
    def of_coordinator(cls, box: Path, worker: int = 1) -> Pen:
        pen = cls(to_path(box, worker))
        pen.write({"job": replace(assignment(worker)).to_json()})
        return pen

    @classmethod
    def of_shard(cls, box: Path, worker: int = 1) -> Pen:
        pen = cls(from_path(box, worker))
        pen.write({"here": time.time_ns(), "machine": "another", "pid": 1})
        return pen

    def write(self, message: Mapping[str, object]) -> None:
        self.put(json.dumps(message, separators=(",", ":")) + "\n")

    def put(self, text: str) -> None:
        with self._path.open("a") as file:
            file.write(text)

    def beats(self) -> Pen:
        def beat() -> None:
            while not self._is_over.wait(0.05):
                self.write({"beat": time.time_ns()})

        threading.Thread(target=beat, daemon=True).start()
        return self

    def __enter__(self) -> Pen:
        return self.beats()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()


def said(path: Path) -> list[Message]:
    """All that stands in a file of mail; nothing when there is none."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not condition():
        time.sleep(0.02)
    return condition()
