"""An overrides file is read whole, or all its mistakes are told with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.config.overrides import Override, load_overrides
from readiness.errors import ConfigError, ConfigMistakes


def read(folder: Path, text: str) -> dict[str, Override]:
    path = folder / "checkout.overrides.yaml"
    path.write_text(text)
    return dict(load_overrides(path).entries)


def told(folder: Path, text: str) -> list[tuple[int, str]]:
    with pytest.raises(ConfigMistakes) as caught:
        read(folder, text)
    return [(m.line, m.text) for m in caught.value.mistakes]


def test_what_is_given_says_the_class(tmp_path: Path) -> None:
    text = """\
variables:
  a: {generator: uuid4}
  b: {expression: "LOWER(@a)"}
  c: {sample: users.id, weight: loans.user_id}
  d: {class: time, expression: "NOW()"}
  e: {class: constant}
  f: {name: other}
"""
    found = read(tmp_path, text)
    kinds = ["fresh", "derived", "existing", "time", "inline", ""]
    assert [entry.kind for entry in found.values()] == kinds
    assert (found["c"].sample, found["c"].weight) == ("users.id", "loans.user_id")


@pytest.mark.parametrize(
    ("entry", "mistake"),
    [
        ("{clas: fresh}", "unknown key. Did you mean class?"),
        ("{class: frsh}", "allowed: fresh, existing, derived, time, inline, constant. Did you mean"
         " fresh?"),
        ("{class: existing, generator: uuid4}", "generator belongs to class fresh, not to existing"),
        ("{class: fresh, expression: NOW()}", "expression belongs to class derived or time, not to"
         " fresh"),
        ("{generator: uuid4, sample: users.id}", "generator and sample exclude each other: keep one"),
        ("{generator: uuid9}", "there is no generator uuid9"),
        ("{sample: users}", "a name holds table.column"),
        ("{sample: users.id, weight: users.name}", "the skew comes from another table"),
        ("{name: has-dash}", "a name holds letters, digits and _"),
        ("{}", "nothing is said of user_id_0"),
        ("uuid4", "a mapping (`key: value`) is needed here"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_line(tmp_path: Path, entry: str, mistake: str) -> None:
    ((line, text),) = told(tmp_path, f"version: 1\nvariables:\n  user_id_0: {entry}\n")
    assert line == 3
    assert mistake in text


def test_a_variable_that_is_said_twice_is_a_mistake(tmp_path: Path) -> None:
    text = "variables:\n  a: {class: fresh}\n  a: {class: inline}\n"
    assert told(tmp_path, text) == [(3, "a is given twice")]


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_overrides(tmp_path / "none.yaml")
