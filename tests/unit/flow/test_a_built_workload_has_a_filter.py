"""What a workload is built from is what its filter finds; both are written, or neither."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes.captures import DATA, paylater_schema

from readiness.anonymize.allowed import Allowed
from readiness.anonymize.filter import read_filter
from readiness.anonymize.hunt import Hunter
from readiness.config.settings import Settings
from readiness.errors import ConfigError, PrivacyError
from readiness.flow import build as building
from readiness.flow.build import BuildInputs, build_workload
from readiness.wiring.ramps import RampRequest, open_run
from readiness.wiring.workloads import Asked, publish

KEY = b"k" * 32
LOGS = tuple(DATA / f"plain_{number}.log" for number in (1, 2))
INPUTS = BuildInputs("checkout", LOGS, (), paylater_schema())


def hunter(path: Path) -> Hunter:
    return Hunter(read_filter(path.read_bytes(), KEY, path=path).needles)


def test_the_filter_finds_what_the_logs_hold_and_nothing_in_the_workload(tmp_path: Path) -> None:
    output = tmp_path / "checkout.sql"
    build_workload(INPUTS, source=None, key=KEY, output=output)
    searching = hunter(tmp_path / "checkout.filter")
    assert searching.hits(output.read_bytes()) == []
    for log in LOGS:
        encodings = {hit.encoding for hit in searching.hits(log.read_bytes())}
        assert {"plain", "json"} & encodings
        assert len(searching.hits(log.read_bytes())) > 50


def test_a_refused_build_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = LOGS[0].read_bytes()
    monkeypatch.setattr(building, "render", lambda workload: b"-- @workload\n" + planted)
    with pytest.raises(PrivacyError, match=r"captured values would stand in checkout\.sql"):
        build_workload(INPUTS, source=None, key=KEY, output=tmp_path / "checkout.sql")
    assert list(tmp_path.iterdir()) == []


def test_allowed_values_are_in_no_filter(tmp_path: Path) -> None:
    build_workload(INPUTS, source=None, key=KEY, output=tmp_path / "all.sql")
    kept = read_filter((tmp_path / "all.filter").read_bytes(), KEY, path=tmp_path)
    value_id, made = next(iter(kept.hashes.items()))
    inputs = replace(INPUTS, allowed=Allowed({made: "a reason"}))
    build_workload(inputs, source=None, key=KEY, output=tmp_path / "less.sql")
    less = read_filter((tmp_path / "less.filter").read_bytes(), KEY, path=tmp_path)
    assert set(kept.hashes) - set(less.hashes) == {value_id}


def test_an_entry_that_allows_nothing_is_told(tmp_path: Path) -> None:
    inputs = replace(INPUTS, allowed=Allowed({"0" * 24: "long gone"}))
    built = build_workload(inputs, source=None, key=KEY, output=tmp_path / "checkout.sql")
    assert f"the allow-list's entry {'0' * 24} allows nothing: remove it" in built.warnings


def test_a_key_that_nobody_keeps_makes_no_filter_and_leaves_none(tmp_path: Path) -> None:
    output = tmp_path / "checkout.sql"
    build_workload(INPUTS, source=None, key=KEY, output=output)
    build_workload(replace(INPUTS, keeps_filter=False), source=None, key=KEY, output=output)
    assert not (tmp_path / "checkout.filter").exists()
    assert output.is_file()


def settings_of(tmp_path: Path) -> Settings:
    return Settings(tmp_path, tmp_path, tmp_path / "keys" / "key", ())


def asked(*logs: Path) -> Asked:
    return Asked("checkout", logs, schema=DATA / "schema.json")


def test_publishing_replaces_workload_and_filter_and_keeps_those_before(tmp_path: Path) -> None:
    publish(asked(*LOGS), settings_of(tmp_path))
    folder = tmp_path / "workloads"
    first = {path.name: path.read_bytes() for path in folder.glob("checkout.*")}
    publish(asked(*reversed(LOGS)), settings_of(tmp_path))
    assert sorted(path.name for path in folder.glob("checkout.*")) == [
        "checkout.filter",
        "checkout.filter.previous",
        "checkout.sql",
        "checkout.sql.previous",
        "checkout.variables.yaml",
    ]
    for name in ("checkout.sql", "checkout.filter"):
        assert (folder / f"{name}.previous").read_bytes() == first[name]


def test_publishing_takes_the_allow_list_beside_the_workload(tmp_path: Path) -> None:
    folder = tmp_path / "workloads"
    folder.mkdir()
    (folder / "checkout.allow.yaml").write_text("key: '00000000'\nallow: []\n")
    with pytest.raises(ConfigError, match=r"checkout\.allow\.yaml was made with another key"):
        publish(asked(*LOGS), settings_of(tmp_path))
    assert not (folder / "checkout.sql").exists()


def test_no_load_begins_with_a_filter_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_workload(INPUTS, source=None, key=KEY, output=tmp_path / "checkout.sql")
    monkeypatch.setenv("READINESS_KEY_FILE", str(tmp_path / "lost"))
    request = RampRequest(None, None, tmp_path / "checkout.sql", None)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="no key file"):
        open_run(request, settings_of(tmp_path), progress=lambda _text: None)
    assert not (tmp_path / "lost").exists()


def test_the_filter_is_there_before_the_workload(tmp_path: Path) -> None:
    """A build that dies between the two leaves no workload whose filter is of an older one."""
    placed: list[str] = []
    folder = str(tmp_path)

    def watch(
        event: str, args: tuple[object, ...]
    ) -> None:  # stays for the process, so it is narrow
        if event == "os.rename" and str(args[1]).startswith(folder):
            placed.append(Path(str(args[1])).name)

    sys.addaudithook(watch)
    build_workload(INPUTS, source=None, key=KEY, output=tmp_path / "checkout.sql")
    assert placed == ["checkout.filter", "checkout.sql", "checkout.variables.yaml"]
