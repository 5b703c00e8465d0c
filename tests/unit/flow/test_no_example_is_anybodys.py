"""An example is nobody's value by chance, also of users whose statements the workload leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.captures import DATA, paylater_schema

from readiness.anonymize.allowed import Allowed
from readiness.flow.build import BuildInputs, build_workload
from readiness.flow.scan import search, sought_in_captures

USERS = ("checkout_api", "identity", "decision", "ledger_svc")
NUMBERS = range(1000, 10_000, 3)  # a group of a UUID is one of them now and then


def with_a_cron_job(log: Path, half: int, folder: Path) -> Path:
    """The log, in which half of the numbers stand as another user's."""
    lines = ["261130 12:00:00\t    99 Connect\tcron@127.0.0.1 on paylater using TCP/IP"]
    lines += [f"\t\t    99 Query\tSELECT {n}" for n in NUMBERS if n % 2 == half]
    path = folder / log.name
    path.write_bytes(log.read_bytes() + "\n".join(lines).encode() + b"\n")
    return path


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("logs")
    return [with_a_cron_job(DATA / f"plain_{n}.log", n % 2, folder) for n in (1, 2)]


def silent(_text: str) -> None:
    """Nobody listens."""


@pytest.mark.parametrize("number", range(2))
def test_a_scan_by_the_whole_logs_finds_nothing(
    number: int, logs: list[Path], tmp_path: Path
) -> None:
    inputs = BuildInputs("checkout", tuple(logs), USERS, paylater_schema())
    output = tmp_path / "checkout.sql"
    build_workload(inputs, source=None, key=bytes([number]) * 32, output=output)
    sought = sought_in_captures(logs, None)
    assert sought.values > len(NUMBERS)
    scanned = search([output], sought, allowed=Allowed(), progress=silent)
    assert scanned.leaks == ()
