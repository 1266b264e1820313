"""All findings at one time."""

from __future__ import annotations

import msgspec

from ...events import Config, GpuSample, HostSample, Witness
from .filling import Filling, MemoryJump
from .finding import Finding
from .hangs import Hang
from .incidents import Incident
from .machine import GpuUse, Imbalance, Load, Straggler
from .outlook import Eta, Now, Progress
from .speed import Audit, Level, Throughput, TimeWitness
from .spikes import SlowPlace, Spike
from .summary import Ending, LedgerRow, Losses, RunMessage, Scalar, Verdict

FEW_KNOWN = 0.2
"""Of the lines of a log: who knows fewer does not know what else the program prints."""

FEW, MANY = 16, 64
"""Rows that a usual time rests on, and rows that there are: then it is of the newest alone."""

SCHEMA_VERSION = 1
"""Version of this structure as JSON. It grows when a field changes its meaning or goes; new fields do not."""


class Findings(Finding, frozen=True):
    """Everything that is known of a run at one time. `None` and "" are not known, or none; seconds, bytes, watts.

    Args:
        schema_version: of this structure as JSON.
        name: of the run.
        source_format: what it is read from: "nanoGPT log", "hooks".
        undescribed: was it printed by a script that nobody described? It may tell of more than is found.
        row_to_row: ... and are its times from row to row, by a clock? What else is in them nobody knows.
        recognised: what of a log speaks for that format, in words.
        known_lines: of a log, the share of its lines that its format knows.
        half_read: why nothing is told of what lies between the rows of a log; "" where it is told.
        host: the machine that trains.
        pid: of the trainer, on that machine.
        started_at_s: Unix time.
        ended: the reason, once it is over: a word of `EndReason`, or the trainer's own.
        ending: how it came to its end, in the words of its source; `None` while it goes on.
        config: the settings, from all places together.
        config_origins: where each field of `config` was read.
        progress: how far it is, and by which clock.
        now: what it does, against what is usual.
        level: the time of a normal iteration, in seconds, and where it moved.
        witnesses: of the time that passed, the best first.
        throughput: tokens per iteration and per second.
        audit: FLOPs, MFU and energy, recomputed, and the GPU's peak.
        ledger: all wall time by cause, in the order of `CAUSES`: adds up to `progress.wall_s`, if that is known.
        recompiled: what was compiled in the midst of the training, in the form of a row, a part of the ledger's.
        first_waits: what was waited for the first batches of processes, in the same form, a part of the ledger's.
        drained: checkpoints that were written beside the training, in the form of a row, no part of the ledger.
        eta: when it is done, with its 90 % interval, and how good earlier ETAs were.
        losses: the newest and the best.
        scalars: the other numbers that come with the iterations, in a report: those without a place of their own,
            as the printed MFU and the waits for data have; the screen asks for the ones that it shows.
        verdict: what it is, the evidence, what to do, and what cannot be known.
        spikes: slow iterations in their order: the newest few on the screen, all in a report.
        slow_untold: rows that took as much longer than those around them as one of these without a cause, and are
            not listed; in a report. `slow_unnamed`: how many times as long that is, where they are so many that
            none without a cause is listed.
        slow_place: where most of the time was lost that nothing explains, as far as hooks looked.
        gpus: the newest sample of each GPU, by its number.
        load: of GPUs and machine, over the newest iterations.
        gpu_use: what the GPUs did over all samples together: what held them down, whose they are.
        gpu_phases_s: the GPU's time, medians of the newest iterations, by phase.
        host_phases_s: the same by the wall clock: all of a training on the CPU, else what it says beside the GPU.
        straggler: the rank that the others wait for, where several are heard.
        imbalance: that they wait for each other, and no single one is at fault.
        hang: that it hangs, where each rank stands, and which one the others wait for.
        incidents: what is worth waking somebody for, oldest first: those that are over and those that it is in.
        filling: what will be full, the first of it first: memory, GPU memory, shared memory, the disk.
        jumps: memory that grows by a jump at each stop of a kind, as far as no end of it is forecast.
        machine: the newest sample of the machine that itermon runs on.
        messages: the newest, oldest first, each text once.
        unknown: why a value is not known and what would provide it, by its path: "audit.mfu".

    Returns:
        From each field the value as it was when the snapshot was taken: later events change no findings, but make
        new ones. `itermon report --json` prints this structure.

    Raises:
        AttributeError: when a field is set. Reading one raises nothing; every field has a default.
    """

    schema_version: int = SCHEMA_VERSION
    name: str = ""
    source_format: str = ""
    undescribed: bool = False
    row_to_row: bool = False
    recognised: str = ""
    known_lines: float | None = None
    half_read: str = ""
    host: str = ""
    pid: int | None = None
    started_at_s: float | None = None
    ended: str = ""
    ending: Ending | None = None
    config: Config = Config()
    config_origins: dict[str, str] = msgspec.field(default_factory=dict)
    progress: Progress = Progress()
    now: Now = Now()
    level: Level = Level()
    witnesses: tuple[TimeWitness, ...] = ()
    throughput: Throughput = Throughput()
    audit: Audit = Audit()
    ledger: tuple[LedgerRow, ...] = ()
    recompiled: LedgerRow | None = None
    first_waits: LedgerRow | None = None
    drained: LedgerRow | None = None
    eta: Eta = Eta()
    losses: Losses = Losses()
    scalars: tuple[Scalar, ...] = ()
    verdict: Verdict = Verdict()
    spikes: tuple[Spike, ...] = ()
    slow_untold: int = 0
    slow_unnamed: float | None = None
    slow_place: SlowPlace | None = None
    gpus: tuple[GpuSample, ...] = ()
    load: Load | None = None
    gpu_use: GpuUse | None = None
    gpu_phases_s: dict[str, float] = msgspec.field(default_factory=dict)
    host_phases_s: dict[str, float] = msgspec.field(default_factory=dict)
    straggler: Straggler | None = None
    imbalance: Imbalance | None = None
    hang: Hang | None = None
    incidents: tuple[Incident, ...] = ()
    filling: tuple[Filling, ...] = ()
    jumps: tuple[MemoryJump, ...] = ()
    machine: HostSample | None = None
    messages: tuple[RunMessage, ...] = ()
    unknown: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def partly_read(self) -> bool:
        """May its lines tell of more than is found? Then evaluations and saves took at least what is known."""
        return self.undescribed or (self.known_lines is not None and self.known_lines < FEW_KNOWN)

    @property
    def unlike_rows(self) -> bool:
        """Do the rows of a script that nobody described stand for different numbers of iterations?

        What comes with a row, and no iteration, makes their times differ then.
        """
        return self.undescribed and self.level.averaged_unlike

    @property
    def shared_out(self) -> str:
        """What the shares of the ledger are of: without a clock nobody knows what passed beside those times."""
        return "logged time" if self.progress.wall_witness is None else "wall time"

    @property
    def shows_gaps(self) -> bool:
        """Does what passed beside the iterations lie between two lines? A printed total does not say where."""
        return not self.undescribed and self.progress.wall_witness != Witness.TOTAL

    @property
    def jitter(self) -> float | None:
        """That of the level, where it is the iterations' and not that of what else comes with a row."""
        return None if self.row_to_row or self.unlike_rows else self.level.jitter

    @property
    def contradiction(self) -> TimeWitness | None:
        """The witness that cannot be true beside the iterations' times; what these leave out contradicts nothing.

        Less than passed are times of a part: of the rows alone, of no stop, of what a guessed column means.
        Where iterations without a row were given the times of others, also more than passed is no row's own word.
        """
        p = self.progress
        guessed = self.undescribed and p.rows < p.iterations_seen
        partly = self.undescribed or p.iterations_unseen or p.evaluations or p.checkpoints or p.other.lines
        against = (one for one in self.witnesses if one.agrees is False)
        return next((one for one in against if not (guessed if one.iterations_s > one.seconds else partly)), None)

    @property
    def rests_on_few(self) -> bool:
        """Is its level of the newest rows alone, few of all there are, while no change of it is told of?"""
        level, p = self.level, self.progress
        one = p.trainings <= 1 and not p.falls and level.averaged_over == 1
        return one and not level.shifts and p.rows >= MANY and 1 < level.iterations <= FEW

    @property
    def contradicted(self) -> bool:
        """Are its printed times contradicted by a clock, so that nothing rests on them?"""
        return "level" in self.unknown

    @property
    def uncounted(self) -> bool:
        """Is nothing counted, for nobody knows whose a row is, or whether all of them are read?"""
        return "progress.restarts" in self.unknown

    @property
    def starts_known(self) -> bool:
        """Is it sure how often it began? In a log of a script that nobody described a second witness is needed."""
        p = self.progress
        if p.mixed:
            return False
        if not self.undescribed:
            return not p.other.speaks
        starts = p.trainings + p.restarts
        return p.starts_agree and (starts <= 1 or (starts == p.parts and not p.restarts))
