"""Every general log that a real server wrote is read with exact counts.

Counted without the parser, once for each file:
  LC_ALL=C grep -aoP '^(\\d{4}-\\S+\\t|\\d{6} [ \\d]\\d:\\d\\d:\\d\\d\\t|\\t\\t) *\\d+ \\K[A-Z][A-Za-z ]*(?=\\t)' FILE \\
    | sort | uniq -c          and  wc -l FILE
"""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from readiness.capture.logs import open_log

SAMPLES = Path(__file__).parents[2] / "samples"
ONE_CHECKOUT = {
    "Query": 123, "Connect": 6, "Quit": 5, "Reset stmt": 3, "Prepare": 3, "Execute": 3,
    "Close stmt": 2,
}  # fmt: skip
FORMATS_RUN = {
    "Execute": 8, "Reset stmt": 7, "Connect": 6, "Close stmt": 5, "Quit": 3, "Init DB": 1,
    "Change user": 1,
}  # fmt: skip
COUNTED = {
    "server-logs/mysql97-general.log": (103, {**FORMATS_RUN, "Query": 52, "Prepare": 10}),
    "server-logs/mariadb1011-general.log": (98, {**FORMATS_RUN, "Query": 51, "Prepare": 6}),
    "checkout-captures/checkout_general.log": (148, ONE_CHECKOUT),
    "checkout-captures/checkout_capture2.log": (148, ONE_CHECKOUT),
    "checkout-captures/checkout_capture3.log": (147, {**ONE_CHECKOUT, "Query": 122}),
    "checkout-captures/salted/checkout_general.log": (148, ONE_CHECKOUT),
    "checkout-captures/salted/checkout_capture2.log": (148, ONE_CHECKOUT),
    "checkout-captures/salted/checkout_capture3.log": (148, ONE_CHECKOUT),
    "checkout-captures/interleaved.log": (
        617,
        {"Query": 502, "Connect": 41, "Quit": 38, "Reset stmt": 9, "Prepare": 9, "Execute": 9,
         "Close stmt": 6},
    ),
    "checkout-captures/interleaved_single.log": (
        288,
        {"Query": 219, "Connect": 28, "Quit": 27, "Reset stmt": 3, "Prepare": 3, "Execute": 3,
         "Close stmt": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_the_commands_and_lines_are_all_there(name: str) -> None:
    log = open_log(SAMPLES / name)
    lines, commands = COUNTED[name]
    assert Counter(event.command for event in log) == commands
    assert log.lines == lines
    assert log.warnings == []


@pytest.mark.parametrize("name", COUNTED)
def test_no_byte_is_in_no_record(name: str) -> None:
    """Headers, arguments, line ends and one banner of three lines make the whole file."""
    whole = (SAMPLES / name).read_bytes()
    rest = whole
    for event in open_log(SAMPLES / name):
        before, found, rest = rest.partition(event.argument + b"\n")
        assert found
        assert before.count(b"\n") in (0, 3)
        assert whole[: len(whole) - len(rest)].count(b"\n") == (
            event.line + event.argument.count(b"\n")
        )
    assert rest == b""


@pytest.mark.parametrize("name", COUNTED)
def test_a_packed_log_reads_like_the_plain_one(name: str, tmp_path: Path) -> None:
    packed = tmp_path / "general.log.1"  # its name does not say it
    packed.write_bytes(gzip.compress((SAMPLES / name).read_bytes()))
    assert list(open_log(packed)) == list(open_log(SAMPLES / name))
