"""The command line as a person meets it: a process in a folder, its exit code and what it said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err

    @property
    def json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.out)
        return read


class CommandLine:
    """`readiness …` in `folder`, its state in `folder`/.local."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: object, **env: str) -> Said:
        return self._run([str(Path(sys.executable).with_name("readiness"))], arguments, env)

    def demo(self, *arguments: object, **env: str) -> Said:
        return self._run([sys.executable, "-m", "readiness.demo"], arguments, env)

    def environment(self, **more: str) -> dict[str, str]:
        plain = {k: v for k, v in os.environ.items() if not k.startswith("READINESS_")}
        ours = {
            "READINESS_STATE": str(self.folder / ".local"),
            "READINESS_KEY_FILE": str(self.folder / "key"),
        }
        return {**plain, **ours, **more}

    def _run(self, start: list[str], arguments: tuple[object, ...], env: dict[str, str]) -> Said:
        done = subprocess.run(
            [*start, *map(str, arguments)],
            cwd=self.folder,
            env=self.environment(**env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)


def assert_told(said: Said, code: int, *words: str) -> None:
    """It ended with `code`, used these words, and showed nobody a traceback."""
    assert said.code == code, said.all
    assert "Traceback" not in said.all
    assert [word for word in words if word not in said.all] == [], said.all
