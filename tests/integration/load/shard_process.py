"""One side of a stage of two shards as a process: `python shard_process.py coordinator|shard`.

The first line of stdin holds the job and the run folder. It prints the pid of each worker that it
starts, "tick" each second, and the error that ended it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from readiness.adapters.shard_relay import serve_shard
from readiness.adapters.worker_process import ChildWorker
from readiness.artifacts.run_folder import RunFolder
from readiness.config.plan import load_plan
from readiness.errors import ReadinessError
from readiness.load.coordinator import ALONE, OnTick, Outside, run_stage
from readiness.load.messages import Assignment, Job
from readiness.model.load import LoadOptions, Stage, StageResult
from readiness.wiring.shards import post_of, shard_of, spread
from readiness.wiring.targets import LoadSource, workload_at
from readiness.workload.make.pools import Pools

PLAN = replace(load_plan("demo"), shards=2)
Started = Callable[[ChildWorker], Any]


def coordinate(
    job: Job, folder: Path, *, on_tick: OnTick, started: Started, outside: Outside = ALONE
) -> StageResult:
    """The stage of the job from here and from one shard elsewhere."""
    path = Path(job.workload_path)
    source = LoadSource(workload_at(path), path, Pools(()), job.namespace, folder / "logs")

    def here(stage: Stage, options: LoadOptions, first: int) -> Callable[[int], ChildWorker]:
        return lambda k: _start(Assignment(job.namespace, stage, options, k, first), job, started)

    with spread(PLAN, RunFolder(folder), job.stage.name) as shards:
        return run_stage(
            job.stage,
            shards.options,
            launch=shards.launcher(here, source)(job.stage, shards.options, 0),
            on_tick=on_tick,
            outside=replace(outside, barrier=shards.barrier),
        )


def _serve(job: Job, folder: Path, started: Started) -> None:
    post = post_of(RunFolder(folder), job.stage.name)
    serve_shard(post, shard_of(PLAN, 1), launch=lambda told: _start(told, job, started))


def _start(told: Assignment, job: Job, started: Started) -> ChildWorker:
    mine = told.job(job.target, job.workload_path, job.pools)
    worker = ChildWorker(mine, log=Path(job.workload_path).with_name(f"worker-{told.worker}.log"))
    started(worker)
    return worker


def _main(role: str) -> int:
    told = json.loads(sys.stdin.readline())
    job, folder = Job.from_json(told["job"]), Path(told["folder"])

    def started(worker: ChildWorker) -> None:
        print(worker.pid, flush=True)

    try:
        if role == "shard":
            _serve(job, folder, started)
        else:
            coordinate(job, folder, on_tick=lambda _: print("tick", flush=True), started=started)
    except ReadinessError as error:
        print(f"{type(error).__name__}: {error.message}", flush=True)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
