"""What a report says of a run, section by section: whole sentences, which text, Markdown and HTML lay out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from ..analysis.timing.alike import LEFT_OUT_OF, NEWEST, SEVERAL
from ..analysis.timing.witnesses import WORDS, words_of
from ..events import CHECKPOINT, EVALUATION, UNEXPLAINED, EndReason, Witness
from . import evidence
from .rows.batch import REASONS
from .rows.ledger import stops_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.findings import Cause, Findings, Level, PrintedEta, Progress, Spike

_SEVERAL = "several trainings at the same time"


def who(found: Findings, title: str) -> str:
    """`gpt2-xl · nanoGPT log · gpu-box-1`: the run (or the `title` of its source), its format, its machine."""
    return " · ".join(part for part in (found.name or title, found.source_format, found.host) if part)


def how_far(found: Findings) -> str:
    """Iterations, the time that they took, and how the run ended."""
    p = found.progress
    if p.iteration is None:
        return "no iteration seen"
    of = "" if p.max_iterations is None else f"{', the last' * p.ends_from_0} of {p.max_iterations:,}"
    far = "" if p.fraction is None else f" ({words.percent(p.fraction, 1)})"
    least = " at least" if p.at_least else ""
    whose = f"of [{p.tag}] alone: " if p.tag else ""
    parts = [f"{whose}{p.unit} {p.iteration:,}{least}{of}{far}", _how_many(found)]
    if p.other.against:
        parts = [f"{p.unit} not known: {p.other.against}", f"{words.plural(p.rows, 'row')} read"]
    elif p.counts_rows:
        least = "at least " * found.uncounted  # of several trainings' rows some may be left out
        parts = [f"{least}{words.plural(p.rows, 'row')}, numbered by itermon and called iterations here"]
    if p.wall_s is not None:
        parts.append(evidence.wall(found, p.wall_s))
    parts += ([_SEVERAL] * (not p.other.against)) if found.uncounted else _starts(found)
    parts += _without_iterations(p)
    if p.dropped:
        parts.append(f"{words.plural(p.dropped, 'event')} dropped")
    if found.ended:
        parts.append("end unknown" if found.ended == EndReason.UNKNOWN else found.ended)
    return " · ".join(parts)


def _without_iterations(p: Progress) -> list[str]:
    """Launches that came to none, at least: another script begins with other lines.

    Where those and the trainings are not all launches, it is open which came to one.
    """
    if not p.launches_without_iterations:
        return []
    if (p.launches or 0) > p.trainings + p.restarts + p.launches_without_iterations:
        return [f"at least {words.plural(p.launches or 0, 'launch', 'launches')}"]
    without = words.plural(p.launches_without_iterations, "launch", "launches")
    return [f"at least {without} without an iteration"]


def _starts(found: Findings) -> list[str]:
    """Trainings and restarts; without a second witness, of a script that nobody described, what was counted."""
    p = found.progress
    if found.starts_known:
        least = "" if p.starts_seen else "at least "  # one that failed before its first row may be missing
        trainings = [least + words.plural(p.trainings, "training")] if p.trainings > 1 else []
        told = (p.starts_told or 0) - (p.launches_without_iterations or 0)
        hidden = "at least " if told > p.trainings + p.restarts else ""  # some go on from where another ended
        return [*trainings, hidden + words.plural(p.restarts, "restart")] if p.restarts else trainings
    if p.falls:
        return ["its counter goes back"]
    if not p.begun_again:
        return []
    twice = "one " + p.unit + " stands" if p.starts_level == 1 else f"{words.plural(p.starts_level, p.unit)} stand"
    return ["how often it began is not certain" if p.counts_rows else f"{twice} twice"]


def _how_many(found: Findings) -> str:
    """The others passed, in a log of every tenth iteration: how many did is not clear where its starts are not."""
    p = found.progress
    if found.uncounted or not found.starts_known:  # and some that came again are one
        return f"at least {words.plural(p.rows, 'row')} in the whole log"
    if found.undescribed and p.rows != p.iterations_seen:
        return words.plural(p.rows, "row")
    all_of_them = f"{'at least ' if p.at_least else ''}{words.plural(p.iterations_seen, p.unit)}"
    if 0 < p.rows < p.iterations_seen and not found.level.of_windows:
        missing = f", {p.iterations_unseen:,} of them in none of the {p.rows:,} rows of the log"
        return all_of_them + (missing if evidence.are_cut_out(found) else f" in {words.plural(p.rows, 'row')}")
    return f"{all_of_them}, called iterations here" if p.unit != "iteration" else f"{all_of_them} seen"


def verdict(found: Findings) -> list[str]:
    """How it ended, what it is, the evidence, what to do next, what cannot be known."""
    v = found.verdict
    said = [*(v.opening or ("too little known for a verdict",)), *v.evidence]
    if v.next_step:
        said.append(f"Next: {v.next_step}")
    return [*said, *(f"Not known: {u}" for u in v.unknowable)]


def level(found: Findings) -> list[str]:
    """The usual time, what it rests on, and where it moved."""
    level = found.level
    if level.clean_s is None:
        return []
    mixed = found.undescribed or level.evaluates  # by a stranger's lines, or with an evaluation in each: not clean
    per = f" per {found.progress.called}," if level.averaged_over > 1 else ""  # a row's own time is longer
    usual = f" usual{per} from row to row" if found.row_to_row else " usual" if mixed else " clean"
    parts = [f"{words.duration(level.clean_s)}{', the only time' if level.iterations == 1 else usual}"]
    if level.p95_s is not None:
        slow = f" without {words.plural(level.p95_without, 'slow one')}" if level.p95_without else ""
        parts.append(f"p95 {words.duration(level.p95_s)}{slow}")
    if found.jitter is not None:
        parts.append(f"jitter {words.percent(found.jitter, 1)}")
    several = found.progress.trainings > 1
    if level.between is not None:
        return [_no_one_level(level), _rests_on(found)]
    newest = f" of training {found.progress.trainings}, the newest" if several else ""
    if not found.starts_known:
        newest = " of those since its counter last went back" if found.progress.falls else ""
    crept = (level.crept and not (level.shifts or found.row_to_row)) or found.rests_on_few
    rarely = level.averaged_over == 1 and 2 * found.progress.iterations_unseen > found.progress.iterations_seen
    # Of ten iterations one row has the time of the last, or the mean of all: its format may not say which.
    sparse = level.averaged_over == 1 and found.progress.iterations_seen > 2 * found.progress.rows > 0
    each = "row" if sparse else found.progress.called if level.averaged_over == 1 else "iteration"
    of_rows = each == "iteration" and (found.undescribed or rarely)
    rows = level.rests_on("row" if of_rows else each)
    crept = crept or level.drifted is not None  # the level of long ago is another one
    said = [f"{' · '.join(parts)}, over {'the newest ' * crept}{rows}{newest}", _rests_on(found)]
    if level.warmup_iterations and level.averaged_over == 1:  # a mean does not say which of its iterations
        said.append(f"settled after {words.plural(level.warmup_iterations, each)}")
    if level.creeps:
        return [*said, _crept(level)]
    said += [] if found.row_to_row else evidence.drifted(level)
    for s in level.shifts:
        levels = f"{words.duration(s.before_s)} became {words.duration(s.after_s)}"
        of = f" of training {found.progress.trainings}" if several and found.starts_known else ""
        about = "about " * (level.averaged_over > 1)  # a row is the mean of iterations on both sides of it
        said.append(f"the level moved at {about}{s.index:,}{of}: {levels} ({evidence.change_of_level(s)})")
    return said


def _no_one_level(level: Level) -> str:
    least_s, most_s, count = level.between or (0.0, 0.0, 0)
    means = f" means{level.averaged}" if level.averaged_over > 1 else ""
    low, high = words.duration(least_s), words.duration(most_s)
    most = "nine in ten" if count >= LEFT_OUT_OF else "all but two" if count >= SEVERAL else "all"
    rows = f"the newest {count:,}{means}" if count >= NEWEST else f"{count} of the newest{means or ' rows'}"
    if level.mostly_s is not None:
        return f"most take about {words.duration(level.mostly_s)}, {most} of {rows} from {low} to {high}"
    said = f"from {low} to {high} ({most} of {rows})"
    if level.half is None:
        return said
    first, last = map(words.duration, level.half)
    return f"{said}, half of them {f'from {first} to' if first != last else 'about'} {last}"


def _crept(level: Level) -> str:
    first, last = level.shifts[0], level.shifts[-1]
    levels = f"from {words.duration(first.before_s)} before {first.index:,} to {words.duration(last.after_s)}"
    return f"the level crept {levels} from {last.index:,} on, in {len(level.shifts):,} small steps"


def index_of(spike: Spike) -> str:
    """`2,950`; of a source with several trainings `training 3: 2,950`."""
    return f"{spike.index:,}" if spike.training is None else f"training {spike.training}: {spike.index:,}"


USUAL = ("usual", "only time", "from", "to")
"""The names of figures that say how long an iteration takes."""


def level_figures(found: Findings) -> list[tuple[str, str]]:
    """The usual time and how much it wavers, each with its name; `~` marks what has one witness.

    Where no one time is usual, the range that they lie in. How much times from row to row waver says nothing of
    iterations.
    """
    level = found.level
    if level.clean_s is None:
        return []
    about = "~" if level.is_alone else ""
    if level.between is not None:
        least_s, most_s, _ = level.between
        return [("from", f"{about}{words.duration(least_s)}"), ("to", f"{about}{words.duration(most_s)}")]
    figures = [("only time" if level.iterations == 1 else "usual", f"{about}{words.duration(level.clean_s)}")]
    if level.p95_s is not None:
        below = "usual p95" if level.p95_without else "95 % below"
        figures.append((below, words.duration(level.p95_s)))
    if found.jitter is not None:
        figures.append(("jitter", words.percent(found.jitter, 1)))
    return figures


def _rests_on(found: Findings) -> str:
    """The witnesses of the level, and those that contradict it."""
    own, *others = found.level.witnesses
    against = [found.contradiction] if found.contradiction else []
    said = f"by {WORDS[own]}"
    if others:
        said += f", confirmed by {words.listed([WORDS[one] for one in others])}"
    for one in against:
        passed, spent = words.duration(one.seconds), words.duration(one.iterations_s)
        said += f"; contradicted by {words_of(one)}: {passed}, where the iterations add up to {spent}"
    alone = not others and not against and own != Witness.HOOKS
    else_by_clock = found.level.apart_s is not None and found.level.apart_by == Witness.ELAPSED and not against
    return said + evidence.alone(found.level) if alone or else_by_clock else said


def loss(found: Findings) -> list[str]:
    """The newest and the best losses, in one sentence."""
    loss = found.losses
    parts: list[str] = []
    if loss.train is not None:
        zeros = ", as in each row" if loss.zeros and not loss.not_finite else ""
        parts.append(f"{loss.called} {words.loss(loss.train)}{_at(loss.train_at)}{zeros}")
    if loss.validation is not None:
        parts.append(f"{loss.validation_called} {words.loss(loss.validation)}{_at(loss.validation_at)}")
    of_rows = found.progress.counts_rows and loss.best_validation != loss.validation
    if loss.best_validation is not None and (of_rows or loss.best_validation_at != loss.validation_at):
        of = " of this training" if found.progress.trainings > 1 else ""
        first, again = loss.best_validation_at, loss.best_validation_again
        known = first is not None and again is not None
        at = f" first at {first:,}, last at {again:,}" if known else _at(first)
        earlier = ", before the newest restart" if loss.best_is_earlier and found.progress.restarts else ""
        parts.append(f"best{of} {words.loss(loss.best_validation)}{at}{earlier}")
    if loss.not_finite:
        parts.append(f"{loss.not_finite:,} × nan or inf, first at {loss.first_not_finite or 0:,}")
    if loss.not_finite_earlier:
        parts.append(f"{loss.not_finite_earlier:,} × nan or inf in earlier trainings")
    return [" · ".join(parts)] if parts else []


def _at(iteration: int | None) -> str:
    return "" if iteration is None else f" at {iteration:,}"


def stops(found: Findings) -> list[str]:
    """How many evaluations and checkpoints the source tells of, also where it says nothing of their time.

    How many lines one of them makes nobody knows of a script that nobody described. Of a log that is half read
    nobody knows what is saved.
    """
    if found.half_read:
        return []
    p = found.progress
    counts = {EVALUATION: p.evaluations, CHECKPOINT: p.checkpoints}
    unsure = found.undescribed or p.other.lines or p.at_least  # the end of a training is said once more
    least = {kind: "at least " * (kind in p.unsure) for kind in counts}
    told = {kind: f"{kind}s" if unsure else least[kind] + words.plural(n, kind) for kind, n in counts.items() if n}
    told |= {kind: f"{told[kind]} (of unknown time)" for kind in stops_beside(found)}
    return [f"told of: {words.listed([*told.values()])}"] if told else []


def printed_eta(printed: PrintedEta) -> str:
    """What the log says is left: that it agrees, or why it may not."""
    says = f"the log says {words.rounded_duration(printed.remaining_s)}"
    return f"{says}: it agrees" if printed.agrees else f"{says}: {printed.why}"


def eta(found: Findings) -> list[str]:
    """When it is done, what it costs until then, and what comes back at which cost; nothing of what has ended."""
    eta = found.eta
    if not eta.remaining_s or found.ended:
        return []
    interval = ""
    if eta.low_s is not None and eta.high_s is not None:
        interval = f", between {words.rounded_duration(eta.low_s)} and {words.rounded_duration(eta.high_s)} (90 %)"
    runs = "if it still runs: " if found.ending is not None else ""  # a file was read that nobody may write
    said = [f"{runs}in {words.rounded_duration(eta.remaining_s)}{interval}"]
    if eta.cost_to_go is not None:
        so_far = "" if eta.cost_so_far is None else f", {words.money(eta.cost_so_far)} so far"
        said.append(f"{words.money(eta.cost_to_go)} to go{so_far}")
    said += [f"it stands still: {eta.frozen}"] if eta.frozen else []
    said += [eta.note] if eta.note else []
    said += [printed_eta(eta.printed)] if eta.printed and eta.printed.agrees is not None else []
    for s in eta.schedules:
        every = "" if s.interval is None else f" every {s.interval:,}"
        said.append(f"{s.kind}{every}: {words.duration(s.mean_s)} each, {s.seen:,} seen ({s.origin})")
    return said


def gpus(found: Findings) -> list[str]:
    """A sentence a GPU: power, memory, use, and what holds its clock down."""
    said: list[str] = []
    for gpu in found.gpus:
        parts = [
            f"{words.count(gpu.power_w)} / {words.count(gpu.power_limit_w)} W",
            f"{words.memory(gpu.memory_used_bytes)} of {words.memory(gpu.memory_total_bytes)}",
            f"{words.percent(gpu.utilization, 0)} busy",
            f"limited by {words.DASH if gpu.limits is None else ', '.join(gpu.limits) or 'nothing'}",
        ]
        said.append(f"{gpu.name or 'GPU'} {gpu.gpu}: {gpu.lost or ' · '.join(parts)}")
    return said


def slowest(found: Findings, most: int) -> list[Spike]:
    """Those of the slow iterations that lost the most, in their order."""
    lost = sorted(found.spikes, key=lambda spike: spike.clean_s - spike.duration_s)[:most]
    return sorted(lost, key=lambda spike: spike.position)


def means(found: Findings, slow: Sequence[Spike]) -> list[str]:
    """That a time is that of several iterations, where it is, not of how many; and what "unexplained" is."""
    return evidence.of_several(found, slow) + evidence.of_unexplained(slow)


def of_spike(spike: Spike) -> list[str]:
    """Each cause of a slow iteration, then what GPU and machine did in its seconds."""
    said = [of_cause(cause) for cause in spike.causes]
    if spike.place:
        said.append(evidence.place(spike))
    if spike.gpu_phases:
        said.append(evidence.gpu_phases(spike.gpu_phases))
    if spike.alongside:
        said.append(evidence.alongside(spike.alongside))
    return said


def of_cause(cause: Cause) -> str:
    """`+5.73 s checkpoint (a line tells of it): saved to out/ckpt.pt`"""
    said = f"{evidence.lost(cause)} {cause.kind}".lstrip()
    if not (more := evidence.has_evidence(cause)) and cause.kind == UNEXPLAINED:
        return said + evidence.near(cause)
    return f"{said} ({evidence.strength_of(cause)}){f': {cause.evidence}' if more else ''}"


def messages(found: Findings) -> list[str]:
    """Each message of the run, with how often it came and where it stands."""
    said: list[str] = []
    for m in found.messages:
        times = f" ({words.plural(m.count, 'time')})" if m.count > 1 else ""
        where = f"line {m.line:,}: " if m.line else ""
        said.append(f"{m.level}: {where}{m.text}{times}")
    return said


def unknown(found: Findings) -> list[str]:
    """Each reason once, with what it is a reason for; the batch says its own."""
    reasons: dict[str, list[str]] = {}
    for path, why in sorted(found.unknown.items()):
        if path not in REASONS:
            reasons.setdefault(why, []).append(path.rpartition(".")[2].replace("_", " "))
    return [f"{', '.join(names)}: {why}" for why, names in reasons.items()]
