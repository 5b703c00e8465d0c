"""Settings come from variables and one file; a wrong production list stops everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from readiness.config.settings import read_settings
from readiness.errors import ConfigError
from readiness.model.clone import Endpoint


def test_without_variables_state_stays_in_one_folder(tmp_path: Path) -> None:
    settings = read_settings({"READINESS_STATE": str(tmp_path)})
    assert settings.runs == tmp_path / "runs"
    assert settings.workloads == tmp_path / "workloads"
    assert not settings.is_clone_attached
    assert (settings.key_file, settings.production) == (None, ())


def test_production_endpoints_come_from_both_places(tmp_path: Path) -> None:
    listed = [{"endpoint": "db.example.test:3307", "identity": "abc"}]
    (tmp_path / "production.json").write_text(json.dumps(listed))
    env = {"READINESS_PRODUCTION": "10.0.0.1:3306, [::1]:3308, /run/p.sock, plain.example.test"}
    found = read_settings({**env, "READINESS_STATE": str(tmp_path)}).production
    assert [p.endpoint for p in found] == [
        Endpoint("10.0.0.1", 3306),
        Endpoint("::1", 3308),
        Endpoint(socket="/run/p.sock"),
        Endpoint("plain.example.test", 3306),
        Endpoint("db.example.test", 3307),
    ]
    assert found[-1].identity == "abc"


@pytest.mark.parametrize("text", ["db:", ":3306", "db:0", "db:70000", "db:port"])
def test_a_production_endpoint_that_cannot_be_read_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no production endpoint"):
        read_settings({"READINESS_PRODUCTION": text, "READINESS_STATE": str(tmp_path)})


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"host": "x"}]', '{"endpoint": "a:1"}'])
def test_a_broken_production_file_is_refused_not_ignored(text: str, tmp_path: Path) -> None:
    (tmp_path / "production.json").write_text(text)
    with pytest.raises(ConfigError, match="no list of production endpoints"):
        read_settings({"READINESS_STATE": str(tmp_path)})


def test_a_store_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a folder"):
        read_settings({"READINESS_STORE": "s3://bucket"})


def test_clones_live_as_long_as_the_variable_says(tmp_path: Path) -> None:
    env = {"READINESS_STATE": str(tmp_path), "READINESS_CLONE_LIFETIME": "attached"}
    assert read_settings(env).is_clone_attached
    with pytest.raises(ConfigError, match="attached or detached"):
        read_settings({**env, "READINESS_CLONE_LIFETIME": "forever"})


def test_where_to_tell_is_taken_as_written(tmp_path: Path) -> None:
    env = {
        "READINESS_STATE": str(tmp_path),
        "READINESS_SLACK_CHANNEL": " C0READY0001",
        "READINESS_SLACK_GROUP": "S0READY0001",
        "READINESS_BASE_URL": "https://airflow.example.com/",
    }
    settings = read_settings(env)
    told = (settings.slack_channel, settings.slack_group, settings.base_url)
    assert told == ("C0READY0001", "S0READY0001", "https://airflow.example.com")


WATCH = "mysql://watch@orders.internal:3307/?password_file=/etc/watch"


def test_production_may_come_with_an_account_that_looks_there(tmp_path: Path) -> None:
    listed = [{"dsn": WATCH}, {"endpoint": "10.0.0.9:3306", "dsn": WATCH, "identity": "abc"}]
    (tmp_path / "production.json").write_text(json.dumps(listed))
    env = {"READINESS_PRODUCTION": f"a:3306,{WATCH}", "READINESS_STATE": str(tmp_path)}
    found = read_settings(env).production
    orders = Endpoint("orders.internal", 3307)
    assert [(str(p.endpoint), p.identity, bool(p.dsn)) for p in found] == [
        ("a:3306", "", False),
        (str(orders), "", True),
        (str(orders), "", True),
        ("10.0.0.9:3306", "abc", False),
        (str(orders), "abc", True),
    ]


@pytest.mark.parametrize("text", ["mysql://u:hunter2@h/", "u:hunter2@h", "mysql://@h"])
def test_a_wrong_account_of_production_is_refused_without_its_password(
    text: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as refused:
        read_settings({"READINESS_PRODUCTION": text, "READINESS_STATE": str(tmp_path)})
    assert "hunter2" not in refused.value.message + refused.value.hint
