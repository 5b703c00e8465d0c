"""Arguments that several commands share, so that they read the same everywhere."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from readiness.errors import ConfigError

_PASSWORD = re.compile(r"(://[^\s:/@]*:)[^\s/]*@")

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are ours: the same shape, exit code and JSON."""

    def __init__(self, **given: Any) -> None:
        given.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**given)

    def error(self, message: str) -> NoReturn:
        """Raises ConfigError; the hint is the command's own help. A password in what was typed is
        not repeated."""
        shown = _PASSWORD.sub(r"\1…@", message)
        raise ConfigError(f"{self.prog}: {shown}.", hint=f"{self.prog} --help")


def number(lowest: float, highest: float = math.inf) -> Callable[[str], float]:
    """A type of argument: a finite number from `lowest` to `highest`."""

    def read(text: str) -> float:
        return _within(float(text), lowest, highest)

    return _told(read, f"a number {_span(lowest, highest)}")


def whole_number(lowest: int, highest: float = math.inf) -> Callable[[str], int]:
    """A type of argument: an integer from `lowest` to `highest`."""

    def read(text: str) -> int:
        return int(_within(int(text), lowest, highest))

    return _told(read, f"a whole number {_span(lowest, highest)}")


def pacing(text: str) -> float | str:
    """A type of argument: captured, none, or a factor of the captured gaps."""
    if text in ("captured", "none"):
        return text
    try:
        return number(0.001)(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, captured or none") from None


T = TypeVar("T")


def _told(read: Callable[[str], T], allowed: str) -> Callable[[str], T]:
    def read_or_say(text: str) -> T:
        try:
            return read(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"allowed is {allowed}") from None

    return read_or_say


def _within(value: float, lowest: float, highest: float) -> float:
    if not (lowest <= value <= highest and math.isfinite(value)):
        raise ValueError
    return value


def _span(lowest: float, highest: float) -> str:
    return f"from {lowest:g} to {highest:g}" if math.isfinite(highest) else f"from {lowest:g} up"


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json`: every command and verb has it."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_verbs(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], *, summary: str
) -> Commands:
    """A command of several verbs; give each verb its own `add_json`."""
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    return parser.add_subparsers(dest="verb", metavar="VERB", required=True)


def add_command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
) -> argparse.ArgumentParser:
    """One command with its help and `--json`."""
    parser = commands.add_parser(name, help=summary, description=summary)
    add_json(parser)
    parser.set_defaults(run=run)
    return parser


def add_target(parser: argparse.ArgumentParser) -> None:
    """`--target DSN`."""
    parser.add_argument("--target", metavar="DSN", required=True, help="a clone of ours")


def add_run_dir(parser: argparse.ArgumentParser) -> None:
    """The run folder as a positional argument."""
    parser.add_argument("run_dir", metavar="RUN_DIR", type=Path, help="a run folder")
