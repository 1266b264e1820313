"""How a run came to its end: what is said first of one that is over, in the words of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import EndReason, Severity
from ...words import rough_duration
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from ..findings import Ending, RunMessage
    from .facts import Facts

_FAULTS = ("sigsegv", "sigbus", "sigfpe", "sigill", "sigabrt")
_CRASHED = "Start it with python -X faulthandler: it then prints where."

ENDINGS = (
    ("time limit", "Ended by the job's time limit.", "Submit it again from the last checkpoint."),
    (
        "out of memory",
        "Out of memory.",
        "A smaller micro-batch with more accumulation keeps the tokens per iteration; or shard the optimizer.",
    ),
    (
        "watchdog",
        "A collective operation timed out: a rank was missing.",
        "The rank that is not in the message, or that failed first, is the one to look at.",
    ),
    ("no space left", "The disk is full.", "Free it, keep fewer checkpoints, and go on from the last whole one."),
    (
        "killed",
        "Killed from outside.",
        "Most often the machine's memory was full: see its kernel log (dmesg), or the queue's word on the job.",
    ),
    ("exit code 137", "Killed from outside (137 is 128 + signal 9).", "See the machine's kernel log (dmesg)."),
    ("cancelled at", "The queue cancelled the job.", "Submit it again from the last checkpoint."),
    ("terminated", "Terminated from outside.", "Submit it again from the last checkpoint."),
    (
        "sigkill",
        "Killed from outside.",
        "Most often the machine's memory was full: see its kernel log (dmesg), or the queue's word on the job.",
    ),
    ("sigterm", "Terminated from outside.", "Submit it again from the last checkpoint."),
    *((name, "It crashed in compiled code.", _CRASHED) for name in _FAULTS),
)
"""Words of what ended it, what they mean, and what helps."""

_GONE = "its process ended without a good-bye: killed from outside, crashed in compiled code, or os._exit"

_SHOWN = 3
"""Last words that are shown: what ended it, and what came of that."""


def failed(f: Facts) -> Diagnosis | None:
    """The run ended with an error."""
    over = f.findings.ending
    if over is None:
        return None
    stopped = over.reason == EndReason.INTERRUPTED and over.words and over.words[0].level == Severity.ERROR
    gone = over.reason == EndReason.LOST and f.hooked
    if over.reason not in (EndReason.FAILED, EndReason.KILLED) and not stopped and not gone:
        return None
    evidence = [quoted(one) for one in over.words[:_SHOWN]]
    if over.exit:
        evidence.append(f"its process ended: {over.exit}" if not gone else _GONE)
    if over.ours:
        evidence.append(f"it had come to its end: {over.ours}")
    warned = next((m.text for m in reversed(f.findings.messages) if m.level == Severity.WARNING), "")
    headline, step = _meaning(over)
    return Diagnosis(
        "failed",
        headline,
        tuple(evidence) or (warned or "the trainer ended without saying why",),
        step,
        healthy=False,
    )


def _meaning(over: Ending) -> tuple[str, str]:
    said = " ".join((*(one.text for one in over.words[:1]), over.exit)).casefold()
    known = ((headline, step) for words, headline, step in ENDINGS if words in said)
    if over.reason == EndReason.LOST:
        return "The trainer is gone, and said nothing.", "See its output, and the machine's kernel log (dmesg)."
    done = over.ours or any(one.ending == EndReason.FINISHED for one in over.words)
    headline = "It failed after its last iteration." if done else "The run failed."
    where = next((one.line for one in over.words if one.line), None)
    step = f"Read the log around line {where:,}." if where else "Read the log's last lines."
    return next(known, (headline, step))


def how_it_ended(f: Facts) -> str:
    """`Finished: iteration 300 of 300.`; "" while it goes on, or where nobody knows whether it does."""
    over = f.findings.ending
    if over is None:
        return ""
    if over.reason in (EndReason.FAILED, EndReason.KILLED):
        headline = _meaning(over)[0].rstrip(".")
        why = _said(over.words[0]) if over.words else over.exit
        return f"{headline}: {why}." if why else f"{headline}."
    said = _said(over.words[0]) if over.words else over.ours
    if over.reason == EndReason.FINISHED:
        return f"Finished: {said}." if said else "Finished."
    if over.reason == EndReason.INTERRUPTED:
        return f"Interrupted: {said}." if said else "Interrupted."
    return _stops(f, over)


def _stops(f: Facts, over: Ending) -> str:
    """Of a run that is no more and said nothing; or that was read once, and may go on."""
    p = f.findings.progress
    if p.iteration is None:
        return ""
    of = f" of {p.max_iterations:,}" if p.max_iterations else ""
    old = ""
    if over.silent_s is not None:
        old = f" (last written {rough_duration(over.silent_s) + ' ago' if over.silent_s > 60 else 'just now'})"
    if f.hooked and over.reason:
        return f"The trainer is gone without a word; its last iteration was {p.iteration:,}{of}{old}."
    end = "; nothing in it says why." if over.reason else "; nothing in it says that it is over."
    return f"The log ends at iteration {p.iteration:,}{of}{old}{end}"


def short_of_its_end(f: Facts) -> bool:
    """Is it over, without a word, although iterations were left?"""
    over, p = f.findings.ending, f.findings.progress
    if over is None or over.reason not in (EndReason.LOST, EndReason.UNKNOWN) or p.iteration is None:
        return False
    return p.max_iterations is not None and p.iteration < p.max_iterations


def _said(one: RunMessage) -> str:
    """`Killed (line 4,211)`"""
    return one.text.rstrip(".") + (f" (line {one.line:,})" if one.line else "")


def quoted(one: RunMessage) -> str:
    """`line 4,211: Killed`"""
    return (f"line {one.line:,}: " if one.line else "") + one.text
