"""Looks of texts: names, prose, tokens, hexadecimal texts, UUIDs, filler."""

from __future__ import annotations

from readiness.masking.sql.cipher import MOST_LETTERS, digits, letters
from readiness.masking.sql.parts import Value, cases, matches, repeated, text
from readiness.masking.sql.streams import alnum_of_length, begins_with_capital, laid_over

_FILLER = "masked-text-"
_UUID = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"


def prose(value: Value) -> str:
    """TEXT and NAME. Words of 1 to 12 ASCII letters and numbers of 1 to 19 digits one-to-one, all else
    by a hash of the whole, laid over letters and digits. A capital where the original begins with one;
    the other letters are small."""
    word = value.same if value.is_folded else value.sql
    return cases(
        (matches(value.sql, "^[0-9]{1,19}$"), digits(value, value.sql)),
        (_is_word(value), letters(value, word, begins_with_capital(value))),
        otherwise=laid_over(value),
    )


def _is_word(value: Value) -> str:
    """Whether the one-to-one map of letters holds it: where case counts, only with no capital but the
    first, which keeps the two kinds apart."""
    pattern = f"[A-Za-z]{{1,{MOST_LETTERS}}}"
    if not value.is_folded:
        pattern = f"([A-Z][a-z]{{0,{MOST_LETTERS - 1}}}|[a-z]{{1,{MOST_LETTERS}}})"
    return matches(value.same, f"^{pattern}$")


def token(value: Value) -> str:
    """TOKEN: letters and digits of a hash; small ones where case does not count."""
    return alnum_of_length(value, "t", value.length, is_small=value.is_folded)


def hexadecimal(value: Value) -> str:
    """HEX: digits of a hash, in capitals where the original has some; else (`aa:bb`) as UUIDs are, or
    as prose."""
    made = cases(
        (f"{value.length} <= 64", f"LEFT({value.digest('h')}, {value.length})"),
        otherwise=repeated(f"CONCAT({value.digest('h')}, {value.digest('i')})", 128, value.length),
    )
    is_capital = matches(value.sql, "[A-F]")
    return cases(
        (matches(value.sql, "^[0-9A-Fa-f]+$"), _in_case(made, is_capital)),
        otherwise=prose(value),
    )


def uuid(value: Value) -> str:
    """UUID, with dashes or without: version and dashes stay, the variant's digit stays one of 8, 9, a
    and b. All else as HEX."""
    bare = _uuid_digits(value, f"REPLACE({value.sql}, '-', '')")
    dashed = bare
    for at in (9, 14, 19, 24):
        dashed = f"INSERT({dashed}, {at}, 0, {text('-')})"
    is_capital = matches(value.sql, "[A-F]")
    return cases(
        (matches(value.sql, _UUID), _in_case(dashed, is_capital)),
        (matches(value.sql, "^[0-9A-Fa-f]{32}$"), _in_case(bare, is_capital)),
        otherwise=hexadecimal(value),
    )


def _uuid_digits(value: Value, digits_sql: str) -> str:
    """32 digits; the same for a UUID with dashes, without, and in bytes."""
    same = f"LOWER({digits_sql})"
    hashed = f"LEFT({value.digest('u', same)}, 32)"
    with_version = f"INSERT({hashed}, 13, 1, SUBSTRING({digits_sql}, 13, 1))"
    old = f"SUBSTRING({same}, 17, 1)"
    # Which of the four says nothing of a person; that it is another keeps the place from surviving.
    variant = (
        f"IF({old} IN ('8', '9', 'a', 'b'), ELT(LOCATE({old}, '89ab'), 'a', 'b', '9', '8'), {old})"
    )
    return f"INSERT({with_version}, 17, 1, {variant})"


def uuid_bytes(value: Value, column: str) -> str:
    """A UUID in 16 bytes, as its text would become."""
    return f"UNHEX({_uuid_digits(value, f'HEX({column})')})"


def _in_case(made: str, is_capital: str) -> str:
    return f"IF({is_capital}, UPPER({made}), {made})"


def filler(length: str) -> str:
    """BLANK: as many characters that say nothing. No blank, which CHAR columns lose at the end."""
    return repeated(text(_FILLER), len(_FILLER), length)
