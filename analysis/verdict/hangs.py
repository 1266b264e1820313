"""What is said of a run whose ranks wait for each other: who is missing, from what, and where it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...events import Severity
from ...words import duration, plural
from ..findings import Activity
from ..ranks.collectives import DIFFER, STUCK
from ..ranks.why import AHEAD, BEHIND, DEAD, DIFFERENT, ELSEWHERE, MISSING, UNHEARD
from ..record.messages import is_consequence
from . import sentences as say
from .diagnosis import Diagnosis

if TYPE_CHECKING:
    from ..findings import Hang, RankAt
    from .facts import Facts

STALE_S = 86_400.0
"""After a longer silence the log is an old one: its reader wants to know how the run went."""

_MOST_NAMED = 6
_OF_A_RANK = re.compile(r"rank \d+: (?:failed|lost|killed)\b")  # how it ended, which says no more
_ABORTED = "terminate called after throwing"  # what was thrown stands in the next line: the watchdog's time-out

_RECORD = (
    "Run it with TORCH_NCCL_TRACE_BUFFER_SIZE=2000 (newer torch: TORCH_FR_BUFFER_SIZE): itermon FOLDER reads the"
    " dumps, which tell who was late."
)

_SUSPECTED = {
    DEAD: "{who} gone{how}; the others wait for {it}{what}.",
    MISSING: "{who} did not come to the {operation}; the others waited for {it}.",
    BEHIND: "{who} {holds} up the others: {it} {has} not reached the {operation} that they wait in.",
    AHEAD: "{who} left out the {operation} that the others wait in.",
    DIFFERENT: "{who} called something else than the others, who wait in {operation}.",
    ELSEWHERE: "{who} {holds} up the others{what}: {it} {stands} in {place}.",
    UNHEARD: "Probably {who} missing: all others say that they wait in {operation}.",
}
"""The headline, by what speaks against the suspects."""


def hung(f: Facts) -> Diagnosis | None:
    """Ranks wait for each other, live or until a time-out ended the run."""
    hang = f.findings.hang
    if hang is None or not (hang.suspects or hang.operation) or _ended_otherwise(f, hang):
        return None
    now = f.findings.now
    if now.activity == Activity.SILENT and (now.elapsed_s or 0.0) > STALE_S:
        return None
    if not hang.suspects:
        return _nobody(f, hang)
    return Diagnosis(
        "hang",
        _headline(hang),
        say.evidence(f, _silence(f, hang), *_said(hang), _stands(hang), _seen(hang)),
        _step(f, hang),
        healthy=False,
    )


def standing(f: Facts) -> str:
    """Where a silent run stands, whose ranks give no more than that."""
    hang = f.findings.hang
    places = {at.place for at in hang.others if at.place} if hang is not None and not hang.suspects else set()
    return f"it stands in {places.pop()}" if len(places) == 1 else ""


def _ended_otherwise(f: Facts, hang: Hang) -> bool:
    """Did another error come before the ranks waited in vain? Then that is what is said first."""
    over = f.findings.ending
    if over is None:
        return False
    first = min((at.line for at in (*hang.suspects, *hang.others) if at.line), default=None)
    own = [one for one in over.words if one.level == Severity.ERROR and not is_consequence(one.text)]
    own = [one for one in own if _ABORTED not in one.text and not _OF_A_RANK.match(one.text)]
    return any(first is None or one.line is None or one.line < first for one in own)


def _nobody(f: Facts, hang: Hang) -> Diagnosis:
    over = f.findings.ending is not None
    what = hang.operation
    if hang.nobody == DIFFER:
        headline = "The ranks called different collectives, and waited for each other."
    elif hang.nobody == STUCK:
        who = plural(len(hang.others), "rank")
        headline = f"{who} stood still in {what} until their monitors ended them; for whom is not known."
    else:
        headline = (
            f"A collective operation ({what}) timed out; which rank was missing is not known."
            if over
            else f"The ranks hang in {what}; who is missing is not known."
        )
    return Diagnosis(
        "hang",
        headline,
        say.evidence(f, _silence(f, hang), f"Nobody is accused: {hang.nobody}", *_said(hang), _stands(hang)),
        _RECORD
        if hang.nobody == STUCK
        else "Look at the rank that the log does not name, or that failed first."
        if over
        else "Record all ranks with itermon's hooks: their stacks tell which one stands elsewhere.",
        healthy=False,
    )


def _headline(hang: Hang) -> str:
    first = hang.suspects[0]
    one = len(hang.suspects) == 1
    who = named(hang.suspects)
    if first.why in (DEAD, UNHEARD):
        who += " is" if one else " are"
    how = f" ({first.ended})" if first.ended else ""
    what = f" in {hang.operation}" if hang.operation else ""
    text = _SUSPECTED[first.why].format(
        who=who[:1].lower() + who[1:] if first.why == UNHEARD else who,
        how=how,
        it="it" if one else "they",
        holds="holds" if one else "hold",
        has="has" if one else "have",
        stands="stands" if one else "stand",
        what=what,
        operation=hang.operation or "collective",
        place=first.place or "no collective",
    )
    return text.replace("for they", "for them").replace("they stand in", "the first stands in")


def named(ranks: tuple[RankAt, ...]) -> str:
    """`Rank 3`, `Ranks 0 and 4`, `Ranks 0, 1, 2 and 29 more`."""
    numbers = sorted(at.rank for at in ranks)
    if len(numbers) == 1:
        return f"Rank {numbers[0]}"
    shown = numbers if len(numbers) <= _MOST_NAMED else numbers[:_MOST_NAMED]
    more = f"{len(numbers) - len(shown)} more" if len(shown) < len(numbers) else str(shown.pop())
    return f"Ranks {', '.join(map(str, shown))} and {more}"


def _silence(f: Facts, hang: Hang) -> str:
    now = f.findings.now
    if now.activity != Activity.SILENT or now.elapsed_s is None:
        return ""
    usual = f"; {duration(now.usual_s)} is usual" if now.usual_s else ""
    after = f" since iteration {hang.last_iteration:,}" if hang.last_iteration is not None else ""
    return f"Nothing new for {duration(now.elapsed_s)}{after}{usual}"


def _said(hang: Hang) -> list[str]:
    """What each suspect, and one of the others, says of its collectives."""
    words = [_counts(at) for at in hang.suspects[:2]]
    words += [_counts(at) for at in hang.others[:1]]
    return [word for word in words if word]


def _counts(at: RankAt) -> str:
    where = f"line {at.line:,}: " if at.line else ""
    if at.enqueued is None and at.sequence is None:
        return ""
    waits = f" waits in {at.waits_in or 'collective'} {at.sequence:,}" if at.sequence is not None else ""
    counted = (
        f"{' and' if waits else ''} has called {at.enqueued:,} collectives, of which {at.completed:,} are done"
        if at.enqueued is not None and at.completed is not None
        else ""
    )
    return f"{where}rank {at.rank}{waits}{counted}"


def _stands(hang: Hang) -> str:
    """Where the suspects stand, and the others."""
    parts = [f"rank {at.rank}{_process(at)} stands in {at.place}" for at in hang.suspects[:2] if at.place]
    places = {(at.place, at.waits_in) for at in hang.others if at.place}
    if len(places) == 1:
        place, waits_in = places.pop()
        who = plural(sum(1 for at in hang.others if at.place), "other rank" if hang.suspects else "rank")
        parts.append(f"{who} in {place}" + (f", waiting in {waits_in}" if waits_in else ""))
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _process(at: RankAt) -> str:
    if at.pid is None:
        return ""
    return f" (PID {at.pid}{f' on {at.host}' if at.host else ''})"


def _seen(hang: Hang) -> str:
    return f"Seen by {' and '.join(hang.seen_by)}" if hang.seen_by else ""


def _step(f: Facts, hang: Hang) -> str:
    first = hang.suspects[0]
    rank = f"rank {first.rank}{_process(first)}"
    if first.why == DEAD:
        return f"Look at the end of {rank}'s output, and at dmesg there; then restart from the last checkpoint."
    if f.findings.ending is not None:
        return f"Look at the output of {rank} before the time-out: what it did there kept it from the collective."
    pid = first.pid or "PID"
    return f"Look at {rank}: itermon stack {pid} there shows where it is without stopping it."
