"""What each fact says: one sentence, "" where the fact is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import BEFORE_FORWARD, BEFORE_STEP
from ...words import duration, percent, plural, si, times
from ..audit.peaks import excluded
from ..audit.work import ONE_GPU

if TYPE_CHECKING:
    from ..findings import LedgerRow
    from .facts import Facts

MUCH_DEMAND = 0.5
"""A cold disk that needs more of an iteration would show: data in memory is what such a run lives on."""


NAME_IT = "Name it: `with hooks.evaluation():`, `checkpoint()` or `data()` around what the loop does then"


def what_tells(f: Facts) -> str:
    """What finds out where unexplained time goes."""
    return "py-spy dump shows what the trainer does then" if f.hooked else "hooks tell"


def speed(f: Facts) -> str:
    """MFU and the floor."""
    a = f.audit
    if a.mfu is None or a.peak_flops is None or a.times_floor is None or a.floor_s is None:
        return _achieved(f)
    peak = f"{a.gpu or 'the GPU'}'s {si(a.peak_flops, 'FLOP/s')} {a.precision or ''}".strip()
    floor = f"{times(a.times_floor)} the floor of {duration(a.floor_s)}"
    return f"{percent(a.mfu)} MFU (of {peak}): {floor} an iteration" + (f"; {ONE_GPU}" if f.one_gpu else "")


def _achieved(f: Facts) -> str:
    if f.audit.achieved_flops is None:
        return ""
    gpus = f.audit.gpus
    devices = "processes" if f.on_cpu else "GPUs"
    by = " by all GPUs" if f.one_gpu else f" on each of {gpus} {devices}" if gpus and gpus > 1 else ""
    return f"{si(f.audit.achieved_flops, 'FLOP/s')} achieved{by}"


def fits(f: Facts) -> str:
    """Which GPU it must be at least, where its name is not known."""
    achieved = f.audit.achieved_flops
    if achieved is None or f.audit.peak_flops is not None or f.one_gpu:
        return ""
    out, left = excluded(achieved, f.audit.precision)
    if not out or not left:
        return ""
    name, most = min(((p.label, p.at(f.audit.precision)[0] or 0.0) for p in left), key=lambda x: x[1])
    fast = max(out, key=lambda p: p.at(f.audit.precision)[0] or 0.0).label
    fit = f"the slowest that fits is {name} ({si(most, 'FLOP/s')})"
    return f"faster than {len(out)} known GPUs can be, up to {fast}; {fit}"


def power(f: Facts) -> str:
    """Power against the limit."""
    share = f.load.power_share
    return "" if share is None else f"power at {percent(share)} of the limit"


def steadiness(f: Facts) -> str:
    """How alike the normal iterations are."""
    jitter = f.findings.level.jitter
    if jitter is None or not f.flat:
        return ""
    return f"flat iteration times (jitter {percent(jitter)}): nothing is still compiling or warming up"


def data(f: Facts) -> str:
    """What the data costs, at most."""
    a = f.audit
    if f.data_wait is not None and f.findings.throughput.data_wait_share is not None:
        waits = f"waits for data {percent(f.data_wait)} of an iteration"
        return f"the training loop {waits}, as it measured itself"
    if a.data_bytes_per_s is None or a.data_reads_per_iteration is None or f.data_demand is None:
        return ""
    need = f"{plural(a.data_reads_per_iteration, 'read')} an iteration, {si(a.data_bytes_per_s, 'B/s')}"
    if f.data_demand > MUCH_DEMAND:
        return f"data: {need}; a cold disk of 5,000 IOPS would need {times(f.data_demand)} the iteration"
    return f"data: {need}; even a cold disk of 5,000 IOPS needs {percent(f.data_demand)} of the time"


def late(f: Facts) -> str:
    """The rank that all others wait for."""
    late = f.findings.straggler
    if late is None:
        return ""
    often = f"in {percent(late.share)} of the newest iterations"
    took = f"rank {late.rank}: {duration(late.local_s)} before the collective"
    within = late.phase if late.phase in (BEFORE_FORWARD, BEFORE_STEP) else f"in {late.phase}"
    where = f", late {within}" if late.phase else ""
    return f"{took}, others {duration(late.others_s)}, {often}{where}"


SHOWN = 3
"""Causes of lost time in a sentence; the ledger has them all."""

LEAST_SHARE = 0.001


def where(f: Facts) -> str:
    """Where the time went that was no training: the ledger's figures, the largest first, known or not."""
    return "; ".join(_row(f, row) for row in f.lost[:SHOWN] if row.share >= LEAST_SHARE)


def _row(f: Facts, row: LedgerRow) -> str:
    """`evaluation: 5.9 % of the wall time, 2 m 04 s in 21, every 500 iterations`"""
    times_seen = f" in {row.count:,}" if row.count else ""
    plan = next((s for s in f.findings.eta.schedules if s.kind == row.cause and s.interval), None)
    often = f", every {plural(plan.interval or 0, 'iteration')}" if plan else ""
    if plan and plan.share < 1:
        often += f" ({percent(plan.share)} of the times)"
    return f"{row.cause}: {percent(row.share)} of the wall time, {duration(row.seconds)}{times_seen}{often}"


def evidence(f: Facts, *sentences: str) -> tuple[str, ...]:
    """`sentences` that are known, and the log's wrong MFU where it has one."""
    note = f.audit.note if (f.audit.logged_mfu or 0) > 1 else ""
    return tuple(s for s in (*sentences, note) if s)
