"""UUIDs of versions 1, 4 and 7 in each of their forms, and the time in a ULID, as source."""

from __future__ import annotations

from readiness.model.generator import Specification
from readiness.model.workload import Form
from readiness.workload.make.code import Code, Term, Type

UUIDS = ("uuid1", "uuid4", "uuid7", "uuid1_hex", "uuid4_hex", "uuid7_hex", "uuid1_swapped")
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(a + b for a in CROCKFORD for b in CROCKFORD)
_VARIANT = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
_GREGORIAN_100NS = 0x01B21DD213814000


def uuid_term(specification: Specification, form: Form, code: Code, at: int) -> Term:
    """A UUID of the name's version from the 16 bytes of entropy that begin at `at`: as text, in
    upper case with the argument `upper`, undashed with `_hex`; as 16 bytes in the form hex, with
    the parts of its time swapped for `uuid1_swapped`, as UUID_TO_BIN(x, 1) does."""
    name = specification.name
    *time, rest = _fields(name[4], code, 2 * at)
    if name.endswith("_swapped"):
        time.reverse()
    dash = "" if form is Form.HEX or "_" in name else "-"
    head = dash.join(time) + dash
    source = f'f"{head}{rest.replace("/", dash)}"'
    if form is Form.HEX or name.endswith("_swapped"):
        return Term(Type.BINARY, f"{code.object(bytes.fromhex)}({source})")
    upper = ".upper()" if specification.argument == "upper" else ""
    return Term(Type.TEXT, source + upper, is_plain=True)


def _fields(version: str, code: Code, at: int) -> tuple[str, str, str, str]:
    """The parts of an f-string: time_low, time_mid, version with time_high, and
    the rest with a slash where a dash may stand."""
    variant = code.object(_VARIANT)
    clock = f"{{{variant}[h[{at + 16}]]}}{{h[{at + 17}:{at + 20}]}}"
    node = f"{{h[{at + 20}:{at + 32}]}}"
    if version == "4":
        low, mid = f"{{h[{at}:{at + 8}]}}", f"{{h[{at + 8}:{at + 12}]}}"
        return low, mid, f"4{{h[{at + 13}:{at + 16}]}}", f"{clock}/{node}"
    if version == "7":
        ms = code.let("'%012x' % ms")
        return f"{{{ms}[:8]}}", f"{{{ms}[8:]}}", f"7{{h[{at + 13}:{at + 16}]}}", f"{clock}/{node}"
    base = code.let(f"ms * 10000 + {_GREGORIAN_100NS}")
    time = code.let(f"'%015x' % ({base} + (e[{at // 2}] << 4 | e[{at // 2 + 1}] >> 4))")
    node = f"{{h[{at + 20}]}}1{{h[{at + 22}:{at + 32}]}}"
    return f"{{{time}[7:]}}", f"{{{time}[3:7]}}", f"1{{{time}[:3]}}", f"{clock}/{node}"


def ulid_head(code: Code) -> str:
    """The first ten characters of a ULID: the time."""
    pairs = code.object(_PAIRS)
    parts = "".join(f"{{{pairs}[ms >> {shift} & 1023]}}" for shift in (40, 30, 20, 10, 0))
    return code.let(f'f"{parts}"')
