"""What ends a run, or makes its numbers wrong: it comes before any word on its speed."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ...words import duration, times
from ..findings import Activity
from ..timing.witnesses import words_of
from ..wall.in_turns import WHY
from . import sentences as say
from .diagnosis import Diagnosis
from .endings import failed
from .hangs import STALE_S, hung, standing
from .losses import LOSSES

if TYPE_CHECKING:
    from .facts import Facts


def silent(f: Facts) -> Diagnosis | None:
    """Nothing has come for far longer than an iteration takes."""
    now = f.findings.now
    if now.activity != Activity.SILENT or now.elapsed_s is None or now.elapsed_s > STALE_S:
        return None
    usual = f"; {duration(now.usual_s)} is usual" if now.usual_s else ""
    return Diagnosis(
        "silent",
        f"Nothing new for {duration(now.elapsed_s)}{usual}.",
        say.evidence(f, standing(f), say.power(f)),
        "Check that the trainer is alive; itermon stack RUN|PID shows where it is without stopping it.",
        healthy=None,
    )


def uncounted(f: Facts) -> Diagnosis | None:
    """Rows of several trainings stand between each other, or not all are read: no figure that counts is sure."""
    if not f.findings.uncounted:
        return None
    reason = f.findings.unknown["progress.restarts"]
    why = f"{reason[0].upper()}{reason[1:]}: itermon counts no iteration, and gives no time."
    own = "Let each training write into a log of its own."
    several = f.findings.progress.other.writers > 1 or reason == WHY
    step = own if several else "itermon formats new NAME describes its rows."
    return Diagnosis("too-little-known", why, (), step, healthy=None)


def faster_than_physics(f: Facts) -> Diagnosis | None:
    """Less than the floor: one of the numbers is wrong, most often the clock's."""
    below = f.audit.times_floor
    if below is None or below >= 1.0:
        return None
    if f.one_gpu:
        return Diagnosis(
            "too-little-known",
            f"Too fast for one GPU: at least {ceil(1 / below)} GPUs must share the work.",
            say.evidence(f, say.speed(f), say.steadiness(f)),
            "Give the number of GPUs with --world-size; then MFU is known.",
            healthy=None,
        )
    sure = f.info.synchronised is False
    clock = (
        f"the log's clock {'does' if sure else 'probably does'} not wait for the GPU: it times the launch of work"
    )
    others = "" if sure else "otherwise --gpu-name, the model's size or the number of GPUs (--world-size) is wrong"
    return Diagnosis(
        "clock-not-synchronised",
        "Faster than this GPU can be: the times or the GPU's peak are wrong.",
        say.evidence(f, say.speed(f), clock, others),
        "Compare with a wall clock over many iterations, or use itermon's hooks: they time the GPU.",
        healthy=None,
    )


def witnesses_disagree(f: Facts) -> Diagnosis | None:
    """What the log says of its time cannot all be true: then nothing is concluded from it."""
    against = f.findings.contradiction
    if against is None:
        return None
    longer = against.iterations_s > against.seconds
    more = "more than the time that passed" if longer else "a small part of the time that passed"
    return Diagnosis(
        "times-contradict",
        f"The log's times contradict each other: its iterations add up to {more}.",
        (
            f"The iteration times add up to {duration(against.iterations_s)}.",
            f"In the same part of the run {duration(against.seconds)} passed, by {words_of(against)}.",
        ),
        "Check which is right: --column FIELD=COLUMN:UNIT says what a column means; itermon's hooks measure both.",
        healthy=None,
    )


UNLIKELY = 100.0
"""Times too short: no clock is, but for one that measures something else."""


def times_too_short(f: Facts) -> Diagnosis | None:
    """More time passes on the wall than the log's times add up to."""
    ratio = f.audit.wall_over_logged
    if ratio is None or not 1.2 <= ratio <= UNLIKELY or f.clean_s is None or f.findings.undescribed:
        return None  # nobody described what the times of that script are
    real_s = duration(ratio * f.clean_s)
    real = f"an iteration takes {real_s} by the wall clock, {duration(f.clean_s)} by the log"
    return Diagnosis(
        "clock-not-synchronised",
        f"The log's times are {times(ratio)} too short: its clock does not wait for the GPU.",
        say.evidence(f, real, "tokens/s and MFU from the log's times are too high by as much"),
        "Use itermon's hooks, which time the GPU, or call torch.cuda.synchronize() before reading the clock.",
        healthy=None,
    )


AT_ONCE = (*LOSSES, hung, failed, silent)
"""These need no level of iteration times."""

WRONG_NUMBERS = (faster_than_physics, times_too_short, witnesses_disagree)
