"""Whatever fails while captures are worked on: no captured value is in any message, traceback,
log or file, in any encoding that the scanner knows."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.fakes.canaries import Cage
from tests.fakes.sabotage import Spot, Work, crashing_in, error_of, shown, spots_of

from readiness.airflow.workload_dag import BuildWorkload
from readiness.cli.main import main
from readiness.errors import ReadinessError, Unexpected
from readiness.flow.build import Built
from readiness.wiring.workloads import Asked, build

# A crash may come between a file's opening and who would close it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
LAYERS = tuple(
    f"readiness.{layer}"
    for layer in ("capture", "workload", "anonymize", "sql", "flow", "artifacts")
)
# What the issue names, by the module that does it.
STAGES = {
    "read": "capture.files",
    "parse": "capture.general_log",
    "lex": "sql.lexer",
    "align": "workload.find.align",
    "group": "workload.find.groups",
    "classify": "workload.find.classify",
    "derive": "workload.find.derive",
    "embed": "workload.find.embed",
    "seal": "anonymize.seal",
    "pseudonym": "anonymize.pseudonym",
    "render": "workload.text.file",
    "explain": "workload.explain.explained",
    "scan": "anonymize.scan",
    "filter": "anonymize.filter",
    "write": "artifacts.atomic",
}


@pytest.fixture
def cage(tmp_path: Path) -> Cage:
    return Cage(tmp_path)


@pytest.fixture(scope="module")
def spots(tmp_path_factory: pytest.TempPathFactory) -> list[Spot]:
    """Every function that a build comes through."""
    building(Cage(tmp_path_factory.mktemp("first")))()  # what is done once in a process is done now
    return spots_of(building(Cage(tmp_path_factory.mktemp("healthy"))), LAYERS)


def building(cage: Cage) -> Work:
    """A build; nothing of the cage is in its frame."""
    asked = Asked("checkout", tuple(cage.logs), schema=cage.schema)
    output = cage.folder / "built/checkout.sql"

    def work() -> Built:
        return build(asked, key=b"k" * 32, output=output)

    return work


def typed(cage: Cage) -> list[str]:
    """The same as a person types it."""
    logs = [part for log in cage.logs for part in ("--capture", str(log))]
    key = ["--key-file", str(cage.folder / "key")]
    output = str(cage.folder / "built/checkout.sql")
    return ["workload", "build", *logs, "--schema", str(cage.schema), *key, "-o", output]


def one_each_module(spots: list[Spot]) -> Iterator[Spot]:
    """The function that a build comes through last, of each module."""
    yield from {spot.module: spot for spot in spots}.values()


def test_a_build_comes_through_every_stage(spots: list[Spot]) -> None:
    modules = {spot.module.removeprefix("readiness.") for spot in spots}
    assert set(STAGES.values()) - modules == set()


def test_the_canaries_would_be_heard(cage: Cage) -> None:
    log = cage.logs[0].read_bytes()
    heard = cage.escaped({"log": log, "hex": log.hex().encode()})
    assert len({line.split(" of ")[1] for line in heard if line.startswith("log")}) == 6
    assert any(line.startswith("hex") for line in heard)


def test_an_error_inside_would_show_them(cage: Cage) -> None:
    """Without the boundary each way of printing shows values: the search is no formality."""
    value = cage.logs[0].read_text()

    def careless() -> None:
        statement = value.encode()
        raise ValueError(statement)

    error = error_of(careless)
    assert error is not None
    heard = {line.split(":")[0] for line in cage.escaped(shown(error))}
    assert {"repr", "traceback with locals", "rich", "structlog", "pytest", "logging"} <= heard


def test_no_stage_lets_a_value_out_when_it_crashes(cage: Cage, spots: list[Spot]) -> None:
    heard, silent = [], []
    for spot in one_each_module(spots):
        work = building(cage)
        with crashing_in(spot):
            error = error_of(work)
        if error is None:
            silent.append(spot)
            continue
        assert isinstance(error, ReadinessError), spot
        heard += [f"{spot}: {line}" for line in cage.escaped(shown(error) | cage.files())]
    assert heard == []
    assert silent == []


@pytest.mark.long
def test_no_function_lets_a_value_out_when_it_crashes(cage: Cage, spots: list[Spot]) -> None:
    assert len(spots) > 500
    heard = []
    for spot in spots:
        work = building(cage)
        with crashing_in(spot):
            error = error_of(work)
        ways = shown(error) if error else {}
        heard += [f"{spot}: {line}" for line in cage.escaped(ways | cage.files())]
    assert heard == []


def test_the_command_line_tells_type_and_place(
    cage: Cage,
    spots: list[Spot],
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    for spot in one_each_module(spots):
        with crashing_in(spot):
            code = main(typed(cage))
        said = capfd.readouterr()
        assert code == Unexpected.exit_code, f"{spot}: {said.err}"
        assert re.search(r"Crash at ([a-z_.]+:\d+|an unknown place)", said.err), (
            f"{spot}: {said.err}"
        )
        assert "Report it" in said.err
        assert "Traceback" not in said.err
        outputs = {"stdout": said.out.encode(), "stderr": said.err.encode()}
        outputs["log"] = caplog.text.encode()
        assert cage.escaped(outputs | cage.files()) == [], spot


def test_a_task_of_airflow_tells_type_and_place(
    cage: Cage, spots: list[Spot], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("READINESS_STATE", str(cage.folder / "state"))
    monkeypatch.setenv("READINESS_KEY_FILE", str(cage.folder / "key"))
    params = {
        "name": "checkout",
        "captures": [str(log) for log in cage.logs],
        "users": [],
        "source": None,
        "schema": str(cage.schema),
        "overrides": None,
    }
    context = {"dag_run": SimpleNamespace(conf={}), "params": params}
    for spot in one_each_module(spots):
        task = BuildWorkload(task_id="build")
        with crashing_in(spot):
            error = error_of(lambda task=task: task.execute(context))
        assert error is not None, spot
        assert type(error).__name__ == "AirflowFailException", (spot, error)
        outputs = {**shown(error), "log": caplog.text.encode()}
        assert cage.escaped(outputs | cage.files()) == [], spot


def damaged(log: bytes) -> Iterator[tuple[str, bytes]]:
    """A log as disks, editors and careless people leave it."""
    for at in range(40, len(log), max(1, len(log) // 12)):
        yield f"cut at {at}", log[:at]
        yield f"a quote at {at}", log[:at] + b"'" + log[at:]
        yield f"a broken byte at {at}", log[:at] + b"\xff\x00" + log[at + 1 :]
    yield "no quotes", log.replace(b"'", b"")
    yield "no newlines", log.replace(b"\n", b" ")
    yield "the statements alone", b"\n".join(line.rpartition(b"\t")[2] for line in log.splitlines())
    yield "unknown statements", log.replace(b"INSERT INTO", b"FROBNICATE")
    yield "unknown tables", log.replace(b"users", b"usurs")
    yield "an open comment", log.replace(b"VALUES", b"/* VALUES", 1)
    yield "a NUL", log.replace(b"VALUES", b"\0VALUES", 1)


def test_no_damaged_log_lets_a_value_out(cage: Cage, capfd: pytest.CaptureFixture[str]) -> None:
    whole = cage.logs[1].read_bytes()
    codes = set()
    for what, log in damaged(whole):
        cage.logs[1].write_bytes(log)
        commands = [typed(cage), ["capture", str(cage.logs[1])]]
        commands.append([*commands[1], "--json"])
        logs = [part for log in cage.logs for part in ("--capture", str(log))]
        commands.append(["scan", str(cage.schema), *logs])
        for command in commands:
            codes.add(main(command))
            said = capfd.readouterr()
            outputs = {"stdout": said.out.encode(), "stderr": said.err.encode()}
            assert cage.escaped(outputs | cage.files()) == [], (what, command[0])
    assert codes == {0, 2}


@pytest.mark.parametrize("verb", ["capture", "scan", "scan of a leak"])
def test_other_commands_on_logs_let_no_value_out(
    cage: Cage, verb: str, capfd: pytest.CaptureFixture[str]
) -> None:
    logs = [part for log in cage.logs for part in ("--capture", str(log))]
    leak = cage.folder / "leak.txt"
    leak.write_bytes(b"nothing" if verb == "scan" else cage.logs[0].read_bytes())
    words = ["capture", str(cage.logs[0])] if verb == "capture" else ["scan", str(leak), *logs]
    found = spots_of(lambda: main(words), LAYERS)
    assert len({spot.module for spot in found}) > 10
    capfd.readouterr()
    for spot in one_each_module(found):
        with crashing_in(spot):
            main(words)
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        outputs = {"stdout": said.out.encode(), "stderr": said.err.encode()}
        assert cage.escaped(outputs) == [], spot


def test_a_schema_that_quotes_a_person_is_not_repeated(
    cage: Cage, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = cage.schema.read_text()
    name = "Ziskvogel Qwentin"
    for broken in (name, f'{{"{name}": 1}}', f'["{name}"', whole.replace('"lending"', f"{name}")):
        cage.schema.write_text(broken)
        assert main(typed(cage)) == 2
        assert name not in "".join(capfd.readouterr())


@pytest.mark.parametrize("options", [["-X", "dev"], ["-X", "faulthandler", "-W", "default"]])
def test_a_developers_python_shows_no_more(cage: Cage, options: list[str]) -> None:
    """With warnings and a dump of all threads at the end: the program is interrupted in its work."""
    program = (
        "import faulthandler, sys\n"
        "from readiness.anonymize import seal\n"
        "from readiness.cli.main import main\n"
        "from readiness.flow import build\n"
        "def dumped(draft, **_):\n"
        "    held = [literal for step in draft.steps for literal in step.pieces]\n"
        "    faulthandler.dump_traceback()\n"
        "    raise KeyError(held[0], draft)\n"
        "build.seal = dumped\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, *options, "-c", program, *typed(cage)],
        env={**os.environ, "PYTHONPATH": "include"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert b"KeyError at" in done.stderr
    assert b"in dumped" in done.stderr
    assert cage.escaped({"stdout": done.stdout, "stderr": done.stderr} | cage.files()) == []


@pytest.mark.parametrize("typed_wrong", ["--target", "--from", "--frm"])
def test_a_password_on_the_command_line_is_not_repeated(
    typed_wrong: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for dsn in ("mysql://jane:pa55-word@db.example/shop", "mysql://:pa55-word@db.example:33/shop"):
        assert main(["capture", typed_wrong, dsn]) == 2
        assert "pa55" not in "".join(capfd.readouterr())
