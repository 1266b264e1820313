"""What the analysis found, as data: the screen draws it, the report prints it, `--json` encodes it.

One structure, so that all three can never disagree. Unknown is `None`, and `Findings.unknown` says why and
what would tell: its keys are paths such as "audit.mfu". Shares and fractions are 0..1.
"""

from __future__ import annotations

import msgspec

from ..events import Config, GpuSample, HostSample

SCHEMA_VERSION = 1
"""Version of this structure as JSON. It grows when a field changes its meaning or goes; new fields do not."""


class Finding(msgspec.Struct, frozen=True, gc=False):
    """The base of all parts."""


class Cause(Finding, frozen=True):
    """Some seconds of one iteration, why, how strongly that is known (`events.HOOK` ...), and the evidence."""

    kind: str
    seconds: float
    strength: str
    evidence: str = ""


class Alongside(Finding, frozen=True):
    """What the machine did in the seconds of one iteration, and what was usual in the minutes before."""

    power_w: float | None = None  # of all GPUs together, mean
    usual_power_w: float | None = None
    sm_clock_hz: float | None = None  # mean over time and GPUs
    usual_sm_clock_hz: float | None = None
    memory_used_bytes: float | None = None  # of all GPUs together
    trainer_cpu: float | None = None  # in cores
    read_bytes: float | None = None  # by the trainer's processes, from the disk
    write_bytes: float | None = None
    major_faults: float | None = None
    io_pressure: float | None = None
    energy_j: float | None = None


class GpuPhase(Finding, frozen=True):
    """The GPU's own time of one phase of an iteration, and the median of the newest iterations."""

    phase: str  # forward, backward, optimizer
    seconds: float
    usual_s: float | None = None


class Spike(Finding, frozen=True):
    """A slow iteration: the causes' seconds and the clean time add up to `duration_s`.

    Where the source tells the mean of several, it is all of them up to `index` (`averaged_over`).
    """

    index: int
    position: int  # in the run's columns, from 0
    duration_s: float
    clean_s: float
    causes: tuple[Cause, ...]
    at_s: float | None = None
    averaged_over: int = 1
    alongside: Alongside | None = None  # of one that is looked at, and in a report
    gpu_phases: tuple[GpuPhase, ...] = ()  # the same; of the newest iterations, where hooks measured them


class Level(Finding, frozen=True):
    """The time of a normal iteration now: robust, over iterations that nothing else slowed."""

    clean_s: float | None = None  # the median
    p95_s: float | None = None
    jitter: float | None = None  # standard deviation of the middle half / median
    iterations: int = 0  # how many it rests on
    warmup_iterations: int | None = None  # at the beginning, before the level settled
    shifts: tuple[Shift, ...] = ()  # lasting changes, oldest first


class Shift(Finding, frozen=True):
    """A lasting change of the level: not a spike."""

    index: int
    before_s: float
    after_s: float
    position: int = 0  # in the run's columns
    held: int = 0  # entries of the columns since: how long the new level has been seen
    at_s: float | None = None


class Progress(Finding, frozen=True):
    """How far. `wall_s` is measured where there is a clock, else the sum of the iteration times (`clock` None)."""

    iteration: int | None = None
    first_iteration: int | None = None
    max_iterations: int | None = None
    fraction: float | None = None
    iterations_seen: int = 0
    iterations_unseen: int = 0  # passed, but never printed
    wall_s: float | None = None
    clock: str | None = None
    last_event_at_s: float | None = None
    restarts: int = 0
    dropped: int = 0  # events that a bounded buffer let go


class Now(Finding, frozen=True):
    """What the trainer does at this moment, against what is usual. `estimated`: inferred from silence."""

    activity: str = "nothing yet"  # "training", "evaluation", "checkpoint", "ended", "silent", ...
    iteration: int | None = None
    elapsed_s: float | None = None
    usual_s: float | None = None
    micro_step: int | None = None
    micro_steps: int | None = None
    estimated: bool = True
    next_kind: str | None = None  # "evaluation", "checkpoint", "evaluation + checkpoint", "end"
    next_iteration: int | None = None
    next_in_s: float | None = None
    next_note: str = ""  # why `next_in_s` is not known though the level is: "due", "when it goes on"


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
    note: str = ""  # one line: "log says 164 %: of an A100's peak"
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


class Load(Finding, frozen=True):
    """What GPUs and host did in the last minutes: medians over the samples. Shares are 0..1."""

    span_s: float
    power_w: float | None = None  # of all GPUs together
    power_share: float | None = None  # of the limit
    utilization: float | None = None
    sm_activity: float | None = None
    tensor_activity: float | None = None
    clock_share: float | None = None  # of the highest clock
    memory_share: float | None = None
    limits: dict[str, float] = {}  # what held the clock down, and in which share of the samples
    trainer_cpu: float | None = None  # in cores
    compile_workers: int | None = None
    compile_workers_cpu: float | None = None
    read_bytes_per_s: float | None = None
    io_pressure: float | None = None
    cpu_pressure: float | None = None


class Straggler(Finding, frozen=True):
    """The rank that comes late to the collective. Seconds are local: waiting for data and the forward pass."""

    rank: int
    share: float  # of the newest iterations in which it was the late one
    local_s: float
    others_s: float  # the median of the other ranks


class LedgerRow(Finding, frozen=True):
    """Wall time by cause; the rows' shares add up to 1. `estimated`: not split by anything measured."""

    cause: str
    seconds: float
    share: float
    count: int = 0
    estimated: bool = False


class Schedule(Finding, frozen=True):
    """When something returns: from the config, or found in the timings. `mean_s` is its measured cost.

    It is the mean of the `seen` ones since the level last moved far, or of all while there is none (`earlier`).
    It comes in a `share` of the times: some trainers keep a checkpoint only when the loss got better.
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

    @property
    def each_s(self) -> float | None:
        """Seconds for each of its intervals, on average; `None` where its cost is not known."""
        return None if self.mean_s is None else self.share * self.mean_s


class EtaScore(Finding, frozen=True):
    """An ETA given at `fraction` of the run, against how it went: error of the total, signed."""

    fraction: float
    predicted_total_s: float
    error: float | None = None


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


class Losses(Finding, frozen=True):
    """The newest training loss (a single micro-batch in nanoGPT), and the evaluations."""

    train: float | None = None
    train_smooth: float | None = None
    validation: float | None = None
    validation_at: int | None = None
    best_validation: float | None = None
    best_validation_at: int | None = None
    not_finite: int = 0
    first_not_finite: int | None = None
    not_finite_since: int | None = None  # the first of the newest in a row


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


class RunMessage(Finding, frozen=True):
    """A message of the run, counted: the newest of its text."""

    text: str
    level: str = "info"
    count: int = 1
    at_s: float | None = None
    line: int | None = None


class Findings(Finding, frozen=True):
    """Everything, at one moment."""

    schema_version: int = SCHEMA_VERSION
    name: str = ""
    source_format: str = ""
    recognised: str = ""  # what of a log speaks for that format, in words
    host: str = ""
    pid: int | None = None
    started_at_s: float | None = None
    ended: str = ""  # reason, once it is over
    config: Config = Config()
    config_origins: dict[str, str] = {}
    progress: Progress = Progress()
    now: Now = Now()
    level: Level = Level()
    throughput: Throughput = Throughput()
    audit: Audit = Audit()
    ledger: tuple[LedgerRow, ...] = ()
    eta: Eta = Eta()
    losses: Losses = Losses()
    verdict: Verdict = Verdict()
    spikes: tuple[Spike, ...] = ()  # the newest ones on the screen, all in a report
    gpus: tuple[GpuSample, ...] = ()  # the newest sample of each
    load: Load | None = None
    gpu_phases_s: dict[str, float] = {}  # medians of the newest iterations, by phase
    straggler: Straggler | None = None
    machine: HostSample | None = None
    messages: tuple[RunMessage, ...] = ()
    unknown: dict[str, str] = {}
