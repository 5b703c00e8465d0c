"""What a person asks of the workload DAG, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from airflow.sdk.exceptions import ParamValidationError

from readiness.airflow.workload_dag import asked_of, form
from readiness.config.settings import Settings, read_settings
from readiness.errors import ConfigError, LogFormatError
from readiness.wiring.workloads import Asked, publish

GIVEN = {
    "name": "shop",
    "captures": ["a.log", "b.log"],
    "users": ["api"],
    "source": None,
    "schema": "schema.json",
    "overrides": None,
    "policy": None,
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings(
        {"READINESS_STATE": str(tmp_path), "READINESS_KEY_FILE": str(tmp_path / "key")}
    )


def test_the_form_says_what_to_build() -> None:
    assert asked_of(GIVEN) == Asked(
        name="shop",
        captures=(Path("a.log"), Path("b.log")),
        users=("api",),
        schema=Path("schema.json"),
    )


def test_a_policy_is_found_by_its_name() -> None:
    policy = asked_of({**GIVEN, "policy": "default"}).policy
    assert policy is not None
    assert policy.name == "default.yaml"


def test_the_source_may_be_a_dsn() -> None:
    asked = asked_of({**GIVEN, "source": "mysql://reader@127.0.0.1:3307/shop"})
    assert asked.source is not None
    assert (asked.source["port"], asked.source["database"]) == (3307, "shop")


def test_a_dsn_with_a_password_is_refused_without_being_repeated() -> None:
    with pytest.raises(ConfigError, match="holds a password") as refused:
        asked_of({**GIVEN, "source": "mysql://u:secretword@127.0.0.1/shop"})
    assert "secretword" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("captures", ["one.log"]),
        ("captures", "one.log"),
        ("captures", ["", ""]),
        ("name", "../shop"),
        ("users", [1]),
    ],
)
def test_a_wrong_value_is_refused(name: str, value: object) -> None:
    with pytest.raises(ParamValidationError):
        form()[name].resolve(value)


def test_captures_are_needed() -> None:
    with pytest.raises(ParamValidationError, match="no default"):
        form()["captures"].resolve()


def test_without_a_schema_nothing_is_built(settings: Settings) -> None:
    settings.workloads.mkdir()
    (settings.workloads / "shop.sql").write_text("the one before")
    with pytest.raises(ConfigError, match="schema is not known"):
        publish(asked_of({**GIVEN, "schema": None}), settings)
    assert (settings.workloads / "shop.sql").read_text() == "the one before"


def test_the_same_workload_again_keeps_the_one_before_it(
    settings: Settings, repository: Path
) -> None:
    data = repository / "tests/unit/workload/data"
    captures = tuple(data / f"salted_{n}.log" for n in (1, 2, 3))
    asked = Asked("shop", captures, schema=data / "schema.json")
    settings.workloads.mkdir()
    (settings.workloads / "shop.sql").write_text("the one before")
    first = publish(asked, settings).path.read_bytes()
    assert publish(asked, settings).path.read_bytes() == first
    assert (settings.workloads / "shop.sql.previous").read_text() == "the one before"


def test_a_capture_that_is_no_log_leaves_the_file(settings: Settings, tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "workload/data"
    (tmp_path / "a.log").write_text("")
    asked = Asked("shop", (tmp_path / "a.log",), schema=data / "schema.json")
    with pytest.raises(LogFormatError, match="the log is empty"):
        publish(asked, settings)
    assert not (settings.workloads / "shop.sql").exists()
