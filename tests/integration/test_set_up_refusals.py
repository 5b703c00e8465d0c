"""Set-up says in one sentence what a bare machine lacks, and leaves nothing half made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOOLS = ["bash", "env", "dirname", "cat", "mkdir", "rm", "flock", "sha256sum", "cut", "grep"]


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    """A copy of the script and of the lists it reads, on a machine that has `TOOLS` alone."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(repository / "scripts/setup.sh", tmp_path / "scripts/setup.sh")
    for name in ("requirements.txt", "requirements-dev.txt", "requirements.lock", "pyproject.toml"):
        shutil.copy(repository / name, tmp_path / name)
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (tmp_path / "bin" / tool).symlink_to(found)
    return tmp_path


def give_python(checkout: Path, script: str) -> None:
    python = checkout / "bin" / "python3"
    python.write_text(f"#!/usr/bin/env bash\n{script}\n")
    python.chmod(0o755)


def set_up(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("READINESS_", "UV_"))}
    env["PATH"] = str(checkout / "bin")
    return subprocess.run(
        [str(checkout / "scripts/setup.sh"), *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_a_python_it_says_which_one_is_needed(checkout: Path) -> None:
    done = set_up(checkout)
    assert done.returncode == 3
    assert "no Python 3.11 to 3.14 on PATH" in done.stderr
    assert "READINESS_PYTHON" in done.stderr


def test_an_old_python_is_no_python(checkout: Path) -> None:
    give_python(checkout, "exit 1")
    assert "no Python 3.11 to 3.14 on PATH" in set_up(checkout).stderr


def test_with_neither_pip_nor_venv_it_names_the_package(checkout: Path) -> None:
    give_python(checkout, f'[ "$1" = -m ] && exit 1; echo "{checkout}/bin/python3"')
    done = set_up(checkout)
    assert done.returncode == 3
    assert "apt-get install python3-venv" in done.stderr
    assert not (checkout / ".local/tools").exists()
    assert not (checkout / ".venv").exists()


def test_an_unknown_mode_is_refused(checkout: Path) -> None:
    done = set_up(checkout, "everything")
    assert done.returncode == 3
    assert "usage" in done.stderr
