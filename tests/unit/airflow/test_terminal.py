"""A run in one process is shown as one: each stage goes on with the picture of the last."""

from __future__ import annotations

import io
from dataclasses import replace

from tests.fakes import runs

from readiness.airflow.in_process import Terminal
from readiness.config.plan import load_plan


def test_all_stages_of_a_run_share_a_picture() -> None:
    terminal, plan = Terminal(io.StringIO(), io.StringIO()), load_plan("demo")
    record = runs.ready_run().record
    first = terminal.watcher(plan, record)
    assert terminal.watcher(plan, record) is first
    assert terminal.watcher(plan, replace(record, run_id="another")) is not first


def test_a_step_is_a_line_with_its_fact() -> None:
    out = io.StringIO()
    with Terminal(out, io.StringIO()).step("clone") as tell:
        tell("readiness-demo-a on 127.0.0.1:3307")
    assert out.getvalue().split()[1] == "clone"
    assert out.getvalue().endswith("readiness-demo-a on 127.0.0.1:3307\n")
