"""Knows the three lines that a server writes when it opens its log: no part of any record."""

from __future__ import annotations

import re

_LINES = 3
_BANNER = re.compile(
    rb"[^\n]*, Version: [^\n]* started with:[ \r]*+\n"
    rb"(?i:tcp port: )[^\n]*\n"
    rb"Time[ \t]++Id Command[ \t]++Argument[ \r]*+"
)
_LAST = b"Argument"


def without_banners(argument: bytes) -> bytes:
    """A record's bytes without the banners behind it: a restart or FLUSH wrote them."""
    while argument.rstrip(b" \r").endswith(_LAST):
        start = len(argument)
        for _ in range(_LINES):
            start = argument.rfind(b"\n", 0, max(start, 0))
        if start < 0 or not _BANNER.fullmatch(argument, start + 1):
            break
        argument = argument[:start]
    return argument


def begins(text: bytes) -> bool:
    """Whether the text begins with a banner."""
    return _BANNER.match(text) is not None


def is_converted(text: bytes) -> bool:
    """Whether the banner that the text begins with has CR LF line ends, which no server writes."""
    found = _BANNER.match(text)
    return found is not None and found[0].count(b"\r\n") == _LINES - 1


def other_lines(lines: list[bytes]) -> list[bytes]:
    """The lines (without line ends) without the banners that they begin and end with."""
    while len(lines) >= _LINES and _is_banner(lines[:_LINES]):
        lines = lines[_LINES:]
    while len(lines) >= _LINES and _is_banner(lines[-_LINES:]):
        lines = lines[:-_LINES]
    return lines


def _is_banner(lines: list[bytes]) -> bool:
    return _BANNER.fullmatch(b"\n".join(lines)) is not None
