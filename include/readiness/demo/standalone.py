"""`python -m readiness.demo.standalone start|stop|prepare`: what `make up` and `make down` run.

`start` prepares the demo's databases under STATE/ui, starts `airflow standalone` on 127.0.0.1 and
returns when it is healthy; `stop` ends it and destroys its clones; `prepare` makes the databases
alone, in the state folder itself. Exit code 0 when it is so, also when it was so before; an error's
own code otherwise; 5 when it was interrupted, with nothing left.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from readiness.adapters.server_room import PortTaken, require_free_port
from readiness.artifacts.lock import RunLock
from readiness.cli import console
from readiness.config.settings import read_settings
from readiness.demo import databases, ui_server
from readiness.demo.interrupts import finished, finishing, interruptible
from readiness.demo.ui_api import AirflowApi
from readiness.demo.ui_environment import AUTHS, UiHome, UiOptions, environment, passwords
from readiness.demo.ui_processes import beyond_loopback, marked
from readiness.demo.ui_server import Running, Settled
from readiness.errors import Busy, ConfigError, ReadinessError
from readiness.report.terminal import step_line

INTERRUPTED = 5
_MOST_PARALLEL = 64


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb."""
    args = _parser().parse_args(arguments)
    interruptible()
    try:
        _run(args)
    except ReadinessError as error:
        return console.failure(error, as_json=False)
    except KeyboardInterrupt:
        print("\nInterrupted. Nothing is left running.", file=sys.stderr)
        return INTERRUPTED
    return 0


def _run(args: argparse.Namespace) -> None:
    state = read_settings().state.resolve()
    if args.verb == "prepare":
        made = databases.prepare(state, console.progress)
        print(f"{made.snapshot.name} and {made.workload}{' (made before)' * made.is_cached}")
        return
    ui = UiHome(state / "ui")
    with RunLock(ui.state / "up.lock"):
        if args.verb == "stop":
            finishing()
            print(_ended(ui_server.stop(ui)))
        elif there := ui_server.running(ui):
            print(f"Airflow runs already: {there.url}\n  stop     make down")
        else:
            _start(ui, _options(args))


def _start(ui: UiHome, options: UiOptions) -> None:
    _require_port(options.port)
    env = environment(ui, options, os.environ)
    for line in ui_server.stop(ui):
        print(f"  removed what an earlier one left: {line}")
    try:
        with _step("demo databases") as tell:
            made = databases.prepare(ui.state, _silent)
            tell.append(f"snapshot {made.snapshot.name}, {made.snapshot.bytes / 1e6:.0f} MB")
        api = _api(ui, options)
        with _step("airflow") as tell:
            there = ui_server.launch(ui, options, env)
            ui_server.wait_healthy(ui, there, api)
            tell.append("healthy")
        with _step("dags") as tell:
            settled = ui_server.settle(api, options.dags)
            tell.append(f"{len(settled.dags)}, of which {len(settled.unpaused)} are not paused")
    except BaseException:
        finishing()
        ui_server.stop(ui)
        raise
    _tell(ui, there, settled)


def _tell(ui: UiHome, there: Running, settled: Settled) -> None:
    for file, error in settled.broken.items():
        print(f"  ! {file} is missing: {error}")
    for address in beyond_loopback(marked(ui.state)):
        print(f"  ! other machines can reach {address}")
    is_open = there.auth == "open"
    login = "no login, this machine only" if is_open else f"passwords in {ui.passwords}"
    print(f"\nAirflow: {there.url}   ({login})")
    print(f"  log      {ui.log}")
    print("  stop     make down")


def _api(ui: UiHome, options: UiOptions) -> AirflowApi:
    if options.auth == "open":
        return AirflowApi(options.url)
    return AirflowApi(options.url, user="admin", password=passwords(ui)["admin"])


def _require_port(port: int) -> None:
    try:
        require_free_port(port)
    except PortTaken:
        raise Busy(
            f"Port {port} on 127.0.0.1 is taken by another program.",
            hint=f"Choose another:  make up PORT={port + 1 if port < 65535 else 8080}",
        ) from None


def _ended(said: list[str]) -> str:
    return "\n".join(f"ended: {line}" for line in said) or "Nothing was running."


@contextmanager
def _step(name: str) -> Iterator[list[str]]:
    """One line when it ends; what is appended inside stands in it."""
    began = time.monotonic()
    told: list[str] = []
    is_done = False
    try:
        yield told
        is_done = True
    finally:
        fact = "; ".join(told) if is_done else "did not end"
        colour = console.is_terminal()
        line = step_line(name, time.monotonic() - began, fact, is_done=is_done, colour=colour)
        print(line, flush=True)


def _silent(_text: str) -> None:
    """The step's own line says enough."""


def _options(args: argparse.Namespace) -> UiOptions:
    if not args.dags.is_dir():
        raise ConfigError(
            f"There is no folder of DAGs {args.dags}.", hint="Leave --dags out for the suite's own."
        )
    return UiOptions(args.port, args.parallelism, args.auth, args.dags)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m readiness.demo.standalone", description="the Airflow UI with the demo"
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    start = verbs.add_parser("start", help="start Airflow (make up)")
    default = UiOptions()
    start.add_argument("--port", type=_number_up_to(65535), default=default.port)
    start.add_argument(
        "--parallelism", type=_number_up_to(_MOST_PARALLEL), default=default.parallelism
    )
    start.add_argument("--auth", choices=AUTHS, default=default.auth)
    start.add_argument("--dags", type=Path, default=default.dags, help="folder of DAG files")
    verbs.add_parser("stop", help="stop it and destroy its clones (make down)")
    verbs.add_parser("prepare", help="make the demo's databases in READINESS_STATE")
    return parser


def _number_up_to(most: int) -> Callable[[str], int]:
    """An argument's type: a whole number from 1 to `most`."""

    def read(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {most}")
        return int(text)

    return read


if __name__ == "__main__":
    code = main()
    finished()
    sys.exit(code)
