"""How figures are written: three significant digits with their unit, and no false precision.

At most two decimals, a comma for thousands, a true minus, a no-break space before a unit. Shares
are whole per cents, with a decimal where that carries the meaning (below 10 and near 100).
"""

from __future__ import annotations

import math
from datetime import UTC, datetime

SPACE = "\u00a0"
NOTHING = "–"
_BYTES = ("bytes", "kB", "MB", "GB", "TB")


def significant(value: float, digits: int = 3) -> str:
    """A figure with `digits` significant digits: 94.1, 7.40, 2,200, 0; "< 0.01" when that small."""
    if not math.isfinite(value):
        return NOTHING
    if value == 0:
        return "0"
    if abs(value) < 0.005:
        return f"<{SPACE}0.01" if value > 0 else f">{SPACE}−0.01"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{min(max(decimals, 0), 2)}f}".replace("-", "−")


def exact(value: float) -> str:
    """A figure as a person set it: 50, 0.5, 3,000."""
    if not math.isfinite(value):
        return NOTHING
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    text = "0" if text == "-0" else text
    return text.replace("-", "−")


def count(number: int) -> str:
    """A whole number with commas."""
    return f"{number:,}".replace("-", "−")


def share(ratio: float) -> str:
    """A ratio as per cents: 35 %, 99.5 %, 0.21 %, 0 %. Only 1 itself is shown as 100 %."""
    if not math.isfinite(ratio):
        return NOTHING
    percent = ratio * 100
    return f"{_percent(percent)}{SPACE}%"


def _percent(percent: float) -> str:
    size = abs(percent)
    if size < 1:
        return significant(percent, 2)
    if size < 9.95:
        return f"{percent:.1f}".replace("-", "−")
    if 98.95 <= percent < 100:
        return f"{math.floor(percent * 10) / 10:.1f}"
    return f"{percent:,.0f}".replace("-", "−")


def size(number: float) -> str:
    """Bytes in the unit that keeps the figure short: 512 bytes, 412 MB."""
    power = 0
    while abs(number) >= 999.5 and power < len(_BYTES) - 1:
        number, power = number / 1000, power + 1
    return f"{exact(round(number)) if not power else significant(number)}{SPACE}{_BYTES[power]}"


def duration(seconds: float) -> str:
    """How long: 0.4 s, 40 s, 1 min 48 s, 3 h 10 min."""
    if seconds < 10 and round(seconds, 1) != round(seconds):
        return f"{seconds:.1f}{SPACE}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}{SPACE}s"
    big, small, words = (whole // 60, whole % 60, ("min", "s"))
    if whole >= 3600:
        big, small, words = (whole // 3600, whole % 3600 // 60, ("h", "min"))
    tail = f" {small}{SPACE}{words[1]}" if small else ""
    return f"{big}{SPACE}{words[0]}{tail}"


def quantity(value: float | None, unit: str, *, as_set: bool = False) -> str:
    """A figure with its unit. `as_set` writes a limit as the person wrote it (50 ms, not 50.0)."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if unit == "ratio":
        return f"{exact(round(value * 100, 6))}{SPACE}%" if as_set else share(value)
    if unit == "bytes":
        return size(value)
    if unit == "s":
        return duration(value)
    return with_unit(exact(value) if as_set else significant(value), unit)


def with_unit(figure: str, unit: str) -> str:
    """A figure that is already text, with its unit: rates close up ("36/s")."""
    if not unit or figure == NOTHING:
        return figure
    return f"{figure}{unit}" if unit.startswith("/") else f"{figure}{SPACE}{unit}"


def rate(per_s: float) -> str:
    """A rate: 36/s."""
    return f"{exact(float(f'{per_s:.3g}'))}/s"


def moment(epoch_s: float) -> str:
    """A time to the minute, in UTC: "Mon 7 Dec 2026, 02:00 UTC"."""
    at = datetime.fromtimestamp(epoch_s, UTC)
    return f"{_day(at)}, {at:%H:%M}{SPACE}UTC"


def clock(epoch_s: float) -> str:
    """The time of day to the second, in UTC: "02:40:50 UTC"."""
    return f"{datetime.fromtimestamp(epoch_s, UTC):%H:%M:%S}{SPACE}UTC"


def stretch(begin_s: float, end_s: float) -> str:
    """From when to when, to the second: "Mon 7 Dec 2026, 02:00:10 to 02:41:08 UTC"."""
    begin = datetime.fromtimestamp(begin_s, UTC)
    end = datetime.fromtimestamp(end_s, UTC)
    day = "" if begin.date() == end.date() else f"{_day(end)}, "
    return f"{_day(begin)}, {begin:%H:%M:%S} to {day}{end:%H:%M:%S}{SPACE}UTC"


def day(iso_date: str) -> str:
    """A date as people read it: "Mon 14 Dec 2026"."""
    return _day(datetime.fromisoformat(iso_date))


def _day(at: datetime) -> str:
    return f"{at:%a} {at.day} {at:%b %Y}"


def plain(text: str) -> str:
    """The same text for a terminal: ordinary spaces."""
    return text.replace(SPACE, " ")
