"""Texts without a class of their own: word by word, so that a word is the same in every text.

`Ada Weiss`, `ada.weiss` and `Dear Ada` stay texts about one invented person: a word's pseudonym
depends on its letters alone, whatever their case, and is written in the case of the original."""

from __future__ import annotations

import re
from collections.abc import Callable

from readiness.anonymize.draw import Draw, Draws

_WORD = re.compile(r"[^\W_]+")
_HEX_RUN = re.compile(r"(?=[0-9]*[a-f])[0-9a-f]{8,}|(?=[0-9]*[A-F])[0-9A-F]{8,}")
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_LOWER_2 = "àáâãäåçèéêëìíîïñòóôõöùúûü"  # each is one letter to every collation: no æ, no ß
_HEX = "0123456789abcdef"
_DIGITS = "0123456789"
_SEARCHED = 4  # shorter words are nobody's
_TRIES = 64


def rewritten(text: str, draws: Draws, is_forbidden: Callable[[bytes], bool]) -> str:
    """The text with other words: length in bytes, classes, case and all signs stay."""
    return _WORD.sub(lambda match: _word(match[0], draws, is_forbidden), text)


def _word(word: str, draws: Draws, is_forbidden: Callable[[bytes], bool]) -> str:
    made = word
    for attempt in range(_TRIES):
        made = _spelt(word, draws.of("word", word.lower(), attempt))
        is_found = len(made) >= _SEARCHED and is_forbidden(made.encode())
        if made.lower() != word.lower() and not is_found:
            break
    return made


def _spelt(word: str, draw: Draw) -> str:
    """Class by class; runs of hexadecimal digits stay hexadecimal."""
    made: list[str] = []
    at = 0
    for run in _HEX_RUN.finditer(word):
        made += [_character(c, draw) for c in word[at : run.start()]]
        made += [_cased(draw.pick(_HEX), run[0].isupper()) for _ in run[0]]
        at = run.end()
    made += [_character(c, draw) for c in word[at:]]
    return "".join(made)


def _character(char: str, draw: Draw) -> str:
    """Another character of the same class, case and length in UTF-8."""
    if char.isascii():
        if char.isdigit():
            return draw.pick(_DIGITS)
        return _cased(draw.pick(_LOWER), char.isupper())
    if len(char.encode()) == 2:
        return _cased(draw.pick(_LOWER_2), char.isupper())
    return chr((0x4E00 if len(char.encode()) == 3 else 0x20000) + draw.below(4096))


def _cased(char: str, is_upper: bool) -> str:
    return char.upper() if is_upper else char
