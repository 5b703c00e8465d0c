"""The valid word that a wrong one was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: str, valid: Iterable[str]) -> str:
    """The closest valid word, or "" when none is close; a valid prefix counts as close."""
    names = sorted(valid)
    close = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    if close:
        return close[0]
    begins = [n for n in names if len(word) > 1 and n.startswith(word.lower())]
    return begins[0] if begins else ""


def did_you_mean(word: str, valid: Iterable[str]) -> str:
    """ " Did you mean NAME?", or "" when nothing is close."""
    name = nearest(word, valid)
    return f" Did you mean {name}?" if name else ""
