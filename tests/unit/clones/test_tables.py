"""Checksums that differ are told by table; a restored server is started as its source was."""

from __future__ import annotations

from readiness.clones.tables import differing, start_options


def test_equal_sums_differ_nowhere() -> None:
    assert differing({"a.t": 1}, {"a.t": 1}) == ""


def test_changed_lost_and_new_tables_are_named() -> None:
    assert differing({"a.t": 1, "a.u": 2}, {"a.t": 3, "a.v": 4}) == "a.t, a.u, a.v"


def test_many_are_counted() -> None:
    found = {f"a.t{n}": n for n in range(8)}
    assert differing({}, found) == "a.t0, a.t1, a.t2, a.t3, a.t4 and 3 more"


def test_only_what_decides_whether_the_data_opens_is_passed_on() -> None:
    said = {"innodb_page_size": "8192", "lower_case_table_names": "1", "log_bin": "1"}
    assert start_options(said) == ("--innodb-page-size=8192", "--lower-case-table-names=1")
