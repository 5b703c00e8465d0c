"""checkout.sql: the same values come back, and every mistake names its line and a remedy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.checkouts import small_workload, with_variable

from readiness.errors import WorkloadError, WorkloadFileError
from readiness.model.workload import VariableKind
from readiness.sql.lexer import split_statements
from readiness.workload.text.file import ordered, parse, render

PATH = Path("checkout.sql")
GOLDEN = Path(__file__).parents[2] / "golden" / "workload"


def changed(old: bytes, new: bytes) -> bytes:
    data = render(small_workload())
    assert old in data
    return data.replace(old, new, 1)


def test_the_file_is_as_it_was_frozen() -> None:
    assert render(small_workload()) == (GOLDEN / "checkout.sql").read_bytes()


def test_what_was_written_is_read() -> None:
    data = (GOLDEN / "checkout.sql").read_bytes()
    assert parse(data, path=PATH) == ordered(small_workload())


def test_a_policy_is_written_and_read() -> None:
    workload = replace(small_workload(), policy="shop-2 3f2a9c11d0ab")
    data = render(workload)
    assert b"\n-- @policy shop-2 3f2a9c11d0ab\n" in data
    assert parse(data, path=PATH) == ordered(workload)


@pytest.mark.parametrize("policy", ["shop", "shop 3f2a", "a b 3f2a9c11d0ab", "shop\n 3f2a9c11d0ab"])
def test_another_name_of_a_policy_is_refused(policy: str) -> None:
    with pytest.raises(WorkloadError, match="policy"):
        render(replace(small_workload(), policy=policy))


def test_a_policy_line_that_cannot_be_read_is_told() -> None:
    data = changed(b"-- @counts", b"-- @policy shop\n-- @counts")
    with pytest.raises(WorkloadFileError, match="@policy cannot be read") as told:
        parse(data, path=PATH)
    assert "-- @policy checkout 3f2a9c11d0ab" in told.value.hint


def test_a_file_of_an_earlier_build_is_read() -> None:
    lines = render(small_workload()).splitlines()
    plain = [line for line in lines if line[:3] != b"-- " or line[:4] == b"-- @"]
    assert parse(b"\n".join(plain), path=PATH) == ordered(small_workload())


def test_a_derived_variable_follows_the_id_it_needs() -> None:
    statements = split_statements(render(small_workload()))
    bind = next(i for i, s in enumerate(statements) if b"LAST_INSERT_ID" in s)
    payload = next(i for i, s in enumerate(statements) if s.startswith(b"SET @payload_0"))
    assert payload == bind + 1


def test_a_plain_client_takes_a_merchant_with_products_enough() -> None:
    assert b"(SELECT COUNT(*) FROM `products`" in render(small_workload())


def test_a_statement_added_by_hand_gets_an_id() -> None:
    data = render(small_workload()) + b"SELECT 1;\n"
    assert parse(data, path=PATH).steps[-1].statement_id == "s006"


def test_the_application_keeps_its_own_variables() -> None:
    data = render(small_workload()) + b"SET @mine = 5;\nSELECT @mine;\n"
    assert parse(data, path=PATH).steps[-1].pieces == (b"SELECT @mine",)


MISTAKES = {
    "no title": (b"-- @workload checkout", b"-- workload checkout", 0, "@workload"),
    "version missing": (b"schema_version: 1", b"", 5, "schema_version"),
    "newer version": (b"schema_version: 1", b"schema_version: 9", 5, "schema_version 9"),
    "unknown annotation": (b"-- @gen user_id_0", b"-- @gne user_id_0", 10, "@gne"),
    "unknown generator": (b"fresh uuid4", b"fresh uuid5", 10, "uuid5"),
    "generator without range": (b"integer(1000..99999)", b"integer", 18, "range"),
    "no such range": (b"integer(1000..99999)", b"integer(few..many)", 18, "integer(100..999)"),
    "endless text": (b"fresh uuid4", b"fresh text(999999999)", 10, "text(24)"),
    "endless card": (b"fresh uuid4", b"fresh pan(9999999)", 10, "pan(16)"),
    "argument of none": (b"fresh uuid4", b"fresh ulid(26)", 10, "nothing in parentheses"),
    "texts as numbers": (b"integer(1000..99999)", b"ulid", 18, "makes texts"),
    "pattern cut off": (b"pattern(ORD-AXXXXX)", b"pattern(ORD-AXXXXX", 16, "@gen"),
    "example missing": (b"SET @user_id_0 = ", b"SELECT ", 10, "@user_id_0"),
    "unknown input": (b"LOWER(@user_email_0)", b"LOWER(@user_mail_0)", 36, "@user_mail_0"),
    "unknown function": (b"SHA2(", b"CRC32(", 36, "CRC32"),
    "used, never set": (
        b"VALUES (@user_id_0, @merchant",
        b"VALUES (@user_1, @merchant",
        47,
        "@user_1",
    ),
    "two statements s002": (b"@statement s003", b"@statement s002", 46, "s002"),
    "connection 0": (b"@connection 2", b"@connection 0", 55, "@connection"),
    "no figure": (b"@pause 4.1ms", b"@pause soon", 44, "@pause"),
    "semicolon missing": (b"COMMIT;", b"COMMIT", 55, "line 53"),
    "open quote": (b"SET @user_id_0 = '", b"SET @user_id_0 = ", 0, "never ends"),
    "hash": (b"-- @statement s003", b"# @statement s003", 46, "two dashes"),
    "no space": (b"-- @statement s003", b"--@statement s003", 46, "two dashes"),
    "block comment": (b"-- @statement s003", b"/* @statement s003 */", 46, "two dashes"),
    "split transaction": (b"@statement s003", b"@statement s003 -- @connection 9", 47, "began on"),
    "endless pause": (b"@pause 4.1ms", b"@pause 1e400ms", 44, "longer than a day"),
    "set twice": (b"COMMIT;", b"SELECT 1 INTO @user_id_0;\nCOMMIT;", 53, "sets @user_id_0"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_names_its_line_and_a_remedy(name: str) -> None:
    old, new, line, said = MISTAKES[name]
    with pytest.raises(WorkloadFileError) as caught:
        parse(changed(old, new), path=PATH)
    assert said in caught.value.message
    assert caught.value.hint
    assert line in (0, caught.value.line)


def test_an_annotation_may_stand_further_behind_its_dashes() -> None:
    data = changed(b"-- @statement s003", b"--  \t@statement s003")
    assert parse(data, path=PATH) == ordered(small_workload())


def test_a_byte_order_mark_is_read_over() -> None:
    assert parse(b"\xef\xbb\xbf" + render(small_workload()), path=PATH).name == "checkout"


def test_a_flow_without_statements_is_refused() -> None:
    data = render(small_workload())
    with pytest.raises(WorkloadFileError, match="no statement of the flow"):
        parse(data[: data.index(b"-- @statement")], path=PATH)


def test_a_variable_that_the_flow_only_reads_may_stand_behind_into() -> None:
    added = b"SELECT id INTO @mine FROM users WHERE id = @user_id_0;\nSELECT @mine;\n"
    assert len(parse(render(small_workload()) + added, path=PATH).steps) == 7


@pytest.mark.parametrize("before", ["COMMIT", "SELECT 1"])
def test_an_id_of_a_statement_that_gives_none_is_refused(before: str) -> None:
    added = f"{before};\n-- @bind late_0 server number a.id\nSET @late_0 = LAST_INSERT_ID();\n"
    with pytest.raises(WorkloadFileError, match="which has none"):
        parse(render(small_workload()) + added.encode(), path=PATH)


def test_a_variable_set_twice_is_refused() -> None:
    with pytest.raises(WorkloadFileError, match="second time"):
        parse(
            changed(b"user_email_0 fresh", b"user_id_0 fresh").replace(
                b"SET @user_email_0 =", b"SET @user_id_0 ="
            ),
            path=PATH,
        )


def test_an_id_used_before_its_insert_is_refused() -> None:
    data = changed(b"BEGIN;", b"BEGIN;\nSELECT * FROM loans WHERE id = @loan_id_0;")
    with pytest.raises(WorkloadFileError, match="used before"):
        parse(data, path=PATH)


def test_a_sample_of_an_unknown_parent_is_refused() -> None:
    data = changed(b"`merchant_id` = @merchant_id_0", b"`merchant_id` = @user_id_0")
    with pytest.raises(WorkloadFileError, match="no @sample before it"):
        parse(data, path=PATH)


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(WorkloadFileError) as caught:
        parse(changed(b"@statement s001", b"@statment s001"), path=PATH)
    assert caught.value.hint == "Did you mean @statement?"


def test_a_circle_of_derived_variables_is_not_written() -> None:
    workload = with_variable("email_hash_0", expression="MD5(@email_hash_0)")
    with pytest.raises(WorkloadError, match="email_hash_0"):
        render(workload)


def test_variables_come_back_in_the_order_they_are_set() -> None:
    kinds = [v.kind for v in ordered(small_workload()).variables]
    assert kinds.index(VariableKind.DERIVED) > kinds.index(VariableKind.EXISTING)
