"""What the run comes to: where its time went, its losses, messages and verdict."""

from __future__ import annotations

from ...events import DATA, EndReason, Severity
from .finding import Finding

ALIKE = 1.5
"""Times that differ by no more than this factor are told by their mean."""


class LedgerRow(Finding, frozen=True):
    """Wall time by cause; the rows' shares add up to 1. `estimated`: not split by anything measured.

    `least_s`, `most_s` and `usual_s`, their median, are of the `count` times that make it up, where each is known.
    """

    cause: str
    seconds: float
    share: float
    count: int = 0
    estimated: bool = False
    least_s: float | None = None
    most_s: float | None = None
    usual_s: float | None = None
    at_most: bool = False  # some of it may be of iterations that nobody counted
    at_least: bool = False  # there may be more, in lines that are not read or iterations without one
    rough: bool = False  # estimated, and no more than its first digits say anything

    @property
    def span_s(self) -> tuple[float, float] | None:
        """From the shortest to the longest, where they are not alike; `None`: their mean tells what each took."""
        if self.least_s is None or self.most_s is None or self.most_s <= ALIKE * self.least_s:
            return None
        return self.least_s, self.most_s

    @property
    def each_is_known(self) -> bool:
        """Does its mean tell what each took? What iterations waited at least has none that is of all."""
        return self.count > 0 and not (self.at_least and self.cause == DATA)

    @property
    def one_outweighs(self) -> bool:
        """Does the longest alone make the mean `ALIKE` times that of the others? It says nothing of them."""
        if self.most_s is None or self.count < 2:
            return False
        return self.seconds / self.count > ALIKE * (self.seconds - self.most_s) / (self.count - 1)


class Losses(Finding, frozen=True):
    """The newest training loss (a single micro-batch in nanoGPT), and the evaluations: of the newest training.

    `called` is what the first is shown as: a loss of a script that nobody described may be of another set.
    """

    train: float | None = None
    called: str = "train"
    train_at: int | None = None  # the iteration that it is of, where that is not the newest one
    train_smooth: float | None = None
    validation: float | None = None
    validation_called: str = "validation"  # "test" where the source names a test set and no other
    validation_at: int | None = None
    best_validation: float | None = None
    best_validation_at: int | None = None  # None also where that is no row's, of a script that nobody described
    best_validation_again: int | None = None  # the newest place where it was as low, to all its digits
    best_is_earlier: bool = False  # is it of a process before the newest one, which has evaluations of its own?
    best_is_doubted: bool = False  # does another metric of the evaluations say that the newest model is better?
    above_best: int = 0  # evaluations in a row, to the newest, whose loss is clearly above the best
    train_then: float | None = None  # the smoothed training loss where the validation loss was at its best
    smooth_over: int = 0  # losses that the smoothed one is the mean of
    validation_risen: float | None = None  # times the best stretch of evaluations that the newest stretch is at
    validation_scatter: float | None = None  # how far a loss lies from the middle of its two neighbours, usually
    not_finite: int = 0
    not_finite_earlier: int = 0  # in the trainings before
    not_finite_from_start: bool = False  # its first loss is none
    first_not_finite: int | None = None
    not_finite_since: int | None = None  # the first of the newest in a row
    not_finite_share: float | None = None  # of the newest process; of all while it is young
    best_level: float | None = None  # the lowest median of a stretch of the newest process
    best_level_at: int | None = None
    grown_to: float | None = None  # the level at its end, where that is far above the best and has stayed there
    best_over: int = 0  # losses that the best level is the median of, where it has grown,
    grown_over: int = 0  # ... and so many newest ones the level at its end
    unchanged_since: int | None = None  # to all of its digits, in so many rows that it learns nothing
    zero_since: int | None = None  # the iteration from which on it is exactly 0, where it was more
    zeros: int = 0  # losses of the newest training, where all are exactly 0


class Scalar(Finding, frozen=True):
    """A number that the source gives with its iterations, by the name that it has there (or in `Iteration`).

    `least` and `most` are `None` where not every printed value is known.
    """

    name: str
    newest: float
    newest_at: int | None  # the iteration; `None`: it has not come yet
    least: float | None
    most: float | None
    values: int  # how many there were
    is_old: bool = False  # is the newest none of now? It stayed away for long, or its digits do not show it


class RunMessage(Finding, frozen=True):
    """A message of the run, counted: the newest of its text."""

    text: str
    level: Severity = Severity.INFO
    count: int = 1
    at_s: float | None = None
    line: int | None = None
    ending: EndReason | None = None  # how the run has ended if nothing follows


class Ending(Finding, frozen=True):
    """That nothing more is to come, and why, in the words of the source.

    `reason` is an `EndReason`; "" where a file was read that may still grow. `words` begin with what ended it;
    `ours` says what is known without words of the source: "iteration 300 of 300". Where they are those of a launch
    that has no iteration, `launch_line` is its first, and `before` what the process before it said at last.
    Behind the newest row a start is told at `begun_line`, and stand `lines_behind`; `None`: not known.
    With `late_s` the words are an error, so long behind the newest row that it need not be the training's.
    """

    reason: str = ""
    words: tuple[RunMessage, ...] = ()
    ours: str = ""
    silent_s: float | None = None  # since the newest word
    exit: str = ""  # how its process ended, where somebody saw it: "exit code 1", "SIGKILL (signal 9)"
    tail: tuple[str, ...] = ()  # the last lines of its log
    launch_line: int | None = None
    before: RunMessage | None = None
    writer_gone: bool = False  # the process that wrote its log was seen, and is no more
    begun_line: int | None = None
    is_launch: bool = False  # is that start known to be another process's?
    lines_behind: int | None = None
    late_s: float | None = None
    cut: bool = False  # its last line has no end, and was not read
    is_log: bool = False  # does its source have lines? Then what is not known of these may be any number
    row: str = ""  # the newest row, word for word, of a script that nobody described,
    row_line: int | None = None  # ... and its line
    silent_at_least: bool = False  # `silent_s`, or years more: by stamps without a year


class Verdict(Finding, frozen=True):
    """What it is, the evidence in numbers, what to do next, and what cannot be known from this source."""

    kind: str = "unknown"  # a stable word for machines: "compute-bound", "data-bound", ...
    headline: str = ""
    evidence: tuple[str, ...] = ()
    next_step: str = ""
    unknowable: tuple[str, ...] = ()
    healthy: bool | None = None
    gain_low: float | None = None  # the speed-up of the whole run that the next step promises: 1.02 is 2 %
    gain_high: float | None = None
    gain_limit: float | None = None  # no promise is more than this: the floor
    ending: str = ""  # whether and how the run came to its end: said first

    @property
    def opening(self) -> tuple[str, ...]:
        """What is said first: how it ended, then what it is; but a loss that is broken before its end."""
        if self.kind in ("failed", "hang") or not self.ending:
            return (self.headline,) if self.headline else ()
        said = (self.ending, self.headline) if self.headline else (self.ending,)
        return said[::-1] if self.kind.startswith("loss-") else said
