"""Columns that repeat other columns of their row: hashes, domains of e-mails, last digits, full names.

A rule is tried on the rows that were looked at; what all of them confirm is written as SQL over the
masked columns, which `derived_check` lets the server confirm over far more rows.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from readiness.masking.data_types import BINARIES
from readiness.masking.plan.sampling import Sample
from readiness.model.catalogue import ColumnFacts, TableFacts

_CERTAIN_ROWS = 2  # of a rule that nothing meets by chance
_ROWS, _DIFFERENT = 20, 8  # of one that short values may meet
_MOST_PARTS = 8
_PLAIN_CHARSETS = {"utf8mb4", "utf8mb3", "utf8", "ascii"}

_LOSSY = ("LEFT", "RIGHT", "SUBSTRING_INDEX")  # would not stay unique

Rewrite = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to repeat: what it makes of texts, and its SQL with `{0}`, `{1}` for the columns."""

    sql: str
    makes: Callable[..., bytes | None]
    is_certain: bool
    says: str


def derivation_of(
    table: TableFacts, target: str, sources: Sequence[str], rows: Sequence[Sample]
) -> tuple[str, str]:
    """The SQL by which `target` repeats one or two of `sources`, with a clause that says how; ("", "")
    where no rule holds in all rows."""
    facts = table.columns[target]
    usable = [s for s in sources if s != target and not set(s) & set("{}'\\%`<>")]
    is_unique = table.is_unique(target)
    for columns, rule in _candidates(facts, usable):
        if is_unique and rule.sql.startswith(_LOSSY):
            continue
        if _holds(rule, target, columns, rows):
            return _written(rule.sql, columns, table), rule.says.format(*columns)
    return "", ""


def _candidates(
    target: ColumnFacts, sources: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Rule]]:
    for source in sources:
        yield from (((source,), rule) for rule in _unary(target))
    if target.data_type not in BINARIES:
        for pair in permutations(sources[:_MOST_PARTS], 2):
            yield from ((pair, rule) for rule in _PAIRS)


def _unary(target: ColumnFacts) -> Iterator[Rule]:
    yield from _BINARY_HASHES if target.data_type in BINARIES else _HASHES
    if target.data_type in BINARIES:
        return
    yield from _TEXTS
    if 0 < target.max_chars <= _MOST_CUT:
        yield from _cuts(target.max_chars)


def _holds(rule: Rule, target: str, columns: Sequence[str], rows: Sequence[Sample]) -> bool:
    """In each row that has all values; enough rows, with different values."""
    made: set[bytes] = set()
    count = 0
    for row in rows:
        values = [row.get(c) for c in columns]
        held = row.get(target)
        if not held or not all(values):
            continue
        if rule.makes(*values) != held:
            return False
        count += 1
        made.add(held)
    if rule.is_certain:
        return count >= _CERTAIN_ROWS or (count == 1 and len(rows) == 1)
    return count >= _ROWS and len(made) >= _DIFFERENT


def _written(sql: str, columns: Sequence[str], table: TableFacts) -> str:
    """The rule's SQL: columns in braces; what is hashed is hashed in UTF-8, as programs do."""
    for number, name in enumerate(columns):
        charset = table.columns[name].charset
        is_plain = not charset or charset in _PLAIN_CHARSETS
        told = f"{{{name}}}" if is_plain else f"CONVERT({{{name}}} USING utf8mb4)"
        sql = sql.replace(f"<{number}>", told)
    return sql


def _on_text(change: Rewrite) -> Callable[..., bytes | None]:
    def made(value: bytes) -> bytes | None:
        try:
            return change(value.decode()).encode()
        except UnicodeDecodeError:
            return None

    return made


def _hash_rules(is_binary: bool) -> tuple[Rule, ...]:
    """Each hash of each spelling, in bytes or in hexadecimal digits of either case."""
    return tuple(
        rule
        for spelling, change in _SPELLINGS.items()
        for name, call in _HASH_SQL.items()
        for rule in _hash_rule(name, call.replace("<>", spelling), change, is_binary=is_binary)
    )


def _hash_rule(name: str, sql: str, change: Rewrite, *, is_binary: bool) -> Iterator[Rule]:
    def digest(value: bytes) -> bytes | None:
        text = _on_text(change)(value)
        return None if text is None else hashlib.new(name, text, usedforsecurity=False).digest()

    def in_hex(value: bytes) -> bytes | None:
        made = digest(value)
        return None if made is None else made.hex().encode()

    says = f"the {name.upper()} of {{}}"
    if is_binary:
        yield Rule(f"UNHEX({sql})", digest, is_certain=True, says=says)
        return
    yield Rule(sql, in_hex, is_certain=True, says=says)
    yield Rule(f"UPPER({sql})", lambda v: (in_hex(v) or b"").upper(), is_certain=True, says=says)


_SPELLINGS: Mapping[str, Rewrite] = {
    "<0>": lambda text: text,
    "LOWER(<0>)": str.lower,
    "TRIM(<0>)": lambda text: text.strip(" "),
    "LOWER(TRIM(<0>))": lambda text: text.strip(" ").lower(),
    "UPPER(<0>)": str.upper,
    "REPLACE(REPLACE(<0>, ' ', ''), '-', '')": lambda t: t.replace(" ", "").replace("-", ""),
    "REPLACE(<0>, '+', '')": lambda text: text.replace("+", ""),
}
_HASH_SQL = {
    "sha256": "SHA2(<>, 256)",
    "sha1": "SHA1(<>)",
    "md5": "MD5(<>)",
    "sha512": "SHA2(<>, 512)",
    "sha384": "SHA2(<>, 384)",
    "sha224": "SHA2(<>, 224)",
}
_HASHES = _hash_rules(is_binary=False)
_BINARY_HASHES = _hash_rules(is_binary=True)
_MOST_CUT = 12  # characters


def _text_rule(sql: str, change: Rewrite, says: str, *, is_certain: bool = False) -> Rule:
    return Rule(sql, _on_text(change), is_certain=is_certain, says=says)


_TEXTS = (
    _text_rule(
        "SUBSTRING_INDEX(<0>, '@', -1)",
        lambda t: t.rpartition("@")[2] if "@" in t else "",
        "the domain of {}",
        is_certain=True,
    ),
    _text_rule("SUBSTRING_INDEX(<0>, '@', 1)", lambda t: t.partition("@")[0], "the begin of {}"),
    _text_rule("LOWER(<0>)", str.lower, "{} in lower case"),
    _text_rule("UPPER(<0>)", str.upper, "{} in upper case"),
    _text_rule("TRIM(<0>)", lambda t: t.strip(" "), "{} without blanks around it"),
    _text_rule("REVERSE(<0>)", lambda t: t[::-1], "{} backwards"),
    _text_rule("REPLACE(<0>, ' ', '')", lambda t: t.replace(" ", ""), "{} without blanks"),
    _text_rule(
        "REPLACE(REPLACE(<0>, ' ', ''), '-', '')",
        lambda t: t.replace(" ", "").replace("-", ""),
        "{} without blanks and dashes",
    ),
    _text_rule("REPLACE(<0>, '+', '')", lambda t: t.replace("+", ""), "{} without its plus"),
    _text_rule(
        "REPLACE(TO_BASE64(<0>), '\n', '')",  # MySQL breaks lines after 76 characters
        lambda t: base64.b64encode(t.encode()).decode(),
        "{} in base64",
        is_certain=True,
    ),
)


def _cuts(length: int) -> Iterator[Rule]:
    """The first or the last characters of a longer text, as many as the column holds."""
    yield _text_rule(
        f"RIGHT(<0>, {length})",
        lambda t: t[-length:] if len(t) > length else "",
        f"the last {length} of {{}}",
    )
    yield _text_rule(
        f"LEFT(<0>, {length})",
        lambda t: t[:length] if len(t) > length else "",
        f"the first {length} of {{}}",
    )


def _pair_rules() -> Iterator[Rule]:
    cases: tuple[tuple[str, Rewrite], ...] = (
        ("{}", str),
        ("UPPER({})", str.upper),
        ("LOWER({})", str.lower),
    )
    for sign in (" ", ", ", "", ".", "_", "-"):
        for case, change in cases:
            sql = case.format(f"CONCAT(<0>, '{sign}', <1>)")
            yield Rule(sql, _joined(sign, change), is_certain=False, says="{0} and {1} in one")


def _joined(sign: str, change: Rewrite) -> Callable[..., bytes | None]:
    def made(one: bytes, other: bytes) -> bytes | None:
        try:
            return change(f"{one.decode()}{sign}{other.decode()}").encode()
        except UnicodeDecodeError:
            return None

    return made


_PAIRS = tuple(_pair_rules())
