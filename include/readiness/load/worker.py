"""One load worker: a job in, a stage run, what was measured out. Knows no database driver."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from readiness.load.connections import Connection
from readiness.load.control import Control
from readiness.load.loop import Loop
from readiness.load.messages import Job, Message, tick_to_json
from readiness.load.plan import WorkerPlan
from readiness.ports import CheckoutFlow, Connector

Write = Callable[[Message], None]

# Connecting threads must not hold the interpreter while an arrival is due: 5 ms by default.
_SWITCH_S = 0.0002


def run_job(
    job: Job, *, flow: CheckoutFlow, connect: Connector, control: Control, write: Write
) -> None:
    """Says ready, waits for the common start, runs the stage and writes its report.

    Writes nothing more when it is stopped before the start. Raises TargetError when the target
    does not let it in, and what flow or connector raise against their contract."""
    sys.setswitchinterval(_SWITCH_S)
    plan = WorkerPlan.of(flow, job.stage, job.options, job.worker)
    loop = Loop(flow, connect, plan=plan, first_number=job.first_number)
    _try(connect)
    # What exists now stays: the collector need not look at it while the load runs.
    gc.collect()
    gc.freeze()
    write({"ready": 1})
    start_ns = control.wait_go()
    if start_ns is None:
        loop.close()
        return
    report = loop.run(
        start_ns,
        on_tick=lambda tick: write({"tick": tick_to_json(tick)}),
        on_draining=lambda in_flight: write({"draining": in_flight}),
        ear=control,
    )
    write({"report": report.to_json()})


def _try(connect: Connector) -> None:
    # A wrong password must be one clear refusal, not an error per checkout.
    opened, capabilities = connect()
    Connection(opened, deprecate_eof=capabilities.deprecate_eof).close()
