"""Progress says how far a table is and how long all of them still take, once a second at most."""

from __future__ import annotations

from readiness.masking.run.progress import Course


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_time_left_is_by_the_bytes_of_tables() -> None:
    said: list[str] = []
    clock = Hand()
    course = Course({"small": 100, "large": 900}, said.append, clock)
    clock.now_s += 10
    course.at("small", 1.0)
    assert said == ["small 100 %, 90 s left"] or said == ["small 100 %, 2 min left"]
    clock.now_s += 40
    course.at("large", 0.5)
    assert said[-1] == "large 50 %, 41 s left"


def test_what_was_done_before_a_resume_says_nothing_of_speed() -> None:
    clock = Hand()
    course = Course({"users": 1000}, lambda _: None, clock)
    course.resume("users", 0.5)
    clock.now_s += 10
    assert course.left_s() is None
    course.at("users", 0.75)
    assert course.left_s() == 10


def test_lines_come_once_a_second_at_most() -> None:
    said: list[str] = []
    clock = Hand()
    course = Course({"users": 1000}, said.append, clock)
    for step in range(100):
        clock.now_s += 0.1
        course.at("users", step / 100)
    assert len(said) == 10


def test_long_times_are_told_as_people_say_them() -> None:
    said: list[str] = []
    clock = Hand()
    course = Course({"users": 1000}, said.append, clock)
    for share in (0.001, 0.1):
        clock.now_s += 60
        course.at("users", share)
    assert said == ["users 0 %, 16.6 h left", "users 10 %, 18 min left"]
