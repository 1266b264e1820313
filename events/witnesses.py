"""What a time rests on. A source may hold several kinds of evidence, and they need not agree."""

from __future__ import annotations

from .event import Event, Quantity, Seconds, UnixTime, Word


class Witness(Word):
    """A kind of evidence of time. A word of a newer version counts as printed."""

    HOOKS = "hooks"  # the trainer's own clock, read by hooks
    PRINTED = "printed"  # a duration that the log prints with an iteration
    RATE = "rate"  # iterations, batches, samples or tokens a second
    STAMPS = "stamps"  # the times of day of the lines
    BETWEEN = "between"  # the time of day of a line where it begins, and of one where it ends
    ARRIVAL = "arrival"  # when lines were read
    ELAPSED = "elapsed"  # a bar or a column that counts seconds from its own zero
    TOTAL = "total"  # what the log says that the whole training took
    REMAINING = "remaining"  # what the log says that is left of the whole training

    @classmethod
    def _missing_(cls, value: object) -> Witness:  # noqa: ARG003 - the enumeration asks so
        return cls.PRINTED


class Total(Event, frozen=True, tag="total"):
    """The log says how long the training of this process took, from its first iteration to its last.

    `origin` is how it says it: "train_runtime", "epochs completed in". `iterations_per_s`: the mean rate that it
    prints beside it.
    """

    duration_s: Seconds
    origin: str = ""
    at_s: UnixTime | None = None
    iterations_per_s: Quantity | None = None
