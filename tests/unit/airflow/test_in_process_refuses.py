"""A run in one process, whose tasks run one after the other, is no place for shards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from readiness.config.plan import load_plan


def test_a_plan_of_shards_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    plan, home = tmp_path / "plan.yaml", tmp_path / "home"
    plan.write_text(f"{load_plan('demo').source.text}\nshards: 2\n", encoding="utf-8")
    command = [sys.executable, "-m", "readiness.airflow.in_process", "--plan", str(plan)]
    done = subprocess.run(
        [*command, "--result", str(tmp_path / "result"), "--starter", str(os.getpid())],
        env={**os.environ, "AIRFLOW_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "demo spreads its load over 2 shards" in done.stderr
    assert "Traceback" not in done.stderr
    assert not home.exists()
