"""What a comparison says in sentences: the speed, why, and what must not be concluded."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...words import duration, listed, loss, percent, plural, si, times
from ..audit.peaks import excluded
from ..audit.work import ONE_GPU

if TYPE_CHECKING:
    from ..findings import Findings
    from .comparison import Comparison

SAME = 0.005
"""Ratios within this of 1 are called equal."""

EITHER = "either run"

PART = 0.5
"""What explains less of a difference than this is not the reason for it."""

NAMED = 4
"""GPUs that a sentence names, the fastest of those ruled out."""


def sentences(c: Comparison, a: Findings, b: Findings) -> Comparison:
    """`c` with its headline, its sentences and what it cannot know."""
    out = _impossible(a, b)
    said = (_iterations(c), _work(c, a, b), _mfu(c), _micro_steps(c), _steps(c), _loss(c), _gpus(c, out))
    return replace(
        c,
        headline=_speed(c, a, b),
        sentences=tuple(s for s in said if s),
        unknowable=_unknowable(c, a, b),
        impossible_gpus=out,
    )


def more(ratio: float, noun: str, *, more_word: str = "more", less_word: str = "fewer") -> str:
    """`58 % fewer tokens/s`, `as many tokens/s`, `2.39 × the time`"""
    if abs(ratio - 1) <= SAME:
        return f"the same {noun}"
    if ratio >= 2:
        return f"{times(ratio)} the {noun}"
    digits = 0 if ratio > 0.01 else 2  # 99.88 % fewer are not all of them
    return f"{abs(ratio - 1) * 100:.{digits}f} % {more_word if ratio > 1 else less_word} {noun}"


def _who(a: object, b: object) -> str:
    """For which of the runs it was not found."""
    return EITHER if a is None and b is None else "the first run" if a is None else "the second run"


def _speed(c: Comparison, a: Findings, b: Findings) -> str:
    speed, work = c.tokens_per_s, c.flops_per_token
    if speed is None:
        if c.iteration_s is None:
            who = _who(a.level.clean_s, b.level.clean_s)
            return f"The speeds cannot be compared: no iteration times were found for {who}."
        return f"An iteration takes {times(c.iteration_s.ratio)} as long; tokens are not known."
    same = _same_speed(c)
    because = ""
    if work is not None and abs(work.ratio - 1) > SAME:
        because = f", {_joint(1.0 if same else speed.ratio, work.ratio)} the FLOPs a token"
    text = f"{same or more(speed.ratio, 'tokens/s')}{because}."
    return text[0].upper() + text[1:]


def _same_speed(c: Comparison) -> str:
    """That the timings show no difference, where they do not; "" otherwise."""
    interval, tokens = c.iteration_interval, c.tokens_per_iteration
    unclear = interval is not None and not interval.clear and tokens is not None and tokens.a == tokens.b
    if not unclear or c.tokens_per_s is None or abs(c.tokens_per_s.ratio - 1) <= SAME:
        return ""
    return "the same tokens/s, as far as these timings can show"


def _joint(speed: float, work: float) -> str:
    """Does the work for a token explain the speed? By half of the way at least, else it is not the reason."""
    costs = f"the model costs {times(work)}"
    if abs(speed - 1) <= SAME or (work > 1) != (speed < 1):
        return f"although {costs}"
    part = -log(work) / log(speed)
    return f"because {costs}" if part >= PART else f"only in small part because {costs}"


def _iterations(c: Comparison) -> str:
    if c.iteration_s is None:
        return ""
    text = f"A normal iteration takes {duration(c.iteration_s.a)} and {duration(c.iteration_s.b)}"
    interval = c.iteration_interval
    if interval is None:
        return text + "."
    sure = f"{times(interval.ratio)}, 95 % between {interval.low:.4g} and {interval.high:.4g}"
    return f"{text} ({sure})" + ("." if interval.clear else ": no difference that these timings can show.")


def _work(c: Comparison, a: Findings, b: Findings) -> str:
    assumed = [ONE_GPU in f.audit.estimated for f in (a, b)]
    if c.achieved_flops is None or assumed[0] != assumed[1]:  # of one GPU in one run, of all in the other
        return ""
    who = "The GPUs, all together, do" if assumed[0] else "The GPU does"
    did = more(c.achieved_flops.ratio, "FLOP/s", less_word="less")
    token = f"; a token takes {duration(c.token_s.a)} and {duration(c.token_s.b)}" if c.token_s else ""
    return f"{who} {did} ({si(c.achieved_flops.a, 'FLOP/s')} and {si(c.achieved_flops.b, 'FLOP/s')}){token}."


def _mfu(c: Comparison) -> str:
    if c.mfu is None:
        return ""
    points = 100 * (c.mfu.b - c.mfu.a)
    relative = f"{percent(abs(c.mfu.ratio - 1))} relative" if c.mfu.ratio < 2 else times(c.mfu.ratio)
    return f"MFU {percent(c.mfu.a)} and {percent(c.mfu.b)} of {c.mfu_of}: {points:+.1f} points, {relative}."


def _micro_steps(c: Comparison) -> str:
    if c.micro_step_s is None:
        return ""
    both = f"{duration(c.micro_step_s.a)} and {duration(c.micro_step_s.b)}"
    if c.micro_steps_comparable:
        return f"A micro-step takes {both}."
    return f"Micro-steps ({both}) are not comparable: they hold different numbers of tokens."


def _steps(c: Comparison) -> str:
    tokens = c.tokens_per_iteration
    if tokens is None:
        return ""
    if tokens.a == tokens.b:
        return "The same tokens take the same number of optimizer steps."
    return f"The same tokens take {more(tokens.a / tokens.b, 'optimizer steps')}."


def _loss(c: Comparison) -> str:
    if not c.losses:
        return ""
    last = c.losses[-1]
    change = last.b - last.a
    how = "equal" if abs(change) < 5e-4 else f"{loss(abs(change))} {'lower' if change < 0 else 'higher'}"
    where = (
        f"after {plural(last.tokens, 'token')} (iteration {last.iteration:,})"
        if last.tokens
        else f"at iteration {last.iteration:,}"
    )
    return f"Validation loss {where}: {loss(last.a)} and {loss(last.b)}, {how}."


def _impossible(a: Findings, b: Findings) -> tuple[str, ...]:
    """The GPUs that neither run can have used, slowest first, where no GPU is named and their number is known."""
    if a.audit.peak_flops or b.audit.peak_flops or any(ONE_GPU in f.audit.estimated for f in (a, b)):
        return ()
    most = max(f.audit.achieved_flops or 0.0 for f in (a, b))
    precision = b.audit.precision
    out, _ = excluded(most, precision)
    return tuple(p.label for p in sorted(out, key=lambda p: p.at(precision)[0] or 0.0)) if most else ()


def _gpus(c: Comparison, out: tuple[str, ...]) -> str:
    if not out or c.achieved_flops is None:
        return ""
    most = si(max(c.achieved_flops.a, c.achieved_flops.b), "FLOP/s")
    return f"A GPU that does {most} is none of {len(out)} slower ones, such as {listed(list(out[-NAMED:]), 'or')}."


def _unknowable(c: Comparison, a: Findings, b: Findings) -> tuple[str, ...]:
    parts = []
    if c.tokens_per_s is None:
        parts.append(f"tokens/s: {_why_no_rate(a, b)}")
    if a.audit.gpu is None or b.audit.gpu is None:
        who = _who(a.audit.gpu, b.audit.gpu)
        parts.append(f"whether both ran on the same GPU: no name of one was found for {who}")
    elif a.audit.gpu != b.audit.gpu:
        parts.append("how much of it is the GPU: they ran on different ones")
    if not c.losses:
        parts.append("which one learns better: there are no validation losses after equal tokens")
    return tuple(parts)


def _why_no_rate(a: Findings, b: Findings) -> str:
    """Why the tokens a second of one of them are not known."""
    batches = a.throughput.tokens_per_iteration, b.throughput.tokens_per_iteration
    why = next((w for one in (a, b) if (w := one.unknown.get("throughput.tokens_per_s_clean"))), "")
    return why if why and all(batches) else f"no batch was found for {_who(*batches)}; give --config"
