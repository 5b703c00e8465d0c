"""The repository stands alone: its files load, its lists agree, and it names nothing outside."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from readiness.config.expectations import load_expectations
from readiness.config.plan import load_plan


def requirement_names(path: Path) -> dict[str, str]:
    """Names (lower case) and what follows them, of one list."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"([A-Za-z0-9][\w.-]*)(.*)", line)
        if match:
            found[match[1].lower().replace("_", "-")] = match[2].strip()
    return found


@pytest.mark.parametrize("kind", ["plans", "expectations"])
def test_every_file_that_users_edit_loads(kind: str, repository: Path) -> None:
    files = sorted((repository / "include" / kind).glob("*.yaml"))
    assert files
    for path in files:
        name = load_plan(path).name if kind == "plans" else load_expectations(path).path.stem
        assert name == path.stem


def test_what_the_package_needs_is_pinned_and_locked(repository: Path) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[<>=]", d)[0].lower() for d in project["dependencies"]}
    pinned = requirement_names(repository / "requirements.txt")
    dev = requirement_names(repository / "requirements-dev.txt")
    locked = requirement_names(repository / "requirements.lock")
    assert needed <= set(pinned)
    assert set(pinned) | set(dev) <= set(locked)
    assert all(pinned.values()), "every direct requirement has a version"


def test_the_lock_names_no_registry(repository: Path) -> None:
    assert "://" not in (repository / "requirements.lock").read_text(encoding="utf-8")


def tracked(repository: Path) -> list[Path]:
    """The files that git has or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=repository,
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    return [repository / name.decode() for name in listed.split(b"\0") if name]


def test_nothing_names_a_place_outside(repository: Path) -> None:
    outside = re.compile(
        rb"/"
        + rb"work/|\.\./"
        + rb"shared|"
        + rb"pypi"
        + rb"\.org|python"
        + rb"hosted|\bfar"
        + rb"m-"
    )
    files = [p for p in tracked(repository) if p.is_file() and not p.is_symlink()]
    assert [str(p) for p in files if outside.search(p.read_bytes())] == []


def test_no_file_is_large(repository: Path) -> None:
    large = [str(p) for p in tracked(repository) if p.is_file() and p.stat().st_size > 500_000]
    assert large == []


def test_scripts_can_be_run(repository: Path) -> None:
    for name in ("scripts/setup.sh", ".ci/run"):
        assert (repository / name).stat().st_mode & 0o111, f"{name} is not executable"


def test_make_help_lists_the_targets(repository: Path) -> None:
    done = subprocess.run(
        ["make", "help"], cwd=repository, capture_output=True, text=True, check=True, timeout=60
    )
    listed = [line.split()[1] for line in done.stdout.splitlines()]
    assert {"demo", "test", "test-long", "check", "bench", "help", "clean"} <= set(listed)
