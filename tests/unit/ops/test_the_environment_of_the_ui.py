"""What `make up` tells its Airflow: all of it is its own, and none of another Airflow's settings."""

from __future__ import annotations

import importlib.util
import json
import stat
from pathlib import Path

import pytest
import yaml

from readiness.demo.ui_environment import MARK, UiHome, UiOptions, environment, passwords, read_env
from readiness.errors import ConfigError


@pytest.fixture
def ui(tmp_path: Path) -> UiHome:
    return UiHome(tmp_path / "ui")


def test_settings_of_another_airflow_are_not_passed_on(ui: UiHome) -> None:
    elsewhere = {
        "AIRFLOW_HOME": "/elsewhere",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "postgresql://elsewhere",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD": "cat elsewhere",
    }
    made = environment(ui, UiOptions(), elsewhere)
    assert [v for v in made.values() if "elsewhere" in v] == []
    assert made["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] == f"sqlite:///{ui.home}/airflow.db"


def test_connections_and_our_own_settings_are_passed_on(ui: UiHome) -> None:
    given = {
        "AIRFLOW_CONN_SLACK_DEFAULT": "slack://",
        "READINESS_MYSQLD": "/usr/sbin/mysqld",
        "READINESS_CLONE_LIFETIME": "attached",
    }
    made = environment(ui, UiOptions(), given)
    assert made["AIRFLOW_CONN_SLACK_DEFAULT"] == "slack://"
    assert made["READINESS_MYSQLD"] == "/usr/sbin/mysqld"
    assert "READINESS_CLONE_LIFETIME" not in made


def test_runs_clones_and_the_mark_belong_to_the_state_folder(ui: UiHome) -> None:
    made = environment(ui, UiOptions(), {})
    assert {made[k] for k in ("READINESS_STATE", "READINESS_STORE", MARK)} == {str(ui.state)}


def test_it_listens_on_loopback_at_the_port_that_was_asked_for(ui: UiHome) -> None:
    made = environment(ui, UiOptions(port=8123), {})
    assert made["AIRFLOW__API__HOST"] == "127.0.0.1"
    assert made["AIRFLOW__API__PORT"] == "8123"
    assert made["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"] == "http://127.0.0.1:8123/execution/"


def test_the_program_first_on_path_leaves_the_log_servers_out(ui: UiHome) -> None:
    made = environment(ui, UiOptions(), {})
    first = Path(made["PATH"].split(":")[0]) / "airflow"
    assert "--skip-serve-logs" in first.read_text("utf-8")
    assert first.stat().st_mode & stat.S_IXUSR


def test_secrets_stay_the_same_and_only_their_owner_reads_them(ui: UiHome) -> None:
    names = ("AIRFLOW__API_AUTH__JWT_SECRET", "AIRFLOW__CORE__FERNET_KEY")
    one, other = (environment(ui, UiOptions(), {}) for _ in range(2))
    assert [one[n] for n in names] == [other[n] for n in names]
    assert len(one[names[0]]) >= 64
    assert stat.S_IMODE((ui.home / "secrets.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(ui.home.stat().st_mode) == 0o700


def test_open_needs_no_password_and_users_have_one_each(ui: UiHome) -> None:
    environment(ui, UiOptions(), {})
    assert passwords(ui) == {}
    environment(ui, UiOptions(auth="users"), {})
    made = passwords(ui)
    assert set(made) == {"admin", "op", "user", "viewer"}
    assert len(set(made.values())) == 4
    assert stat.S_IMODE(ui.passwords.stat().st_mode) == 0o600


def test_a_broken_file_of_secrets_is_named(ui: UiHome) -> None:
    ui.home.mkdir(parents=True)
    (ui.home / "secrets.json").write_text("{")
    with pytest.raises(ConfigError, match=r"secrets\.json is broken"):
        environment(ui, UiOptions(), {})


def test_every_setting_of_the_repository_is_one_that_airflow_has(repository: Path) -> None:
    spec = importlib.util.find_spec("airflow")
    assert spec is not None
    assert spec.origin is not None
    form = Path(spec.origin).parent / "config_templates" / "config.yml"
    known = {
        f"AIRFLOW__{section}__{option}".upper()
        for section, described in yaml.safe_load(form.read_text("utf-8")).items()
        for option in described["options"]
    }
    files = sorted((repository / "config").glob("*.env"))
    named = {name for file in files for name in read_env(file)}
    assert len(files) >= 3
    assert named - known == set()


def test_the_pool_of_the_load_takes_one_at_a_time(repository: Path) -> None:
    pools = json.loads((repository / "config/pools.json").read_text("utf-8"))
    assert pools["readiness_load"]["slots"] == 1
