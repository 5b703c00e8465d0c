"""Repeats, turns, shapes and tables of checkout.sql: what is written is read, mistakes are told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.checkouts import basket_workload, small_workload

from readiness.errors import WorkloadError, WorkloadFileError
from readiness.model.workload import Repeat, Row, Slot, Step, Turn, Workload
from readiness.workload.text.file import ordered, parse, render

PATH = Path("basket.sql")
GOLDEN = Path(__file__).parents[2] / "golden" / "workload" / "basket.sql"


def changed(*changes: tuple[bytes, bytes]) -> bytes:
    """The file with each `old` replaced once by its `new`."""
    data = render(basket_workload())
    for old, new in changes:
        assert old in data
        data = data.replace(old, new, 1)
    return data


def refused(data: bytes) -> WorkloadFileError:
    with pytest.raises(WorkloadFileError) as caught:
        parse(data, path=PATH)
    assert caught.value.hint
    return caught.value


def line_of(data: bytes, text: bytes) -> int:
    assert text in data
    return data[: data.index(text)].count(b"\n") + 1


def test_the_file_is_as_it_was_frozen() -> None:
    assert render(basket_workload()) == GOLDEN.read_bytes()


def test_what_was_written_is_read() -> None:
    assert parse(GOLDEN.read_bytes(), path=PATH) == ordered(basket_workload())


def test_every_new_annotation_may_be_left_away() -> None:
    data = render(basket_workload())
    plain = b"\n".join(
        line.split(b"  -- @shape")[0]
        for line in data.splitlines()
        if not line.startswith(b"-- @tables")
    )
    workload = parse(plain, path=PATH)
    assert workload.tables == {}
    assert {step.shape for step in workload.steps} == {""}


def test_tables_may_stand_in_one_line() -> None:
    data = changed((b"11\n", b"11 "), (b"products: 3f2a9c11", b"a.b: 00000000   c: 11111111"))
    data = data.replace(b"`order items`: 91bc0a2d\n-- @tables", b"`order items`: 91bc0a2d ")
    assert parse(data, path=PATH).tables == {
        "order items": "91bc0a2d", "a.b": "00000000", "c": "11111111",
    }  # fmt: skip


def test_one_annotation_may_stand_in_a_line_of_its_own() -> None:
    data = changed((b"-- @statement s003  -- @turn", b"-- @statement s003\n-- @turn"))
    assert parse(data, path=PATH) == ordered(basket_workload())


def test_a_mark_may_be_written_without_spaces() -> None:
    data = changed((b"/* @turn order_items_0 2 */", b"/*@turn order_items_0  2*/"))
    assert parse(data, path=PATH) == ordered(basket_workload())


def test_a_row_may_stand_first_in_its_list_and_hold_parentheses() -> None:
    data = changed(
        (
            b"VALUES (@order_ref_0, @sku_0)/* @turn",
            b"VALUES /* @turn order_items_0 1 */(@order_ref_0, CONCAT('(', (@sku_0)))/* @end */"
            b"/* @turn",
        )
    )
    first = parse(data, path=PATH).steps[1].pieces[1]
    assert isinstance(first, Row)
    assert first.turn == Turn("order_items_0", 1)
    assert first.pieces[-2:] == (Slot("sku_0"), b")))")
    assert render(parse(data, path=PATH)) == data


def test_a_text_that_looks_like_a_mark_is_a_text() -> None:
    note = basket_workload().steps[10]
    assert note.pieces == (b"INSERT INTO notes (text) VALUES ('/* @turn order_items_0 2 */')",)
    assert parse(render(basket_workload()), path=PATH).steps[10].pieces == note.pieces


def test_a_comment_of_the_users_own_stays_in_its_statement() -> None:
    data = changed((b"SELECT stock", b"SELECT /* the shelf */ stock"))
    assert b"/* the shelf */" in render(parse(data, path=PATH))


@pytest.mark.parametrize("text", [b"SELECT 1 /* @end */", b"SELECT /* @turn x 1 */ 1"])
def test_a_statement_with_a_comment_that_reads_as_a_mark_is_not_written(text: bytes) -> None:
    step = replace(small_workload().steps[0], pieces=(text,))
    with pytest.raises(WorkloadError, match="s001 holds a comment"):
        render(replace(small_workload(), steps=(step,), variables=(), samples=()))


MISTAKES: dict[str, tuple[tuple[bytes, bytes], bytes, str]] = {
    "unknown repeat of a statement": (
        (b"s003  -- @turn order_items_0", b"s003  -- @turn order_item_0"),
        b"-- @statement s003",
        "no line @repeat names order_item_0",
    ),
    "unknown repeat of a row": (
        (b"/* @turn order_items_0", b"/* @turn baskets"),
        b"INSERT INTO order_items",
        "no line @repeat names baskets",
    ),
    "turn 0": (
        (b"s003  -- @turn order_items_0 1", b"s003  -- @turn order_items_0 0"),
        b"-- @statement s003",
        "turn 0 of order_items_0, whose counts go from 1 to 3",
    ),
    "turn above the largest count": (
        (b"/* @turn order_items_0 3 */", b"/* @turn order_items_0 4 */"),
        b"INSERT INTO order_items",
        "turn 4 of order_items_0",
    ),
    "no number": (
        (b"s003  -- @turn order_items_0 1", b"s003  -- @turn order_items_0"),
        b"-- @statement s003",
        "does not name a repeat and a number",
    ),
    "a row without an end": (
        (b"/* @end */;", b";"),
        b"INSERT INTO order_items",
        "the row that begins here has no end",
    ),
    "a row within a row": (
        (b"/* @end *//* @turn", b"/* @turn"),
        b"INSERT INTO order_items",
        "a row begins within the row that begins in line",
    ),
    "an end without a row": (
        (b"/* @turn order_items_0 2 */", b""),
        b"INSERT INTO order_items",
        "@end ends no row",
    ),
    "a misspelt mark": (
        (b"/* @turn order_items_0 2 */", b"/* @trun order_items_0 2 */"),
        b"INSERT INTO order_items",
        "there is no mark @trun",
    ),
    "unequal parentheses": (
        (b"/* @turn order_items_0 2 */, (", b", (/* @turn order_items_0 2 */"),
        b"INSERT INTO order_items",
        "unequal parentheses",
    ),
    "a mark before its statement": (
        (b"INSERT INTO order_items", b"/* @turn order_items_0 2 */ INSERT INTO order_items"),
        b"/* @turn order_items_0 2 */ INSERT",
        "stands outside any statement",
    ),
    "a count that is no number": (
        (b"counts: 1 2 3", b"counts: 1 two 3"),
        b"-- @repeat",
        "a count of order_items_0 is no whole number",
    ),
    "a count below 0": ((b"counts: 1 2", b"counts: -1 2"), b"-- @repeat", "no whole number"),
    "no counts": ((b"counts: 1 2 3", b"counts:"), b"-- @repeat", "@repeat cannot be read"),
    "two repeats of one name": (
        (b"-- @tables", b"-- @repeat order_items_0  counts: 4\n-- @tables"),
        b"-- @repeat order_items_0  counts: 4",
        "a second line @repeat order_items_0",
    ),
    "turns out of order": (
        (b"s005  -- @turn order_items_0 2", b"s005  -- @turn order_items_0 3"),
        b"-- @statement s005",
        "turn 3 of order_items_0 follows turn 1",
    ),
    "rows out of order": (
        (b"/* @turn order_items_0 2 */", b"/* @turn order_items_0 3 */"),
        b"INSERT INTO order_items",
        "turn 3 of order_items_0 comes first",
    ),
    "more counted than written": (
        (b"counts: 1 2 3", b"counts: 1 2 5"),
        b"-- @repeat",
        "counts up to 5, but its turns are written out to 3",
    ),
    "BEGIN without its COMMIT": (
        (b"s013  -- @turn order_items_0 2", b"s013"),
        b"-- @statement s010",
        "BEGIN is left out of transaction 2 where s013",
    ),
    "COMMIT without its BEGIN": (
        (b"s010  -- @transaction 2  -- @turn order_items_0 2", b"s010  -- @transaction 2"),
        b"-- @statement s013",
        "COMMIT is left out of transaction 2 where s010",
    ),
    "a statement that stays when its transaction goes": (
        (b"s012  -- @turn order_items_0 2", b"s012"),
        b"-- @statement s010",
        "s012 of the same transaction runs",
    ),
    "no table's fingerprint": ((b"3f2a9c11", b"3f2a"), b"-- @tables products", "8 hexadecimal"),
    "a table twice": ((b"`order items`", b"products"), b"-- @tables products: 3f", "twice"),
    "no shape": ((b"@shape 00000001", b"@shape s1"), b"-- @statement s001", "8 hexadecimal"),
    "one annotation twice": (
        (b"s003  -- @turn", b"s003  -- @turn order_items_0 2  -- @turn"),
        b"-- @statement s003",
        "twice",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_names_its_line_and_a_remedy(name: str) -> None:
    change, place, said = MISTAKES[name]
    data = changed(change)
    error = refused(data)
    assert said in error.message
    assert error.line == line_of(data, place)


def test_a_later_turn_may_read_what_an_earlier_one_bound() -> None:
    second = b"VALUES ('/* @turn order_items_0 2 */');\n-- @bind note_id_2"
    data = changed((second, second.replace(b"'/* @turn order_items_0 2 */'", b"@note_id_1")))
    assert Slot("note_id_1") in parse(data, path=PATH).steps[14].pieces


READ = b"-- @statement s100  -- @transaction 0\nSELECT * FROM notes WHERE id = %s;\n"
DERIVED = b"-- @derive d_0 derived text -\nSET @d_0 = CONCAT(@note_id_2);\n"


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (READ % b"@note_id_1", "@note_id_1 is read where turn 2 of order_items_0"),
        (
            READ.replace(b"0\n", b"0  -- @turn order_items_0 2\n") % b"@note_id_2",
            "@note_id_2 is read where turn 3",
        ),
        (DERIVED + READ % b"@d_0", "@d_0 is read where turn 3"),
        (READ % b"1 OR id IN (1/* @turn order_items_0 2 */, @note_id_2/* @end */)", "turn 3"),
    ],
)
def test_no_statement_reads_an_id_that_may_not_be_there(added: bytes, said: str) -> None:
    data = render(basket_workload()) + added
    error = refused(data)
    assert said in error.message
    assert error.line >= line_of(data, b"s100")


@pytest.mark.parametrize(
    "added",
    [
        READ.replace(b"0\n", b"0  -- @turn order_items_0 2\n") % b"@note_id_1",
        READ % b"1 OR id IN (1/* @turn order_items_0 2 */, @note_id_1/* @end */)",
    ],
)
def test_an_id_is_read_where_its_turn_runs(added: bytes) -> None:
    parse(render(basket_workload()) + added, path=PATH)


def test_a_turn_that_every_count_reaches_gives_ids_to_all() -> None:
    data = changed((b"counts: 1 2 3", b"counts: 2 2 3")) + READ % b"@note_id_1"
    parse(data, path=PATH)


def test_a_count_of_0_leaves_the_first_turn_out_too() -> None:
    bound = (
        b"-- @statement s098  -- @transaction 0  -- @turn order_items_0 1\nINSERT INTO t VALUES ();"
        b"\n-- @bind t_id_0 server number t.id\nSET @t_id_0 = LAST_INSERT_ID();\n"
    )
    data = render(basket_workload()) + bound + READ % b"@t_id_0"
    parse(data, path=PATH)
    assert "turn 1" in refused(data.replace(b"counts: 1 2 3", b"counts: 0 2 3")).message


def basket(change: Callable[[Step], Step]) -> Workload:
    workload = basket_workload()
    return replace(workload, steps=tuple(change(step) for step in workload.steps))


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        (replace(basket_workload(), repeats=()), "s002: no line @repeat"),
        (replace(basket_workload(), repeats=(Repeat("order_items_0", ()),)), "whole numbers"),
        (replace(basket_workload(), repeats=(Repeat("order_items_0", (-1, 3)),)), "whole numbers"),
        (replace(basket_workload(), repeats=basket_workload().repeats * 2), "two repeats"),
        (replace(basket_workload(), repeats=(Repeat("a b", (1,)),)), "not a b"),
        (replace(basket_workload(), tables={"a\nb": "00000000"}), "breaks a line"),
        (basket(lambda s: replace(s, turn=None) if s.statement_id == "s013" else s), "s010: BEGIN"),
    ],
)
def test_what_could_not_be_read_is_not_written(workload: Workload, said: str) -> None:
    with pytest.raises(WorkloadError, match=said):
        render(workload)


def test_two_loops_over_the_same_items_begin_anew() -> None:
    workload = basket_workload()
    loop = [s for s in workload.steps if s.turn and s.transaction == 1]
    again = [replace(s, statement_id=f"z{i}", transaction=0) for i, s in enumerate(loop)]
    twice = replace(workload, steps=(*workload.steps, *again))
    assert parse(render(twice), path=PATH) == ordered(twice)


def test_loops_on_two_connections_may_stand_between_each_other() -> None:
    workload = basket_workload()
    mixed: list[Step] = []
    for step in workload.steps:
        mixed.append(step)
        if step.turn and step.turn.number == 3 and step.transaction == 1:
            ahead = replace(step, connection=2, transaction=0, turn=Turn("order_items_0", 1))
            mixed.append(replace(ahead, statement_id=f"z{len(mixed)}"))
    both = replace(workload, steps=tuple(mixed))
    assert parse(render(both), path=PATH) == ordered(both)


def inserted(text: bytes, *offsets: int) -> bytes:
    """A statement of the file that inserts rows, and binds the ids of some of them."""
    binds = b"".join(
        b"-- @bind row_id_%d server number t.id\nSET @row_id_%d = LAST_INSERT_ID() + %d;\n"
        % (offset, offset, offset)
        for offset in offsets
    )
    return b"-- @statement s090  -- @transaction 0\n" + text + b";\n" + binds


TWO_AND_THREE = (
    b"/* @turn order_items_0 2 */, (2)/* @end *//* @turn order_items_0 3 */, (3)/* @end */"
)
ROWS = b"INSERT INTO t (c) VALUES (f(1))" + TWO_AND_THREE
LAST = b"INSERT INTO t (c) VALUES ((1))" + TWO_AND_THREE + b", (99) ON DUPLICATE KEY UPDATE c = (1)"


def test_the_id_of_a_row_is_read_where_the_row_is_there() -> None:
    data = render(basket_workload()) + inserted(ROWS, 0, 1, 2)
    parse(data + READ % b"@row_id_0", path=PATH)
    turned = READ.replace(b"0\n", b"0  -- @turn order_items_0 2\n")
    parse(data + turned % b"@row_id_1", path=PATH)
    assert "@row_id_1 is read where turn 2" in refused(data + READ % b"@row_id_1").message
    assert "@row_id_2 is read where turn 3" in refused(data + turned % b"@row_id_2").message


def test_an_id_behind_rows_that_may_be_left_out_is_refused() -> None:
    data = render(basket_workload())
    error = refused(data + inserted(LAST, 3))
    assert "@row_id_3 counts 3 rows from the first" in error.message
    parse(data + inserted(LAST, 0, 1, 2), path=PATH)


def test_ids_that_do_not_go_up_by_one_are_taken_as_they_are() -> None:
    data = render(basket_workload()) + inserted(ROWS, 0, 2, 4)
    parse(data + READ % b"@row_id_2", path=PATH)


def named(setting: bytes, taking: bytes, *, turn: bytes = b"  -- @turn order_items_0 2") -> bytes:
    """A statement of turn 2 that sets a name, and one that takes it; `turn` is that of the other."""
    return (
        render(basket_workload())
        + b"-- @statement s080  -- @transaction 0  -- @turn order_items_0 2\n%s;\n" % setting
        + b"-- @statement s081%s\n%s;\n" % (turn, taking)
    )


NAMES = {
    "savepoint sp_1": (b"SAVEPOINT sp_1", b"RELEASE SAVEPOINT SP_1"),
    "savepoint sp_2": (b"SAVEPOINT sp_2", b"ROLLBACK TO sp_2"),
    "savepoint sp_3": (b"SAVEPOINT sp_3", b"ROLLBACK WORK TO SAVEPOINT sp_3"),
    "prepared statement p": (b"PREPARE p FROM 'SELECT 1'", b"EXECUTE p"),
    "prepared statement q": (b"PREPARE q FROM 'SELECT 1'", b"DEALLOCATE PREPARE q"),
    "@bal": (b"SET @bal := (SELECT 1)", b"SELECT @bal + 1"),
    "@stock": (b"SELECT stock INTO @stock FROM products", b"UPDATE products SET stock = @stock"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_session_is_taken_only_where_it_was_set(name: str) -> None:
    parse(named(*NAMES[name]), path=PATH)
    parse(named(*NAMES[name], turn=b"  -- @turn order_items_0 3"), path=PATH)
    error = refused(named(*NAMES[name], turn=b""))
    assert error.message.lower().endswith(
        f"{name} is taken where turn 2 of order_items_0, which sets it, may be left out"
    )
    # On another connection it is another name, and one that all checkouts set is there.
    parse(named(*NAMES[name], turn=b"  -- @connection 2"), path=PATH)
    before = b"-- @statement s070  -- @transaction 0\n%s;\n-- @statement s080" % NAMES[name][0]
    parse(named(*NAMES[name], turn=b"").replace(b"-- @statement s080", before), path=PATH)


def test_a_name_in_a_row_is_taken_where_the_row_is_there() -> None:
    row = b"SELECT 1 FROM products WHERE sku IN ('A'/* @turn order_items_0 2 */, @own/* @end */)"
    parse(named(b"SET @own = 'B'", row, turn=b""), path=PATH)
    assert (
        "@own" in refused(named(b"SET @own = 'B'", row.replace(b"_0 2", b"_0 1"), turn=b"")).message
    )


def test_a_mistake_in_a_row_of_its_own_line_names_that_line() -> None:
    data = changed((b"/* @turn order_items_0 3 */, (", b"\n  /* @turn order_items_9 3 */, ("))
    error = refused(data)
    assert error.line == line_of(data, b"order_items_9")
    assert error.hint == "Did you mean order_items_0?"
