"""The vocabulary: what can happen to a training run.

Every collector and every hook speaks in these events, and the analysis reads nothing else. The same events
travel as JSON Lines over the socket, in a recording, through a pipe: one vocabulary, four carriers.

Units are SI and stand in the names. `at_s` is Unix time, and always the moment the thing *ended or was seen*.
"Not measured" is `None`, never 0. Unknown fields of a newer version are ignored; an unknown event type raises
`UnknownEventError`, so that a reader can count it and go on.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Union, overload

import msgspec

VERSION = 1
"""Version of the vocabulary. It grows only when an old reader would misread a new writer."""

# Kinds of spans: what a trainer does beside (or inside) an iteration.
EVALUATION = "evaluation"
CHECKPOINT = "checkpoint"
COMPILE = "compile"
DATA = "data"
GC = "gc"
SAMPLING = "sampling"

# How strongly something is known, from the strongest to the weakest.
HOOK = "hook"  # the trainer itself measured it
LOG = "log"  # a line of the log says it
TELEMETRY = "telemetry"  # power, clocks or I/O changed as they do then
PERIOD = "period"  # the timings alone: it returns every n iterations
GUESS = "guess"


# What a hostile or broken peer may send is bounded where it is decoded; making an event here checks nothing.
Index = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
Count = Annotated[int, msgspec.Meta(ge=1, lt=1 << 53)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e10)]
UnixTime = Annotated[float, msgspec.Meta(ge=0, le=1e11)]


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="type"):
    """The base of all events. Immutable; cheap to make; encodes without its unknown fields."""


class RunInfo(Event, frozen=True, tag="run"):
    """What a source knows of the run as a whole. A second one after an iteration means: another process began;
    before any iteration of its process it only completes the first.

    `time_includes` names the span kinds that an iteration's `duration_s` contains in this source (nanoGPT:
    evaluation and checkpoint; llm.c: neither). `clock` says where `at_s` comes from: "hook", "log" (time
    stamps in the lines), "arrival" (when we read the line; of lines that came together only the last has it),
    "sum" (an old log replayed: the sum of its iteration times), or `None` (there is no clock: an old log).
    """

    version: int = VERSION
    name: str = ""
    source_format: str = ""  # "nanoGPT log", "hooks", ...
    recognised: str = ""  # what of a log speaks for that format, in words
    framework: str = ""
    host: str = ""
    pid: int | None = None
    rank: int | None = None
    started_at_s: float | None = None
    gpu_names: tuple[str, ...] = ()
    time_includes: tuple[str, ...] = ()
    clock: str | None = None
    synchronised: bool | None = None  # does the trainer wait for the GPU before it reads its clock?
    resumed: bool | None = None
    output: str = ""  # the stem of the log in which `itermon run` keeps what this process prints


class Config(Event, frozen=True, tag="config"):
    """Settings of the run, and where they were read. Later ones win over earlier ones, field by field.

    `gradient_accumulation` counts the micro-steps of one iteration *on one rank*: nanoGPT's setting divided
    by the world size. `micro_batch_size` is in sequences. `precision` is "bf16", "fp16", "tf32" or "fp32".
    """

    origin: str = ""  # "log", "config file train_gpt2.py", "--flag", "hook", "nanoGPT's default"
    micro_batch_size: Index | None = None
    block_size: Index | None = None
    gradient_accumulation: Index | None = None
    world_size: Index | None = None
    tokens_per_iteration: Index | None = None
    layers: Index | None = None
    heads: Index | None = None
    embedding: Index | None = None
    vocabulary: Index | None = None
    bias: bool | None = None
    parameters: Index | None = None  # without position embeddings, as nanoGPT counts
    active_parameters: Index | None = None  # of these, in the forward pass of one token (mixture of experts)
    trained_parameters: Index | None = None  # of these; fewer where only adapters are trained (LoRA)
    flops_per_token: float | None = None
    max_iterations: Index | None = None
    warmup_iterations: Index | None = None  # of the learning rate
    evaluation_interval: Index | None = None
    evaluation_iterations: Index | None = None
    checkpoint_interval: Index | None = None
    checkpoint_needs_improvement: bool | None = None  # nanoGPT with always_save_checkpoint = False
    log_interval: Index | None = None
    precision: str | None = None
    compiled: bool | None = None
    gpu_name: str | None = None
    peak_flops: float | None = None  # of one GPU, dense, at `precision`
    logged_mfu_peak_flops: float | None = None  # the peak behind the MFU that the log prints
    cost_per_hour: float | None = None
    dataset: str | None = None
    extra: dict[str, str] = {}  # the rest of the config, as text: for `compare`


class Iteration(Event, frozen=True, tag="iteration"):
    """One iteration (one optimizer step) came to its end.

    `duration_s` is what the source calls the iteration's time; `RunInfo.time_includes` says what is in it.
    With `averaged_over` = n it is the mean over the n iterations up to this one (Megatron, torchtitan).
    `mfu` and `tokens_per_s` are what the source printed (`mfu` as a fraction), not what we computed.
    JSON has no nan: a loss that is no finite number is `None`, and `bad_loss` says "nan", "inf" or "-inf".
    """

    index: Index
    duration_s: Seconds | None = None
    loss: float | None = None
    mfu: float | None = None
    at_s: UnixTime | None = None
    averaged_over: Count = 1
    tokens: Index | None = None  # of this iteration, over all ranks, where they vary
    tokens_per_s: float | None = None
    data_wait_s: Seconds | None = None
    gradient_norm: float | None = None
    learning_rate: float | None = None
    phases: dict[str, float] | None = None  # seconds by phase: forward, backward, optimizer; GPU time
    rank: int | None = None
    bad_loss: str = ""


class Iterations(Event, frozen=True):
    """Many iterations of a log at once, as columns of equal length: all that plain lines say, and nothing missing.

    One by one they would cost twice as much to read and to take in. They live in this process only, between a
    history and the analysis: each `Iteration` is made when somebody looks at it, and `singly` makes them all.
    """

    index: array[int]  # "q", ascending
    duration_s: array[float]
    loss: array[float]
    mfu: array[float]

    def __len__(self) -> int:
        return len(self.index)

    @overload
    def __getitem__(self, place: int) -> Iteration: ...
    @overload
    def __getitem__(self, place: slice) -> Iterations: ...
    def __getitem__(self, place: int | slice) -> Iteration | Iterations:
        kind = Iterations if isinstance(place, slice) else Iteration
        return kind(self.index[place], self.duration_s[place], self.loss[place], self.mfu[place])  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Iteration]:
        return map(Iteration, self.index, self.duration_s, self.loss, self.mfu)


class SpanBegin(Event, frozen=True, tag="begin"):
    """The trainer began something that is no plain training: it may be inside or between iterations.

    `iteration` is the one that will contain it, or that comes next.
    """

    kind: str
    at_s: UnixTime | None = None
    iteration: Index | None = None
    strength: str = LOG
    detail: str = ""


class SpanEnd(Event, frozen=True, tag="end_span"):
    """... and finished it. A log that only says "evaluated" gives this alone, without a duration.

    `values` holds what came out: `train_loss`, `val_loss`, `bytes`, a recompile's `reason` goes to `detail`.
    """

    kind: str
    at_s: UnixTime | None = None
    iteration: Index | None = None
    duration_s: Seconds | None = None
    strength: str = LOG
    detail: str = ""
    values: dict[str, float] = {}


class Progress(Event, frozen=True, tag="progress"):
    """Inside an iteration: micro-step `micro_step` of `micro_steps` is done."""

    iteration: Index
    micro_step: Index
    micro_steps: Index | None = None
    at_s: UnixTime | None = None


class Phases(Event, frozen=True, tag="phases"):
    """GPU seconds by phase (forward, backward, optimizer) of an iteration that ended before.

    A GPU's clocks are read when it has passed them, an iteration or two later, so that nobody waits for it.
    """

    iteration: Index
    phases: dict[str, Seconds] = {}
    rank: int | None = None


class Printed(Event, frozen=True, tag="printed"):
    """What the trainer printed of an iteration that its hooks measured: the line comes after the iteration."""

    iteration: Index
    loss: float | None = None
    bad_loss: str = ""  # as in `Iteration`
    validation_loss: float | None = None


# Why a GPU's clock is held down (`GpuSample.limits`): the ones that are normal in training.
NORMAL_LIMITS = frozenset({"idle", "power cap", "application clocks", "sync boost", "display clocks"})
# ... and the ones that cost speed for a reason outside the run: cooling or power supply.
THROTTLING_LIMITS = frozenset({"thermal", "hardware thermal", "power brake", "hardware slowdown"})


class GpuSample(Event, frozen=True, tag="gpu"):
    """What NVML said of one GPU, or of one MIG instance of it, at one moment. Fractions are 0..1.

    `gpu` counts in NVML's order (by PCI bus), `mig` the instances of one GPU. Energy counts from the driver's
    load. `limits` are those of the whole interval since the last sample. PCIe reads are bytes into the GPU.
    `ecc_errors` are the uncorrected ones since the driver's load, `xid` the newest since the sampling began.
    `absent` maps each field that this GPU does not give to the reason.
    """

    at_s: UnixTime
    gpu: Index = 0
    mig: Index | None = None
    name: str = ""
    uuid: str = ""
    power_w: float | None = None
    power_method: str = ""  # "energy" (mean between two samples) or "sensor"
    power_limit_w: float | None = None
    energy_j: float | None = None
    memory_used_bytes: Index | None = None
    memory_reserved_bytes: Index | None = None
    memory_total_bytes: Index | None = None
    utilization: float | None = None
    sm_activity: float | None = None
    tensor_activity: float | None = None
    dram_activity: float | None = None
    temperature_c: float | None = None
    sm_clock_hz: float | None = None
    sm_clock_max_hz: float | None = None
    limits: tuple[str, ...] | None = None  # clock-event reasons in words: "power cap", "thermal", ...
    pcie_read_bytes_per_s: float | None = None
    pcie_write_bytes_per_s: float | None = None
    nvlink_bytes_per_s: float | None = None
    ecc_errors: Index | None = None
    xid: Index | None = None
    lost: str = ""  # why there is no answer from this GPU at the moment
    trainer_memory_bytes: Index | None = None
    absent: dict[str, str] = {}


class HostSample(Event, frozen=True, tag="host"):
    """What the operating system said of the trainer's process tree and of the machine. CPU in cores.

    `trainer_cpu` and `resident_bytes` are the ranks' alone: without compile and loader workers, whose memory is
    mostly the ranks' own, shared. Reads, writes and faults are the whole tree's. `read_ahead_bytes` is what the
    kernel reads ahead on the disk of the checkpoint directory: one cold page of a mapped file costs that much.
    `absent` says why a field is `None`; where `trainer_pid` is absent, so is all that is the trainer's.
    """

    at_s: UnixTime
    interval_s: float | None = None
    trainer_cpu: float | None = None
    compile_workers: Index | None = None
    compile_workers_cpu: float | None = None
    loader_workers: Index | None = None
    loader_workers_cpu: float | None = None
    resident_bytes: Index | None = None
    trainer_pid: Index | None = None  # the root of the tree
    trainer_processes: Index | None = None
    read_bytes: Index | None = None  # since the last sample; page-ins of mapped files included
    write_bytes: Index | None = None
    major_faults: Index | None = None
    io_pressure: float | None = None  # share of the last interval in which something waited for I/O
    cpu_pressure: float | None = None
    memory_pressure: float | None = None
    disk_free_bytes: Index | None = None  # of the checkpoint directory
    read_ahead_bytes: Index | None = None
    machine_cpu: float | None = None
    machine_cores: Index | None = None
    memory_available_bytes: Index | None = None
    absent: dict[str, str] = {}


class Message(Event, frozen=True, tag="message"):
    """A line of the run that a person should see: a traceback, an out-of-memory error, a source's own trouble."""

    text: str
    level: str = "info"  # "info", "warning", "error"
    at_s: UnixTime | None = None
    iteration: Index | None = None
    line: int | None = None  # of the log, from 1
    about: str = ""  # "gpu" or "host": why that part of the screen stays empty; "" is the run itself
    ending: str = ""  # how the run has ended if nothing follows: "failed", "interrupted"


class Dropped(Event, frozen=True, tag="dropped"):
    """Events that a bounded buffer had to let go: told, counted and shown as a gap."""

    count: Index
    what: str = ""
    at_s: UnixTime | None = None


class End(Event, frozen=True, tag="end"):
    """The trainer said good-bye, or its end was seen. `reason`: "finished", "failed", "interrupted", "lost"."""

    reason: str = "finished"
    at_s: UnixTime | None = None
    detail: str = ""


AnyEvent = Union[  # noqa: UP007 - msgspec resolves it at run time, on 3.10 too
    RunInfo,
    Config,
    Iteration,
    SpanBegin,
    SpanEnd,
    Progress,
    Phases,
    Printed,
    GpuSample,
    HostSample,
    Message,
    Dropped,
    End,
]

# How a source stands.
WAITING = "waiting"  # nothing there yet: the file does not exist or is empty
READING = "reading"  # history is being read
LIVE = "live"  # everything read; following
PAUSED = "paused"  # a replay that stands still
ENDED = "ended"  # there will be no more
FAILED = "failed"  # cannot be read; `note` says why and what to do


class Batch(msgspec.Struct, frozen=True, gc=False):
    """What a source hands on at a time: some events, and how it stands after them. Never written anywhere.

    `state` is `None` where the source says nothing of the run's state (GPU and host samplers).
    `preview` events are the newest of a long history, shown until the history itself has been read: they feed
    a `Run` of their own, which is thrown away when the first batch that is no preview says "live" or "ended".
    `history` is the part of the history read so far (0..1). `now_s` is a replay's clock; `None` means the
    wall clock. With `restart` all earlier batches are void, as after a replay's jump back: a new `Run` begins.
    """

    events: Sequence[Event] = ()
    state: str | None = None
    note: str = ""
    preview: bool = False
    history: float | None = None
    now_s: float | None = None
    restart: bool = False


MAX_LINE_BYTES = 1 << 20
"""A line of JSON longer than this is no event of ours."""


class BadEventError(ValueError):
    """A line that is no event; the message says why."""


class UnknownEventError(BadEventError):
    """A well-formed event of a type that this version does not know: count it and go on."""


class _Tag(msgspec.Struct):
    type: str = ""


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyEvent)
_tag_decoder = msgspec.json.Decoder(_Tag)
_TAGS = frozenset(kind.__struct_config__.tag for kind in AnyEvent.__args__)  # type: ignore[attr-defined]


def encode(event: Event) -> bytes:
    """One event as one line of JSON, with its newline. A float that JSON cannot hold (nan, inf) becomes null."""
    return _encoder.encode(event) + b"\n"


def encode_all(events: Iterable[Event]) -> bytes:
    """Several events as lines of JSON, at half the cost of one after the other."""
    return _encoder.encode_lines(events)


def singly(events: Iterable[Event]) -> Iterator[Event]:
    """`events`, and for `Iterations` each one of them."""
    for event in events:
        if isinstance(event, Iterations):
            yield from event
        else:
            yield event


def decode(line: bytes) -> AnyEvent:
    """One line of JSON as an event.

    Raises `UnknownEventError` for a type of a newer version and `BadEventError` for anything that is no event.
    """
    if len(line) > MAX_LINE_BYTES:
        raise BadEventError(f"a line of {len(line):,} bytes; at most {MAX_LINE_BYTES:,} are read")
    try:
        return _decoder.decode(line)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _explain(line, error) from None


def _explain(line: bytes, error: Exception) -> BadEventError:
    try:
        tag = _tag_decoder.decode(line).type
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return BadEventError(f"not JSON: {error}")
    if tag and tag not in _TAGS:
        return UnknownEventError(tag[:40])
    return BadEventError(f"not an event: {error}")
