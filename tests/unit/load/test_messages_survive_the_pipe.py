"""What worker and coordinator exchange comes out as it went in, and hides the password."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fakes.workers import report

from readiness.errors import (
    ConfigError,
    LoadError,
    ReadinessError,
    TargetUnavailable,
    WorkloadFileError,
)
from readiness.load.messages import (
    Job,
    Target,
    WorkerReport,
    decode,
    encode,
    refusal_from_json,
    refusal_to_json,
    tick_from_json,
    tick_to_json,
)
from readiness.load.tally import SecondTally
from readiness.model.load import LoadOptions, Stage

TARGET = Target("loader", "shop", host="db", port=3306, password="secret-word", tls="on")
JOB = Job(TARGET, "checkout.sql", {"pools": []}, "run-1", Stage("5x", 40, 60), LoadOptions(), 2, 17)


def test_a_job() -> None:
    assert Job.from_json(decode(encode(JOB.to_json()))) == JOB


def test_a_job_that_lacks_something_is_refused() -> None:
    data = JOB.to_json()
    del data["stage"]
    with pytest.raises(LoadError, match="job it cannot read"):
        Job.from_json(data)


def test_a_second() -> None:
    tally = SecondTally()
    tally.offered = 7
    tally.commit.record(1_500_000)
    tick = tally.take(3, in_flight=2, cpu_ratio=0.25, delay_ratio=0.01)
    assert tick_from_json(decode(encode(tick_to_json(tick)))) == tick


def test_a_report() -> None:
    message = report(ok=3, failed=1, errors={("s001", 1213): 1, ("connect", 0): 2})
    made = WorkerReport.from_json(decode(encode(message))["report"])
    assert made == WorkerReport.from_json(message["report"])
    assert made.errors == {("s001", 1213): 1, ("connect", 0): 2}


def test_the_password_is_in_no_repr() -> None:
    assert "secret-word" not in repr(JOB)


@pytest.mark.parametrize("error", [ConfigError("a", hint="b"), TargetUnavailable("a", hint="b")])
def test_a_refusal_of_a_known_kind_is_raised_as_such(error: ReadinessError) -> None:
    again = refusal_from_json(decode(encode(refusal_to_json(error))))
    assert (type(again), again.message, again.hint) == (type(error), "a", "b")


def test_a_refusal_of_another_kind_is_the_load_engine_s() -> None:
    error = WorkloadFileError(Path("checkout.sql"), 7, "unknown generator", hint="b")
    again = refusal_from_json(refusal_to_json(error))
    assert (type(again), again.message) == (LoadError, "checkout.sql:7: unknown generator")
