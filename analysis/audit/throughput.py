"""Tokens: how many an iteration takes, and how many a second that is, clean and by the wall clock."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from statistics import median
from typing import TYPE_CHECKING

from ...words import listed
from ..findings import Throughput
from ..ratios import ratio
from .gpu_peak import on_cpu

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ...events import Config, Iteration
    from ..findings import Progress


def tokens_per_iteration(config: Config, newest: Collection[Iteration] = ()) -> tuple[int | None, str]:
    """The tokens of one iteration over all ranks, and where the number comes from.

    What the trainer printed or sent is believed first. Else it is sequences of a micro-step × block size ×
    micro-steps on one rank × ranks, where one rank is assumed, and said, if nobody gave their number. The
    micro-steps are never assumed: nanoGPT's default is 40.
    nanoGPT divides its `gradient_accumulation_steps` by the world size: in `Config` that is done.
    """
    product, factors = _product(config)
    if config.tokens_per_iteration is not None:
        if product is not None and config.world_size is not None and product != config.tokens_per_iteration:
            return config.tokens_per_iteration, f"the log; its configuration makes it {product:,}"
        return config.tokens_per_iteration, "the log"
    counted = [i.tokens for i in newest if i.tokens is not None]
    if counted:
        return round(median(counted)), "the iterations themselves"
    return product, factors


def _product(config: Config) -> tuple[int | None, str]:
    given = (config.micro_batch_size, config.block_size, config.gradient_accumulation)
    known = [f for f in given if f is not None]
    if len(known) < len(given):
        return None, ""
    text = " × ".join(f"{f:,}" for f in (*known, config.world_size) if f is not None)
    return prod(known) * (config.world_size or 1), text + ("" if config.world_size else " (1 GPU assumed)")


def measure(
    config: Config,
    clean_s: float | None,
    progress: Progress,
    newest: Collection[Iteration] = (),
    since: Collection[Iteration] | None = None,
) -> Throughput:
    """The throughput of a run whose normal iteration takes `clean_s` seconds, that of rows `since` a change."""
    waiting = newest if since is None or not _leaves_out(newest) else since  # a usual share is of the usual time
    tokens, origin = tokens_per_iteration(config, newest)
    done, in_wall = progress.iterations_seen, progress.iterations_in_wall
    wall_s, each = progress.wall_s, _of_all(tokens, config, progress)
    return Throughput(
        tokens_per_iteration=tokens,
        micro_batch_size=config.micro_batch_size,
        block_size=config.block_size,
        gradient_accumulation=config.gradient_accumulation,
        world_size=config.world_size,
        micro_step_s=_micro_step_s(config, clean_s),
        tokens_per_s_clean=ratio(tokens, clean_s) or None,
        tokens_per_s_wall=ratio(each * in_wall, wall_s) if each and in_wall else None,
        tokens_seen=round(each * done) if each and done else None,
        logged_tokens_per_s=next((i.tokens_per_s for i in reversed(list(newest)) if i.tokens_per_s), None),
        data_wait_share=_data_wait(waiting),
        data_wait_of_s=_waiting_s(waiting),
        origin=origin,
    )


def _of_all(tokens: int | None, config: Config, progress: Progress) -> float | None:
    """Tokens of an iteration over the whole run; `None` where the settings changed and nothing counts them."""
    if config.tokens_per_iteration is None and progress.tokens_mean is not None:
        return progress.tokens_mean
    return None if progress.batch_changed else tokens


def _data_wait(newest: Collection[Iteration]) -> float | None:
    """The share of their time that `newest` waited for data; `None` where it was not measured.

    Where not each one is printed, an epoch's first, which waits for its workers too, is printed far too often: no
    more than the usual share.
    """
    timed = _waits(newest)
    if 2 * len(timed) < len(newest) - 1 or _of_beginnings(newest):
        return None  # those that show it are not like the others: the first ones of epochs
    spent_s = sum(held * duration_s for _, duration_s, held in timed)
    share = ratio(sum(held * wait_s for wait_s, _, held in timed), spent_s)
    if share is None or not _leaves_out(newest):
        return share
    return min(share, median(wait_s / duration_s for wait_s, duration_s, _ in timed))


def _of_beginnings(newest: Collection[Iteration]) -> bool:
    """Are they means of the first iterations of their epochs, and are the others without a row?"""
    apart = [(after.index - before.index, after) for before, after in pairwise(newest)]
    begins = sum(
        1 < one.averaged_over < steps and not (one.index - one.averaged_over) % steps for steps, one in apart
    )
    return 2 * begins > len(apart)


def _waits(newest: Collection[Iteration]) -> list[tuple[float, float, int]]:
    """Seconds waited and taken, and of how many iterations each is the mean, without the longest wait.

    A first batch waits for workers to start.
    """
    measured = [i for i in newest if i.data_wait_s is not None and i.duration_s]
    timed = [(i.data_wait_s or 0.0, i.duration_s or 0.0, max(i.averaged_over, 1)) for i in measured]
    return sorted(timed)[: max(1, len(timed) - 1)]


def _waiting_s(newest: Collection[Iteration]) -> float | None:
    """What an iteration takes on average of the same ones: a share of it is no product of two groups.

    `None` where not each one is printed: a usual share is one of the usual time.
    """
    timed = _waits(newest)
    spent_s = sum(held * duration_s for _, duration_s, held in timed)
    return ratio(spent_s, sum(held for _, _, held in timed)) if not _leaves_out(newest) else None


_NEARLY_ALL = 1.1
"""Iterations for each that a row holds."""


def _leaves_out(newest: Collection[Iteration]) -> bool:
    """Are there others, neither printed nor in the mean of a row? A few at an epoch's end do not count."""
    pairs = pairwise(newest)
    apart = [(after.index - before.index + after.uncounted, after.averaged_over) for before, after in pairs]
    return sum(max(steps, held) for steps, held in apart) > _NEARLY_ALL * sum(held for _, held in apart)


def _micro_step_s(config: Config, clean_s: float | None) -> float | None:
    """The optimizer's step and everything else of an iteration is in it, in equal shares."""
    if clean_s is None or not config.gradient_accumulation:
        return None
    return clean_s / config.gradient_accumulation


def missing(throughput: Throughput, config: Config, progress: Progress) -> Mapping[str, str]:
    """Why a number is not known, and how to provide it, by its path in the findings."""
    if throughput.tokens_per_iteration is None:
        said = config.extra.get("batch_size")
        unsure = "" if on_cpu(config) or config.world_size == 1 else ": of one GPU, or of all?"
        beside = f" ({said} in the log{unsure})" if said else ""
        flags = [
            flag
            for flag, value in (
                (f"--batch-size{beside}", throughput.micro_batch_size),
                ("--block-size", throughput.block_size),
                ("--gradient-accumulation", throughput.gradient_accumulation),
            )
            if value is None
        ]
        return {"throughput.tokens_per_iteration": f"not found; give {listed(flags)}, or --config"}
    if throughput.tokens_per_s_wall is None and progress.batch_changed:
        return {"throughput.tokens_per_s_wall": "the batch changed during the run"}
    return {}
