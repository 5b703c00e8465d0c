"""Keyed letters and digits without end, and how they are laid over a text that keeps its signs."""

from __future__ import annotations

from readiness.masking.sql.parts import (
    Value,
    bound,
    cases,
    collated,
    group,
    let,
    matches,
    repeated,
    text,
)

BLOCK = 64  # characters that one hash gives
_KEYED = (
    256  # characters of a text that are masked one by one; the rest says only where it has signs
)
_SIGNS = r" -/:-@\[-`{-~\t\n\r"
LETTER = f"[^0-9{_SIGNS}]"  # all that is no ASCII sign or digit: accents, emoji, NUL
_WIDTHS = (8, 16, 32, BLOCK)


def alnum(value: Value, use: str) -> str:
    """64 letters of either case and digits (48 bytes in base 64, its signs replaced)."""
    made = f"TO_BASE64(UNHEX({value.digest(use, bits=384)}))"
    return f"REPLACE(REPLACE({made}, '+', 'k'), '/', 'w')"


def letter_stream(value: Value, use: str) -> str:
    """64 small letters."""
    made = f"LOWER(TO_BASE64(UNHEX({value.digest(use, bits=384)})))"
    for sign, letter in zip("0123456789+/", "qwertyuiopas", strict=True):
        made = f"REPLACE({made}, '{sign}', '{letter}')"
    return made


def digit_stream(value: Value, use: str) -> str:
    """64 digits: four numbers below 2^60, of each the 16 last ones."""
    parts = [
        f"RIGHT(LPAD({value.number(f'{use}{part}')}, 20, '0'), 16)" for part in range(BLOCK // 16)
    ]
    return f"CONCAT({', '.join(parts)})"


def alnum_of_length(value: Value, use: str, length: str, *, is_small: bool) -> str:
    """As many letters and digits; four hashes, then these again."""
    first, more = alnum(value, f"{use}0"), [alnum(value, f"{use}{n}") for n in range(4)]
    made = cases(
        (f"{length} <= {BLOCK}", f"LEFT({first}, {length})"),
        otherwise=repeated(f"CONCAT({', '.join(more)})", 4 * BLOCK, length),
    )
    return f"LOWER({made})" if is_small else made


def laid_over(value: Value) -> str:
    """The text with keyed letters and digits where it has such, the first one a capital where its is.
    Beyond 256 characters a letter becomes x and a digit 0: what stands before already tells texts
    apart. An @ becomes _: what is laid over an address would look like one, and the proof could not tell
    it from a real one."""
    return f"REPLACE({_laid_over(value)}, '@', '_')"


def _laid_over(value: Value) -> str:
    length = value.length
    branches = [(f"{length} <= {w}", _chunk(value, 1, w)) for w in _needed(value)]
    if value.max_chars and value.max_chars <= BLOCK:
        last = branches.pop()
        return cases(*branches, otherwise=last[1]) if branches else last[1]
    chunks = [_chunk(value, 1 + at, BLOCK) for at in range(0, _KEYED, BLOCK)]
    return cases(*branches, otherwise=f"CONCAT({', '.join([*chunks, _rest(value)])})")


def begins_with_capital(value: Value) -> str:
    """The condition."""
    first = f"LEFT({value.sql}, 1)"
    return f"{first} <> LOWER({first})"


def _needed(value: Value) -> list[int]:
    """The widths that the column's values need."""
    most = value.max_chars or BLOCK
    return [w for n, w in enumerate(_WIDTHS) if n == 0 or _WIDTHS[n - 1] < most]


def _chunk(value: Value, start: int, width: int) -> str:
    """`width` characters from `start` on. A letter is replaced by the one that stands `width` characters
    behind it: text, padded to the width, and stream are one text to the regular expression."""
    part = bound("part")
    stream = f"LEFT({letter_stream(value, f'l{start}')}, {width})"
    if start == 1:
        stream = f"CONCAT({_initial(value)}, SUBSTRING({stream}, 2))"
    lettered = _overlay(part, LETTER, stream, width)
    figures = f"LEFT({digit_stream(value, f'd{start}')}, {width})"
    # Nothing is made where nothing would be replaced.
    figures = f"IF({matches(part, '[0-9]')}, {figures}, '')"
    made = f"LEFT({_overlay(lettered, '[0-9]', figures, width)}, CHAR_LENGTH({part}))"
    return let("part", f"SUBSTRING({value.sql}, {start}, {width})", made)


def _initial(value: Value) -> str:
    """The first letter, by a hash of its own: that is shorter than to take the stream twice."""
    capital = begins_with_capital(value)
    letters = f"IF({capital}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"
    return f"SUBSTRING({letters}, 1 + MOD({value.number('initial')}, 26), 1)"


def _overlay(part: str, character: str, stream: str, width: int) -> str:
    """The part, padded to the width, its characters of a class taken from the stream; what follows is
    to be cut off."""
    pattern = text(f"(?s){character}(?=.{{{width - 1}}}(.))")
    both = f"CONCAT(RPAD({part}, {width}, ' '), {stream})"
    return f"REGEXP_REPLACE({collated(both)}, {pattern}, {group(1)})"


def _rest(value: Value) -> str:
    rest = f"SUBSTRING({value.sql}, {_KEYED + 1})"
    lettered = f"REGEXP_REPLACE({rest}, {text(LETTER)}, 'x')"
    return f"REGEXP_REPLACE({lettered}, '[0-9]', '0')"
