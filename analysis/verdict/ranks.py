"""What is said of ranks that wait for each other, and where to look: by who is late, and in which phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import (
    BACKWARD,
    BEFORE_FORWARD,
    BEFORE_STEP,
    DATA,
    FORWARD,
    HOST_TO_DEVICE,
    LOGGING,
    OPTIMIZER,
    STOPPED,
)
from ...words import duration, percent, plural
from . import sentences as say
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from ..findings import Imbalance
    from .facts import Facts

_ITS_GPU = "Check that rank's GPU (clock, heat, errors) and its host (clock, other jobs)"

LATE_IN = {
    "": (
        "{who} is slower than the others, and all wait for it.",
        f"{_ITS_GPU}; replace the node if it stays slow.",
    ),
    DATA: (
        "{who} is late with its data, and all wait for it.",
        "Check that rank's data loader, disk and host: its workers, where its files are, other jobs.",
    ),
    HOST_TO_DEVICE: (
        "{who} is late in copying its batch (host to device), and all wait for it.",
        "Check the length of its samples, pinned memory, and what else uses that host's memory and bus.",
    ),
    BEFORE_FORWARD: (
        "{who} is late before the forward pass, and all wait for it.",
        "Check what the script does there on that rank: building the batch without a loader, logging, transfers.",
    ),
    FORWARD: (
        "{who} is late in its forward pass, and all wait for it.",
        f"{_ITS_GPU}, and the length of its samples.",
    ),
    BACKWARD: (
        "{who} is late in its backward pass, and all wait for it.",
        f"{_ITS_GPU}, and the length of its samples.",
    ),
    BEFORE_STEP: (
        "{who} is late after its backward pass, before the step, and all wait for it.",
        "Check what the script does there on that rank only: clipping, logging, metrics, a callback.",
    ),
    OPTIMIZER: (
        "{who} is late in the optimizer step, and all wait for it.",
        f"{_ITS_GPU}, and which optimizer state only that rank holds.",
    ),
    LOGGING: (
        "{who} is late with its logging, and all wait for it.",
        "Log less often, or in a thread, on that rank; check the disk or network that it writes to.",
    ),
    **{
        phase: (
            f"{{who}} is late by what only it does ({phase}), and all wait for it.",
            "Check whether that may be done on all ranks alike, less often, or beside the training.",
        )
        for phase in STOPPED
    },
}
"""By the phase that the rank is late in: what it is, and where to look."""


def imbalanced(f: Facts) -> Diagnosis | None:
    """The ranks wait for each other, more than for anything else, and no single one is at fault."""
    found = f.findings.imbalance
    if found is None or any(row.share > found.share for row in f.lost[:1]):
        return None
    share, data = percent(found.share), found.phase == DATA
    if found.group:
        headline = f"{_group(found)} are late together: the others wait {share} of each iteration."
        step = (
            "If they are one host, check its disk and network."
            if data
            else "If they are a pipeline's stage, give it fewer layers; if they are one host, check its GPUs."
        )
    else:
        headline = f"The ranks are late in turns: they wait {share} of each iteration for the last."
        step = (
            "Slow data moves from rank to rank: more loader workers and prefetch, or files of equal cost."
            if data
            else "No rank is at fault: give them samples of equal length, or batches of equal cost."
        )
    return Diagnosis(
        "imbalance",
        headline,
        say.evidence(f, imbalance(f), say.where(f), say.speed(f)),
        step,
        healthy=False,
        gain=(1.0, 1 / (1 - found.share)) if found.share < 1 else None,
    )


def imbalance(f: Facts) -> str:
    """How ranks wait for each other of whom none is at fault."""
    found = f.findings.imbalance
    if found is None:
        return ""
    took = f"the last rank takes {duration(found.local_s)}, the others {duration(found.others_s)}"
    within = f"; most of it in {found.phase}" if found.phase else ""
    of = f"of the newest {plural(found.iterations, 'iteration')}"
    in_turns = (
        f"{plural(found.last_ranks, 'rank')} were the last, the same one in at most {percent(found.most_often)}"
    )
    who = f"it is one of {_group(found).lower()} in nearly all" if found.group else in_turns
    return f"{took}{within}; {who} {of}"


_MORE_THAN_SPEED = ("failed", "hang", "silent")
"""Kinds of verdicts beside which nobody asks who was late."""


def beside(f: Facts, kind: str) -> str:
    """What ranks cost, where the headline is about something else."""
    if kind in _MORE_THAN_SPEED:
        return ""
    if f.findings.straggler is not None:
        return say.late(f) if kind != "straggler" else ""
    return imbalance(f) if kind != "imbalance" else ""


def _group(found: Imbalance) -> str:
    first, last = found.group or (0, 0)
    return f"Ranks {first} to {last}"
