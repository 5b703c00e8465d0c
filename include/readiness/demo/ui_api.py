"""What `make up` asks the Airflow it started, over its public REST API on 127.0.0.1."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from readiness.errors import ServerError

_TIMEOUT_S = 20.0
_PAGE = 100
_COMPONENTS = ("metadatabase", "scheduler", "dag_processor", "triggerer")


@dataclass(frozen=True, slots=True)
class Dag:
    """A DAG as the API lists it; `schedule` is "" where only a person or an asset starts it."""

    name: str
    is_paused: bool
    schedule: str


@dataclass(slots=True)
class AirflowApi:
    """Calls to `url`; with a user, as that user (a token is fetched at the first call)."""

    url: str
    user: str = ""
    password: str = field(default="", repr=False)
    _token: str = field(default="", repr=False)

    def unhealthy(self) -> list[str]:
        """The components that are not healthy; all of them while nothing answers."""
        try:
            status, body = self._send("GET", "/api/v2/monitor/health")
        except (OSError, http.client.HTTPException):
            return list(_COMPONENTS)
        if status != 200 or not isinstance(body, dict):
            return list(_COMPONENTS)
        return [name for name in _COMPONENTS if _status(body, name) != "healthy"]

    def dags(self) -> list[Dag]:
        """All DAGs that are there now. Raises ServerError."""
        body = self.call("GET", f"/api/v2/dags?{urlencode({'limit': _PAGE})}")
        return [
            Dag(d["dag_id"], bool(d["is_paused"]), d["timetable_summary"] or "")
            for d in body["dags"]
            if not d["is_stale"]
        ]

    def import_errors(self) -> dict[str, str]:
        """File name → last line of the error, for DAG files that could not be read."""
        body = self.call("GET", f"/api/v2/importErrors?{urlencode({'limit': _PAGE})}")
        return {
            e["filename"]: e["stack_trace"].strip().rpartition("\n")[2]
            for e in body["import_errors"]
        }

    def unpause(self, dag: str) -> None:
        """Lets the DAG's runs begin. Raises ServerError."""
        self.call("PATCH", f"/api/v2/dags/{quote(dag)}", {"is_paused": False})

    def make_pool(self, name: str, body: Mapping[str, object]) -> None:
        """Creates the pool, or changes the one that is there. `body` has slots, description and
        include_deferred: Airflow refuses a change of some. Raises ServerError."""
        path = f"/api/v2/pools/{quote(name)}"
        status, _ = self._authorized("GET", path)
        if status == http.HTTPStatus.NOT_FOUND:
            self.call("POST", "/api/v2/pools", {"name": name, **body})
        else:
            self.call("PATCH", path, {"pool": name, **body})

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None) -> dict:  # type: ignore[type-arg]
        """The JSON object that a call answers. Raises ServerError."""
        status, answer = self._authorized(method, path, body)
        if not 200 <= status < 300 or not isinstance(answer, dict):
            raise _refused(method, path, status)
        return answer

    def _authorized(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> tuple[int, object]:
        try:
            if self.user and not self._token:
                self._token = self._log_in()
            return self._send(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(
                f"Airflow does not answer {method} {path}: {error}.",
                hint="Does it run?  make up  says so, or starts it.",
            ) from error

    def _log_in(self) -> str:
        login = {"username": self.user, "password": self.password}
        status, answer = self._send("POST", "/auth/token", login)
        if status != http.HTTPStatus.CREATED or not isinstance(answer, dict):
            raise _refused("POST", "/auth/token", status)
        return str(answer["access_token"])

    def _send(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> tuple[int, object]:
        """Status and parsed body; a proxy of this machine is not asked."""
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, _parsed(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _parsed(error.read())


def _parsed(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _status(body: Mapping[str, object], component: str) -> object:
    found = body.get(component)
    return found.get("status") if isinstance(found, dict) else None


def _refused(method: str, path: str, status: int) -> ServerError:
    return ServerError(
        f"Airflow answered {method} {path} with status {status}.",
        hint="Its log says why; make up prints where that is.",
    )
