"""Statements that are hard to read take no more than their size: hostile values stand in logs."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tests.fakes.broken_logs import FRAGMENTS

from readiness.capture.parts import form_of
from readiness.capture.selection import tags_of

OPENINGS = (b"SELECT ", b"SELECT /*", b"SELECT '", b"SELECT /*a=1*/ ", b'SELECT "')
UNITS = (*FRAGMENTS, b"a", b"1a", b"a='", b"/*a=b", b"k:", b"%3", b"-", b"a\\'", b"*")
QUICK_S = 0.5  # of CPU for 60,000 bytes: linear takes 0.01, the square seconds


@pytest.mark.parametrize("read", [form_of, tags_of], ids=["form", "tags"])
@pytest.mark.parametrize("opening", OPENINGS)
def test_a_statement_of_one_thing_again_and_again(
    read: Callable[[bytes], object], opening: bytes
) -> None:
    for unit in UNITS:
        for close in (b"", b"*/", b"'"):
            sql = opening + unit * (60_000 // len(unit)) + close
            began_s = time.process_time()
            read(sql)
            assert time.process_time() - began_s < QUICK_S, unit
