"""`readiness workload schema`: a database's tables, columns and keys as JSON, for `build --schema`."""

from __future__ import annotations

import argparse
from pathlib import Path

from readiness.adapters.mysql_session import login_of
from readiness.cli import console
from readiness.cli.arguments import add_json
from readiness.config.dsn import Dsn
from readiness.wiring.workloads import write_schema


def add(schema: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    schema.add_argument("--source", metavar="DSN", required=True, help="a database (read only)")
    schema.add_argument(
        "-o", "--output", metavar="FILE", type=Path, required=True, help="the schema file to write"
    )
    add_json(schema)


def run(args: argparse.Namespace) -> int:
    """Exit code 0."""
    schema = write_schema(login_of(Dsn.parse(args.source)), args.output)
    data = {"schema": str(args.output), "database": schema.name, "tables": len(schema.tables)}
    text = f"{args.output}: {len(schema.tables)} tables of {schema.name}; it holds no row"
    console.result(data, text, as_json=args.json)
    return 0
