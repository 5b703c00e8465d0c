"""`readiness`: builds the parser from the command modules, runs one, gives its exit code.

Exit codes: 0 READY, READY_WITH_RISK or done; 1 NOT_READY; 2 usage, configuration or refusal;
3 failed; 4 INVALID; 5 ABORTED.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from readiness import __version__
from readiness.cli import (
    calibrate,
    capture,
    clone,
    console,
    doctor,
    judge,
    load,
    mask,
    prune,
    ramp,
    rate,
    report,
    scan,
    server,
    workload,
)
from readiness.cli.arguments import Parser
from readiness.errors import ReadinessError
from readiness.model.boundary import unexpected

COMMANDS = (
    server,
    capture,
    workload,
    scan,
    clone,
    mask,
    calibrate,
    load,
    ramp,
    rate,
    judge,
    report,
    prune,
    doctor,
)

_EPILOG = """\
A target is named by a DSN without a password:
  mysql://user@host:port/database?tls=off|on|verify&socket=PATH&password_file=F|&password_env=NAME

exit codes: 0 ready or done, 1 NOT_READY, 2 usage, configuration or refusal, 3 failed,
            4 INVALID, 5 ABORTED
"""


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="readiness",
        description="Prove on a clone of production that the database carries the peak.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"readiness {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. What goes wrong becomes one message and an exit code, as JSON too."""
    as_json = "--json" in (sys.argv[1:] if argv is None else argv)
    try:
        args = build_parser().parse_args(argv)
        return int(args.run(args))
    except ReadinessError as error:
        return console.failure(error, as_json=as_json)
    except BrokenPipeError:
        return console.unheard()
    except OSError as error:
        return console.failure(console.of_system(error), as_json=as_json)
    except Exception as error:  # noqa: BLE001 - a traceback could show captured values
        return console.failure(unexpected(error), as_json=as_json)
    except KeyboardInterrupt:
        console.progress("Interrupted. What this command started has been stopped.")
        return 5
