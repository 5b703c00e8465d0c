"""`readiness server`: a private local server in a folder, as a source or a target to try things on."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.adapters.server_command import ServerOptions
from readiness.adapters.server_state import ServerState
from readiness.cli import console
from readiness.cli.arguments import add_command, whole_number
from readiness.config.settings import read_settings
from readiness.errors import ServerError

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command."""
    parser = add_command(commands, "server", run, summary="start, stop or show a private server")
    parser.add_argument("action", choices=("start", "stop", "status"), help="what to do")
    parser.add_argument("--engine", choices=("mariadb", "mysql"), help="refuse any other engine")
    parser.add_argument(
        "--dir", type=Path, metavar="DIR", help="its folder; default: server/ in the state folder"
    )
    parser.add_argument(
        "--port", type=whole_number(0, 65_535), default=0, metavar="N", help="0 takes a free one"
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 0; status exits 3 when no server runs."""
    if args.action == "start":
        return _start(args)
    server = LocalServer(_directory(args))
    if args.action == "stop":
        was_running = server.stop()
        text = "stopped" if was_running else "no server ran there"
        console.result({"stopped": was_running}, text, as_json=args.json)
        return 0
    return _show(args, server.running_state())


def _directory(args: argparse.Namespace) -> Path:
    return args.dir or read_settings().state / "server"


def _start(args: argparse.Namespace) -> int:
    options = ServerOptions(port=args.port, is_attached=False)
    server = LocalServer(_directory(args), options=options, binary=_binary(args.engine))
    console.progress(f"starting {server.binary.engine} in {server.directory}")
    server.start()
    return _show(args, server.running_state())


def _show(args: argparse.Namespace, state: ServerState) -> int:
    text = (
        f"{state.engine} {state.version}, pid {state.pid}, 127.0.0.1:{state.port}\n"
        f"  mysql://root@localhost/?socket={state.socket}"
    )
    console.result(asdict(state), text, as_json=args.json)
    return 0


def _binary(engine: str | None) -> ServerBinary:
    binary = find_server()
    if engine and binary.engine != engine:
        raise ServerError(
            f"The server found here is {binary.engine} {binary.version}, not {engine}.",
            hint=f"Name one:  READINESS_MYSQLD=/path/to/{engine}d readiness server start",
        )
    return binary
