"""The process of one load worker: `python -m readiness.worker`, started by the coordinator only.

Reads its job as the first line of stdin and answers on stdout (see `load.messages`). It ends by
itself within 2 s when its parent dies, by three ways: the kernel's signal, the end of stdin, and
the heartbeats' absence. Ctrl-C is the coordinator's to interpret.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

from readiness.adapters.limits import raise_open_files
from readiness.adapters.mysql_connect import connector
from readiness.errors import LoadError, ReadinessError
from readiness.load.control import Control
from readiness.load.messages import Job, Message, decode, encode, refusal_to_json
from readiness.load.worker import run_job
from readiness.model.boundary import unexpected
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import Pools
from readiness.workload.text.file import parse

_JOB_WITHIN_S = 30.0
_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Runs one job; the exit code is 0, also after a stop, or the error's own."""
    control = Control(sys.stdin.fileno())
    _die_with_parent()
    raise_open_files()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: control.stop("SIGTERM"))
    try:
        _run(control)
    except BrokenPipeError:
        return 0  # nobody is left to report to
    except ReadinessError as error:
        _write({"refused": refusal_to_json(error)})
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - a traceback could show rows of the clone
        failure = unexpected(error)
        _write({"refused": refusal_to_json(failure)})
        return failure.exit_code
    return 0


def _run(control: Control) -> None:
    line = control.first_line(_JOB_WITHIN_S)
    if line is None:
        raise LoadError("A load worker received no job.", hint="Start load with `readiness load`.")
    job = Job.from_json(decode(line))
    path = Path(job.workload_path)
    workload = parse(path.read_bytes(), path=path)
    flow = compile_flow(
        workload,
        Pools.from_json(job.pools),
        namespace=job.namespace.encode(),
        seed=job.options.seed,
        binding=job.options.binding,
    )
    connect = connector(job.target, set_names=workload.set_names)
    run_job(job, flow=flow, connect=connect, control=control, write=_write)


def _write(message: Message) -> None:
    data = memoryview(encode(message) + b"\n")
    while data:
        data = data[os.write(1, data) :]


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    sys.stdout.flush()
    # Threads that wait for a silent server must not hold up the end.
    code = main()
    sys.stderr.flush()
    os._exit(code)
