"""What a trainer does between its iterations, or inside them, and how well that is known."""

from __future__ import annotations

from .event import Event, Index, Number, Seconds, UnixTime, Word


class Strength(Word):
    """How strongly something is known, from the strongest to the weakest. A word of a newer version is a guess."""

    HOOK = "hook"  # the trainer itself measured it
    LOG = "log"  # a line of the log says it
    TELEMETRY = "telemetry"  # power, clocks or I/O changed as they do then
    PERIOD = "period"  # the timings alone: it returns every n iterations
    GUESS = "guess"

    @classmethod
    def _missing_(cls, value: object) -> Strength:  # noqa: ARG003 - the enumeration asks so
        return cls.GUESS


OF_EPOCH = "of epoch"
"""How an evaluation's detail begins where its line says its epoch: several may lie between two iterations."""

OF_THE_BEST = "of the best"
"""The detail of what a log says once more of the best evaluation: it is none of its own."""

OF_TEST, OF_VALIDATION = "test", "validation"
"""Sets of data that an evaluation may be of."""

UP_TO_THE_NEXT = "from the line of it to the next one"
"""In the detail of a save whose end no line tells."""


class SpanBegin(Event, frozen=True, tag="begin"):
    """The trainer began something that is no plain training: it may be inside or between iterations.

    `iteration` is the one that will contain it, or that comes next. `told`: some line between two rows
    speaks of it, and how many such lines one makes nobody knows.
    """

    kind: str
    at_s: UnixTime | None = None
    iteration: Index | None = None
    strength: Strength = Strength.LOG
    detail: str = ""
    told: bool = False


class SpanEnd(Event, frozen=True, tag="end_span"):
    """... and finished it. A log that only says "evaluated" gives this alone, without a duration.

    `values` holds what came out: `train_loss`, `val_loss`, `bytes`, a recompile's `reason` goes to `detail`.
    `after`: the evaluation is of the model after this iteration, the one before `iteration`.
    `void`: what had begun turned out to be no such thing, and counts for nothing. `told`: as of a begin.
    `apart`: no iteration's time has any of it in it, whatever the times of this source include.
    `of_set`: the set that its `val_loss` is of, where the source says it: `OF_TEST` as long as it names no other.
    """

    kind: str
    at_s: UnixTime | None = None
    iteration: Index | None = None
    duration_s: Seconds | None = None
    strength: Strength = Strength.LOG
    detail: str = ""
    values: dict[str, Number] = {}
    void: bool = False
    after: Index | None = None
    told: bool = False
    apart: bool = False
    of_set: str = ""

    @property
    def is_of_epoch(self) -> bool:
        """Does its line say its epoch?"""
        return self.detail.startswith(OF_EPOCH)

    @property
    def is_said_again(self) -> bool:
        """Is it the best one once more?"""
        return self.detail == OF_THE_BEST

    @property
    def shown_at(self) -> int | None:
        """The iteration whose model was evaluated."""
        return self.iteration if self.after is None else self.after
