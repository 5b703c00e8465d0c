"""Whatever reaches a target's database asks the interlock first, or is written down with its why."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.source import Module

CALLERS = ("cli/", "airflow/", "wiring/", "demo/", "worker.py")
# What opens a connection to a database that somebody named, or starts what does.
OPENS = {
    "login_of", "open_session", "open_script", "connect", "connector", "MySqlServerLog", "session",
    "admin_session", "root_session", "production_session", "ChildWorker", "starter", "launcher",
    "sampler", "read_pools",
}  # fmt: skip
ASKS = {"gate", "hold", "keys_of", "require_adoptable"}
WITHOUT = {
    "wiring/targets.py": "gives sessions to those that ask: it is where gate and hold stand",
    "wiring/lineage.py": "reads server and marker for run.json; the run that asks has been let in",
    "wiring/preflights.py": "limits and a calibration of 2 s, for a run that has been let in",
    "wiring/invariants.py": "questions of a plan in a transaction that only reads, for a run let in",
    "wiring/production.py": "status reads of production, read only",
    "wiring/workloads.py": "reads the source of captures: columns and statistics",
    "cli/workload_build.py": "reads the source of captures: columns and statistics",
    "cli/workload_schema.py": "reads a schema",
    "cli/capture_live.py": "switches the general log of a source of captures, production on purpose",
    "airflow/connections.py": "turns a connection of Airflow into a login; its DAG builds a workload",
    "worker.py": "a load worker: started by who asked, for the very target it asked for",
    "demo/production.py": "a server that the demo made itself",
    "demo/source.py": "fills an empty database of the demo's own set-up",
    "demo/databases.py": "a database that the demo made itself",
    "demo/background.py": "customers of the demo's own production",
}


def outer(modules: list[Module]) -> Iterator[tuple[str, Module]]:
    for module in modules:
        path = module.path.removeprefix("include/readiness/")
        if path.startswith(CALLERS):
            yield path, module


def called(module: Module) -> set[str]:
    """The names of all functions that the module calls, or hands on to be called."""
    names = (
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
    )
    return set(names)


def test_no_module_reaches_a_target_without_asking_the_interlock(modules: list[Module]) -> None:
    silent = {
        path: sorted(called(module) & OPENS)
        for path, module in outer(modules)
        if called(module) & OPENS and not called(module) & ASKS and path not in WITHOUT
    }
    assert silent == {}


def test_what_is_written_down_still_opens_a_database(modules: list[Module]) -> None:
    opening = {path for path, module in outer(modules) if called(module) & OPENS}
    assert set(WITHOUT) <= opening


def test_load_is_sent_only_where_the_gate_was_asked_for_load(modules: list[Module]) -> None:
    """Masking asks for fewer keys: nothing that starts workers or scripts may ask so."""
    sends = {"open_script", "launcher", "starter", "ChildWorker"}
    wrong = [
        path
        for path, module in outer(modules)
        if called(module) & sends and path != "wiring/targets.py" and "Purpose.MASK" in module.text
    ]
    assert wrong == []
