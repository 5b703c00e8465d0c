"""Source files as the architecture tests see them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Module:
    """One source file: its path from the repository's root, text and syntax tree."""

    path: str
    text: str
    tree: ast.Module


def read_modules(repository: Path) -> list[Module]:
    """Every module of the package, by path."""
    found = sorted((repository / "include/readiness").rglob("*.py"))
    return [_read(repository, path) for path in found]


def _read(repository: Path, path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(str(path.relative_to(repository)), text, ast.parse(text))
