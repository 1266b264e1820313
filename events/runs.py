"""The run as a whole: what it is, its settings, what it says, how it ends."""

from __future__ import annotations

import msgspec

from .event import VERSION, Count, Event, ExitCode, Flops, Index, Quantity, Rank, Share, UnixTime, Word


class ClockKind(Word):
    """Where the times of a run's events come from. A word of a newer version counts as an arrival."""

    HOOK = "hook"  # the trainer's own clock
    LOG = "log"  # time stamps in the lines
    ARRIVAL = "arrival"  # when we read the line; of lines that came together only the last has a time
    SUM = "sum"  # an old log replayed: the sum of its iteration times

    @classmethod
    def _missing_(cls, value: object) -> ClockKind:  # noqa: ARG003 - the enumeration asks so
        return cls.ARRIVAL


class Severity(Word):
    """How bad a message is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @classmethod
    def _missing_(cls, value: object) -> Severity:  # noqa: ARG003 - a user's own word, or a newer version's
        return cls.INFO


class EndReason(Word):
    """How a run came to its end."""

    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    KILLED = "killed"  # by a signal
    LOST = "lost"  # a trainer with hooks is gone and said nothing
    UNKNOWN = "unknown"  # a log stops, old, and nothing in it says why

    @classmethod
    def _missing_(cls, value: object) -> EndReason:  # noqa: ARG003 - a user's own word, or a newer version's
        return cls.FINISHED


class RunInfo(Event, frozen=True, tag="run"):
    """What a source knows of the run as a whole. A second one after an iteration means: another process began;
    before any iteration of its process it only completes the first.

    `time_includes` names the span kinds that an iteration's `duration_s` contains in this source (nanoGPT:
    evaluation and checkpoint; llm.c: neither). `clock` says where `at_s` comes from; `None`: there is no clock,
    as in an old log.
    """

    version: Index = VERSION
    name: str = ""
    source_format: str = ""  # "nanoGPT log", "hooks", ...
    recognised: str = ""  # what of a log speaks for that format, in words
    known_lines: Share | None = None  # of a log, the share of its lines that its format knows
    undescribed: bool = False  # printed by a script that nobody described: it may tell of more than is found
    framework: str = ""
    host: str = ""
    pid: Index | None = None
    rank: Rank | None = None
    started_at_s: UnixTime | None = None
    gpu_names: tuple[str, ...] = ()
    time_includes: tuple[str, ...] = ()
    clock: ClockKind | None = None
    synchronised: bool | None = None  # does the trainer wait for the GPU before it reads its clock?
    resumed: bool | None = None
    output: str = ""  # the run id of the log in which `itermon run` keeps what this process prints
    launch: str = ""  # a digest of the command and its folder, equal for two attempts of one training
    job: str = ""  # Slurm's
    requeued: Index | None = None  # how often Slurm had queued that job again


class Launch(Event, frozen=True, tag="launch"):
    """Another process began to write to the log of the run, whether it came to an iteration or not.

    `line` is its first, and `at_s` that line's time. What was said of an end from there on is its own end.
    `after_none`: the process before it came to no iteration. `None`: how many came before it nobody knows.
    """

    at_s: UnixTime | None = None
    line: Count | None = None
    after_none: bool | None = False


class Counted(Event, frozen=True, tag="counted"):
    """What else than the counter of a log tells what it counts, so far.

    `openings`: most of its first lines have come so often; `None`: they do not agree, or are too few. So it is a
    second witness of how many processes wrote to it, beside the counter that goes back. `parts`: so often one has
    said which of several trainings begins (`Fold 2/5`). `rows`: nothing counts, and each row is an iteration here.
    `unit`: what an iteration is here, where it is no step: an epoch, for they are all that counts, or a tick.
    `dumps`: so often one has printed its settings, with a row or an end between: so many have begun at least.
    `at_least`: how long its epochs are nobody says, and not each iteration has a row, so that there were more.
    `tag`: several counters run side by side, and only the rows with this one are read.
    `begun`: behind the newest row, the first line that says that a training or its process starts.
    `round`: an outer loop is in one that is not its last: "Round 3/20".
    """

    openings: Count | None = None
    parts: Count | None = None
    rows: bool = False
    dumps: Count | None = None
    begun: Count | None = None
    unit: str = ""
    at_least: bool = False
    tag: str = ""
    round: str = ""


class OtherRows(Event, frozen=True, tag="other-rows"):
    """Lines of a log that tell of a training's loss, and are no rows: what the rows say is not the whole log's.

    There are `lines` of them in long stretches, so far; `behind` the newest row, the newest stretch from its line
    `first` on, and up to line `newest`. Since line `not_finite` none of those prints a number.
    `against`: why what the rows count cannot be right: "lines count to epoch 100, and the rows otherwise"; or that
    so many `writers`, each named in front of its rows, take turns.
    """

    lines: Index = 0
    behind: Index = 0
    first: Count | None = None
    not_finite: Count | None = None
    newest: Count | None = None
    against: str = ""
    writers: Count = 0

    @property
    def speaks(self) -> bool:
        """Is anything known that the rows do not tell?"""
        return self.lines > 0 or bool(self.against)


class Config(Event, frozen=True, tag="config"):
    """Settings of the run, and where they were read. Later ones win over earlier ones, field by field.

    `gradient_accumulation` counts the micro-steps of one iteration *on one rank*: nanoGPT's setting divided
    by the world size. `micro_batch_size` is in sequences. `precision` is "bf16", "fp16", "tf32" or "fp32".
    """

    origin: str = ""  # "log", "config file train_gpt2.py", "--flag", "hook", "nanoGPT's default"
    micro_batch_size: Count | None = None
    block_size: Count | None = None
    gradient_accumulation: Count | None = None
    world_size: Count | None = None
    tokens_per_iteration: Count | None = None
    layers: Count | None = None
    heads: Count | None = None
    embedding: Count | None = None
    vocabulary: Count | None = None
    bias: bool | None = None
    parameters: Count | None = None  # without position embeddings, as nanoGPT counts
    active_parameters: Count | None = None  # of these, in the forward pass of one token (mixture of experts)
    trained_parameters: Count | None = None  # of these; fewer where only adapters are trained (LoRA)
    flops_per_token: Flops | None = None
    max_iterations: Index | None = None
    iterations_per_epoch: Count | None = None
    warmup_iterations: Index | None = None  # of the learning rate
    evaluation_interval: Index | None = None
    evaluation_iterations: Index | None = None
    checkpoint_interval: Index | None = None
    checkpoint_needs_improvement: bool | None = None  # nanoGPT with always_save_checkpoint = False
    log_interval: Index | None = None
    precision: str | None = None
    compiled: bool | None = None
    gpu_name: str | None = None
    peak_flops: Flops | None = None  # of one GPU, dense, at `precision`
    logged_mfu_peak_flops: Flops | None = None  # the peak behind the MFU that the log prints
    cost_per_hour: Quantity | None = None
    budget: Quantity | None = None  # what the whole run may cost
    deadline_at_s: UnixTime | None = None  # when it has to be done
    dataset: str | None = None
    extra: dict[str, str] = {}  # the rest of the config, as text: for `compare`


def holds(name: str, value: object) -> bool:
    """Can a `Config` hold `value` as its field `name`? Of the right type, and within its bounds."""
    try:
        msgspec.convert({name: value}, Config)
    except msgspec.ValidationError:
        return False
    return name in Config.__struct_fields__


class Message(Event, frozen=True, tag="message"):
    """A line of the run that a person should see: a traceback, an out-of-memory error, a source's own trouble."""

    text: str
    level: Severity = Severity.INFO
    at_s: UnixTime | None = None
    iteration: Index | None = None
    line: Count | None = None  # of the log, from 1
    about: str = ""  # "gpu" or "host": why that part of the screen stays empty; "" is the run itself
    ending: EndReason | None = None  # how the run has ended if nothing follows
    anew: bool = False  # a process has begun since the ending that was said before


NO_ITERATION = "no iteration found"
"""How the message of hooks begins that find none: then the printed lines say what the iterations are."""


class Output(Event, frozen=True, tag="output"):
    """Lines that the trainer's process printed, in its own words: a reader of logs finds what they say.

    They stand behind the iteration that had ended when they were printed. Of a progress bar there is a state now
    and then. `at_s` is when the last of them was printed.
    """

    lines: tuple[str, ...] = ()
    at_s: UnixTime | None = None


class Dropped(Event, frozen=True, tag="dropped"):
    """Events that a bounded buffer had to let go: counted, reported and shown as a gap."""

    count: Index
    what: str = ""
    at_s: UnixTime | None = None


class EndOfFile(Event, frozen=True, tag="end-of-file"):
    """A file was read to its end, once: whether its run goes on, nobody has looked.

    `at_s` is when the file was last written to, `read_at_s` when it was read: a copy is younger than its run.
    `tail` are its last lines; `writer_gone`: the process that wrote it was seen, and is no more. Of its `lines`
    the `newest` told of an iteration, or of what was found behind it; `None`: nobody knows which. `cut`: the last
    line has no end, and may be cut in the midst of a number: it was not read. `row` is the newest line that gave
    an iteration, word for word, and `row_line` its number. `dated_s` is the newest moment that one of its first
    and last lines names with its year; `yearless`: the newest of their stamps has no year,
    and no date of it tells that.
    """

    at_s: UnixTime | None = None
    read_at_s: UnixTime | None = None
    tail: tuple[str, ...] = ()
    writer_gone: bool = False
    lines: Count | None = None
    newest: Count | None = None
    cut: bool = False
    row: str = ""
    row_line: Count | None = None
    dated_s: UnixTime | None = None
    yearless: bool = False


class End(Event, frozen=True, tag="end"):
    """The trainer said good-bye, or its end was seen. A second one knows better: the launcher's is the last.

    `exit_code` is the process's own where somebody saw it: as Python has it, so -9 is "killed by signal 9".
    """

    reason: EndReason = EndReason.FINISHED
    at_s: UnixTime | None = None
    detail: str = ""
    exit_code: ExitCode | None = None
