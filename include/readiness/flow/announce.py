"""What a run tells its channel, and when. A failure here never fails the run.

Each verb reads what it needs from the run folder, may be repeated, ends within 30 seconds, raises
nothing, and returns a Delivery for `events.jsonl`. Pages that an earlier verb could not deliver are
sent by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from readiness.artifacts.messages import MessageBox
from readiness.artifacts.run_folder import RunFolder
from readiness.errors import ReadinessError
from readiness.flow.publishing import Guard
from readiness.flow.report import view_of
from readiness.flow.telling import Line, Telling
from readiness.model.message import Delivery
from readiness.model.run import RunRecord
from readiness.report import slack, slack_course
from readiness.report.slack_course import Address, Course
from readiness.report.summary import summarize
from readiness.report.view import RunView

T = TypeVar("T")
Step = Callable[[], None]

BUDGET_S = 29.0
_LOCK_S = 8.0


@dataclass(frozen=True, slots=True)
class Desk:
    """Who carries messages and where they point to; `notes` say what its settings lack; `guard_of`
    gives what searches a run's messages before they are sent."""

    line: Line
    address: Address = field(default_factory=Address)
    notes: tuple[str, ...] = ()
    guard_of: Callable[..., Guard] = lambda *_filters: Guard()


@dataclass(frozen=True, slots=True)
class _Story:
    """What a run folder can tell now; None and nothing where it holds no such file, or a broken
    one, which `notes` name."""

    run_id: str
    course: Course | None
    view: RunView | None
    notes: tuple[str, ...] = ()


def announce_start(folder: RunFolder, desk: Desk) -> Delivery:
    """The root message: what will run. Before `run.json` is there: that it is being prepared."""
    return _announce("start", folder, desk, lambda story, telling: [_root(story, telling, desk)])


def announce_stage(folder: RunFolder, desk: Desk) -> Delivery:
    """The root message edited: the stages that ended, and the one that runs."""
    return _announce("stage", folder, desk, lambda story, telling: [_root(story, telling, desk)])


def announce_abort(folder: RunFolder, desk: Desk) -> Delivery:
    """The page that the load was stopped, and the root edited; nothing when it was not."""

    def steps(story: _Story, telling: Telling) -> list[Step]:
        if story.course is None or story.course.stopped is None:
            telling.notes.append("no stage was stopped; there is nothing to tell")
            return []
        return [*_pages(story, telling, desk), _root(story, telling, desk)]

    return _announce("abort", folder, desk, steps)


def announce_report(folder: RunFolder, desk: Desk) -> Delivery:
    """The verdict: a page when it is NOT_READY, the root edited, the report and the ramp chart in
    its thread."""

    def steps(story: _Story, telling: Telling) -> list[Step]:
        if story.view is None:
            telling.notes.append("the run has no verdict to tell")
            return [*_pages(story, telling, desk), _root(story, telling, desk)]
        return [*_pages(story, telling, desk), *_verdict(story.view, telling, desk, folder)]

    return _announce("report", folder, desk, steps)


def announce_end(
    folder: RunFolder, desk: Desk, *, problems: Sequence[str], closing: str = ""
) -> Delivery:
    """The last word, and what earlier verbs could not deliver. `problems` (one sentence each, of
    task ids and states) or a missing verdict make a new message; `closing` says what became of the
    clone ("clone destroyed")."""
    to = desk.address

    def steps(story: _Story, telling: Telling) -> list[Step]:
        run = story.view
        news: list[Step] = []
        if problems or run is None:
            message = slack.ended(story.run_id, problems, to, run=run, closing=closing)
            news.append(partial(telling.page, message))
        if run is not None:
            news += [*_pages(story, telling, desk)]
            return [*news, *_verdict(run, telling, desk, folder, closing)]
        root = partial(telling.show, slack.broken(story.run_id, problems, to))
        return [*news, *_pages(story, telling, desk), root]

    return _announce("end", folder, desk, steps)


def _announce(
    verb: str,
    folder: RunFolder,
    desk: Desk,
    steps: Callable[[_Story, Telling], list[Step]],
) -> Delivery:
    line, began_s = desk.line, desk.line.now_s()
    notes, telling = list(desk.notes), None
    try:
        box = MessageBox(folder.path)
        with box.held(line.clock, within_s=_LOCK_S):
            story = _story(folder)
            notes += story.notes
            guard = desk.guard_of(*folder.filter_paths)
            telling = Telling(line, box, until_s=began_s + BUDGET_S, guard=guard)
            telling.tell(steps(story, telling))
    except ReadinessError as error:
        notes.append(error.message)
    except Exception as error:  # noqa: BLE001 - a fault in a message must not fail the run
        notes.append(f"{type(error).__name__} while the message was made or sent")
    if telling is not None:
        notes += telling.notes
    parts = tuple(telling.parts) if telling is not None else ()
    took_s = line.now_s() - began_s
    return Delivery(verb, line.messenger.name, parts, took_s, tuple(dict.fromkeys(notes)))


def _root(story: _Story, telling: Telling, desk: Desk) -> Step:
    """Shows the root of a run that is not judged."""
    if story.course is None:
        return partial(telling.show, slack_course.preparing(story.run_id, desk.address))
    return partial(telling.show, slack_course.progress(story.course, desk.address))


def _verdict(
    run: RunView, telling: Telling, desk: Desk, folder: RunFolder, closing: str = ""
) -> list[Step]:
    """Shows root, report and chart of a judged run."""
    to, chart = desk.address, folder.path / "charts" / "ramp.png"

    def report() -> None:
        telling.show(slack.report(run, to), thread=telling.thread(slack_course.ROOT))

    def hang() -> None:
        thread = telling.thread(slack_course.ROOT, slack.REPORT)
        telling.hang(slack.picture(run), folder.read_bytes("charts/ramp.png"), thread=thread)

    root = partial(telling.show, slack.finished(run, to, closing=closing))
    return [root, report, *([hang] if chart.is_file() else [])]


def _pages(story: _Story, telling: Telling, desk: Desk) -> list[Step]:
    """Sends the pages that the run owes; those that were delivered are not sent again."""
    pages = []
    if story.course is not None:
        pages.append(slack_course.abort_page(story.course, desk.address))
    if story.view is not None:
        pages.append(slack.not_ready_page(summarize(story.view), desk.address))
    return [partial(telling.page, page) for page in pages if page is not None]


def _story(folder: RunFolder) -> _Story:
    notes: list[str] = []
    record = _read(folder, "run.json", folder.read_run, notes)
    results = _read(folder, "stages.parquet", folder.read_stages, notes) or []
    view = _read(folder, "verdict.json", lambda: view_of(folder), notes)
    course = Course(record, tuple(results)) if record is not None else None
    return _Story(_run_id(folder, record), course, view, tuple(notes))


def _read(folder: RunFolder, name: str, read: Callable[[], T], notes: list[str]) -> T | None:
    if not (folder.path / name).is_file():
        return None
    try:
        return read()
    except ReadinessError as error:
        notes.append(error.message)
        return None


def _run_id(folder: RunFolder, record: RunRecord | None) -> str:
    return record.run_id if record else folder.path.name
