"""Fixtures that several test folders share: real programs, private servers, Hypothesis profiles.

A missing program skips with its reason on a developer's machine and fails in CI, where set-up
had to bring it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

from readiness.adapters.local_server import LocalServer
from readiness.adapters.server_binary import ServerBinary, find_server
from readiness.errors import ServerError

IN_CI = bool(os.environ.get("CI"))
REPOSITORY = Path(__file__).resolve().parents[1]

# Two shared cores: a slow example is no failure. CI repeats the same examples each time.
settings.register_profile("suite", deadline=None, max_examples=60, derandomize=IN_CI)
settings.load_profile("suite")


def _absent(what: str) -> NoReturn:
    if IN_CI:
        pytest.fail(f"{what} is missing, and CI must not skip")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def server_binary() -> ServerBinary:
    """The database server that private servers run."""
    try:
        return find_server()
    except ServerError as error:
        _absent(error.message)


@pytest.fixture(scope="module")
def private_server(
    server_binary: ServerBinary, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalServer]:
    """A running private server of one test module; log in with `root_session()`."""
    with LocalServer(tmp_path_factory.mktemp("server"), binary=server_binary) as server:
        yield server


@pytest.fixture(scope="session")
def chromium() -> str:
    """A headless browser; set-up cannot bring one everywhere, so its absence only skips."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("no chromium on PATH: the page was not looked at in a browser")
