"""Any text that we write into a YAML file is the same text when we read it: a check value such as
47e55927 is no number."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from readiness.config.yaml_file import CoreDumper, read_yaml

PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
LOOKALIKES = st.from_regex(r"[-+]?[0-9a-fA-FxXeE._]{1,12}", fullmatch=True)


@given(
    st.one_of(PRINTABLE, LOOKALIKES, st.sampled_from(["true", "null", "~", ".inf", ".nan", "no"]))
)
@example("47e55927")
@example("00000123")
@example("0x1f")
@example("1:30")
def test_a_text_stays_a_text(text: str) -> None:
    written = yaml.dump({"key": text, "list": [text]}, Dumper=CoreDumper)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.yaml"
        path.write_text(written)
        assert read_yaml(path, what="The file").data == {"key": text, "list": [text]}


@given(st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.none()))
def test_a_number_stays_a_number(value: object) -> None:
    written = yaml.dump({"key": value}, Dumper=CoreDumper)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.yaml"
        path.write_text(written)
        assert read_yaml(path, what="The file").data == {"key": value}
