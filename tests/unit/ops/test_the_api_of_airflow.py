"""`make up` asks Airflow over HTTP: what it hears from a server that answers as Airflow does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from readiness.demo.ui_api import AirflowApi, Dag
from readiness.demo.ui_server import settle
from readiness.errors import ServerError

HEALTHY = {"status": "healthy"}
COMPONENTS = ["metadatabase", "scheduler", "dag_processor", "triggerer"]


class FakeAirflow(ThreadingHTTPServer):
    """Answers by (method, path); what it has no answer for is a 404. Notes what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[tuple[str, str], tuple[int, object]] = {}
        self.asked: list[tuple[str, str, str, object]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: FakeAirflow

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.partition("?")[0]
        token = self.headers.get("Authorization", "")
        self.server.asked.append((self.command, path, token, json.loads(body or b"null")))
        status, answer = self.server.answers.get((self.command, path), (404, {}))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - as http.server spells them

    def log_message(self, format: str, *args: object) -> None:
        """No noise."""


@pytest.fixture
def airflow() -> Iterator[FakeAirflow]:
    with FakeAirflow() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def listed(name: str, schedule: str | None = None) -> dict[str, object]:
    return {"dag_id": name, "is_paused": True, "timetable_summary": schedule, "is_stale": False}


def test_where_nobody_answers_nothing_is_healthy() -> None:
    assert AirflowApi("http://127.0.0.1:1").unhealthy() == COMPONENTS


def test_the_component_that_is_not_healthy_is_named(airflow: FakeAirflow) -> None:
    health = {**dict.fromkeys(COMPONENTS, HEALTHY), "triggerer": {"status": None}}
    airflow.answers["GET", "/api/v2/monitor/health"] = (200, health)
    assert AirflowApi(airflow.url).unhealthy() == ["triggerer"]


def test_a_user_logs_in_once(airflow: FakeAirflow) -> None:
    airflow.answers["POST", "/auth/token"] = (201, {"access_token": "t"})
    airflow.answers["GET", "/api/v2/dags"] = (200, {"dags": [listed("a")]})
    api = AirflowApi(airflow.url, user="admin", password="secret-word")
    assert [api.dags(), api.dags()] == [[Dag("a", is_paused=True, schedule="")]] * 2
    assert [asked[:3] for asked in airflow.asked] == [
        ("POST", "/auth/token", ""),
        ("GET", "/api/v2/dags", "Bearer t"),
        ("GET", "/api/v2/dags", "Bearer t"),
    ]
    assert "secret-word" not in repr(api)


def test_a_refusal_names_the_call_and_its_status(airflow: FakeAirflow) -> None:
    airflow.answers["GET", "/api/v2/dags"] = (403, {})
    with pytest.raises(ServerError, match=r"GET /api/v2/dags.* status 403"):
        AirflowApi(airflow.url).dags()


@pytest.mark.parametrize(("is_there", "verb"), [(False, "POST"), (True, "PATCH")])
def test_a_pool_is_made_or_given_its_slots(airflow: FakeAirflow, is_there: bool, verb: str) -> None:
    if is_there:
        airflow.answers["GET", "/api/v2/pools/load"] = (200, {})
    airflow.answers["POST", "/api/v2/pools"] = (201, {})
    airflow.answers["PATCH", "/api/v2/pools/load"] = (200, {})
    AirflowApi(airflow.url).make_pool("load", {"slots": 1})
    assert (airflow.asked[-1][0], airflow.asked[-1][3]["slots"]) == (verb, 1)  # type: ignore[index]


def test_only_what_nobody_schedules_is_unpaused_and_the_janitor(
    airflow: FakeAirflow, tmp_path: Path
) -> None:
    dags = [
        listed("manual"),
        listed("weekly", "0 6 * * 1"),
        listed("readiness_janitor", "*/10 * * * *"),
    ]
    trace = "Traceback\n  line\nConfigError: plan has 1 mistake.\n"
    broken = {"filename": "broken.py", "stack_trace": trace}
    for name in [*(str(dag["dag_id"]) for dag in dags), "broken"]:
        (tmp_path / f"{name}.py").touch()
        airflow.answers["PATCH", f"/api/v2/dags/{name}"] = (200, {})
    airflow.answers["POST", "/api/v2/pools"] = (201, {})
    airflow.answers["GET", "/api/v2/dags"] = (200, {"dags": dags})
    airflow.answers["GET", "/api/v2/importErrors"] = (200, {"import_errors": [broken]})
    settled = settle(AirflowApi(airflow.url), tmp_path)
    unpaused = [path for verb, path, _, body in airflow.asked if body == {"is_paused": False}]
    assert unpaused == ["/api/v2/dags/manual", "/api/v2/dags/readiness_janitor"]
    assert settled.broken == {"broken.py": "ConfigError: plan has 1 mistake."}
