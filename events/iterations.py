"""The steps of a training run, and what belongs to one of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from .causes import CHECKPOINT, COMPILE, DATA, EVALUATION, GC
from .event import Event, Index, Number, Quantity, Rank, Seconds, Share, UnixTime
from .witnesses import Witness

MOST_SCALARS = 64
"""Named scalars of a run. Those of one iteration are no more either; readers leave out the rest."""

LONGEST_SCALAR = 40
"""Characters of the name of a scalar."""


class Iteration(Event, frozen=True, tag="iteration"):
    """One iteration (one optimizer step) came to its end.

    `duration_s` is what the source calls the iteration's time; `RunInfo.time_includes` says what is in it.
    With `averaged_over` = n it is the mean over the n iterations up to this one (Megatron, torchtitan); with
    0 it has no time of its own, for the mean of a later one holds it.
    `mfu` and `tokens_per_s` are what the source printed (`mfu` as a fraction), not what we computed.
    `witness` is what `duration_s` rests on where it is no printed time; `STAMPS` without one: nobody knows how
    many iterations passed since the one before, so that stamps tell no time of this. `elapsed_s` is what a clock
    in the log itself (a bar's, a column's) showed at the iteration's end: only differences count, and it may
    begin anew.
    `uncounted`: before it an epoch ended of which nothing says how long it was, so that up to so many iterations
    passed that have no line and are in no count.
    `remaining_s` is what the source says is left then of the whole run: `eta: 1:02:03`.
    JSON has no nan: a loss that is no finite number is `None`, and `bad_loss` says "nan", "inf" or "-inf".
    `scalars` is what else the source says of it in numbers, by the names there: `{"reward": 1.5, "memory": 10.2}`.
    """

    index: Index
    duration_s: Seconds | None = None
    loss: Number | None = None
    mfu: Share | None = None
    at_s: UnixTime | None = None
    averaged_over: Index = 1
    tokens: Index | None = None  # of this iteration, over all ranks, where they vary
    tokens_per_s: Quantity | None = None
    data_wait_s: Seconds | None = None
    gradient_norm: Number | None = None
    learning_rate: Number | None = None
    phases: dict[str, Seconds] | None = None  # seconds by phase: forward, backward, optimizer; GPU time
    rank: Rank | None = None
    bad_loss: str = ""
    witness: Witness | None = None
    elapsed_s: Seconds | None = None
    remaining_s: Seconds | None = None
    uncounted: Index = 0
    scalars: dict[str, Number] | None = None  # names and number are bounded: see MOST_SCALARS, LONGEST_SCALAR


class Iterations(Event, frozen=True):
    """Many iterations of a log at once, as columns of equal length: all that plain lines say, and nothing missing.

    One by one they would cost twice as much to read and to take in. They live in this process only, between a
    history and the analysis: each `Iteration` is made when somebody looks at it, `expand` makes them all. Lists
    are packed in a third of the time that arrays are.
    """

    index: array[int]  # "q", ascending
    duration_s: Sequence[float]
    loss: Sequence[float]  # maybe with whole numbers
    mfu: Sequence[float]

    def __len__(self) -> int:
        return len(self.index)

    @overload
    def __getitem__(self, place: int) -> Iteration: ...
    @overload
    def __getitem__(self, place: slice) -> Iterations: ...
    def __getitem__(self, place: int | slice) -> Iteration | Iterations:
        if isinstance(place, slice):
            return Iterations(self.index[place], self.duration_s[place], self.loss[place], self.mfu[place])
        return Iteration(self.index[place], self.duration_s[place], float(self.loss[place]), self.mfu[place])

    def __iter__(self) -> Iterator[Iteration]:
        return map(Iteration, self.index, self.duration_s, map(float, self.loss), self.mfu)


class Progress(Event, frozen=True, tag="progress"):
    """Inside an iteration: micro-step `micro_step` of `micro_steps` is done."""

    iteration: Index
    micro_step: Index
    micro_steps: Index | None = None
    at_s: UnixTime | None = None


HOST_TO_DEVICE = "host to device"
BEFORE_FORWARD = "before the forward pass"
FORWARD = "forward"
BACKWARD = "backward"
SYNC = "gradient sync"
BEFORE_STEP = "before the step"
OPTIMIZER = "optimizer"
LOGGING = "logging"

STOPPED = (COMPILE, EVALUATION, CHECKPOINT, GC)
"""Phases in which the training stops: spans that lie in an iteration, by the names of their causes."""

PHASES = (
    *(DATA, HOST_TO_DEVICE, BEFORE_FORWARD, FORWARD, BACKWARD, SYNC, BEFORE_STEP, OPTIMIZER, LOGGING),
    *STOPPED,
)
"""What an iteration consists of, in its order. `SYNC` is waiting for other ranks, and exchanging with them."""


class Phases(Event, frozen=True, tag="phases"):
    """Seconds by phase (`PHASES`) of an iteration that ended before; by the GPU's clock, or by the host's.

    A GPU's clocks are read when it has passed them, an iteration or two later, so that nobody waits for it. What
    trains on the CPU has the wall clock (`on_host`). `SYNC` is there, be it 0, wherever it is measured apart.
    Not `whole`: some of them, by the host's clock, of an iteration whose rest is not known or a GPU's.
    """

    iteration: Index
    phases: dict[str, Seconds] = {}
    rank: Rank | None = None
    on_host: bool = False
    whole: bool = True


class Alive(Event, frozen=True, tag="alive"):
    """A line came that is no iteration's: whoever writes the log lives. Of the training it says nothing."""

    at_s: UnixTime


class PrintedLoss(Event, frozen=True, tag="printed"):
    """What the trainer printed of an iteration that its hooks measured: the line comes after the iteration.

    `thinned` are names of scalars of which more was printed, up to this iteration, than any event has.
    `evaluation_s` is what the evaluation of this iteration's model took; a rougher time was told of before.
    `newer`: the loss takes the place of one that this iteration has.
    `of_set`: the set of its `validation_loss`, as in `SpanEnd`.
    """

    iteration: Index
    loss: Number | None = None
    bad_loss: str = ""  # as in `Iteration`
    validation_loss: Number | None = None
    scalars: dict[str, Number] | None = None  # as in `Iteration`; `gradient_norm` and the like by these names
    thinned: tuple[str, ...] = ()
    evaluation_s: Seconds | None = None
    newer: bool = False
    of_set: str = ""


def expand(events: Iterable[Event]) -> Iterator[Event]:
    """`events`, and for `Iterations` each one of them."""
    for event in events:
        if isinstance(event, Iterations):
            yield from event
        else:
            yield event
