"""Contrast of text, and distance of the wait colours for readers who see colours differently."""

from __future__ import annotations

import itertools
import math
import re
from importlib import resources

import pytest

CSS = (resources.files("readiness.report") / "templates" / "report.css").read_text(encoding="utf-8")
WAITS = ("cpu", "other", "read", "lock", "commit")
TEXTS = [
    ("ink", "bg"), ("muted", "bg"), ("muted", "surface"), ("accent", "bg"), ("bad", "bg"),
    ("bad", "bad-bg"), ("muted", "bad-bg"), ("good", "bg"), ("good", "good-bg"), ("warn", "bg"),
    ("warn", "warn-bg"), ("inv", "bg"), ("inv", "inv-bg"), ("bg", "good"),
]  # fmt: skip
Colour = tuple[float, float, float]
# Machado, Oliveira and Fernandes (2009), severity 1.
SIGHTS: dict[str, tuple[Colour, Colour, Colour]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.01182, 0.04294, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.3039),
    ),
}
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))


def tokens(theme: str) -> dict[str, str]:
    light, dark = CSS.split("@media screen and (prefers-color-scheme:dark)")[:2]
    found = dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{3,6})", light))
    if theme == "dark":
        found |= dict(re.findall(r"--([a-z-]+):(#[0-9a-f]{3,6})", dark.split("}}")[0]))
    return found


def linear(colour: str) -> Colour:
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return r, g, b


def times(matrix: tuple[Colour, Colour, Colour], colour: Colour) -> list[float]:
    return [math.sumprod(row, colour) if hasattr(math, "sumprod") else
            sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix]  # fmt: skip


def contrast(one: str, other: str) -> float:
    bright = sorted((times(XYZ, linear(c))[1] for c in (one, other)), reverse=True)
    return (bright[0] + 0.05) / (bright[1] + 0.05)


def lab(colour: str, sight: str) -> Colour:
    seen = [min(max(c, 0.0), 1.0) for c in times(SIGHTS[sight], linear(colour))]
    xyz = times(XYZ, (seen[0], seen[1], seen[2]))
    white = (0.9505, 1.0, 1.089)
    f = [
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (v / w for v, w in zip(xyz, white, strict=True))
    ]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_its_ground(theme: str) -> None:
    colours = tokens(theme)
    weak = {(a, b): contrast(colours[a], colours[b]) for a, b in TEXTS}
    assert {pair: c for pair, c in weak.items() if c < 4.5} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_wait_colours_stand_out_from_the_page(theme: str) -> None:
    colours = tokens(theme)
    assert min(contrast(colours[w], colours["bg"]) for w in WAITS) >= 2.9


@pytest.mark.parametrize("sight", list(SIGHTS))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_waits_look_alike(theme: str, sight: str) -> None:
    colours = {w: lab(tokens(theme)[w], sight) for w in WAITS}
    nearest = min(math.dist(colours[a], colours[b]) for a, b in itertools.combinations(WAITS, 2))
    assert nearest >= 12
