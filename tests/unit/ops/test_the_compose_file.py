"""docker-compose.yml and Dockerfile hold together: names, paths, secrets, versions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

COMPONENTS = {
    "airflow-apiserver": "api-server",
    "airflow-scheduler": "scheduler",
    "airflow-dag-processor": "dag-processor",
    "airflow-triggerer": "triggerer",
}
INITS = {"airflow-init", "readiness-init"}
OURS = {
    "READINESS_BASE_URL",
    "READINESS_PRODUCTION",
    "READINESS_RAW_LOG_DAYS",
    "READINESS_SLACK_CHANNEL",
    "READINESS_SLACK_GROUP",
}


@pytest.fixture(scope="module")
def text(repository: Path) -> str:
    return (repository / "docker-compose.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def services(text: str) -> dict[str, dict[str, Any]]:
    read: dict[str, dict[str, Any]] = yaml.safe_load(text)["services"]
    return read


@pytest.fixture(scope="module")
def dockerfile(repository: Path) -> str:
    return (repository / "Dockerfile").read_text("utf-8")


def test_there_is_one_service_a_component(services: dict[str, dict[str, Any]]) -> None:
    assert {name: services[name]["command"] for name in COMPONENTS} == COMPONENTS
    assert set(services) == {*COMPONENTS, *INITS, "postgres", "demo-source"}


def test_the_package_is_on_every_services_path(
    services: dict[str, dict[str, Any]], dockerfile: str
) -> None:
    paths = {services[name]["environment"]["PYTHONPATH"] for name in {*COMPONENTS, *INITS}}
    assert paths == {"/opt/airflow/suite/include"}
    assert "pip install --no-cache-dir --no-deps --editable ." in dockerfile
    for name in COMPONENTS:
        assert "./include:/opt/airflow/suite/include:ro" in services[name]["volumes"]


def test_folders_and_files_that_are_mounted_exist(
    services: dict[str, dict[str, Any]], repository: Path
) -> None:
    sources = {
        volume.partition(":")[0]
        for service in services.values()
        for volume in service.get("volumes", [])
        if volume.startswith(".")
    }
    env_files = {s["env_file"] for s in services.values() if "env_file" in s}
    assert len(sources) == 4
    assert [path for path in sources | env_files if not (repository / path).exists()] == []


def test_what_services_wait_for_exists(services: dict[str, dict[str, Any]]) -> None:
    for service in services.values():
        for name, condition in service.get("depends_on", {}).items():
            is_init = condition["condition"] == "service_completed_successfully"
            assert is_init == (name in INITS)
            assert is_init or "healthcheck" in services[name]


def test_no_secret_stands_in_the_file(services: dict[str, dict[str, Any]], text: str) -> None:
    for service in services.values():
        for name, value in service["environment"].items():
            is_path = name.endswith("_FILE")  # of a volume: what it holds is made there
            if re.search(r"PASSWORD|SECRET|KEY|CONN", name) and not is_path:
                assert re.search(r"\$\{[A-Z_]+", str(value)), name
    assert re.findall(r"://[^:/$ ]+:(?!\$\{)[^@/ ]+@", text) == []


def test_every_secret_is_required_and_compose_secrets_makes_it(text: str, repository: Path) -> None:
    required = set(re.findall(r"\$\{([A-Z_]+):\?", text))
    named = set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", text))
    assert named - required == {"PORT", "PARALLELISM", *OURS}
    one, other = (secrets_of(repository) for _ in range(2))
    assert set(one) == required
    assert [name for name in required if one[name] == other[name]] == []
    assert min(map(len, one.values())) >= 24
    assert len(one["FERNET_KEY"]) == 44


def secrets_of(repository: Path) -> dict[str, str]:
    printed = subprocess.run(
        [repository / "scripts/compose-secrets"],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    ).stdout
    return dict(re.findall(r"^([A-Z_]+)=(\S+)$", printed, re.MULTILINE))


def test_only_loopback_is_published(services: dict[str, dict[str, Any]]) -> None:
    published = [port for service in services.values() for port in service.get("ports", [])]
    assert published == ["127.0.0.1:${PORT:-8080}:8080"]


def test_the_image_is_the_version_that_is_pinned(dockerfile: str, repository: Path) -> None:
    pinned = re.search(
        r"^apache-airflow==(\S+)$",
        (repository / "requirements.txt").read_text("utf-8"),
        re.MULTILINE,
    )
    assert pinned is not None
    assert f"FROM apache/airflow:{pinned[1]}-python" in dockerfile
    assert f"pip install --no-cache-dir apache-airflow=={pinned[1]} " in dockerfile


def test_what_the_image_copies_is_not_left_out(dockerfile: str, repository: Path) -> None:
    lines = (repository / ".dockerignore").read_text("utf-8").splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    assert {"config", "dags", "include", "plugins", "pyproject.toml", "requirements.lock"} <= kept
    assert [name for name in kept if not (repository / name).exists()] == []
    assert "COPY --chown=airflow:root . ." in dockerfile


def test_secrets_of_compose_are_never_committed(repository: Path) -> None:
    assert ".env" in (repository / ".gitignore").read_text("utf-8").splitlines()
