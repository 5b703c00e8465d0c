"""Crashes a program inside one of its functions, with the values that are in scope there; shows an
error in every way in which a program or a test might print it."""

from __future__ import annotations

import io
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import rich.console
import rich.traceback
import structlog
from _pytest._code.code import ExceptionInfo

Work = Callable[[], object]


class Crash(Exception):
    """No code expects it."""


@dataclass(frozen=True, order=True)
class Spot:
    """A function of the package, by module and qualified name."""

    module: str
    function: str

    def __str__(self) -> str:
        return f"{self.module}:{self.function}"


def _spot(frame: FrameType) -> Spot:
    return Spot(str(frame.f_globals.get("__name__", "")), frame.f_code.co_qualname)


@contextmanager
def _profiled(hook: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(hook)
    try:
        yield
    finally:
        sys.setprofile(before)


def spots_of(work: Work, layers: tuple[str, ...]) -> list[Spot]:
    """Functions of these packages that `work` returns from, in the order of the first return."""
    found: dict[Spot, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and str(frame.f_globals.get("__name__", "")).startswith(layers):
            found.setdefault(_spot(frame))

    with _profiled(note):
        work()
    return list(found)


@contextmanager
def crashing_in(spot: Spot, times: int = 1) -> Iterator[None]:
    """Inside, the function raises at its `times`-th return, quoting all that it holds. Its callers'
    frames are in the traceback."""
    left = [times]

    def crash(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and _spot(frame) == spot:
            left[0] -= 1
            if not left[0]:
                sys.setprofile(None)
                raise Crash(_told(frame, value))

    with _profiled(crash):
        yield


def _told(frame: FrameType, value: object) -> str:
    """What a careless message would quote."""
    texts = [bytes(v) for v in (*frame.f_locals.values(), value) if isinstance(v, bytes)]
    texts += [v.encode() for v in (*frame.f_locals.values(), value) if isinstance(v, str)]
    for held in (*frame.f_locals.values(), value):
        texts += [getattr(held, name, b"") for name in ("sql", "text", "argument")]
    return f"cannot go on with {[t for t in texts if isinstance(t, bytes)]}"


def error_of(work: Work) -> BaseException | None:
    """What `work` raises."""
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is looked at
        return error
    return None


def shown(error: BaseException) -> dict[str, bytes]:
    """The error as programs print it, by the way of printing."""
    kind, trace = type(error), error.__traceback__
    plain = traceback.TracebackException(kind, error, trace, capture_locals=True)
    made = rich.traceback.Traceback.from_exception(
        kind, error, trace, show_locals=True, locals_max_string=10_000, locals_max_length=1_000
    )
    dicts = structlog.tracebacks.ExceptionDictTransformer(
        show_locals=True, locals_max_string=10_000, locals_max_length=1_000
    )
    info = ExceptionInfo.from_exception(error)
    ways = {
        "repr": repr(error),
        "variables": repr(vars(error)),
        "arguments": repr(error.args),
        "chain": repr([error.__cause__, error.__context__]),
        "traceback with locals": "".join(plain.format()),
        "rich": _rich(made),
        "structlog": repr(dicts((kind, error, trace))),
        "pytest": str(info.getrepr(showlocals=True, style="long")),
        "logging": _logged(error),
    }
    return {way: text.encode("utf-8", "backslashreplace") for way, text in ways.items()}


def _rich(made: rich.traceback.Traceback) -> str:
    out = io.StringIO()
    rich.console.Console(file=out, width=100_000).print(made)
    return out.getvalue()


def _logged(error: BaseException) -> str:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    record = logging.LogRecord("test", logging.ERROR, "", 0, "it failed", None, None)
    record.exc_info = (type(error), error, error.__traceback__)
    handler.emit(record)
    return out.getvalue()
