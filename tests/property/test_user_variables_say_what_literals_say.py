"""Law: a SET form, played as a server plays it, sends what the literal form sends."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes.checkouts import basket_workload, small_pools, small_workload
from tests.fakes.playing import play, steady
from tests.fakes.wire import WireServer, error, ok

from readiness.errors import WorkloadError
from readiness.load.plan import pauses_ns
from readiness.model.load import LoadOptions
from readiness.model.workload import SET_STATEMENT, Workload
from readiness.ports import CheckoutFlow
from readiness.sql.lexer import LITERALS, TokenKind, lex
from readiness.workload.make.compile import compile_flow
from readiness.workload.make.pools import Group, Pool, Pools
from readiness.workload.make.rows import Family

Sent = list[tuple[int, bytes]]


def basket_pools() -> Pools:
    skus = Group.of({(f"A-{n}".encode(),): 1 for n in range(9)})
    return Pools((Pool(Family("products", "", ()), ("sku",), {(): skus}),))


CASES = {"small": (small_workload(), small_pools()), "basket": (basket_workload(), basket_pools())}


def sent(flow: CheckoutFlow, number: int) -> list[tuple[str, int, bytes]]:
    """Statement id, connection and text of all that a checkout sends; ids are 500 and on."""
    values = flow.new_values(number)
    made, step = [], flow.following(0, values)
    while step < len(flow.statement_ids):
        text = flow.render(step, values)
        made.append((flow.statement_ids[step], flow.connections[step], text))
        if flow.binds[step]:
            flow.bind(step, values, 500 + len(values))
        step = flow.following(step + 1, values)
    return made


def played(statements: list[tuple[str, int, bytes]]) -> Sent:
    """As each connection's server understands it: names replaced by what was set there."""
    known: dict[tuple[int, bytes], bytes] = {}
    understood: Sent = []
    for name, connection, text in statements:
        tokens = lex(text)
        if name == SET_STATEMENT:
            names = [text[t.start : t.end] for t in tokens if t.kind is TokenKind.USER_VARIABLE]
            literals = [text[t.start : t.end] for t in tokens if t.kind in LITERALS]
            known.update({(connection, n): v for n, v in zip(names, literals, strict=True)})
        else:
            understood.append((connection, _replaced(text, connection, known)))
    return understood


def _replaced(text: bytes, connection: int, known: dict[tuple[int, bytes], bytes]) -> bytes:
    for token in reversed(lex(text)):
        if token.kind is TokenKind.USER_VARIABLE:
            value = known[connection, text[token.start : token.end]]
            text = text[: token.start] + value + text[token.end :]
    return text


def masked_clock(sends: Sent) -> Sent:
    """Both forms are made in the same second or not: dates are left out."""
    return [(c, re.sub(rb"\d{4}-\d\d-\d\d", b"DAY", text)) for c, text in sends]


def both(workload: Workload, pools: Pools) -> tuple[CheckoutFlow, CheckoutFlow]:
    literal, uservar = (
        compile_flow(workload, pools, namespace=b"run", seed=1, binding=binding)
        for binding in ("literal", "uservar")
    )
    return literal, uservar


@pytest.mark.parametrize("case", CASES)
@given(number=st.integers(0, 10**6))
def test_each_statement_is_understood_as_its_literal_form(case: str, number: int) -> None:
    literal, uservar = both(*CASES[case])
    plain = [(connection, text) for _, connection, text in sent(literal, number)]
    assert masked_clock(played(sent(uservar, number))) == masked_clock(plain)


def test_one_set_goes_ahead_on_each_connection_and_one_follows_an_id() -> None:
    _, uservar = both(*CASES["small"])
    ids = [name for name, _, _ in sent(uservar, 1)]
    assert ids == ["set", "set", "s001", "s002", "s003", "set", "s004", "s005"]


def test_what_no_statement_names_is_not_sent() -> None:
    _, uservar = both(*CASES["small"])
    statements = sent(uservar, 1)
    assert b"@user_id_0" in statements[0][2]
    assert b"@sku_0" not in statements[0][2]
    assert b"@sku_0" in statements[1][2]
    assert b"@loan_id_0" not in b"".join(text for _, _, text in statements)  # only derived from


PAUSES = st.builds(
    LoadOptions,
    statement_pause_ms=st.integers(0, 9).map(float),
    transaction_pause_ms=st.integers(0, 9).map(float),
    pacing=st.sampled_from([0.0, 1.0, 2.5]),
)


@pytest.mark.parametrize("case", CASES)
@given(options=PAUSES)
def test_sets_take_no_pause_and_change_none(case: str, options: LoadOptions) -> None:
    literal, uservar = both(*CASES[case])
    pauses = list(zip(uservar.statement_ids, pauses_ns(uservar, options), strict=True))
    assert [ns for name, ns in pauses if name != SET_STATEMENT] == list(pauses_ns(literal, options))
    assert all(ns == 0 for name, ns in pauses if name == SET_STATEMENT)


def test_another_try_sends_the_ids_of_that_try() -> None:
    """The server's own ids of the second try go ahead again, and nothing of the first is used."""
    ids, commits = iter(range(500, 600)), iter([ok(), error(1213)])

    def answer(sql: bytes) -> bytes:
        if sql == b"COMMIT":
            return next(commits, ok())
        return ok(next(ids)) if b"INTO notes" in sql else ok()

    workload, pools = CASES["basket"]
    server = WireServer(answer)
    one = replace(workload.repeats[0], counts=(2,))
    flow = compile_flow(
        replace(workload, repeats=(one,)), pools, namespace=b"run", seed=1, binding="uservar"
    )
    played = play(flow, server.connect, steady(5, 0.2), retries=1)
    assert (played.report.ok, played.report.errors) == (1, {})
    assert played.total("retried") == 1
    read = b"SELECT text FROM notes WHERE id = @note_id_1"
    notes = [q for q in server.queries if b"@note_id" in q]
    assert notes == [b"SET @note_id_1 = 500", read, b"SET @note_id_1 = 501", read]
    assert played.report.statements[SET_STATEMENT].count == 3


def test_a_statement_of_that_id_is_refused_with_a_way_out() -> None:
    workload, pools = CASES["small"]
    taken = replace(workload.steps[0], statement_id=SET_STATEMENT)
    with pytest.raises(WorkloadError, match="binding: uservar") as caught:
        both(replace(workload, steps=(taken, *workload.steps[1:])), pools)
    assert "binding: literal" in caught.value.hint
