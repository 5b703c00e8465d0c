"""The place of a key or value is where it stands in the text, whatever surrounds it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from readiness.config.yaml_file import Place, read_yaml

KEYS = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(
    lambda k: k not in {"null", "true", "false", "y", "n", "on", "off", "yes", "no"}
)
SCALARS = st.integers(-(10**9), 10**9) | KEYS
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(KEYS, inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


def written_at(text: str, place: Place) -> str:
    line = text.splitlines()[place.line - 1]
    return line[place.column - 1 : place.column - 1 + place.width]


def at(data: object, location: tuple[str | int, ...]) -> object:
    for step in location:
        data = data[step]  # type: ignore[index]
    return data


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), st.booleans())
def test_data_and_places_agree_with_the_text(data: dict[str, object], flow_style: bool) -> None:
    text = yaml.safe_dump(data, default_flow_style=flow_style, width=10_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.yaml"
        path.write_text(text)
        file = read_yaml(path, what="The file")
    assert file.data == data
    for location, place in file.keys.items():
        assert written_at(text, place) == location[-1]
    for location, place in file.values.items():
        value = at(data, location)
        if isinstance(value, str | int):
            assert written_at(text, place) == str(value)
