"""`readiness workload`: builds a workload file from captures, and checks one on a target."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from readiness.cli import workload_build, workload_check, workload_salt, workload_schema
from readiness.cli.arguments import add_verbs

if TYPE_CHECKING:
    from readiness.cli.arguments import Commands


def register(commands: Commands) -> None:
    """Adds the command and its verbs."""
    verbs = add_verbs(commands, "workload", run, summary="build a workload file, or check one")
    workload_build.add(verbs.add_parser("build", help="captures → checkout.sql"))
    workload_check.add(
        verbs.add_parser("check", help="run checkouts one after the other on a clone")
    )
    workload_salt.add(
        verbs.add_parser("salt", help="give each AUTO_INCREMENT table its own ids before capturing")
    )
    workload_schema.add(
        verbs.add_parser("schema", help="write a database's schema for build --schema")
    )


def run(args: argparse.Namespace) -> int:
    """The exit code of the verb."""
    verb = {
        "build": workload_build.run,
        "check": workload_check.run,
        "salt": workload_salt.run,
        "schema": workload_schema.run,
    }[args.verb]
    return verb(args)
