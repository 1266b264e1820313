"""A loss that is broken: every further second is lost, so it comes before all else. Later, one that overfits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...words import loss, percent, plural, times
from . import sentences as say
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from ..findings import Losses
    from .facts import Facts

OFTEN = 0.1
"""Of the losses of a process: mixed precision has a few that are no numbers while its scale settles."""

FEWEST = 5

EVALUATIONS = 3
"""In a row above the best one, before it is said that the validation loss only grows."""

RISEN = 1.1
"""Times the best validation loss: by so much at least."""

SCATTERS = 2
"""... and by so many times the usual distance from both neighbours' mean: where losses jump, the best is luck."""

FROM_START = "look at the inputs and the labels (NaN, empty, out of range), and start with a lower learning rate."
"""Where the first loss is none already: no earlier checkpoint is better."""

ZERO = "It was not near 0 shortly before: a loss of 0 teaches the model nothing."
"""Of one that has collapsed."""

LOWER = "resume from an earlier checkpoint with a lower learning rate, or with bf16 instead of fp16."


def not_finite(f: Facts) -> Diagnosis | None:
    """The newest loss is nan or inf, or many are."""
    losses = f.findings.losses
    if not losses.not_finite:
        return None
    newest = losses.train is None
    often = losses.not_finite >= FEWEST and (losses.not_finite_share or 0.0) >= OFTEN
    if not newest and not often:
        return None
    since = "" if losses.not_finite_since is None else f" since iteration {losses.not_finite_since:,}"
    headline = f"The loss is NaN or infinite{since}." if newest else "The loss is often NaN or infinite."
    share = "" if newest else f", {percent(losses.not_finite_share)} of all{' of the newest training' * f.several}"
    return Diagnosis(
        "loss-not-finite",
        headline,
        (f"NaN or infinite: {plural(losses.not_finite, 'loss', 'losses')}{share}.",),
        _advice(f, FROM_START if losses.not_finite_from_start else LOWER),
        healthy=False,
    )


def not_finite_elsewhere(f: Facts) -> Diagnosis | None:
    """Lines behind the newest row print a loss that is none: no figure of the rows tells of it."""
    other = f.findings.progress.other
    if other.not_finite is None:
        return None
    return Diagnosis(
        "loss-not-finite",
        f"The loss is NaN since line {other.not_finite:,} of the log.",
        (f"{plural(other.behind, 'line')} behind the newest row print a loss in a form that is not read.",),
        _advice(f, LOWER),
        healthy=False,
    )


def collapsed(f: Facts) -> Diagnosis | None:
    """The loss fell to exactly 0."""
    losses = f.findings.losses
    if losses.zero_since is None:
        return None
    return Diagnosis(
        "loss-collapsed",
        f"The loss has mostly been 0 since about iteration {losses.zero_since:,}.",
        (ZERO,),
        _advice(f, f"check whether labels or masks are empty, or the loss overflows. Then {LOWER}"),
        healthy=False,
    )


def unchanged(f: Facts) -> Diagnosis | None:
    """The loss stands at one number."""
    losses = f.findings.losses
    if losses.unchanged_since is None:
        return None
    return Diagnosis(
        "loss-unchanged",
        f"The loss has not changed since iteration {losses.unchanged_since:,}: it stands at {loss(losses.train)}.",
        ("It is the same number in all rows since then: the model learns nothing, or this is not its loss.",),
        _advice(f, "check the learning rate, whether gradients reach the weights, and what the data are."),
        healthy=False,
    )


def grown(f: Facts) -> Diagnosis | None:
    """The loss has left the best it was for far more, and stays there."""
    losses = f.findings.losses
    best, now = losses.best_level, losses.grown_to
    if now is None or best is None:
        return None
    return Diagnosis(
        "loss-grown",
        f"The loss has grown from {loss(best)} to {loss(now)}.",
        (_levels(losses),),
        _advice(f, f"{LOWER} In a GAN or in reinforcement learning a growing loss can be normal."),
        healthy=False,
    )


def _levels(losses: Losses) -> str:
    """Which losses the two figures are of."""
    best, now = losses.best_level or 0.0, losses.grown_to or 0.0
    since = f"from iteration {losses.best_level_at or 0:,} on"
    then = f"The median of {plural(losses.best_over, 'loss', 'losses')} {since} is {loss(best)}"
    return f"{then}, that of the newest {losses.grown_over:,} is {loss(now)} ({times(now / best)})."


def overfits(f: Facts) -> Diagnosis | None:
    """The validation loss left its best long ago and grows, while the training loss is below it.

    Whether that is a fault only the person knows: what is measured of a fine-tuning may grow better meanwhile.
    """
    losses = f.findings.losses
    best, now, train = losses.best_validation, losses.validation, losses.train_smooth
    if losses.above_best < EVALUATIONS or f.findings.progress.trainings > 1 or losses.best_is_earlier:
        return None
    if best is None or now is None or train is None or not train < best <= now / RISEN:
        return None
    if losses.validation_risen is not None and losses.validation_risen < RISEN:
        return None  # it wavers: nothing but the best of many was lower
    if losses.train_then is not None and train > losses.train_then / RISEN:
        return None  # it has hardly learnt more of its data since
    if now - best < SCATTERS * (losses.validation_scatter or 0.0):
        return None
    at, again, of = losses.best_validation_at, losses.best_validation_again, losses.validation_called
    once_more = "" if again is None else f" and again at {again:,}"
    where = "" if at is None else f" at {f.findings.progress.called} {at:,}{once_more}"
    headline = f"the best {of} loss was{where}" if where else f"the {of} loss is above its best"
    headline = f"It overfits: {headline}."
    if losses.best_is_doubted:
        headline = f"The best {of} loss was{where or ' earlier'}; another metric is better now."
    row = f"the newest {losses.above_best:,} all clearly above it"
    trained = f"training {loss(train)} (mean of {losses.smooth_over:,})"  # short: it has one line of the screen
    return Diagnosis(
        "overfits",
        headline,
        say.evidence(
            f,
            f"{of} {loss(best)} then, {loss(now)} now; {row}; {trained}",
            say.speed(f),
            say.power(f),
            say.steadiness(f),
            say.where(f),
        ),
        _take(f, again or at),
        healthy=None,
    )


def _take(f: Facts, best_at: int | None) -> str:
    """Which checkpoint is the best: named by what the log itself counts, and by no row that itermon numbered.

    Where another metric says that a later one is better, the person must choose.
    """
    if f.findings.losses.best_is_doubted:
        return "Choose the checkpoint by the metric that counts for you."
    if best_at is None:
        return _MORE.capitalize()
    p = f.findings.progress
    of = f"the best {f.findings.losses.validation_called} loss" if p.counts_rows else f"{p.called} {best_at:,}"
    return f"Take the checkpoint of {of}, if there is one; {_MORE}"


_MORE = "more data or regularisation helps."


def overfits_untimed(f: Facts) -> Diagnosis | None:
    """The same of a log without a time, of whose speed nothing can be said first."""
    return None if f.findings.level.iterations else overfits(f)


def _advice(f: Facts, what: str) -> str:
    return what[:1].upper() + what[1:] if f.over else f"Stop it and {what}"


LOSSES = (not_finite, not_finite_elsewhere, collapsed, unchanged, grown)
