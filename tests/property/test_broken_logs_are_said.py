"""Whatever a log holds, reading it ends: with what it holds, or with an error that says where.

`READINESS_FUZZ_S` is how many seconds the long test takes (600 unless said)."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.broken_logs import grown, mutate, noise, packed

from readiness.capture.choice import choose_in
from readiness.capture.example import learn
from readiness.capture.logs import open_log
from readiness.capture.selection import Selection
from readiness.capture.sessions import Transactions, read_capture, read_source
from readiness.capture.summary import summarize_source
from readiness.errors import CaptureError

TESTS = Path(__file__).parents[1]
SAMPLES = [
    path.read_bytes()
    for path in sorted((TESTS / "samples").rglob("*"))
    if path.is_file() and path.suffix in (".log", ".tsv", ".CSV") and path.stat().st_size < 120_000
]
EXAMPLE = learn([read_capture(TESTS / "unit/workload/data/plain_1.log")])
PERSONAL = re.compile(rb"Quill|4111|078-05|example\.test|Plain-Pw|Rue de|postbox|inbox\.example")
# As first measured on both servers' logs, not as the readers have it.
_COMMAND = rb" *\d{1,10} (?:Query|Connect|Quit|Execute|Prepare|Init DB|Change user)\t"
RECORDS = {
    "mysql": re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)\t" + _COMMAND),
    "mariadb": re.compile(rb"(?:\d{6} [ \d]\d:\d\d:\d\d\t|\t\t)" + _COMMAND),
    "general-table": re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\t[^\t]*\t\d+\t"),
}
SLOWEST_BYTES_PER_S = 20_000  # of CPU; readers make millions, so this is a hang
LONG_S = float(os.environ.get("READINESS_FUZZ_S", "600"))
PARTS = 5  # a single test that takes ten minutes is taken for one that hangs


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken") / "server.log"


def read(path: Path) -> str:
    """Reads a log as the command does: what it said. Anything but CaptureError is a failure."""
    began_s = time.process_time()
    said = "\n".join(_said(path))
    took_s = time.process_time() - began_s
    assert took_s < 2 + path.stat().st_size / SLOWEST_BYTES_PER_S
    assert not PERSONAL.search(said.encode("utf-8", "surrogateescape"))
    return said


def _said(path: Path) -> Iterator[str]:
    try:
        capture = read_source(open_log(path))
    except CaptureError as error:
        yield f"{error.message} {error.hint}"
        return
    yield from capture.warnings
    summary = summarize_source(open_log(path))
    assert summary.transactions == len(capture.transactions)
    assert summary.events == sum(summary.commands.values())
    assert summary.transactions == sum(summary.outcomes.values())


def loses_nothing(path: Path) -> None:
    """Every record is an event and every statement in a transaction, or something was said."""
    try:
        events = list(open_log(path))
        reader = Transactions(open_log(path))
        statements = sum(len(t.statements) for t in reader)
    except CaptureError:
        return
    said = [*reader.warnings, *reader.source.warnings]
    if not any("left out" in text for text in said):
        assert statements >= sum(reader.users.values())
    begins = RECORDS.get(reader.source.dialect)
    if begins and not reader.source.warnings:
        lines = path.read_bytes().split(b"\n")
        wanted = {number for number, text in enumerate(lines, 1) if begins.match(text)}
        assert wanted <= {event.line for event in events}


def pick_flows(path: Path) -> None:
    """Looks for flows as the command does, by every criterion at once and by the example."""
    selection = Selection(tags=(("application", "Checkout"),), marker="checkout", from_ns=0)
    for asked, example in ((selection, None), (Selection(), EXAMPLE)):
        try:
            reader = Transactions(open_log(path))
            chosen = choose_in(reader, asked, example)
        except CaptureError as error:
            said = error.message
        else:
            said = " ".join(chosen.left_out)
            assert all(flow.transactions for flow in chosen.flows)
        assert not PERSONAL.search(said.encode("utf-8", "surrogateescape"))


def write(path: Path, raw: bytes) -> Path:
    path.write_bytes(raw)
    return path


def test_there_are_samples_of_every_format() -> None:
    assert len(SAMPLES) >= 2


@given(raw=st.binary(max_size=300))
def test_random_bytes_are_no_log(raw: bytes, log: Path) -> None:
    read(write(log, raw))


@given(seed=st.integers(0, 2**64))
def test_noise_behind_a_head_is_read_or_refused(seed: int, log: Path) -> None:
    read(write(log, noise(random.Random(seed), SAMPLES)))


@given(seed=st.integers(0, 2**64))
@settings(max_examples=150)
def test_a_mutilated_log_is_read_or_refused_and_nothing_is_lost_in_silence(
    seed: int, log: Path
) -> None:
    read(write(log, mutate(random.Random(seed), SAMPLES)))
    loses_nothing(log)


@given(seed=st.integers(0, 2**64))
@settings(max_examples=40)
def test_a_broken_gzip_file_is_refused_at_once(seed: int, log: Path) -> None:
    read(write(log, packed(random.Random(seed), SAMPLES)))


@given(seed=st.integers(0, 2**64))
@settings(max_examples=40)
def test_flows_are_looked_for_in_a_mutilated_log(seed: int, log: Path) -> None:
    pick_flows(write(log, mutate(random.Random(seed), SAMPLES)))


def cpu_s(path: Path, raw: bytes) -> float:
    write(path, raw)
    began_s = time.process_time()
    read(path)
    return time.process_time() - began_s


def is_linear(seed: int, path: Path, size: int) -> bool:
    """Twice the bytes take at most 2.6 times the time; noise is given three tries."""
    for _try in range(3):
        one = cpu_s(path, grown(random.Random(seed), SAMPLES, size))
        two = cpu_s(path, grown(random.Random(seed), SAMPLES, 2 * size))
        if two < 2.6 * one or two < 0.5:
            return True
    return False


@given(seed=st.integers(0, 2**64))
@settings(max_examples=15)
def test_twice_the_bytes_take_twice_the_time(seed: int, log: Path) -> None:
    assert is_linear(seed, log, 100_000)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_many_minutes_of_broken_logs(part: int, log: Path) -> None:
    """A failure leaves its log behind, and names it."""
    start = random.SystemRandom().getrandbits(40) * PARTS + part
    ends_s = time.monotonic() + LONG_S / PARTS
    seed = start
    while time.monotonic() < ends_s:
        seed += 1
        chance = random.Random(seed)
        try:
            made = noise if seed % 5 == 0 else packed if seed % 17 == 0 else mutate
            read(write(log, made(chance, SAMPLES)))
            loses_nothing(log)
            pick_flows(log)
            assert seed % 40 or is_linear(seed, log, 100_000)
        except Exception as error:
            error.add_note(f"seed {seed}, the log is {log}")
            raise
    assert seed > start
