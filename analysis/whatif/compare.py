"""Two runs side by side: on their normal iterations, per token, cause by cause, and at equal tokens.

Every ratio is "b over a": a is what was, b is what became of it.
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import Config
from ..audit.rates import add_rates
from .bootstrap import ratio_of_medians
from .comparison import (
    CauseRow,
    Comparison,
    Difference,
    LossAt,
    Pair,
)
from .comparison_sentences import sentences
from .gpu_pairs import gpu_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Findings
    from ..run import Run

NEWEST = 4_096
"""Normal iterations of each run that are compared: more would not narrow the interval visibly."""

LOSSES_SHOWN = 8

_NOT_COMPARED = ("origin", "extra", "logged_mfu_peak_flops", "budget", "deadline_at_s")

SAID_ALREADY = {"gradient_accumulation_steps"}
"""nanoGPT's own words for settings that the vocabulary has too, per rank."""


def compare(a: Run, b: Run) -> Comparison:
    """What differs between two runs, and what follows from it."""
    (fa, normal_a), (fb, normal_b) = _settled(a), _settled(b)
    ta, tb = fa.throughput, fb.throughput
    ua, ub = fa.audit, fb.audit
    mfu, mfu_of = _mfu(fa, fb)
    bare = Comparison(
        names=(fa.name, fb.name),
        config=_differences(fa.config, fb.config),
        iteration_s=Pair.of(fa.level.clean_s, fb.level.clean_s),
        iteration_interval=ratio_of_medians(normal_b, normal_a),
        token_s=Pair.of(_inverse(ta.tokens_per_s_clean), _inverse(tb.tokens_per_s_clean)),
        tokens_per_s=Pair.of(ta.tokens_per_s_clean, tb.tokens_per_s_clean),
        tokens_per_s_wall=Pair.of(ta.tokens_per_s_wall, tb.tokens_per_s_wall),
        tokens_per_iteration=Pair.of(ta.tokens_per_iteration, tb.tokens_per_iteration),
        micro_step_s=Pair.of(ta.micro_step_s, tb.micro_step_s),
        micro_steps_comparable=_micro_step(fa.config) == _micro_step(fb.config),
        flops_per_token=Pair.of(ua.flops_per_token, ub.flops_per_token),
        achieved_flops=Pair.of(ua.achieved_flops, ub.achieved_flops),
        mfu=mfu,
        mfu_of=mfu_of,
        gpus=gpu_pairs(fa, fb),
        causes=_causes(fa, fb),
        losses=_losses(a, b, ta.tokens_per_iteration, tb.tokens_per_iteration),
    )
    return sentences(bare, fa, fb)


def _settled(run: Run) -> tuple[Findings, Sequence[float]]:
    """The findings with the median of all normal iterations as their level, and those iterations.

    The level of `Run.findings` is that of now; two runs compare as wholes.
    """
    found = run.findings(spikes=None)
    slow = {spike.position for spike in found.spikes}
    first = max(0, len(run.columns) - NEWEST)
    times = run.columns.duration_s[first:]
    normal = [d for position, d in enumerate(times, first) if d == d and position not in slow]
    if found.level.clean_s is None or not normal:
        return found, ()
    level = replace(found.level, clean_s=median(normal))
    return add_rates(replace(found, level=level), run.info, run.newest_iterations()), normal


def _differences(a: Config, b: Config) -> tuple[Difference, ...]:
    """The settings that differ, the vocabulary's own first. What one run does not say is `None` there."""
    fields = [f for f in Config.__struct_fields__ if f not in _NOT_COMPARED]
    pairs = [(f, getattr(a, f), getattr(b, f)) for f in fields]
    pairs += [(k, a.extra.get(k), b.extra.get(k)) for k in sorted({*a.extra, *b.extra} - SAID_ALREADY)]
    return tuple(Difference(name, _text(one), _text(two)) for name, one, two in pairs if one != two)


def _text(value: object) -> str | None:
    if value is None or value == "":
        return None
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value}"


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


def _micro_step(config: Config) -> tuple[int | None, int | None]:
    return config.micro_batch_size, config.block_size


def _mfu(a: Findings, b: Findings) -> tuple[Pair | None, str]:
    """MFU of the GPUs' own peaks; where one is not known, of the peak that both logs assume."""
    if a.audit.mfu is not None and b.audit.mfu is not None:
        gpus = dict.fromkeys(x for x in (a.audit.gpu, b.audit.gpu) if x)
        return Pair(a.audit.mfu, b.audit.mfu), " and ".join(gpus)
    peaks = {a.audit.logged_peak_flops, b.audit.logged_peak_flops}
    if len(peaks) == 1 and None not in peaks:
        return Pair.of(
            a.audit.logged_mfu_raw, b.audit.logged_mfu_raw
        ), f"{a.audit.logged_peak_of} (the log's peak)"
    return None, ""


def _causes(a: Findings, b: Findings) -> tuple[CauseRow, ...]:
    """Seconds for each iteration that passed, by cause: runs of different length compare."""
    tables = []
    for findings in (a, b):
        passed = findings.progress.iterations_in_wall
        tables.append({row.cause: (row.seconds / max(1, passed), row.share) for row in findings.ledger})
    causes = dict.fromkeys([*tables[0], *tables[1]])
    return tuple(
        CauseRow(cause, *(value for table in tables for value in table.get(cause, (0.0, 0.0)))) for cause in causes
    )


def _losses(a: Run, b: Run, tokens_a: int | None, tokens_b: int | None) -> tuple[LossAt, ...]:
    """Validation losses where both runs had seen as many tokens; b's is drawn straight between two of its own."""
    each_a, each_b = (tokens_a, tokens_b) if tokens_a and tokens_b else (1, 1)
    mine = [(i * each_a, i, loss) for i, loss in a.validations() if i > 0]
    theirs = sorted((i * each_b, loss) for i, loss in b.validations())
    rows = [
        LossAt(i, tokens if tokens_a and tokens_b else None, loss, other)
        for tokens, i, loss in mine
        if (other := _between(theirs, tokens)) is not None
    ]
    step = max(1, -(-len(rows) // LOSSES_SHOWN))
    return tuple(rows[::-1][::step][::-1])  # the last one always


def _between(points: Sequence[tuple[int, float]], at: int) -> float | None:
    """The value at `at`, on the line between its neighbours; `None` outside of them."""
    place = bisect_left(points, (at, -inf))
    if place < len(points) and points[place][0] == at:
        return points[place][1]
    if not 0 < place < len(points):
        return None
    (x0, y0), (x1, y1) = points[place - 1 : place + 1]
    return y0 + (y1 - y0) * (at - x0) / (x1 - x0)
