"""Who masks a target: a clone of ours as root over its socket, an adopted one with its DSN's account."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from readiness import interlock
from readiness.adapters.local_clones import LocalClones
from readiness.adapters.mysql_session import open_session
from readiness.anonymize.key import load_key
from readiness.artifacts.atomic import naming
from readiness.config.masking import Masking
from readiness.config.policy import load_policy
from readiness.config.settings import Settings
from readiness.errors import MaskingError
from readiness.flow.mask import is_half_masked, mask, plans_of
from readiness.flow.mask_work import MaskWork
from readiness.interlock import Purpose
from readiness.masking.run.session import take_whole
from readiness.model.masking import Masked, MaskPlan
from readiness.ports import Progress
from readiness.wiring.mask_steps import steps_of
from readiness.wiring.targets import Target, gate

_RENEWED_EACH_S = 60.0
_NAMED = 12  # hexadecimal digits of the hash that name a policy


@dataclass(frozen=True, slots=True)
class MaskRequest:
    """What to mask and how. Plan and result are written to `folder`, where there is one. With `lease_s`
    the clone's lease is moved so far ahead, again and again, while it is masked."""

    target: Target
    masking: Masking
    folder: Path | None = None
    lease_s: float = 0.0


def mask_target(
    request: MaskRequest, clones: LocalClones, settings: Settings, *, progress: Progress
) -> Masked:
    """Masks, proves and admits the target; or, by a waiver, admits it as it is. One that is masked
    already stays as it is: then all figures are 0. Raises as `flow.mask.mask` does, and Busy while
    another command masks or resets it."""
    with _alone(request.target, clones):
        if request.masking.waiver:
            return _waived(request, clones, settings)
        work = _work(request, clones, settings)
        _make_folder(request)
        tell = _renewing(progress, request)
        return mask(work, key=load_key(settings.key_file), progress=tell)


def plan_for(request: MaskRequest, clones: LocalClones, settings: Settings) -> list[MaskPlan]:
    """What would be masked, by database. Changes nothing."""
    return plans_of(_work(request, clones, settings))


def _alone(target: Target, clones: LocalClones) -> AbstractContextManager[object]:
    """Inside, no other command of this machine masks, resets or freezes a clone of ours. Whoever masks any
    server holds a lock of that server besides."""
    return clones.alone(target.clone.name) if target.clone else nullcontext()


def _work(request: MaskRequest, clones: LocalClones, settings: Settings) -> MaskWork:
    target, policy = request.target, request.masking.policy
    clone = target.clone
    return MaskWork(
        name=clone.name if clone else str(target.endpoint),
        policy=_title(policy),
        open_session=lambda: open_session(**target.admin),
        gate=gate(target, settings, Purpose.MASK),
        admit=_admission(target, clones),
        steps=steps_of(policy),
        anew=_anew(target),
        folder=request.folder,
    )


def _make_folder(request: MaskRequest) -> None:
    """A clone's own folder is there; once it is destroyed nothing may make it again."""
    folder, clone = request.folder, request.target.clone
    if folder is not None and not (clone and folder == Path(clone.directory)):
        with naming(folder, "made"):
            folder.mkdir(parents=True, exist_ok=True)


def _waived(request: MaskRequest, clones: LocalClones, settings: Settings) -> Masked:
    """A person says that it holds nothing personal; what says so already is not said anew."""
    target = request.target
    gate(target, settings, Purpose.MASK)()
    with target.admin_session() as session:
        take_whole(session, patience_s=0)  # else load could be let in on what is half masked
        marker = interlock.read_marker(session)
        was_masked = marker.masked if marker else ""
        if not was_masked and is_half_masked(session):
            raise MaskingError(
                f"{target.where} is half masked: equal values are not equal everywhere any more.",
                hint=f"Mask it to the end with --policy, or begin anew:\n  {_anew(target)}",
            )
        title = was_masked or request.masking.title
        _admission(target, clones)(title, marker.nonce if marker else "")
    return Masked(title, 0, 0, 0, 0.0, 0)


def _admission(target: Target, clones: LocalClones) -> Callable[[str, str], object]:
    """Notes how personal data left the target; a clone of ours then gets its load user."""
    clone = target.clone

    def admit(title: str, nonce: str) -> None:
        if clone is not None:
            clones.admit(clone.name, masked=title, nonce=nonce)
            return
        with target.admin_session() as session:
            if not interlock.note_masked(session, title, nonce=nonce):
                raise MaskingError(
                    f"{target.where} was adopted anew while it was masked: another server may be there.",
                    hint="Look at what it is now, and mask that:  readiness clone adopt DSN",
                )

    return admit


def _anew(target: Target) -> str:
    if target.clone:
        return f"readiness clone reset {target.clone.name}"
    return f"restore that server, then:  readiness clone adopt '{target.text}'"


def _title(policy: Path) -> str:
    file = load_policy(policy).file
    return f"policy {file.path.stem[:60]} {file.sha256[:_NAMED]}"


def _renewing(progress: Progress, request: MaskRequest) -> Progress:
    """Progress that keeps the lease ahead."""
    due = time.monotonic()

    def tell(text: str, /) -> None:
        nonlocal due
        if request.lease_s and time.monotonic() >= due:
            due = time.monotonic() + _RENEWED_EACH_S
            request.target.renew(request.lease_s)
        progress(text)

    return tell
