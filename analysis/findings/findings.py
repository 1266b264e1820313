"""All findings at one time."""

from __future__ import annotations

import msgspec

from ...events import Config, GpuSample, HostSample
from .finding import Finding
from .machine import Load, Straggler
from .outlook import Eta, Now, Progress
from .speed import Audit, Level, Throughput, TimeWitness
from .spikes import Spike
from .summary import LedgerRow, Losses, RunMessage, Verdict

SCHEMA_VERSION = 1
"""Version of this structure as JSON. It grows when a field changes its meaning or goes; new fields do not."""


class Findings(Finding, frozen=True):
    """Everything, at one time."""

    schema_version: int = SCHEMA_VERSION
    name: str = ""
    source_format: str = ""
    recognised: str = ""  # what of a log speaks for that format, in words
    host: str = ""
    pid: int | None = None
    started_at_s: float | None = None
    ended: str = ""  # reason, once it is over
    config: Config = Config()
    config_origins: dict[str, str] = msgspec.field(default_factory=dict)
    progress: Progress = Progress()
    now: Now = Now()
    level: Level = Level()
    witnesses: tuple[TimeWitness, ...] = ()  # of the time that passed, the best first
    throughput: Throughput = Throughput()
    audit: Audit = Audit()
    ledger: tuple[LedgerRow, ...] = ()
    eta: Eta = Eta()
    losses: Losses = Losses()
    verdict: Verdict = Verdict()
    spikes: tuple[Spike, ...] = ()  # the newest ones on the screen, all in a report
    gpus: tuple[GpuSample, ...] = ()  # the newest sample of each
    load: Load | None = None
    gpu_phases_s: dict[str, float] = msgspec.field(
        default_factory=dict
    )  # medians of the newest iterations, by phase
    straggler: Straggler | None = None
    machine: HostSample | None = None
    messages: tuple[RunMessage, ...] = ()
    unknown: dict[str, str] = msgspec.field(default_factory=dict)
