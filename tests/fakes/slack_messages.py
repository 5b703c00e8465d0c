"""Every message of invented runs, by the name of its golden file.

`python -m tests.fakes.slack_messages` writes the golden files anew: look at what changed.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.fakes import runs

from readiness.model.message import Message
from readiness.model.verdict import VerdictWord
from readiness.report import slack, slack_course
from readiness.report.slack_course import Address, Course
from readiness.report.summary import summarize
from readiness.report.view import RunView

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "slack"
TO = Address(
    "S0READY0001", "https://airflow.example.com/dags/readiness_peak/runs/manual__1?a=1&b=2"
)


def messages() -> dict[str, Message]:
    """One of each kind, and the end of a run for each verdict."""
    failing, aborted = runs.not_ready_run(), runs.aborted_run()
    made = {
        "preparing": slack_course.preparing("demo-20261130t021800z-a1b2", TO),
        "started": slack_course.progress(_course(failing, 0), TO),
        "running": slack_course.progress(_course(failing, 4), TO),
        "judging": slack_course.progress(_course(failing, 6), TO),
        "stopped": slack_course.progress(_course(aborted, 5), TO),
        "abort-page": slack_course.abort_page(_course(aborted, 5), TO),
        "not-ready-page": slack.not_ready_page(summarize(failing), TO),
        "ended-leak": slack.ended("demo-1", ["destroy failed"], TO, run=failing),
        "ended-unjudged": slack.ended(
            "demo-1", ["stage 5x failed", "report was skipped"], TO, run=None,
            closing="clone destroyed",
        ),
        "broken": slack.broken("demo-1", ["restore failed"], TO),
    }  # fmt: skip
    for word in VerdictWord:
        run, name = runs.invented_run(word), word.value.lower().replace("_", "-")
        made[f"end-{name}"] = slack.finished(run, TO, closing="clone destroyed")
        made[f"report-{name}"] = slack.report(run, TO)
    return {name: message for name, message in made.items() if message is not None}


def as_json(message: Message) -> str:
    """A message as its golden file has it."""
    return json.dumps(asdict(message), ensure_ascii=False, indent=1) + "\n"


def _course(run: RunView, stages: int) -> Course:
    return Course(run.record, run.results[:stages])


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, message in messages().items():
        (GOLDEN / f"{name}.json").write_text(as_json(message), encoding="utf-8")
