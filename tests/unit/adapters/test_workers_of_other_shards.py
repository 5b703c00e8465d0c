"""A coordinator and a shard that speak by mail: as on pipes, and what only mail can do wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.shards import ALONE, HASTY, Meeting, Pen, Served, said, wait_until
from tests.fakes.workers import ScriptedWorker, report, second

from readiness.adapters.mail_files import from_path, to_path
from readiness.errors import LoadError, ReadinessError, TargetError, WorkerLost
from readiness.load.messages import Assignment
from readiness.model.load import Tick
from readiness.ports import WorkerProcess


@pytest.fixture
def meeting(tmp_path: Path) -> Meeting:
    return Meeting(tmp_path)


def a_worker(*lines: dict[str, object], stays: bool = False) -> ScriptedWorker:
    return ScriptedWorker([{"ready": 1}, *lines], stays=stays)


def close(meeting: Meeting, served: Served) -> Served:
    meeting.post.close()
    return served.end()


def test_two_shards_are_one_stage(meeting: Meeting) -> None:
    seen: list[Tick] = []
    here, there = (a_worker(second(0, offered=5), report(ok=4)) for _ in range(2))
    served = meeting.serve(there)
    result = meeting.run(here, seen.append)
    assert (result.checkouts_ok, [tick.offered for tick in seen]) == (8, [10])
    assert close(meeting, served).tries == 1
    assert [(told.worker, told.first_number) for told in served.launched] == [(1, 7)]


def test_both_begin_at_the_same_moment_of_the_same_clock(meeting: Meeting) -> None:
    here, there = a_worker(report()), a_worker(report())
    served = meeting.serve(there)
    meeting.run(here)
    close(meeting, served)
    ((first,), (other,)) = (worker.received("go") for worker in (here, there))
    assert abs(int(str(first)) - int(str(other))) < 50_000_000


def test_a_shard_may_come_before_its_coordinator(meeting: Meeting) -> None:
    served = meeting.serve(a_worker(report(ok=1)))
    time.sleep(0.3)
    assert meeting.run(a_worker(report(ok=1))).checkouts_ok == 2
    close(meeting, served)


def test_a_stop_reaches_every_shard(meeting: Meeting) -> None:
    here, there = (a_worker(second(0), report(stopped_by="too slow")) for _ in range(2))
    served = meeting.serve(there)
    assert meeting.run(here, lambda _: "too slow").aborted_by == "too slow"
    assert wait_until(lambda: there.received("stop") == ["too slow"])
    close(meeting, served)


def test_heartbeats_reach_every_shard(meeting: Meeting) -> None:
    here, there = (a_worker(second(0), report()) for _ in range(2))
    served = meeting.serve(there)
    meeting.run(here, lambda _: time.sleep(0.8))
    assert there.received("beat")
    close(meeting, served)


def test_a_repeated_stage_is_served_again(meeting: Meeting) -> None:
    served = meeting.serve(a_worker(report(ok=1)), a_worker(report(ok=2)))
    meeting.run(a_worker(report()))
    assert meeting.run(a_worker(report())).checkouts_ok == 2
    assert close(meeting, served).tries == 2


def test_a_worker_that_dies_elsewhere_loses_the_stage(meeting: Meeting) -> None:
    here = a_worker(stays=True)
    served = meeting.serve(a_worker())
    with pytest.raises(WorkerLost, match="Load worker 1 ended before its report"):
        meeting.run(here)
    assert here.is_ended
    close(meeting, served)


def test_what_a_shard_cannot_begin_for_is_raised_by_the_coordinator(meeting: Meeting) -> None:
    def launch(_told: Assignment) -> WorkerProcess:
        raise TargetError("no entry", hint="knock")

    served = meeting.serve_by(launch, Served())
    with pytest.raises(TargetError, match="Shard 1: no entry") as caught:
        meeting.run(a_worker(stays=True))
    assert caught.value.hint == "knock"
    assert isinstance(served.end().error, TargetError)


def test_ctrl_c_at_the_coordinator_ends_the_workers_of_every_shard(meeting: Meeting) -> None:
    there = a_worker(second(0), stays=True)
    served = meeting.serve(there)

    def interrupt(_: Tick) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        meeting.run(a_worker(second(0), stays=True), interrupt)
    assert there.is_ended
    assert close(meeting, served).tries == 1


def test_a_stubborn_worker_elsewhere_is_killed(meeting: Meeting) -> None:
    there = ScriptedWorker([{"ready": 1}, report()], stubborn=True)
    served = meeting.serve(there)
    meeting.run(a_worker(report()))
    assert there.was_killed
    close(meeting, served)


def test_no_shard_is_said_with_its_number_and_what_it_needs(tmp_path: Path) -> None:
    here = a_worker(stays=True)
    with pytest.raises(LoadError, match=r"Shard 1 of stage 5x did not come") as caught:
        Meeting(tmp_path, ALONE).run(here)
    assert "a free slot for each" in caught.value.hint
    assert here.is_ended


def lines_of(meeting: Meeting, write: Callable[[Path], object]) -> tuple[list[bytes], float]:
    """All that a mailed worker gives when a test is its shard, and how long ending it takes."""
    box = meeting.box()
    worker = meeting.by_mail(box, 1)
    write(box)
    lines = list(worker.lines())
    began = time.monotonic()
    worker.close_input()
    worker.kill()
    worker.wait(3.0)
    return lines, time.monotonic() - began


def test_a_shard_that_falls_silent_is_lost_and_nobody_waits_for_it(tmp_path: Path) -> None:
    lines, waited_s = lines_of(Meeting(tmp_path, HASTY), Pen.of_shard)
    assert len(lines) == 1
    assert b"WorkerLost" in lines[0]
    assert b"Shard 1 of stage 5x has said nothing for 1 s" in lines[0]
    assert waited_s < 1


def test_a_shard_that_dies_after_its_report_has_done_its_part(tmp_path: Path) -> None:
    def write(box: Path) -> None:
        Pen.of_shard(box).write(report(ok=1))

    lines, _ = lines_of(Meeting(tmp_path, HASTY), write)
    assert [line[:9] for line in lines] == [b'{"report"']


def test_a_shard_whose_clock_is_ahead_is_refused(tmp_path: Path) -> None:
    def write(box: Path) -> None:
        pen = Pen(from_path(box, 1))
        pen.write({"here": time.time_ns() + 2_000_000_000, "machine": "another", "pid": 1})

    (line,), _ = lines_of(Meeting(tmp_path), write)
    assert b"The clock of the host of shard 1 is at least 2 s ahead of" in line


def test_a_shard_on_this_machine_is_known_by_its_process(meeting: Meeting) -> None:
    served = meeting.serve(a_worker(report()))
    meeting.run(a_worker(report()))
    close(meeting, served)
    assert meeting.mailed[0].root_pid is not None


def test_a_shard_on_another_machine_has_no_process_here(tmp_path: Path) -> None:
    meeting = Meeting(tmp_path, HASTY)
    lines_of(meeting, Pen.of_shard)
    assert meeting.mailed[0].root_pid is None


def test_the_exit_code_comes_by_mail_and_nothing_can_be_said_then(meeting: Meeting) -> None:
    def write(box: Path) -> None:
        Pen.of_shard(box).write({"exit": -9})

    lines_of(meeting, write)
    (worker,) = meeting.mailed
    assert (worker.has_ended, worker.wait(0)) == (True, -9)
    with pytest.raises(WorkerLost, match="takes no more commands"):
        worker.send(b'{"stop":"x"}')


def served_by_hand(meeting: Meeting, worker: ScriptedWorker, **message: object) -> Served:
    """A shard that gets one message from a living coordinator, and how it ended."""
    box = meeting.box()
    served = meeting.serve(worker)
    with Pen.of_coordinator(box) as pen:
        assert wait_until(lambda: len(said(from_path(box, 1))) > 1)
        pen.write(message)
        return served.end()


def failure(served: Served) -> ReadinessError:
    assert served.error is not None
    return served.error


def test_a_start_that_has_passed_is_refused_not_made_late(meeting: Meeting) -> None:
    worker = a_worker(stays=True)
    served = served_by_hand(meeting, worker, go=time.time_ns() - 1_000_000_000)
    assert "Shard 1 heard of the common start" in failure(served).message
    assert (worker.received("go"), worker.is_ended) == ([], True)
    box = meeting.post.newest_box()
    assert box is not None
    assert any("too late" in str(m["refused"]) for m in said(from_path(box, 1)) if "refused" in m)


def test_a_coordinator_whose_clock_is_ahead_is_refused(meeting: Meeting) -> None:
    served = served_by_hand(meeting, a_worker(stays=True), beat=time.time_ns() + 3_000_000_000)
    assert "s behind the coordinator's" in failure(served).message


def test_a_coordinator_that_falls_silent_ends_the_load_of_the_shard(tmp_path: Path) -> None:
    meeting, worker = Meeting(tmp_path, HASTY), a_worker(stays=True)
    box = meeting.box()
    served = meeting.serve(worker, patience=HASTY)
    pen = Pen.of_coordinator(box)
    with pen:
        assert wait_until(lambda: bool(worker.received("beat")))
    assert isinstance(failure(served.end()), WorkerLost)
    assert "said nothing for 1 s: shard 1 has ended its load" in failure(served).message
    assert worker.is_ended


def test_no_coordinator_is_said(tmp_path: Path) -> None:
    served = Meeting(tmp_path, ALONE).serve(a_worker()).end()
    assert "The coordinator of stage 5x did not come within 0.3 s" in failure(served).message


def test_a_stage_that_was_over_before_the_shard_came_is_said_at_once(meeting: Meeting) -> None:
    meeting.post.open()
    meeting.post.close()
    assert "over before its shard 1 could begin" in failure(meeting.serve().end()).message


def test_what_a_dead_coordinator_left_is_not_taken_for_a_try(meeting: Meeting) -> None:
    Pen.of_coordinator(meeting.box())
    served = meeting.serve(a_worker(report(ok=3)))
    time.sleep(0.3)
    assert not served.launched
    assert meeting.run(a_worker(report())).checkouts_ok == 3
    close(meeting, served)


def test_a_shard_is_served_by_one_task(meeting: Meeting) -> None:
    worker = a_worker(stays=True)
    box = meeting.box()
    first = meeting.serve(worker)
    with Pen.of_coordinator(box) as pen:
        assert wait_until(lambda: bool(worker.received("beat")))
        second_task = meeting.serve(a_worker()).end()
        pen.write({"close": 1})
        meeting.post.close()
        first.end()
    assert "Another task serves shard 1" in failure(second_task).message
    assert first.tries == 1


def test_the_mail_holds_no_target_and_no_rows(meeting: Meeting) -> None:
    box = meeting.box()
    meeting.by_mail(box, 1)
    (first,) = said(to_path(box, 1))
    assert set(first["job"]) == {"namespace", "stage", "options", "worker", "first_number"}


def test_a_worker_that_ended_for_want_of_a_coordinator_is_no_end_of_the_try(tmp_path: Path) -> None:
    meeting = Meeting(tmp_path, HASTY)
    box = meeting.box()
    worker = a_worker()  # ends by itself, as one does that hears no heartbeat
    served = meeting.serve(worker, patience=HASTY)
    with Pen.of_coordinator(box):
        assert wait_until(lambda: any("exit" in m for m in said(from_path(box, 1))))
    assert isinstance(failure(served.end()), WorkerLost)
