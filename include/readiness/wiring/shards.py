"""The workers of one stage over the shards of its plan: the first of them here, the others by mail.

With one shard there is no mail, and workers and start are what they always were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from readiness.adapters.mail_files import PATIENCE, SHARDS, StagePost
from readiness.adapters.mailbox import Address, MailboxWorker
from readiness.adapters.shard_relay import Shard
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import Plan
from readiness.errors import ConfigError
from readiness.flow.ramp import Launch
from readiness.load.coordinator import ON_THIS_HOST, StartBarrier
from readiness.load.messages import Assignment
from readiness.model.load import LoadOptions, Stage
from readiness.ports import WorkerProcess
from readiness.wiring.targets import LoadSource, worker_log

LEAD_S = 5.0  # mail takes a moment, and clocks must be known to agree
_GET_READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one stage, as their coordinator sees them. `post` is None where there is one."""

    plan: Plan
    post: StagePost | None
    _mailed: list[MailboxWorker] = field(default_factory=list)

    @property
    def options(self) -> LoadOptions:
        """The plan's, with the workers of all shards."""
        return replace(self.plan.options, workers=self.plan.shards * self.plan.options.workers)

    @property
    def barrier(self) -> StartBarrier:
        """How they begin at once: a shard waits for a free slot first, then gets ready."""
        if self.post is None:
            return ON_THIS_HOST
        return StartBarrier(ready_within_s=PATIENCE.come_within_s + _GET_READY_S, lead_s=LEAD_S)

    def pids(self) -> list[int]:
        """The processes of those shards that are on this machine, too."""
        return [worker.root_pid for worker in self._mailed if worker.root_pid]

    def launcher(self, here: Launch, source: LoadSource) -> Launch:
        """Starts the workers of this shard by `here`, and has the others start theirs."""
        post = self.post
        if post is None:
            return here

        def launch(
            stage: Stage, options: LoadOptions, first_number: int
        ) -> Callable[[int], WorkerProcess]:
            start_here = here(stage, options, first_number)
            box = post.new_box()

            def start(worker: int) -> WorkerProcess:
                shard = worker // self.plan.options.workers
                if not shard:
                    return start_here(worker)
                mailed = MailboxWorker(
                    Address(box, shard, worker),
                    Assignment(source.namespace, stage, options, worker, first_number),
                    log=worker_log(source.logs, worker),
                    patience=PATIENCE,
                )
                self._mailed.append(mailed)
                return mailed

            return start

        return launch

    def throw_away_read_mail(self) -> None:
        """Removes what the workers of other shards wrote."""
        for worker in self._mailed:
            worker.throw_away_read_mail()


def post_of(folder: RunFolder, stage_name: str) -> StagePost:
    """The mail of a stage of a run."""
    return StagePost(folder.path / SHARDS / stage_name)


def shard_of(plan: Plan, number: int) -> Shard:
    """The shard of that number with its workers. Raises ConfigError when the plan has none such."""
    if not 1 <= number < plan.shards:
        raise ConfigError(
            f"The plan {plan.name} has no shard {number} beside the coordinator's;"
            f" its shards: {plan.shards}.",
            hint="The plan was edited in mid-run? Trigger a new run.",
        )
    workers = plan.options.workers
    return Shard(number, range(number * workers, (number + 1) * workers))


@contextmanager
def spread(plan: Plan, folder: RunFolder, stage_name: str) -> Iterator[Shards]:
    """The shards of a stage; afterwards, whatever happened, they know that it is over."""
    if plan.shards == 1:
        yield Shards(plan, None)
        return
    post = post_of(folder, stage_name)
    post.open()
    shards = Shards(plan, post)
    try:
        yield shards
    finally:
        post.close()
        shards.throw_away_read_mail()
