"""The allow-list: keyed hashes with reasons; each mistake is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from readiness.anonymize.allowed import Allowed, key_name, read_allowed, value_hash, without
from readiness.anonymize.originals import Originals
from readiness.errors import ConfigError, ConfigMistakes

KEY = b"k" * 32
HASH = value_hash(b"help@shop.example", KEY)


def written(folder: Path, text: str) -> Path:
    path = folder / "checkout.allow.yaml"
    path.write_text(text.replace("KEY", key_name(KEY)).replace("HASH", HASH))
    return path


def test_an_entry_allows_a_value_in_any_case(tmp_path: Path) -> None:
    path = written(tmp_path, "key: 'KEY'\nallow:\n  - {hash: 'HASH', reason: our own address}\n")
    allowed = read_allowed(path, KEY)
    held = Originals(
        {"a/1": b"Help@Shop.example", "b/1": b"ada@mail.example"}, {"a/1": (b"x" * 8,)}
    )
    kept = without(held, allowed, KEY)
    assert dict(kept.values) == {"b/1": b"ada@mail.example"}
    assert dict(kept.parts) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("key: 'KEY'\nallow:\n  - {hash: 'HASH'}\n", "reason is missing"),
        ("key: 'KEY'\nallow:\n  - {hash: 'HASH', reason: ''}\n", "reason"),
        ("key: 'KEY'\nallow:\n  - {hash: 'ada@mail.example', reason: x}\n", "hash"),
        ("key: 'KEY'\nallow:\n  - {hash: 'HASH', reason: x, by: me}\n", "unknown key"),
        ("allow: []\n", "key is missing"),
        (
            "key: 'KEY'\nallow:\n  - {hash: 'HASH', reason: x}\n  - {hash: 'HASH', reason: y}\n",
            "given twice",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigMistakes) as caught:
        read_allowed(written(tmp_path, text), KEY)
    assert said in str(caught.value)
    assert "ada@mail" not in str(caught.value)


def test_a_list_of_another_key_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "key: 'KEY'\nallow: []\n")
    with pytest.raises(ConfigError, match="made with another key"):
        read_allowed(path, b"o" * 32)


def test_entries_that_allow_nothing_are_known() -> None:
    assert Allowed({"a": "x", "b": "y"}).unused(["a", "c"]) == ("b",)
