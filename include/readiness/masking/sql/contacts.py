"""Looks of what reaches a person: e-mail, domain, phone and card number, address of a machine."""

from __future__ import annotations

from dataclasses import replace

from readiness.masking.sql.cipher import MOST_DIGITS, digits
from readiness.masking.sql.parts import (
    Value,
    bound,
    bound_number,
    cases,
    collated,
    group,
    let,
    matches,
    text,
)
from readiness.masking.sql.streams import alnum, alnum_of_length
from readiness.masking.sql.texts import prose

_DOMAIN = "domain"  # one key for all domains of a database, whatever column they stand in
_CARD_DIGITS = 13
_NUMBER_SIGNS = r"^[-+0-9 ()/.,#*]*$"
_PLAIN_PHONE = r"^[+]?[0-9]{1,19}$"
_V4 = "^[0-9]{1,3}([.][0-9]{1,3}){3}$"
_FIRST_V4, _V4_ADDRESSES = 3323068416, 131072  # 198.18.0.0/15
LAST_V4 = _FIRST_V4 + _V4_ADDRESSES - 1
_LONGEST_V4, _LONGEST_V6 = 14, 39


def domain(value: Value) -> str:
    """DOMAIN: under .example from 12 characters on, under .test from 6; letters and digits else, after
    which stands a dot and one letter, which is no top-level domain."""
    small, length = bound("small"), bound_number("chars")
    key = replace(value, same=small, domain=_DOMAIN)
    label = f"LOWER({alnum(key, 'label')})"
    made = cases(
        (f"{length} >= 12", _ending(key, length, ".example")),
        (f"{length} >= 6", _ending(key, length, ".test")),
        (f"{length} >= 3", f"INSERT(LEFT({label}, {length}), {length} - 1, 2, {text('.z')})"),
        otherwise=f"LEFT({label}, {length})",
    )
    in_case = let("name", made, _in_case_of(value.sql, small))
    return let("small", f"LOWER({value.sql})", let("chars", value.length, in_case))


def _in_case_of(sql: str, small: str) -> str:
    return f"IF({sql} = {small}, {bound('name')}, UPPER({bound('name')}))"


def _ending(value: Value, length: str, ending: str) -> str:
    label = alnum_of_length(value, "label", f"({length} - {len(ending)})", is_small=True)
    return f"CONCAT({label}, {text(ending)})"


def email(value: Value) -> str:
    """EMAIL: the local part by a hash of the whole address, so that one at two providers differs; what
    stands behind the last @ as DOMAIN makes it, under attempt 0. A text without @ is all local part."""
    at = text("@")
    end = bound("end")
    local = alnum_of_length(value, "local", bound_number("chars"), is_small=True)
    owner = domain(replace(value, sql=end, same=end, attempt=0))
    made = f"CONCAT({local}, IF(LOCATE({at}, {value.sql}), CONCAT({at}, {owner}), ''))"
    after = f"IF(LOCATE({at}, {value.sql}), 1 + CHAR_LENGTH({end}), 0)"
    found = f"SUBSTRING_INDEX({value.sql}, {at}, -1)"
    return let("end", found, let("chars", f"{value.length} - {after}", made))


def phone(value: Value) -> str:
    """PHONE: the first digit stays, the 1 to 18 others one-to-one, however they are written."""
    return _laid(value, keeps_first=True)


def figures(value: Value) -> str:
    """DIGITS: all digits one-to-one. From 13 digits on the first has a fixed map of its own, by which
    what cards begin with (2 to 6) becomes what none begins with; a number is thus never one that an
    issuer gave, and the check digit of Luhn is not kept: it would need each masked digit by itself."""
    return _laid(value, keeps_first=False)


def _laid(value: Value, *, keeps_first: bool) -> str:
    sql = value.sql
    bare = sql
    for sign in "+ -()/.,#*":
        bare = f"REPLACE({bare}, {text(sign)}, '')"
    number = bound("number")
    start = f"LEFT({sql}, {value.length} - CHAR_LENGTH({number}))"
    mapped = _mapped(value, number, keeps_first)
    overlaid = _overlaid(value, number, mapped)
    fits = f"CHAR_LENGTH({number}) BETWEEN 1 AND {MOST_DIGITS}"
    plain = f"REPLACE({sql}, {text('+')}, '')"
    return cases(
        (matches(sql, _PLAIN_PHONE), let("number", plain, f"CONCAT({start}, {mapped})")),
        (
            matches(sql, _NUMBER_SIGNS),
            let("number", bare, cases((fits, overlaid), otherwise=prose(value))),
        ),
        otherwise=prose(value),
    )


def _mapped(value: Value, number: str, keeps_first: bool) -> str:
    """The digits of a number; 1 to 19 of them."""
    length = f"CHAR_LENGTH({number})"
    first, head = f"LEFT({number}, 1)", "1"
    if not keeps_first:
        head = f"({length} >= {_CARD_DIGITS})"
        other = f"SUBSTRING('5678901234', 1 + CAST({first} AS UNSIGNED), 1)"
        first = f"IF({head}, {other}, '')"
    rest = digits(value, f"SUBSTRING({number}, 1 + {head})")
    return f"CONCAT({first}, {rest})"


def _overlaid(value: Value, bare: str, made: str) -> str:
    """The digits where the text has its own: each is replaced by the 19th digit behind it."""
    padding = f"REPEAT('0', {MOST_DIGITS} - CHAR_LENGTH({bare}))"
    both = collated(f"CONCAT({value.sql}, '|', {padding}, {made})")
    pattern = text(f"[0-9](?=(?:[^0-9]*+[0-9]){{{MOST_DIGITS - 1}}}[^0-9]*+([0-9]))")
    return f"LEFT(REGEXP_REPLACE({both}, {pattern}, {group(1)}), {value.length})"


def ip_text(value: Value) -> str:
    """IP as a text: 198.18.0.0/15, which has 131072 addresses, or 2001:db8::/32. Where the column is too
    narrow for such, and where the text is no address, digits and letters are laid over."""
    v4 = f"INET_NTOA({_v4(value, f'INET_ATON({value.sql})')})"
    v6 = f"INET6_NTOA({_v6(value, f'INET6_ATON({value.sql})')})"
    branches = []
    if not 0 < value.max_chars < _LONGEST_V4:
        is_v4 = f"{matches(value.sql, _V4)} AND IS_IPV4({value.sql})"
        branches.append((is_v4, v4))
    if not 0 < value.max_chars < _LONGEST_V6:
        branches.append((f"IS_IPV6({value.sql})", v6))
    return cases(*branches, otherwise=prose(value)) if branches else prose(value)


def ip_bytes(value: Value, column: str) -> str:
    """IP in 4 or 16 bytes; other lengths None of ours: see `BYTES`."""
    v4 = f"UNHEX(LPAD(HEX({_v4(value, f'CONV(HEX({column}), 16, 10)')}), 8, '0'))"
    return cases((f"LENGTH({column}) = 4", v4), otherwise=_v6(value, column))


def ip_number(value: Value, column: str) -> str:
    """IP as an unsigned number."""
    return _v4(value, column)


def _v4(value: Value, number: str) -> str:
    hashed = value.number("ip4", f"CAST({number} AS CHAR)")
    return f"({_FIRST_V4} + MOD({hashed}, {_V4_ADDRESSES}))"


def _v6(value: Value, packed: str) -> str:
    return f"UNHEX(CONCAT('20010db8', LEFT({value.digest('ip6', packed)}, 24)))"
