"""Packages import only what stands below them, and the command line starts without vendors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HEAVY = [
    "airflow",
    "boto3",
    "great_expectations",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "slack_sdk",
]
RUNNING = """\
import sys
import readiness.cli.main
readiness.cli.main.build_parser()
print(*sorted(set(sys.modules) & set(sys.argv[1:])))
"""


def run(repository: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(repository / "include")}
    return subprocess.run(
        command, cwd=repository, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_every_import_rule_is_kept(repository: Path) -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = run(repository, str(linter), "--no-logo", "--no-cache")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert " 0 broken" in done.stdout


def test_the_command_line_starts_without_heavy_modules(repository: Path) -> None:
    done = run(repository, sys.executable, "-c", RUNNING, *HEAVY)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == []


def test_the_model_needs_the_standard_library_alone(repository: Path) -> None:
    names = sorted(p.stem for p in (repository / "include/readiness/model").glob("[a-z]*.py"))
    imports = "".join(f"import readiness.model.{n}\n" for n in names)
    done = run(repository, sys.executable, "-S", "-c", imports + "import readiness.errors")
    assert done.returncode == 0, done.stderr[-2000:]
