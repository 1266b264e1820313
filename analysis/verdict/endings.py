"""How a run came to its end: what is said first of one that is over, in the words of its source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...events import EndReason, Severity
from ...words import clipped, ordinal, plural, rough_duration
from .diagnosis import Diagnosis
from .sentences import sentence

if TYPE_CHECKING:
    from ..findings import Ending, RunMessage
    from .facts import Facts

_FAULTS = ("sigsegv", "sigbus", "sigfpe", "sigill", "sigabrt")
_CRASHED = "Start it with python -X faulthandler: it then prints where it crashed."
_KILLED = "Often the machine ran out of memory: check its kernel log (dmesg), or the queue's message on the job."
_ASKED = "Somebody, or the queue, asked it to end (SIGTERM): submit it again, from the last checkpoint."
_AGAIN = "Submit it again, from the last checkpoint."

ENDINGS = (
    ("time limit", "Stopped by the job's time limit.", _AGAIN),
    (
        "out of memory",
        "Out of memory.",
        "Use a smaller micro-batch with more accumulation (the same tokens an iteration), or shard the optimizer.",
    ),
    (
        "watchdog",
        "A collective operation timed out: a rank was missing.",
        "Look at the rank that the message does not name, or that failed first.",
    ),
    (
        "no space left",
        "The disk is full.",
        "Free space, keep fewer checkpoints, resume from the last complete one.",
    ),
    ("received sigterm", "Terminated from outside.", _ASKED),
    ("signal: terminated", "Terminated from outside.", _ASKED),
    ("killed", "Killed from outside.", _KILLED),
    ("exit code 137", "Killed from outside (137 is 128 + signal 9).", _KILLED),
    ("due to preemption", "The queue preempted the job.", _AGAIN),
    ("due to node failure", "The job's node failed.", _AGAIN),
    (
        "due to job requeue",
        "The job was put back into the queue.",
        "Nothing, if it resumes from a checkpoint by itself.",
    ),
    (
        "cancelled at",
        "Cancelled, by scancel or by the queue: the line gives no reason.",
        "If nobody meant to stop it, ask the queue who did (sacct), and submit it again from the last checkpoint.",
    ),
    ("terminated", "Terminated from outside.", _ASKED),
    ("sigkill", "Killed from outside.", _KILLED),
    ("sigterm", "Terminated from outside.", _ASKED),
    *((name, "It crashed in compiled code.", _CRASHED) for name in _FAULTS),
    ("exit code 127", "Command not found.", "Check the command's name, its path, and the environment (PATH)."),
    ("exit code 126", "The command cannot be run.", "Check its permissions (chmod +x) and its first line (#!)."),
    (
        "modulenotfounderror",
        "",
        "Install that module for the Python that runs the trainer, or run the right Python.",
    ),
)
"""Words of what ended it, what they mean ("": no more than they say), and what helps."""

_GONE = "Its process was killed from outside, crashed in compiled code, or called os._exit."

_LOGGER = re.compile(
    r"^[a-z_]\w{0,40}(?:\.\w{1,40}){1,6} (?:-|\|) (?=\w)|^(?:\d{1,5} )?[\w.]{1,40}:\d{1,6} (?:INFO|WARNING) (?=\w)"
    r"|^[IWEF]\d{4} [\d:.]{8,20} +\d{1,9} [^\s\]]{1,300}:\d{1,6}\] (?=\w)"
)
"""`package.training - `, `train:377 INFO `, glog's `W0301 10:00:00.250000 77 agent.py:81] `.

Behind the name of an exception stands a colon.
"""

_SHOWN = 3
"""Last words that are shown: what ended it, and what came of that."""

MANY_LINES = 20
"""Lines behind the newest row with which a log still ends at it: what was found, and where it was saved."""

_HEADLINE, _SENTENCE = 90, 150
"""Characters of a headline, and of what is quoted in a sentence."""


def failed(f: Facts) -> Diagnosis | None:
    """The run ended with an error."""
    over = f.findings.ending
    if over is None:
        return None
    stopped = over.reason == EndReason.INTERRUPTED and over.words and over.words[0].level == Severity.ERROR
    gone = over.reason == EndReason.LOST and f.hooked
    if over.reason not in (EndReason.FAILED, EndReason.KILLED) and not stopped and not gone:
        return None
    headline, step = _meaning(over)
    evidence = [quoted(one) for one in over.words[:_SHOWN]]
    if gone or (over.exit and over.exit not in headline):
        evidence.append(_GONE if gone else f"Its process ended with {over.exit}.")
    if over.launch_line:
        evidence.append(f"It is of a launch that has no iteration, see line {over.launch_line:,}.")
        evidence += [f"The one before it said: {quoted(over.before)}"] if over.before else []
    if over.ours:
        evidence.append(f"It had come to its end: {over.ours}.")
    if not over.words:
        evidence += last_lines(over)
    return Diagnosis(
        "failed",
        headline,
        tuple(evidence) or last_warning(f) or ("The trainer ended without a message.",),
        step,
        healthy=False,
    )


def _meaning(over: Ending) -> tuple[str, str]:
    """What ended it, in a headline, and what helps."""
    headline, step = _known(over)
    if over.reason == EndReason.LOST:
        return headline or "The trainer ended without a message.", step or "Check its output, and dmesg."
    if not headline:
        done = over.ours or any(one.ending == EndReason.FINISHED for one in over.words)
        what = "Failed after its last iteration" if done else "Failed"
        code = f" ({over.exit})" if over.exit else ""
        why = f": {over.words[0].text}" if over.words else ""
        headline = sentence(clipped(what + code + why.rstrip(".:"), _HEADLINE - 1))
    where = next((one.line for one in over.words if one.line), None)
    return headline, step or (f"Read the log around line {where:,}." if where else "Read the log's last lines.")


def _known(over: Ending) -> tuple[str, str]:
    said = " ".join((*(one.text for one in over.words[:1]), over.exit)).casefold()
    return next(((headline, step) for words, headline, step in ENDINGS if words in said), ("", ""))


def last_warning(f: Facts) -> tuple[str, ...]:
    """The newest warning of a run that says nothing else."""
    warned = next((m for m in reversed(f.findings.messages) if m.level == Severity.WARNING), None)
    return (quoted(warned),) if warned else ()


def last_lines(over: Ending) -> list[str]:
    """How the log ends, where nothing in it is known to say why."""
    return [f'The log ends with: "{clipped(line, _SENTENCE - 25)}".' for line in over.tail[-1:]]


def how_it_ended(f: Facts) -> str:
    """`Finished: iteration 300 of 300.`; "" while it goes on, or where nobody knows whether it does."""
    over = f.findings.ending
    if over is None:
        return ""
    said = _with_its_line(over.words[0]) if over.words else over.ours
    if over.reason in (EndReason.FAILED, EndReason.KILLED):
        known, why = _known(over)[0], _with_its_line(over.words[0]) if over.words else over.exit
        headline = known.rstrip(".") or "Failed"
        return f"{headline}: {why}." if why else f"{headline}."
    if over.reason == EndReason.FINISHED:
        return f"Finished: {said}." if said else "Finished."
    if over.reason == EndReason.INTERRUPTED:
        return f"Interrupted: {said}." if said else "Interrupted."
    return _stops(f, over)


def _stops(f: Facts, over: Ending) -> str:
    """Of a run that is no more and said nothing; or that was read once, and may go on."""
    p = f.findings.progress
    if p.iteration is None:
        return "The process that wrote this log has ended." if over.writer_gone else ""
    least = " at least" if p.at_least else ""
    at = f"{p.unit} {p.iteration:,}{least}" + (f" of {p.max_iterations:,}" if p.max_iterations else "")
    at = plural(p.rows, "row") if p.counts_rows else at
    old = ""
    if over.silent_s is not None:
        least = "at least " * over.silent_at_least
        silent = rough_duration(over.silent_s, at_least=over.silent_at_least)
        ago = f"{least}{silent} ago" if over.silent_s > 60 else "just now"
        old = f", written {ago}"
    if f.hooked and over.reason:
        return f"The trainer ended without a message after {at}{old.replace('written ', '')}."
    if over.writer_gone:
        return f"The process that wrote this log has ended, after {at}, and did not say why."
    unsaid = "how it ended" if over.reason else "that the run is over"
    if p.other.against:
        return f"The log ends{old}; no line that itermon can read says {unsaid}."
    ends = f"The log ends {'after' if p.counts_rows else 'at'} {at}{old}"
    row = f"the {ordinal(p.rows)}{' that is read' * f.findings.uncounted}" if p.counts_rows else at
    where = _newest_row(over, row, old, p.other.behind) or ends
    if over.late_s is not None and over.words:
        late = f"an error is written {rough_duration(over.late_s)} after its newest row"
        return f"{ends}; {late}: {_with_its_line(over.words[0])}."
    of_rows = p.round.endswith(f" {p.iteration}/{p.max_iterations}")  # the counter of the rows themselves
    where += f', in "{p.round}"' if p.round and not of_rows and not where.endswith(".") else ""
    cut = " Its last line may be cut off, and is not read." if over.cut else ""
    return (where if where.endswith(".") else f"{where}; no line that itermon can read says {unsaid}.") + cut


def _newest_row(over: Ending, at: str, old: str, other: int) -> str:
    """Where the newest row is no end of its log, or nobody knows whether it is; else "".

    Behind it `other` lines tell of a loss in a form that is not read.
    Of rows that were held back until the next one came their lines are not known.
    """
    log = f"The log{old}," if old else "The log"
    if said := goes_on_behind(over):
        return f"{log} goes on behind its newest row, {at}: {said}"
    if other:
        lines = f"{plural(other, 'line')} of another form print a loss."
        return f"{log} goes on behind its newest row, {at}: {lines}"
    if (over.lines_behind or 0) >= MANY_LINES:
        return f"{log} goes on for at least {plural(over.lines_behind or 0, 'line')} behind its newest row, {at}"
    if not over.is_log or over.lines_behind == 0:
        return ""
    return f"The newest row of the log{old}, is {at}" if old else f"The newest row of the log is {at}"


def goes_on_behind(over: Ending) -> str:
    """How a log goes on behind its newest row: `the newest launch begins at line 9, ...`; "": it does not."""
    if over.begun_line is None or over.reason in (EndReason.FAILED, EndReason.KILLED):
        return ""
    line = f"line {over.begun_line:,}"
    said = f"the newest launch begins at {line}" if over.is_launch else f"{line} says that something starts"
    return f"{said}, and no iteration that itermon can read follows."


def short_of_its_end(f: Facts) -> bool:
    """Is it over, without a word, although iterations were left?"""
    over, p = f.findings.ending, f.findings.progress
    if over is None or over.reason not in (EndReason.LOST, EndReason.UNKNOWN) or p.iteration is None:
        return False
    return p.max_iterations is not None and p.iteration < p.max_iterations


def _with_its_line(one: RunMessage) -> str:
    """`Killed (line 4,211)`, without the logger's name in front of it."""
    return clipped(_LOGGER.sub("", one.text, count=1).rstrip("."), _SENTENCE - 50) + (
        f" (line {one.line:,})" if one.line else ""
    )


def quoted(one: RunMessage) -> str:
    """`Line 4,211: Killed.` What a launcher's exception says may begin on the next line, behind a colon."""
    said = clipped(one.text.rstrip(": "), _SENTENCE - 20)
    return sentence((f"line {one.line:,}: " if one.line else "it said: ") + said)
