"""`python -m readiness.demo --plan NAME`: what `make demo` runs. Exit code 0 when it came to its
end, whatever the verdict; an error's own code when it did not; 5 when it was interrupted."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from readiness.adapters import leftovers
from readiness.artifacts.lock import RunLock
from readiness.cli.console import failure, is_terminal, of_system
from readiness.config.expectations import load_expectations
from readiness.config.plan import Plan, load_plan
from readiness.config.settings import Settings, read_settings
from readiness.demo.interrupts import finished, finishing, interruptible
from readiness.demo.pipeline import DemoAnswer, DemoPipeline
from readiness.demo.steps import Steps
from readiness.errors import ReadinessError
from readiness.model.boundary import unexpected
from readiness.report.terminal import DemoEnd, demo_tail
from readiness.wiring.ramps import require_one_shard

INTERRUPTED = 5
_TRIES = (
    ("make demo PLAN=demo-overload", "a run that fails"),
    (".venv/bin/readiness --help", "the same steps one by one"),
)


def main() -> int:
    """Runs one demo; never leaves anything running."""
    parser = argparse.ArgumentParser(prog="make demo", description="the whole pipeline, locally")
    parser.add_argument("--plan", default="demo", help="a name in include/plans/")
    args = parser.parse_args()
    interruptible()
    try:
        plan, settings = load_plan(args.plan), read_settings()
        require_one_shard(plan)
        load_expectations(plan.expectations)
        root = (settings.state / "demo").resolve()
        with RunLock(root / "lock"):
            _run(plan, settings, root)
    except ReadinessError as error:
        return failure(error, as_json=False)
    except OSError as error:
        return failure(of_system(error), as_json=False)
    except Exception as error:  # noqa: BLE001 - a traceback could show captured values
        return failure(unexpected(error), as_json=False)
    except KeyboardInterrupt:
        print("\nInterrupted. Nothing is left running.", file=sys.stderr)
        return INTERRUPTED
    return 0


def _run(plan: Plan, settings: Settings, root: Path) -> None:
    began = time.monotonic()
    for line in leftovers.clean(root):
        print(f"  removed what an earlier demo left: {line}")
    steps = Steps(sys.stdout, colour=is_terminal())
    pipeline = DemoPipeline(plan, settings, root=root, steps=steps)
    try:
        answer = pipeline.run()
    finally:
        finishing()
        left = _clean(pipeline, root)
    _tell(answer, left, time.monotonic() - began)


def _clean(pipeline: DemoPipeline, root: Path) -> str:
    """Removes everything; what is said about it, after looking once more."""
    try:
        pipeline.clean()
    finally:
        leftovers.clean(root)
    left = leftovers.find(root)
    return "; ".join(left) or "nothing: no server, no worker, no clone of ours still runs"


def _tell(answer: DemoAnswer, left: str, took_s: float) -> None:
    end = DemoEnd(
        safety=answer.safety,
        left=left,
        took_s=took_s,
        report=str(answer.folder.path / "report.html"),
        is_cached=answer.is_cached,
        tries=_TRIES,
    )
    print()
    print(demo_tail(answer.summary, end, colour=is_terminal()))


if __name__ == "__main__":
    code = main()
    finished()
    sys.exit(code)
