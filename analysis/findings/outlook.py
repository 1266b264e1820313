"""How far the run is, what it does now, what comes back, and when it is done."""

from __future__ import annotations

from ...events import ClockKind, OtherRows, Witness, Word
from .finding import Finding


class Progress(Finding, frozen=True):
    """How far. `wall_s` is what `wall_witness` says; `None`: the sum of the iteration times.

    Where a source's counter goes back, another of its `trainings` begins (a fold, a model of a grid, a run), or
    one goes on from where it was, or was saved: that is one of its `restarts`. `iteration`, `first_iteration` and
    `newest_seen` are of the newest training. `launches` are the processes that wrote to one log, where they are
    told apart; some may have ended before their first iteration.
    """

    iteration: int | None = None
    first_iteration: int | None = None
    max_iterations: int | None = None
    fraction: float | None = None
    iterations_seen: int = 0  # passed, as the printed counter counts: a row of every tenth stands for ten
    iterations_unseen: int = 0  # of these, no row or mean is theirs
    iterations_before: int = 0  # ... and they passed before the first row, so that `wall_s` does not hold them
    rows: int = 0  # of the source that tell of iterations, each of one or of the mean of several
    rows_untimed: int = 0  # ... without a time: `wall_s` takes theirs for what the others took
    wall_s: float | None = None
    wall_witness: Witness | None = None
    mean_s: float | None = None  # of one, all stops in it, where none has a time and two witnesses agree
    behind_s: float | None = None  # of `wall_s`, what came behind the newest row: a last evaluation
    clock_steps_back: bool = False  # somewhere: `wall_s` is a sum of parts, which may overlap
    silent_s: float | None = None  # of `wall_s`, without a row for so long that another program may have run
    clock: ClockKind | None = None
    last_event_at_s: float | None = None
    evaluations: int = 0  # that the source reports as such; lines with values of a test are not counted
    checkpoints: int = 0  # saves that it tells of, with a time or without
    restarts: int = 0
    trainings: int = 0
    starts_ahead: int = 0  # of both, how many begin with a later iteration than the newest before them
    mixed: bool = False  # rows of several processes stand among each other: not each fall is a start
    starts_level: int = 0  # ... with the very iteration of the newest before them, which stands twice
    newest_seen: int = 0  # iterations of the newest training
    launches: int | None = None
    launches_without_iterations: int | None = None
    openings: int | None = None  # how often most of the first lines have come, where they agree
    starts_told: int | None = None  # at least, by what each process prints when it begins
    parts: int | None = None  # how often a line has said which of several trainings begins
    counts_rows: bool = False  # nothing else counts: each row is taken for an iteration
    round: str = ""  # of an outer loop, not its last: "Round 3/20"
    unit: str = "iteration"  # what the counter of the log counts; it is called an iteration throughout
    tag: str = ""  # whose rows alone were read, of several counters side by side
    at_least: bool = False  # how long an epoch is nobody says, and not each iteration has a row: there were more
    tokens_mean: float | None = None  # of all iterations that count their own
    batch_changed: bool = False  # by the settings: those known now are not of all iterations
    dropped: int = 0  # events that a bounded buffer let go
    one_or_mean: bool = False  # a row's time may be of its iteration alone, or the mean of many without a row
    hidden_stops: tuple[str, ...] = ()  # kinds that are told of, and whose time nobody can tell from training's

    unsure: tuple[str, ...] = ()  # kinds of stops whose lines may tell of more than are counted

    other: OtherRows = OtherRows()  # lines that tell of a loss, of which no figure here says anything

    @property
    def begun_again(self) -> int:
        """How often rows show that it began again, without going on."""
        return max(0, self.trainings + self.restarts - 1 - self.starts_ahead)

    @property
    def ends_from_0(self) -> bool:
        """Is all done, by a counter from 0, which ends one before the total?"""
        return self.fraction == 1.0 and self.iteration == (self.max_iterations or 0) - 1

    @property
    def falls(self) -> int:
        """How often a printed counter goes back."""
        return 0 if self.counts_rows else max(0, self.begun_again - self.starts_level)

    @property
    def starts_agree(self) -> bool:
        """Does something else than the counter that goes back tell of as many trainings and restarts?

        Nobody knows it of a log that holds another training, or a part of one, of which no row is read.
        """
        if self.other.speaks:
            return False
        starts = self.trainings + self.restarts
        if starts <= 1 and self.openings in (None, 1):
            return True
        return self.launches is not None or self._processes == self.openings or starts == self.parts

    @property
    def starts_seen(self) -> bool:
        """Is it told of each start, also of one that failed before its first row, and of no other?"""
        parts = self.trainings + self.restarts == self.parts
        return parts or self._processes in (self.launches, self.openings)

    @property
    def _processes(self) -> int:
        """Those with iterations and those without."""
        return self.trainings + self.restarts + (self.launches_without_iterations or 0)

    @property
    def starts_witnessed(self) -> bool:
        """Is as often told that something begins as the counter goes back? Else it may be that of an epoch."""
        told = (self.starts_told, self.openings, self.parts, self.launches)
        return self.trainings + self.restarts <= max(one or 0 for one in told)

    @property
    def starts_hidden(self) -> bool:
        """Is it told more often that something starts than the counter goes back? So some lie between two rows."""
        return not self.starts_agree and (self.starts_told or 0) > self.trainings + self.restarts

    @property
    def called(self) -> str:
        """What stands for an iteration here: the unit that the log counts in, or a row where nothing counts."""
        return "row" if self.counts_rows else self.unit

    @property
    def timed_called(self) -> str:
        """What a printed time is of."""
        return "row" if self.one_or_mean else self.called

    @property
    def iterations_in_wall(self) -> int:
        """Those that `wall_s` holds."""
        return self.iterations_seen - self.iterations_before


class Activity(Word):
    """What the trainer does where no span is open. In one, it does what the span's kind says."""

    NOTHING_YET = "nothing yet"
    TRAINING = "training"
    QUIET = "nothing new"  # for a while, and nobody knows what is usual
    SILENT = "silent"  # for much longer than is usual
    ENDED = "ended"


class Now(Finding, frozen=True):
    """What the trainer does right now, against what is usual. `estimated`: inferred from silence."""

    activity: str = Activity.NOTHING_YET  # or the kind of the open span: `EVALUATION`, `CHECKPOINT`, ...
    iteration: int | None = None
    elapsed_s: float | None = None
    usual_s: float | None = None
    iterations: int = 1  # that `usual_s` stands for: a log that prints every tenth is heard of after ten
    micro_step: int | None = None
    micro_steps: int | None = None
    estimated: bool = True
    next_kind: str | None = None  # "evaluation", "checkpoint", "evaluation + checkpoint", "end"
    next_iteration: int | None = None
    next_in_s: float | None = None
    next_note: str = ""  # why `next_in_s` is not known though the level is: "due", "when it goes on"


class Schedule(Finding, frozen=True):
    """When something returns: from the config, or found in the timings. `mean_s` is its measured cost.

    It is the mean of the `seen` ones since the level last moved far, or of all while there is none (`earlier`); of
    as many as come `at_once` together: a validation and a test behind the same iteration.
    It comes in a `share` of the times: some trainers keep a checkpoint only when the loss got better. Where its
    next place would be right behind the last iteration it `may_follow`, or not: it is no part of what remains.
    `uneven` ones are not alike, or do not come as often as that: what they took says nothing of those to come.
    """

    kind: str
    interval: int | None = None
    offset: int = 0
    origin: str = ""
    seen: int = 0
    mean_s: float | None = None
    next_iteration: int | None = None
    remaining: int | None = None
    share: float = 1.0
    earlier: bool = False
    may_follow: bool = False
    uneven: bool = False
    at_once: int = 1

    @property
    def each_s(self) -> float | None:
        """Seconds for each of its intervals, on average; `None` where its cost is not known."""
        return None if self.mean_s is None else self.share * self.mean_s


class EtaScore(Finding, frozen=True):
    """An ETA given at `fraction` of the run, against how it went: error of the total, signed."""

    fraction: float
    predicted_total_s: float
    error: float | None = None


class PrintedEta(Finding, frozen=True):
    """What the log says is left of the run: a witness of the ETA. `why` is what it may count otherwise."""

    remaining_s: float
    agrees: bool | None = None  # with what is measured here; `None`: nothing is
    why: str = ""
    name: Witness = Witness.REMAINING


class Eta(Finding, frozen=True):
    """When it is done: remaining normal iterations, plus what is scheduled at its measured cost."""

    remaining_s: float | None = None
    low_s: float | None = None  # 90 % interval
    high_s: float | None = None
    finish_at_s: float | None = None
    frozen: str = ""  # why it stands still
    note: str = ""  # what is missing from it: "checkpoint cost unknown"
    schedules: tuple[Schedule, ...] = ()
    scores: tuple[EtaScore, ...] = ()
    cost_so_far: float | None = None
    cost_to_go: float | None = None
    printed: PrintedEta | None = None
