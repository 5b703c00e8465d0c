"""Hold and tune: a person changes the rate of a stage while it runs.

`ask_rate` is the person's side, `Tuning` that of whoever runs the stage; both meet in two files of the
run folder.
"""

from __future__ import annotations

import secrets
import time

from readiness.artifacts.rate_files import RateAsked, RateFiles, RateHeld
from readiness.artifacts.run_folder import RunFolder
from readiness.config.rates import parse_rate
from readiness.errors import ArtifactError, ConfigError, LoadError
from readiness.model.load import RateChange, Stage

END = "end"
TAKEN_WITHIN_S = 5.0
_LOOK_S = 0.1


class Tuning:
    """`with Tuning(folder, stage) as tuning:` while the stage runs. `tune` is asked each second."""

    def __init__(self, folder: RunFolder, stage: Stage) -> None:
        self._folder = folder
        self._files = RateFiles(folder.path)
        self._stage = stage

    def tune(self, from_s: int) -> RateChange | None:
        """What a person asked for since the last look, from second `from_s` of the stage on. What
        cannot be is not taken: whoever asks by the command is told why."""
        asked = self._taken()
        if asked is None or not 0 <= asked.rate_per_s <= self._stage.tuned_max_per_s:
            return None
        change = RateChange(from_s, asked.rate_per_s)
        self._folder.append_event(
            time.time(),
            "stage_ended_by_hand" if change.is_end else "rate_changed",
            stage=self._stage.name,
            from_s=from_s,
            rate_per_s=change.rate_per_s,
        )
        self._hold(change, asked.request_id)
        return change

    def _taken(self) -> RateAsked | None:
        try:
            asked = self._files.asked()
        except ArtifactError:  # by hand, or of another version; the load goes on
            asked = None
        self._files.withdraw()
        return asked if self._stage.is_tuned else None

    def _hold(self, change: RateChange, request_id: str) -> None:
        stage = self._stage
        self._files.hold(
            RateHeld(
                stage.name, change.rate_per_s, stage.tuned_max_per_s, change.from_s, request_id
            )
        )

    def __enter__(self) -> Tuning:
        self._files.withdraw()
        self._hold(RateChange(0, self._stage.rate_per_s), "")
        return self

    def __exit__(self, *_: object) -> None:
        self._files.release()


def tuned_notes(stage: Stage, rates: tuple[RateChange, ...]) -> list[str]:
    """What a person did to a stage, for the run's notes."""
    return [
        f"{stage.name} was ended by hand at second {change.from_s}"
        if change.is_end
        else f"{stage.name} had {change.rate_per_s:g}/s from second {change.from_s} on, by hand"
        for change in rates
    ]


def rate_held(folder: RunFolder) -> RateHeld:
    """The rate that holds now. Raises ConfigError where no stage of the run runs, ArtifactError where
    this is no run folder."""
    folder.require()
    held = RateFiles(folder.path).held()
    if held is not None:
        return held
    record = folder.read_run()
    if record.ended_at > record.started_at:
        raise ConfigError(
            f"The run {record.run_id} has ended.",
            hint="A rate is changed while a stage with  tuned: true  runs.",
        )
    raise ConfigError(
        f"No stage of the run {record.run_id} runs now.",
        hint=f"Its stages: {', '.join(stage.name for stage in record.stages)}. Try when one has begun.",
    )


def ask_rate(folder: RunFolder, wish: str, *, within_s: float = TAKEN_WITHIN_S) -> RateHeld:
    """Asks for `120/s`, `2x` of the run's normal rate, or `end`, and waits until it is taken; what
    holds then. Raises ConfigError that says why it cannot be, LoadError when nobody took it."""
    held = rate_held(folder)
    asked = RateAsked(secrets.token_hex(8), _wished(folder, wish, held))
    files = RateFiles(folder.path)
    files.ask(asked)
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        time.sleep(_LOOK_S)
        now = files.held()
        if now is not None and now.request_id == asked.request_id:
            return now
    files.withdraw()
    raise LoadError(
        f"The run did not take the rate within {within_s:g} s; nothing was changed.",
        hint="The stage has just ended, or the process that ran it is dead:  readiness doctor",
    )


def _wished(folder: RunFolder, wish: str, held: RateHeld) -> float:
    """The rate in checkouts per second, 0 for the end. Raises ConfigError."""
    if not held.max_per_s:
        raise ConfigError(
            f"The stage {held.stage} is not tuned: its rate stays {held.rate_per_s:g}/s.",
            hint="In the plan of the next run, the stage says  tuned: true",
        )
    if wish == END:
        return 0.0
    try:
        rate = parse_rate(wish)
    except ValueError as error:
        raise ConfigError(f"The rate {wish!r} is none: {error}.", hint="Or: end") from None
    normal = folder.read_run().normal_rate_per_s
    if rate.is_relative and not normal:
        raise ConfigError(
            f"The run has no normal rate, so {rate} says nothing.",
            hint=f"Ask for checkouts a second, such as {held.rate_per_s:g}/s",
        )
    per_s = rate.at(normal)
    if per_s > held.max_per_s:
        raise ConfigError(
            f"{per_s:g}/s is more than the plan allows by hand, {held.max_per_s:g}/s.",
            hint=f"Ask for up to {held.max_per_s:g}/s; tuned_max of the plan says more next time.",
        )
    return per_s
