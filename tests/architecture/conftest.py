"""The source tree, read once for all architecture tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.architecture.source import Module, read_modules


@pytest.fixture(scope="session")
def modules(repository: Path) -> list[Module]:
    """Every module of the package."""
    return read_modules(repository)
