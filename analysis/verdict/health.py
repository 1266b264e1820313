"""The verdict on a run without troubles, and on one of which little is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CAUSES, GAP, PAUSE, UNEXPLAINED, Witness
from ...words import duration, listed, percent, plural, si, three_digits, times, with_article
from ..gpus.limits import POWER
from . import sentences as say
from .diagnosis import Diagnosis
from .endings import last_warning
from .facts import REACHABLE_MFU
from .sentences import USE_HOOKS

if TYPE_CHECKING:
    from .facts import Facts

UNKNOWN = (UNEXPLAINED, GAP)
"""Causes that are none: nothing says why."""

MUCH_UNKNOWN = 0.005
"""A share of the wall time that is worth a word."""

NO_ACTION = "No action needed."

HALF_READ = "Where its time went is not known"

FEWEST = 12
"""Iterations before there is a verdict: the median of fewer changes with every one."""

FEWEST_PRINTED = 5
"""... unless the log prints so rarely that these few stand for this many:"""

FEWEST_PASSED = 100

GOOD_FLOOR = 2.9
"""Up to this many times the floor (35 % MFU) the GPU mostly computes; 1.3 to 2.5 is what people reach."""


def too_early(f: Facts) -> Diagnosis | None:
    """Not enough iterations, or the level has not settled."""
    seen, progress = f.findings.level.iterations, f.findings.progress
    total = progress.newest_seen if f.several else progress.iterations_seen
    passed = (progress.iteration or 0) - (progress.first_iteration or 0)
    enough = seen >= FEWEST or (seen >= FEWEST_PRINTED and passed >= FEWEST_PASSED)
    if enough and (f.clean_s is not None or f.findings.contradicted):
        return None
    if not seen and (total >= FEWEST or (total and f.over and progress.wall_s is None)):
        return Diagnosis("too-little-known", _no_times(f), (), _get_times(f), healthy=None)
    rare = passed >= FEWEST_PASSED  # a line an epoch, or every hundredth: few lines of many iterations
    if f.over:
        return Diagnosis(
            "too-little-known",
            _too_few(f, total, rare=rare) if total else "No iteration found.",
            (),
            "" if total or f.findings.source_format else _DESCRIBE,
            healthy=None,
        )
    warming = "Few lines so far" if rare else "Warming up"
    needed = FEWEST_PRINTED if rare else FEWEST
    return Diagnosis(
        "warming-up",
        f"{warming}: too early to say." if total else "No iteration seen yet.",
        (f"{plural(seen, 'normal iteration')} so far; {needed} are needed.",) if total else last_warning(f),
        _what_to_wait_for(f, rare=rare),
        healthy=None,
    )


def _too_few(f: Facts, total: int, *, rare: bool) -> str:
    """Of a run that is over; of several trainings it is of the newest that its speed would be said."""
    progress = f.findings.progress
    few_rows = 0 < progress.rows < total and total >= FEWEST and not (f.several or rare)
    printed = f.several and f.findings.undescribed and total == 1  # between its rows others may have passed
    of_rows = progress.counts_rows or few_rows or printed
    count = plural(progress.rows if few_rows else total, "row" if of_rows else "iteration")
    times = " times" if rare else ""
    level = f.findings.level
    if not f.several and total >= FEWEST > level.iterations and level.by_clock:
        stretches = level.averaged_over > 1 or level.averaged_unlike
        of = f"stretches of {level.several_each}" if stretches else f"of {count}"
        return f"Too few times{'' if stretches else ' are alike'} to judge its speed: {level.iterations} {of}."
    if f.several:
        over = f.findings.ending
        rows = " with a row" if over is not None and over.begun_line is not None else ""
        if not f.findings.starts_known:
            since = "its counter last went back" if progress.falls else "it last began"
            return f"Too few{times} to judge its speed: {count} since {since}."
        return f"The newest training{rows} has {count}: too few{times} to judge its speed."
    if f.findings.ended and f.findings.undescribed:
        return f"Too few{times} to judge its speed: {count} that itermon can read."
    if f.findings.ended:
        return f"Ended after {count}: too few{times} to judge its speed."
    return f"Too few {'times' if rare else 'lines'} to judge its speed."


_DESCRIBE = "If these lines are iterations, describe them: itermon formats new NAME."


def _what_to_wait_for(f: Facts, *, rare: bool) -> str:
    if rare:
        return "Wait: this log prints rarely."
    if f.hooked and not f.findings.progress.iterations_seen:
        return "Wait for the first iteration. If none comes, call hooks.iteration(i, loss=loss) in the loop."
    if not f.findings.source_format and not f.findings.progress.iterations_seen and not f.hooked:
        return f"Wait: a training often prints other lines first. {_DESCRIBE}"
    return "Wait: the first iterations compile, fill caches and often evaluate."


def power_capped(f: Facts) -> Diagnosis | None:
    """The power limit holds the clock well below its highest: the normal state of a GPU that works hard."""
    clock = f.load.clock_share
    capped = clock is not None and clock < 0.85 and f.busy and f.load.limits.get("power cap", 0.0) >= 0.5
    if not capped or clock is None:
        return _power_limited(f)
    return Diagnosis(
        "power-capped",
        "Healthy: the GPU works at its power limit.",
        say.evidence(
            f,
            say.power(f),
            f"its clock runs at {percent(clock)} of the highest",
            say.speed(f),
            say.data(f),
            say.steadiness(f),
        ),
        f"No action needed. A higher power limit makes it at most {times(f.gain(1 / clock))} faster.",
        healthy=True,
        gain=(1.0, 1 / clock),
    )


def _power_limited(f: Facts) -> Diagnosis | None:
    """Less of it, or by the samples of the whole run: worth the headline where nothing is known of the floor."""
    use = f.findings.gpu_use
    if use is None or use.limited_by != POWER or f.audit.times_floor is not None:
        return None
    clock = min(one.share for one in use.clocks)
    return Diagnosis(
        "power-capped",
        f"Healthy: the GPUs work at their power limit, at {percent(clock)} of their clock.",
        say.evidence(f, say.spread(f), say.data(f), say.where(f)),
        f"No action needed. A higher power limit makes it at most {times(f.gain(1 / clock))} faster.",
        healthy=True,
        gain=(1.0, 1 / clock),
    )


def compute_bound(f: Facts) -> Diagnosis | None:
    """Near enough to the floor that most of the time must be arithmetic."""
    distance = f.audit.times_floor
    if distance is None or distance > GOOD_FLOOR or f.idle:
        return None
    not_data = (
        f.busy
        or (f.data_demand is not None and f.data_demand < 0.1)
        or (f.data_wait is not None and f.data_wait < 0.02)
    )
    return Diagnosis(
        "compute-bound",
        f"Healthy. {percent(f.audit.mfu)} MFU{_keeps_up(f) if not_data else ''}.",
        say.evidence(f, say.speed(f), say.power(f), say.data(f), say.steadiness(f), say.where(f)),
        _advice(f),
        healthy=True,
        gain=_reachable(f),
    )


def _keeps_up(f: Facts) -> str:
    """That the data is there in time, and how much it is where that is known."""
    rate = f.audit.data_bytes_per_s
    return f"; data keeps up ({si(rate, 'B/s')})" if rate else "; data keeps up"


def _reachable(f: Facts) -> tuple[float, float] | None:
    """From nothing to what tuned code reaches, and no stops."""
    if f.audit.mfu is None:
        return None
    return 1.0, max(1.0, REACHABLE_MFU / f.audit.mfu) / (1 - (f.stop_share or 0.0))


def _spare(f: Facts) -> str:
    if f.lost and f.lost[0].cause in UNKNOWN and f.lost[0].share >= MUCH_UNKNOWN:
        return f"{say.what_tells(f)}."
    if f.stop_share is None or f.stop_share < 0.005:
        return ""
    return say.half_as_often(f)


def _advice(f: Facts) -> str:
    """What physics leaves in the iteration, what is likely of it, and what the stops cost."""
    distance, mfu, spare = f.audit.times_floor, f.audit.mfu, _spare(f)
    if distance is None or mfu is None:
        return spare or NO_ACTION
    likely = REACHABLE_MFU / mfu
    if likely > 1.01:
        return f"At most {times(distance)} faster; {times(likely)} is realistic (60 % MFU). {spare}".rstrip()
    if not spare:
        return f"No action needed: at most {times(distance)} faster in theory, and this MFU is already high."
    only = CAUSES[f.costliest[0]].many if f.stop_share else ""
    return f"Only {only} can still be cut. {spare}" if only else spare


def inefficient(f: Facts) -> Diagnosis | None:
    """Far from the floor, and nothing that was looked at explains it."""
    distance = f.audit.times_floor
    if distance is None or f.audit.mfu is None:
        return None
    room = f.load.memory_share is not None and f.load.memory_share < 0.7
    busy = ", although the GPU is always busy" if f.busy else ""
    waits = "itermon stack PID shows for what" if f.hooked else f"{USE_HOOKS} to see for what"
    why = {
        True: "Profile ten iterations: small matrices, memory-bound kernels or a slow attention.",
        False: f"The GPU often waits. {waits[:1].upper()}{waits[1:]}.",
        None: "Profile ten iterations: nothing here shows whether the GPU works or waits.",
    }[f.busy]
    free = percent(1 - (f.load.memory_share or 0))
    batch = f" {free} of its memory is free: try a larger micro-batch." if room else ""
    return Diagnosis(
        "low-mfu",
        f"Slow for this GPU: {percent(f.audit.mfu)} MFU{busy}.",
        say.evidence(f, say.speed(f), say.power(f), say.data(f), say.steadiness(f)),
        f"{why}{batch} At most {times(f.limit or distance)} faster.",
        healthy=None,
        gain=(1.0, REACHABLE_MFU / f.audit.mfu),
    )


def wrong_denominator(f: Facts) -> Diagnosis | None:
    """More than 100 % of a peak that is not this GPU's, and the GPU is not known."""
    logged = f.audit.logged_mfu
    if logged is None or logged <= 1.0:
        return None
    peak = f.audit.logged_peak_of
    whose = with_article(peak) if peak else "another GPU"
    data = "; data keeps up" if f.data_demand is not None and f.data_demand < 0.1 else ""
    return Diagnosis(
        "wrong-mfu-denominator",
        f"The log's {percent(logged)} MFU is wrong: it assumes {whose}{data}.",
        say.evidence(f, say.speed(f), say.fits(f), say.data(f), say.steadiness(f), say.where(f)),
        'Give the GPU with --gpu-name "NVIDIA H200"; then the right MFU is shown.',
        healthy=True if f.flat else None,
    )


_FOR_THE_FLOOR = (("--gpu-name", "peak_flops"), ("--config", "flops_per_iteration"))
"""What would make more known of a run on a GPU, and the figure of the audit that it gives."""


def _cores(f: Facts) -> str:
    """What is left to a run on the CPU: the cores that it does not use. What takes its time may be no model."""
    used, cores = f.load.trainer_cpu, f.findings.machine.machine_cores if f.findings.machine else None
    if used is None or cores is None or used > 0.75 * cores:
        return "It trains on the CPU: a GPU may make it faster, if the model takes most of the time."
    return f"It trains on the CPU and uses {three_digits(used)} of {plural(cores, 'core')}: try more threads."


def _no_times(f: Facts) -> str:
    """That no time was found: where a rate of tokens is printed, that is the speed."""
    if f.findings.level.scattered:
        return "Its iteration times differ too much to tell a usual one."
    if f.findings.level.partly:
        return "Only some iterations have a time that itermon can read: what the others take is not known."
    if f.findings.progress.hidden_stops and f.findings.ledger:
        return "The times of its rows hold evaluations or checkpoints: what an iteration takes is not known."
    rate = f.findings.throughput.logged_tokens_per_s
    known = f"the log prints {si(rate)} tokens/s" if rate else _mean_of_all(f) or "the speed is not known"
    if f.findings.progress.rows == 1:
        return f"There is one row, so that nobody knows what an iteration takes; {known}."
    if f.several and f.findings.progress.wall_witness == Witness.STAMPS:  # whose rows may have stamps, too
        return f"The newest training has too few rows with a time to tell what one takes; {known}."
    of = " of the newest training" if f.several else ""
    return f"No iteration{of} has a time that itermon can read; {known}."


def _mean_of_all(f: Facts) -> str:
    """What the whole run makes of one: in it is also what passed beside the iterations."""
    mean_s = f.findings.progress.mean_s
    said = "on average of the whole run, evaluations and saves in it, one took"
    return f"{said} {duration(mean_s)}" if mean_s else ""


def _get_times(f: Facts) -> str:
    if f.hooked:
        return "Call hooks.begin() before the loop and hooks.iteration() in each iteration."
    if f.over:
        return "Use itermon's hooks next time: they time each iteration."
    return "Watch it while it trains: itermon then times the lines as they come. Or use itermon's hooks."


def _tell(f: Facts) -> str:
    if f.on_cpu:
        return _cores(f)
    wanted = [flag for flag, known in _FOR_THE_FLOOR if getattr(f.audit, known) is None]
    return f"Give {listed(wanted)} to see how fast it could be." if wanted else NO_ACTION


def little_known(f: Facts) -> Diagnosis:
    """Times alone: they can be steady or not."""
    unknown = f.findings.half_read or (f.findings.contradicted and not f.clean_s)
    else_by_clock = f.findings.level.shows_little
    headline = HALF_READ if unknown else say.ELSE_BY_CLOCK if else_by_clock else _steadiness(f)
    lost = f.lost_or_unexplained
    most = lost[0] if f.lost and lost[0] == f.lost[0] and lost[0].share >= MUCH_UNKNOWN else None
    if most:
        took = say.takes(f, most.cause)
        of_all = "of all trainings, " if f.several and most.cause != PAUSE else ""
        headline += f"; {of_all}{took[:1].lower()}{took[1:]}"
    return Diagnosis(
        "too-little-known",
        f"{headline}.",
        say.evidence(f, say.spread(f), say.speed(f), say.fits(f), say.data(f), say.where(f)),
        _spare(f) or _tell(f),
        healthy=True if f.flat and not else_by_clock else None,
    )


def _steadiness(f: Facts) -> str:
    """How alike the times are; of several trainings those of the newest, which the level is of."""
    if f.flat is None:
        few = f.findings.level.iterations < FEWEST
        return "Running" if not f.clean_s else "Too few times to tell how steady they are" if few else _coarse(f)
    if f.findings.unlike_rows:
        return "Its rows stand for different numbers of iterations"
    if f.findings.row_to_row:
        most = f.mostly_flat and not f.flat
        return f"{'Most times' if most else 'Times'} from row to row {'are alike' if f.mostly_flat else 'vary'}"
    if f.several and f.flat:
        return "The newest training is steady"
    if not f.flat:
        these = "times of the newest training" if f.several else "iteration times"
        return f"Most {these} are alike" if f.mostly_flat else f"{these.capitalize()} vary"
    return f"{say.sentence(say.times_of(f))[:-1]} are steady{say.since(f)}"


def _coarse(f: Facts) -> str:
    """Why nobody can tell how alike the times are: what they are read from hides it."""
    level = f.findings.level
    if level.of_unlike_stretches:
        return f"Times are read over stretches{level.averaged}, which hide how much single ones differ"
    if not level.witnesses or level.by_clock:
        return "Most iterations differ by less than the log's clock tells"
    if level.averaged_over > 1:
        return f"The log gives only means of {plural(level.averaged_over, 'iteration')}"
    return "The printed times have too few digits to tell how much iterations differ"


HEALTH = (power_capped, compute_bound, inefficient, wrong_denominator, little_known)
"""Strongest first; `little_known` always holds."""
