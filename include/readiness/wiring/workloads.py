"""Captures on disk and their source → a workload file, as the command and the DAG build it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from readiness.adapters.mysql_session import Login, open_session
from readiness.anonymize.allowed import Allowed, read_allowed
from readiness.anonymize.key import existing_key, load_key, require_key
from readiness.artifacts import atomic
from readiness.config.settings import Settings
from readiness.errors import ConfigError
from readiness.flow.beside import Beside, read_before
from readiness.flow.build import BuildInputs, Built, build_workload
from readiness.flow.choosing import Choosing
from readiness.ports import Progress, Session
from readiness.workload.schema import Schema, read_schema


@dataclass(frozen=True, slots=True)
class Asked:
    """What a workload is built from: two or more logs of the same flow (with `users`: only their
    sessions), or with `choosing` a part of each, and where its schema is known from: `source` is the
    login of the database where the captures were taken, `schema` a file with it as JSON. One of the
    two is needed. `target` is where the workload is to run; `overrides` a file that replaces the one
    beside the workload, `policy` one that says how columns are treated; `allow` lists values that may
    stand in outputs."""

    name: str
    captures: tuple[Path, ...]
    users: tuple[str, ...] = ()
    source: Login | None = None
    schema: Path | None = None
    choosing: Choosing = field(default_factory=Choosing)
    target: Login | None = None
    overrides: Path | None = None
    policy: Path | None = None
    allow: Path | None = None


def key_of(path: Path | None, output: Path, *, is_new: bool = False) -> bytes:
    """The key to build `output` with: that which built what is there, unless `is_new`; where nothing
    is there yet, a key is made if need be. Raises ConfigError for another key, or a lost one."""
    check = "" if is_new else read_before(Beside(output)).key
    key = existing_key(path) if check else load_key(path)
    require_key(key, check, made=str(output))
    return key


def build(
    asked: Asked,
    *,
    key: bytes,
    output: Path,
    tell: Progress | None = None,
    keep_previous: bool = False,
) -> Built:
    """Writes `output` and what stands beside it. Raises ConfigError (no schema, wrong overrides),
    CaptureError, WorkloadError, TargetError."""
    with _session(asked.source, "source") as session, _session(asked.target, "target") as target:
        inputs = BuildInputs(
            name=asked.name,
            captures=asked.captures,
            users=asked.users,
            schema=_schema(asked, session),
            choosing=asked.choosing,
            overrides=asked.overrides,
            keep_previous=keep_previous,
            policy=asked.policy,
            allowed=read_allowed(asked.allow, key) if asked.allow else Allowed(),
        )
        return build_workload(
            inputs,
            source=session,
            key=key,
            output=output,
            target=target,
            tell=tell,
        )


def publish(asked: Asked, settings: Settings) -> Built:
    """Builds workloads/NAME.sql of the state folder and its filter; those before are kept as
    NAME.sql.previous and NAME.filter.previous. NAME.allow.yaml there is its allow-list.

    What fails leaves the present files as they are. Raises as `build` does."""
    path = settings.workloads / f"{asked.name}.sql"
    beside = path.with_suffix(".allow.yaml")
    asked = replace(asked, allow=asked.allow or (beside if beside.is_file() else None))
    return build(asked, key=key_of(settings.key_file, path), output=path, keep_previous=True)


def write_schema(source: Login, output: Path) -> Schema:
    """Writes the schema of the source's database as `--schema FILE` reads it. Raises ConfigError
    (no database named), WorkloadError (no tables), TargetError."""
    with _session(source, "source") as session:
        schema = _schema(Asked("", (), source=source), session)
    text = json.dumps(schema.to_json(), indent=1, ensure_ascii=False)
    atomic.write_bytes(output, f"{text}\n".encode())
    return schema


@contextmanager
def _session(login: Login | None, what: str) -> Iterator[Session | None]:
    if login is None:
        yield None
        return
    if not login.get("database"):
        raise ConfigError(f"The {what}'s DSN names no database.", hint="mysql://user@host/database")
    session = open_session(**login)
    try:
        yield session
    finally:
        session.close()


def _schema(asked: Asked, session: Session | None) -> Schema:
    if asked.schema:
        return _schema_file(asked.schema)
    if session is None or asked.source is None:
        raise ConfigError(
            "The schema is not known.", hint="Name it by --schema FILE or --source DSN."
        )
    return read_schema(session, asked.source["database"])


def _schema_file(file: Path) -> Schema:
    try:
        return Schema.from_json(json.loads(file.read_text("utf-8")))
    except (ValueError, KeyError, TypeError):
        raise ConfigError(
            f"{file} is no schema in our JSON form.",
            hint="Write one:  readiness workload schema --source DSN -o schema.json",
        ) from None
