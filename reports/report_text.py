"""The report: the findings as plain text, for pipes, simple terminals and `itermon report`. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import words
from ..analysis.timing.witnesses import WORDS, words_of
from ..events import LETTERS, UNEXPLAINED, EndReason, Witness
from .batch_rows import REASONS, batch_rows
from .evidence import alongside, change_of_level, gpu_phases, has_evidence, strength_of
from .ledger_rows import ledger_rows
from .lines import gap, indented

if TYPE_CHECKING:
    from ..analysis.findings import Cause, Findings, Spike

WIDTH = 78
SLOW_SHOWN = 20
_BATCH_WIDTH = 60


def report(found: Findings, *, title: str = "") -> str:
    """The findings as text of at most 80 columns; `title` names the source."""
    sections = (
        ("", _head(found, title)),
        ("Verdict", _verdict(found)),
        ("Iteration time", _level(found)),
        ("Where the time went", _ledger(found)),
        ("Batch", _batch(found)),
        ("Loss", _loss(found)),
        ("When it is done", _eta(found)),
        ("GPU", _gpus(found)),
        ("Slow iterations", _slow(found)),
        ("Messages", _messages(found)),
        ("Not known", _unknown(found)),
    )
    parts: list[str] = []
    for heading, body in sections:
        lines = [line.rstrip() for line in body]
        if lines:
            parts.append("\n".join([heading, *lines] if heading else lines))
    return "\n\n".join(parts) + "\n"


def _filled(sentence: str, indent: str = " ") -> list[str]:
    return indented(sentence, WIDTH, indent)


def _head(found: Findings, title: str) -> list[str]:
    who = " · ".join(part for part in (found.name or title, found.source_format, found.host) if part)
    head = [who, *_filled(found.recognised, "")]
    p = found.progress
    if p.iteration is None:
        return [*head, "no iteration seen"]
    of = "" if p.max_iterations is None else f" of {p.max_iterations:,}"
    far = "" if p.fraction is None else f" ({words.percent(p.fraction, 1)})"
    parts = [f"iteration {p.iteration:,}{of}{far}", f"{words.plural(p.iterations_seen, 'iteration')} seen"]
    if p.wall_s is not None:
        parts.append(words.rounded_duration(p.wall_s) + _wall_by(found))
    if p.trainings > 1:
        parts.append(words.plural(p.trainings, "training"))
    if p.restarts:
        parts.append(words.plural(p.restarts, "restart"))
    if p.dropped:
        parts.append(f"{words.plural(p.dropped, 'event')} dropped")
    if found.ended:
        parts.append("end unknown" if found.ended == EndReason.UNKNOWN else found.ended)
    return [*head, " · ".join(parts)]


def _wall_by(found: Findings) -> str:
    """What the wall time rests on, where it is no clock on the wall."""
    by = found.progress.wall_witness
    if by is None:
        return " as the sum of the iteration times"
    return f" by {WORDS[by]}" if by in (Witness.ELAPSED, Witness.TOTAL) else ""


def _verdict(found: Findings) -> list[str]:
    v = found.verdict
    lines = [line for said in v.opening or ("too little known for a verdict",) for line in _filled(said)]
    for e in v.evidence:
        lines += _filled(e)
    if v.next_step:
        lines += _filled(f"Next: {v.next_step}")
    for u in v.unknowable:
        lines += _filled(f"Not known: {u}")
    return lines


def _level(found: Findings) -> list[str]:
    level = found.level
    if level.clean_s is None:
        return []
    parts = [f"{words.duration(level.clean_s)} clean"]
    if level.p95_s is not None:
        parts.append(f"p95 {words.duration(level.p95_s)}")
    if level.jitter is not None:
        parts.append(f"jitter {words.percent(level.jitter, 1)}")
    lines = [f" {' · '.join(parts)}, over {words.plural(level.iterations, 'iteration')}"]
    lines += _filled(_rests_on(found))
    if level.warmup_iterations:
        lines.append(f" settled after {words.plural(level.warmup_iterations, 'iteration')}")
    for s in level.shifts:
        levels = f"{words.duration(s.before_s)} became {words.duration(s.after_s)}"
        lines += _filled(f"the level moved at {s.index:,}: {levels} ({change_of_level(s)})")
    return lines


def _rests_on(found: Findings) -> str:
    """The witnesses of the level, and those that contradict it."""
    own, *others = found.level.witnesses
    against = [one for one in found.witnesses if one.agrees is False]
    said = f"by {WORDS[own]}"
    if others:
        said += f", confirmed by {words.listed([WORDS[one] for one in others])}"
    for one in against:
        passed, spent = words.duration(one.seconds), words.duration(one.iterations_s)
        said += f"; contradicted by {words_of(one)}: {passed}, where the iterations add up to {spent}"
    alone = not others and not against and own != Witness.HOOKS
    return f"{said}, without a second witness" if alone else said


def _ledger(found: Findings) -> list[str]:
    return [str(row) for row in ledger_rows(found, WIDTH)]


def _batch(found: Findings) -> list[str]:
    """What is known of it, and why the rest is not."""
    lines: list[str] = []
    for name, value, _ in batch_rows(found):
        if not name:
            lines += indented(value, _BATCH_WIDTH)
        elif value != words.DASH:
            lines.append(f" {name}{gap(name, value, _BATCH_WIDTH)}{value}")
    return lines


def _loss(found: Findings) -> list[str]:
    loss = found.losses
    parts: list[str] = []
    if loss.train is not None:
        parts.append(f"train {words.loss(loss.train)}")
    if loss.validation is not None:
        at = "" if loss.validation_at is None else f" at {loss.validation_at:,}"
        parts.append(f"validation {words.loss(loss.validation)}{at}")
    if loss.best_validation is not None and loss.best_validation_at != loss.validation_at:
        parts.append(f"best {words.loss(loss.best_validation)} at {loss.best_validation_at or 0:,}")
    if loss.not_finite:
        parts.append(f"{loss.not_finite:,} × nan or inf, first at {loss.first_not_finite or 0:,}")
    return [f" {' · '.join(parts)}"] if parts else []


def _eta(found: Findings) -> list[str]:
    eta = found.eta
    if not eta.remaining_s or found.ended:
        return []
    interval = ""
    if eta.low_s is not None and eta.high_s is not None:
        interval = f", between {words.rounded_duration(eta.low_s)} and {words.rounded_duration(eta.high_s)} (90 %)"
    lines = [f" in {words.rounded_duration(eta.remaining_s)}{interval}"]
    if eta.cost_to_go is not None:
        so_far = "" if eta.cost_so_far is None else f", {words.money(eta.cost_so_far)} so far"
        lines.append(f" {words.money(eta.cost_to_go)} to go{so_far}")
    for sentence in (f"it stands still: {eta.frozen}" if eta.frozen else "", eta.note):
        lines += _filled(sentence) if sentence else []
    for s in eta.schedules:
        every = "" if s.interval is None else f" every {s.interval:,}"
        lines += _filled(f"{s.kind}{every}: {words.duration(s.mean_s)} each, {s.seen:,} seen ({s.origin})")
    return lines


def _gpus(found: Findings) -> list[str]:
    lines: list[str] = []
    for gpu in found.gpus:
        parts = [
            f"{words.count(gpu.power_w)} / {words.count(gpu.power_limit_w)} W",
            f"{words.memory(gpu.memory_used_bytes)} of {words.memory(gpu.memory_total_bytes)}",
            f"{words.percent(gpu.utilization, 0)} busy",
            f"limits: {', '.join(gpu.limits) if gpu.limits else words.DASH if gpu.limits is None else 'none'}",
        ]
        lines += _filled(f"{gpu.name or 'GPU'} {gpu.gpu}: {gpu.lost or ' · '.join(parts)}")
    return lines


def _slow(found: Findings) -> list[str]:
    slow = found.spikes
    if not slow:
        return []
    lines = [line for spike in slow[-SLOW_SHOWN:] for line in _spike(spike)]
    most = max(spike.averaged_over for spike in slow[-SLOW_SHOWN:])
    if most > 1:
        lines.insert(0, f" the log gives means: each is all of the iterations up to it, {most:,} at most")
    if len(slow) > SLOW_SHOWN:
        lines.insert(0, f" the newest {SLOW_SHOWN} of {len(slow):,}; --json lists them all")
    return lines


def _spike(spike: Spike) -> list[str]:
    letters = "".join(LETTERS.get(c.kind, "") for c in spike.causes)[:3]
    head = f" {spike.index:>9,} {letters:<3} {words.duration(spike.duration_s):>9}  "
    parts = [_cause(cause) for cause in spike.causes]
    if spike.gpu_phases:
        parts.append(gpu_phases(spike.gpu_phases))
    if spike.alongside:
        parts.append(alongside(spike.alongside))
    lines = [line for part in parts for line in _filled(part, " " * len(head))]
    return [head + lines[0].lstrip(), *lines[1:]] if lines else [head]


def _cause(cause: Cause) -> str:
    """`+5.73 s checkpoint (the log says it): saved to out/ckpt.pt`"""
    said = f"+{words.duration(cause.seconds)} {cause.kind}"
    if cause.kind == UNEXPLAINED and not has_evidence(cause):
        return said
    return f"{said} ({strength_of(cause)})" + (f": {cause.evidence}" if has_evidence(cause) else "")


def _messages(found: Findings) -> list[str]:
    lines: list[str] = []
    for m in found.messages:
        times = f" ({words.plural(m.count, 'time')})" if m.count > 1 else ""
        where = f"line {m.line:,}: " if m.line else ""
        lines += _filled(f"{m.level}: {where}{m.text}{times}")
    return lines


def _unknown(found: Findings) -> list[str]:
    """Each reason once, with what it is a reason for; the batch has shown its own."""
    reasons: dict[str, list[str]] = {}
    for path, why in sorted(found.unknown.items()):
        if path not in REASONS:
            reasons.setdefault(why, []).append(path.rpartition(".")[2].replace("_", " "))
    return [line for why, names in reasons.items() for line in _filled(f"{', '.join(names)}: {why}")]
