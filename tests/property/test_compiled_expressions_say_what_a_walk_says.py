"""Law: a compiled expression gives what walking its tree gives, or is refused as it is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.interpreted import interpreted

from readiness.errors import WorkloadError
from readiness.model.workload import Form
from readiness.workload.make.expression import Now, Place, compile_expression

PLACES = {
    "text": Place(0, Form.TEXT),
    "digits": Place(1, Form.TEXT),
    "whole": Place(2, Form.NUMBER),
    "exact": Place(3, Form.NUMBER),
    "raw": Place(4, Form.HEX),
    "at": Place(5, Form.TEXT),
}
VALUES = st.tuples(
    st.text(alphabet="aZ9@. \\'\nÄß😀", max_size=12).map(str.encode),
    st.integers(-999, 10**6).map(lambda n: b"%d" % n),
    st.integers(-(10**6), 2**62).map(lambda n: b"%d" % n),
    st.decimals(-1000, 1000, places=2).map(lambda d: str(d).encode()),
    st.binary(max_size=8),
    st.datetimes().map(lambda at: at.isoformat(" ").encode()),
)
LEAVES = st.sampled_from(
    [
        "@text",
        "@digits",
        "@whole",
        "@exact",
        "@raw",
        "@at",
        "0",
        "7",
        "12.50",
        "-3",
        "'O\\'Hara'",
        "''",
        "'a.b@c'",
        "'12'",
        "x'00ff'",
        "x''",
        "NOW()",
        "NOW(3)",
        "NOW(6)",
        "CURDATE()",
        "UNIX_TIMESTAMP()",
    ]
)
ONE = ["LOWER", "UPPER", "MD5", "SHA1", "HEX", "TO_BASE64", "UNHEX", "FROM_BASE64"]
COUNTS = st.sampled_from(["-2", "0", "1", "3", "40", "@digits"])


def _calls(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}({})".format, st.sampled_from(ONE), inner),
        st.builds("CAST({} AS CHAR)".format, inner),
        st.builds("CONCAT({}, {}, '-')".format, inner, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["LEFT", "RIGHT"]), inner, COUNTS),
        st.builds("SUBSTRING({}, {}, {})".format, inner, COUNTS, COUNTS),
        st.builds("SUBSTRING({}, {})".format, inner, COUNTS),
        st.builds("SUBSTRING_INDEX({}, '.', {})".format, inner, COUNTS),
        st.builds("REPLACE({}, {}, {})".format, inner, inner, inner),
        st.builds("REPLACE(TO_BASE64({}), '\\n', '')".format, inner),
        st.builds("LPAD({}, {}, '0')".format, inner, COUNTS),
        st.builds("SHA2({}, {})".format, inner, st.sampled_from(["0", "256", "512", "7"])),
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "DIV"]), inner),
        st.builds("-{}".format, inner),
        st.builds(
            "({} {} INTERVAL {} {})".format,
            inner,
            st.sampled_from(["+", "-"]),
            st.sampled_from(["14", "-5", "1.5", "300000000", "@digits", "@exact"]),
            st.sampled_from(["MICROSECOND", "SECOND", "MINUTE", "DAY", "WEEK"]),
        ),
    )


EXPRESSIONS = st.recursive(LEAVES, _calls, max_leaves=6)


def _outcome(evaluate: object) -> bytes | str:
    try:
        return evaluate()  # type: ignore[operator]
    except (WorkloadError, OverflowError) as error:
        return type(error).__name__


@settings(max_examples=600)
@given(EXPRESSIONS, VALUES, st.integers(0, 4 * 10**15), st.sampled_from([0.0, 7200.0, -3600.0]))
def test_both_give_the_same(text: str, values: tuple[bytes, ...], us: int, ahead_s: float) -> None:
    now = Now.at(us, ahead_s)
    walked = _outcome(lambda: interpreted(text, PLACES, values, now))
    compiled = _outcome(lambda: compile_expression(text, PLACES).evaluate(values, now))
    assert compiled == walked
