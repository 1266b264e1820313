"""The time of a normal iteration, and what it makes in tokens and FLOP/s."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import Witness
from ...words import plural
from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

MANY, CREPT = 4, 1.2
"""So many changes of a level, each by less, that all go in one direction are one that creeps."""


CLOCKS = (Witness.STAMPS, Witness.ELAPSED, Witness.ARRIVAL)
"""What times may be read from; the others are printed."""


class TimeWitness(Finding, frozen=True):
    """What one kind of evidence says of a stretch of the run, next to the iteration times in it.

    `agrees` is `False` where both cannot be true: the iterations take longer than the time that passed, or a tenth
    of it. `None`: the stretch is too short to say.
    """

    name: Witness
    seconds: float  # that passed, by this witness
    iterations_s: float  # the sum of the iteration times in it, those that were never printed included
    first: int | None = None  # iterations that bound it; `None`: the whole run
    last: int | None = None
    origin: str = ""  # the words of the log: "train_runtime"
    agrees: bool | None = None


_SEVERAL = 2.0
"""Times what is printed passes for an iteration, by a clock: more than stops and a rounding make of it."""


class Level(Finding, frozen=True):
    """The time of a normal iteration now: robust, over iterations that nothing else slowed."""

    clean_s: float | None = None  # the median
    p95_s: float | None = None  # of the rows that are not told of one by one
    jitter: float | None = None  # standard deviation of the middle half / median
    iterations: int = 0  # how many times it rests on
    averaged_over: int = 1  # ... each of which is the mean of so many iterations, in most rows
    averaged_differ: bool = False  # ... but of another number in some
    averaged_unlike: bool = False  # ... and in more than a few
    some_of_one: bool = False  # ... of one iteration alone in some
    evaluates: bool = False  # each of them contains an evaluation: what one takes nobody knows
    evaluated: bool = False  # ... or each of a training before them does
    warmup_iterations: int | None = None  # at the beginning, before the level settled
    crept: bool = False  # is it another one than where the training began, in whatever steps?
    drifted: tuple[float, float] | None = None  # slowly: usual in the first tenth of its rows, and in the last
    left: bool = False  # do the newest iterations take clearly more or less than it?
    between: tuple[float, float, int] | None = None  # no one level: where nine in ten of so many newest times lie
    mostly_s: float | None = None  # ... and what most of these take, if most take one time
    half: tuple[float, float] | None = None  # ... and where the middle half of these lies
    partly: bool = False  # only some rows have a time: what the others take nobody knows
    scattered: bool = False  # the times are known, and so unlike that nothing is told of a usual one
    strays: float | None = None  # share of its rows that lie far from it, slow ones left out
    went_away: bool = False  # did many of them do so in a row, as another level?
    shifts: tuple[Shift, ...] = ()  # lasting changes, oldest first
    witnesses: tuple[Witness, ...] = ()  # the iteration times' own, and those that confirm it
    apart_s: float | None = None  # what passes for each from row to row by a clock, where that is clearly else
    apart_by: Witness = Witness.STAMPS  # ... by this one
    left_out_s: float | None = None  # ... of which neither the printed time nor any told stop holds so much
    p95_without: int = 0  # rows among those of `p95_s` that it is not of: slow by themselves or by a stop

    def rests_on(self, each: str = "iteration") -> str:
        """What it rests on, in words: `64 iterations`, `64 means of 10 iterations`.

        A clock in the log may be too coarse for one row: then several are a stretch.
        """
        if self.averaged_over == 1 and self.iterations > 1 and self.witnesses[:1] == (Witness.ELAPSED,):
            return plural(self.iterations, "stretch", "stretches")
        if self.of_unlike_stretches and each != "row":
            return f"{plural(self.iterations, 'stretch', 'stretches')}{self.averaged}"
        if self.averaged_over == 1 or each == "row":
            return plural(self.iterations, each)
        return f"{plural(self.iterations, 'mean')}{self.averaged}"

    @property
    def of_windows(self) -> bool:
        """Is each of another number of iterations? Then who read the rows may have put them together."""
        return self.averaged_unlike and self.averaged_over > 1

    @property
    def averaged(self) -> str:
        """What each time is the mean of: ` of 10 iterations`, `, most of 10 iterations`; or of several."""
        if self.of_unlike_stretches:
            return f" of {self.several_each}"
        return f"{', most' if self.averaged_differ else ''} of {plural(self.averaged_over, 'iteration')}"

    @property
    def several_each(self) -> str:
        """Of how many iterations its unlike stretches are."""
        return "one or several iterations each" if self.some_of_one else "several iterations each"

    @property
    def of_unlike_stretches(self) -> bool:
        """Is each what a clock in the log shows from row to row, over another number of iterations each time?"""
        return self.averaged_unlike and self.witnesses[:1] == (Witness.ELAPSED,)

    @property
    def creeps(self) -> bool:
        """Are its changes many small ones in one direction? Then none of them is where it became what it is."""
        return creep(self.shifts)

    @property
    def by_clock(self) -> bool:
        """Are its times read from a clock, from row to row, with all that passed? Else they are printed."""
        return self.witnesses[:1] != () and self.witnesses[0] in CLOCKS

    @property
    def shows_little(self) -> bool:
        """Does a clock show several times what is printed? Then that is not what most iterations take."""
        return self.apart_s is not None and bool(self.clean_s) and self.apart_s >= _SEVERAL * (self.clean_s or 0.0)

    @property
    def is_alone(self) -> bool:
        """Does nothing confirm its only witness? The trainer's own clock needs nothing that does."""
        return len(self.witnesses) == 1 and self.witnesses[0] != Witness.HOOKS


class Shift(Finding, frozen=True):
    """A lasting change of the level: not a spike."""

    index: int
    before_s: float
    after_s: float
    position: int = 0  # in the run's columns
    held: int = 0  # entries of the columns since: how long the new level has been seen
    at_s: float | None = None
    several_before: bool = False  # did few rows since the change before it take `before_s`? It was many levels


def creep(shifts: Sequence[Shift]) -> bool:
    """Are they many small changes in one direction? Then none of them is where the level became what it is."""
    ratios = [shift.after_s / shift.before_s for shift in shifts]
    small = all(1 / CREPT < ratio < CREPT for ratio in ratios)
    return len(ratios) >= MANY and small and len({ratio > 1 for ratio in ratios}) == 1


class Throughput(Finding, frozen=True):
    """Tokens. Clean: at the normal iteration's speed. Wall: with everything that stood between."""

    tokens_per_iteration: int | None = None
    micro_batch_size: int | None = None
    block_size: int | None = None
    gradient_accumulation: int | None = None  # on one rank
    world_size: int | None = None
    micro_step_s: float | None = None
    tokens_per_s_clean: float | None = None
    tokens_per_s_wall: float | None = None
    tokens_seen: int | None = None
    logged_tokens_per_s: float | None = None
    data_wait_share: float | None = None  # of the newest iterations, as hooks measured
    data_wait_of_s: float | None = None  # their mean, where each one is printed
    origin: str = ""  # where tokens per iteration come from


class Audit(Finding, frozen=True):
    """Printed numbers recomputed, and the physical floor. Peaks are dense, of one GPU, in FLOP/s."""

    parameters: int | None = None  # without position embeddings
    flops_per_token: float | None = None
    flops_per_iteration: float | None = None
    convention: str = ""  # "6N + 12LHQT (PaLM)", ...
    estimated: str = ""  # what was assumed for it: "1 GPU assumed"
    gpus: int | None = None  # that share an iteration
    achieved_flops: float | None = None  # per GPU, clean
    gpu: str | None = None
    precision: str | None = None
    peak_flops: float | None = None
    peak_source: str = ""
    mfu: float | None = None  # clean
    mfu_wall: float | None = None
    mfu_causal: float | None = None  # clean; attention counted half, as llm.c does
    hfu: float | None = None  # clean; if all activations are recomputed, which no log says
    logged_mfu: float | None = None  # the newest, as the log printed it
    logged_mfu_raw: float | None = None  # un-averaged, from the clean time
    logged_peak_flops: float | None = None  # the peak that the log's figure assumes
    logged_peak_of: str = ""  # whose peak that is: "A100"
    note: str = ""  # one line: "log says 164 %: of the A100's peak"
    wall_over_logged: float | None = None  # wall-clock time over printed times; more than 1: they are too short
    floor_s: float | None = None  # FLOPs of an iteration over the peak of all GPUs
    times_floor: float | None = None
    energy_per_iteration_j: float | None = None
    energy_per_token_j: float | None = None
    energy_run_j: float | None = None  # of all sampled GPUs, in the `energy_span_s` seconds that were sampled
    energy_span_s: float | None = None
    data_bytes_per_iteration: float | None = None
    data_reads_per_iteration: int | None = None
    data_window_bytes: int | None = None  # of one read
    data_bytes_per_s: float | None = None
    cold_disk_low_s: float | None = None  # to read an iteration's data from a cold disk of 5,000 IOPS
    cold_disk_high_s: float | None = None
    checkpoint_bytes: float | None = None
