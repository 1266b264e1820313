"""A loss that is broken: every further second is lost, so it comes before all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...words import loss, percent, plural, times
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from .facts import Facts

OFTEN = 0.1
"""Of the losses of a process: mixed precision has a few that are no numbers while its scale settles."""

FEWEST = 5

AGENTS = ("Stable-Baselines", "progress.csv of agents", "Ray Tune", "CleanRL")
"""What trains agents: their loss follows what they meet, and grows with the rewards."""

_LOWER = "go on from a checkpoint of before with a lower learning rate or with bf16 instead of fp16."


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
    headline = f"The loss is not a number{since}." if newest else "The loss is often not a number."
    share = "" if newest else f", {percent(losses.not_finite_share)} of them"
    return Diagnosis(
        "loss-not-finite",
        headline,
        (f"nan or inf: {plural(losses.not_finite, 'loss', 'losses')}{share}",),
        _advice(f, _LOWER),
        healthy=False,
    )


def collapsed(f: Facts) -> Diagnosis | None:
    """The loss fell to exactly nothing."""
    losses = f.findings.losses
    if losses.zero_since is None:
        return None
    return Diagnosis(
        "loss-collapsed",
        f"The loss is exactly 0 since about iteration {losses.zero_since:,}.",
        ("it did not come there in small steps: nothing is learnt from it",),
        _advice(f, f"see whether labels or masks are empty, or the loss overflows; {_LOWER}"),
        healthy=False,
    )


def grown(f: Facts) -> Diagnosis | None:
    """The loss has left the best it was for far more, and stays there."""
    losses = f.findings.losses
    best, now = losses.best_level, losses.grown_to
    if now is None or best is None or f.findings.source_format.removesuffix(" log") in AGENTS:
        return None
    return Diagnosis(
        "loss-grown",
        f"The loss has grown from {loss(best)} to {loss(now)}.",
        (f"{times(now / best)} its best level, which it had at about iteration {losses.best_level_at or 0:,}",),
        _advice(f, f"{_LOWER} Where networks play against each other (GAN), it may grow."),
        healthy=False,
    )


def _advice(f: Facts, what: str) -> str:
    return what[:1].upper() + what[1:] if f.over else f"Stop it, and {what}"


LOSSES = (not_finite, collapsed, grown)
