"""Every command and option says what it does, and the documents show every command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from readiness.cli.main import build_parser


def commands(
    parser: argparse.ArgumentParser, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Each command with the help its parent shows for it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {a.dest: a.help or "" for a in action._choices_actions}
            for name, child in action.choices.items():
                yield " ".join((*words, name)), helps.get(name, "")
                yield from commands(child, (*words, name))


def test_the_glossary_is_the_command_line(repository: Path) -> None:
    text = (repository / "docs/glossary.md").read_text(encoding="utf-8")
    written = re.findall(r"^\| `readiness ([a-z ]+)` \| (.*) \|$", text, re.MULTILINE)
    assert dict(written) == dict(commands(build_parser()))


def test_every_option_has_help() -> None:
    silent = []
    stack = [build_parser()]
    while stack:
        parser = stack.pop()
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                stack += list(action.choices.values())
            elif not action.help:
                silent.append(f"{parser.prog} {action.dest}")
    assert silent == []
