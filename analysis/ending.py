"""How a run came to its end, in the words of its source; or that nothing says it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..events import ClockKind, EndReason, Severity
from ..words import plural
from .findings import Activity, Ending
from .outlook.gaps import printed_every
from .record.messages import is_consequence
from .wall.late import FAR_S, OLD, goes_on_for_long, late_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..events import EndOfFile, OtherRows
    from .findings import Now, RunMessage
    from .intake import Intake
    from .state import State

LEAST_OLD_S = 600.0
"""... and no earlier than this: buffers are written when they are full, and evaluations print nothing."""

DAY_S = 86_400.0
"""So long after its newest word nobody asks any more whether a run still lives. Time zones differ by less."""

OLD_HEAD_S = 30 * DAY_S
"""A log that began so long ago, and whose file is young, is more likely a copy than a run that goes on."""

_UNWANTED = (EndReason.FAILED, EndReason.KILLED)
"""Ends of which the last words may say why."""


_EARLY = re.compile(r"(?i)\bearly[- _]?stop|\bstopp\w+ (?:training )?early\b")
"""Of several words on its end the one that says why it came before its time."""

_IN_ANY_CASE = re.compile(r"(?i)\btotal training time\b|\boverall training speed\b")
"""What some trainers print however they end: behind an error it does not say that they finished."""

FAR_LINES = 200
"""Without an iteration, an error so far before the end of a log, or before the next one, is none of its end."""

FAR_BEFORE_LOSSES = 20
"""Lines between a word of an end and the newest loss of a log: so many are no closing words."""

_SHOW_EVERY = 3
"""Rows that show of how many iterations one is printed."""

_MOST_LOOKED_AT = 1_000
"""Rows, the newest."""

_NEARLY = 0.9
"""A run that came no further has not come to its end, however rarely it prints."""


def is_at_its_end(state: State) -> bool:
    """Is the newest iteration the last that will be printed? Some trainers count from 0, others from 1."""
    run, index = state.run, state.run.columns.index
    if state.last is None or not len(index) or run.launches.other.behind:
        return False
    every, evaluated = printed_every(run.columns), run.evaluations.reached
    least = 1 if index[0] == 1 and every == 1 else 2  # who counts from 1, and prints each, prints the last too
    due = index[-1] + every > state.last and len(index) >= _SHOW_EVERY and index[-1] >= _NEARLY * state.last
    due = due and not _prints_ends_of_epochs(index, state.last)
    return due or index[-1] + least > state.last or evaluated >= state.last > index[0]


def _prints_ends_of_epochs(index: Sequence[int], last: int) -> bool:
    """Was an epoch's end printed, as far behind its row as the `last` iteration is now? Then that is to come.

    40, 80, 100, 140, 180 of 200.
    """
    rest, gap = last - index[-1], index[-1] - index[-2]
    if not 0 < rest < gap:
        return False
    rows = index[-_MOST_LOOKED_AT:]
    ends = zip(rows, rows[1:], rows[2:], strict=False)
    alike = (end for before, one, end in ends if end - one == rest and one - before == gap)
    return any(end > 0 and last % end == 0 for end in alike)


def is_the_last(state: State) -> bool:
    """Is the newest iteration the last, by its number, where they are counted from 0?"""
    run, index = state.run, state.run.columns.index
    if state.last is None or not len(index):
        return False
    first, *then = index[run.training_start : run.training_start + 2]
    from_0 = first == 0 or (bool(then) and first + 1 == then[0] - first)  # 19, 39, 59
    return from_0 and index[-1] + 1 >= state.last


def ending(
    run: Intake, now: Now, usual_s: float | None, *, at_its_end: bool, followed: bool = False
) -> Ending | None:
    """Whether nothing more is to come, and why; `None`: it goes on, as far as anybody knows.

    Args:
        run: what was taken in.
        now: what the trainer does, concluded from silence.
        usual_s: what usually passes between two lines, stops included.
        at_its_end: is its newest iteration the last one?
        followed: is the first iteration of another process about to be taken in?
    """
    silent_s = _silent_s(run, now)
    words = _of_the_past(run.messages.own_words) if followed else in_order(_at_the_end(run))
    words = tuple(one for one in words if not _is_followed(one, run.launches.other))
    over = bool(run.ended) or run.end_of_file is not None or now.activity == Activity.SILENT
    quiet = (
        now.activity == Activity.QUIET and (silent_s or 0.0) > LEAST_OLD_S
    )  # and its last words speak of an end
    if not over and not (quiet and words):
        return None
    late_by_s = late_s(run, words[0]) if words else None
    if late_by_s is not None:
        late = Ending(EndReason.UNKNOWN, words[:1], "", silent_s, late_s=late_by_s)
        found: Ending | None = Ending(EndReason.FINISHED, (), _last(run), silent_s) if at_its_end else late
    else:
        found = _ending(run, words, silent_s, usual_s, at_its_end=at_its_end)
    file, launch = run.end_of_file, run.launches.newest
    if found is not None and launch is not None and words and run.messages.before != run.messages.last_words:
        found = replace(
            found, launch_line=launch.line, before=next(iter(in_order(run.messages.before)), None), ours=""
        )
    if found is None:
        return found
    begun = launch.line if launch is not None else run.launches.counted.begun
    found = replace(found, begun_line=begun, is_launch=launch is not None)
    return found if file is None else _at_end_of(file, found, run)


def _at_end_of(file: EndOfFile, found: Ending, run: Intake) -> Ending:
    """... and what stands at the end of a `file`."""
    known = file.lines is not None and file.newest is not None and len(run.columns.index) > 0
    known = known and not run.launches.counted.tag  # what stands behind may be the others' rows
    behind = max(0, (file.lines or 0) - (file.newest or 0)) if known else None
    return replace(
        found,
        tail=file.tail,
        silent_at_least=_in_which_year(run, file, found.silent_s),
        writer_gone=file.writer_gone,
        lines_behind=behind,
        is_log=file.lines is not None,
        cut=file.cut,
        row=file.row if run.info.undescribed else "",
        row_line=file.row_line if run.info.undescribed else None,
    )


def _is_followed(one: RunMessage, other: OtherRows) -> bool:
    """Did a training go on for long behind it, though none of its rows is read?"""
    far = 0 if other.against else FAR_BEFORE_LOSSES
    return one.line is not None and other.newest is not None and one.line + far < other.newest


def _at_the_end(run: Intake) -> Sequence[RunMessage]:
    """The last words; of a log without an iteration, in which many launches may have failed, those at its end."""
    words, file = run.messages.last_words, run.end_of_file
    if file is None or file.lines is None or len(run.columns.index):
        return words
    below = file.lines
    for n in range(len(words) - 1, -1, -1):
        line = words[n].line
        if line is not None and below - line > FAR_LINES:
            return words[n + 1 :]
        below = below if line is None else line
    return words


def _ending(
    run: Intake, words: tuple[RunMessage, ...], silent_s: float | None, usual_s: float | None, *, at_its_end: bool
) -> Ending | None:
    """By the strongest witness: who saw its process end, its last words, its last iteration, its silence."""
    said = words[0].ending if words else None
    was_long_ago = not words and bool(run.messages.last_words) and not (run.exit or len(run.columns.index))
    seen = run.exit or run.info.undescribed or run.ended != EndReason.FINISHED
    ended = run.ended and not was_long_ago and (seen or not goes_on_for_long(run))
    if ended and (run.info.clock == ClockKind.HOOK or run.exit or not said):
        ours = _last(run) if at_its_end and run.ended != EndReason.LOST else ""
        said_why = words if run.ended in _UNWANTED else ()
        return Ending(run.ended, said_why, ours, silent_s, run.exit)
    if said:
        failed_at_end = at_its_end and said != EndReason.FINISHED
        return Ending(said, words, _last(run) if failed_at_end else "", silent_s)
    if at_its_end:
        return Ending(EndReason.FINISHED, (), _last(run), silent_s)
    gone = run.end_of_file is not None and run.end_of_file.writer_gone
    if gone or is_old(silent_s, usual_s, followed=run.end_of_file is None):
        hooked = run.info.clock == ClockKind.HOOK
        return Ending(EndReason.LOST if hooked else EndReason.UNKNOWN, (), "", silent_s)
    return Ending("", (), "", silent_s) if run.end_of_file is not None else None


def is_old(silent_s: float | None, usual_s: float | None, *, followed: bool) -> bool:
    """Is a source silent for so long that its run is over? Of one that is followed, only after a day."""
    if silent_s is None:
        return False
    if followed:
        return silent_s > DAY_S
    return silent_s > (FAR_S if usual_s is None else max(OLD * usual_s, LEAST_OLD_S))


def _silent_s(run: Intake, now: Now) -> float | None:
    """How long there was no word: by the file, or by its time stamps where a copy made the file young."""
    file = run.end_of_file
    if file is None or file.read_at_s is None:
        return now.elapsed_s
    by_file_s = max(0.0, file.read_at_s - file.at_s) if file.at_s is not None else None
    by_stamps_s = file.read_at_s - run.heard_s if run.heard_s is not None else None
    if by_stamps_s is not None and by_stamps_s > DAY_S:
        return max(by_stamps_s, by_file_s or 0.0)
    is_copy = run.heard_s is None and file.dated_s is not None and file.read_at_s - file.dated_s > OLD_HEAD_S
    return None if is_copy and by_file_s is not None and by_file_s < DAY_S else by_file_s


def _in_which_year(run: Intake, file: EndOfFile, silent_s: float | None) -> bool:
    """Is how long there was no word known by stamps alone, none of which says its year?"""
    known = silent_s is not None and silent_s > DAY_S and run.heard_s is not None and file.read_at_s is not None
    return known and file.yearless and silent_s == (file.read_at_s or 0.0) - (run.heard_s or 0.0)


def _last(run: Intake) -> str:
    index, last = run.columns.index[-1], run.settings.last(of_rows=run.another_process)
    unit = run.launches.counted.unit or "iteration"
    if not last:
        return plural(index, unit)
    unprinted = last - index > 1 and run.evaluations.reached < last
    return f"{unit} {index:,} of {last:,}" + (", the last that it prints" if unprinted else "")


def _of_the_past(words: Sequence[RunMessage]) -> tuple[RunMessage, ...]:
    """The same where another process begins: a training that had said that it is done did not fail after that."""
    done = [one for one in _own(words) if one.ending == EndReason.FINISHED]
    return (done[-1],) if done else in_order(words)


def in_order(words: Sequence[RunMessage]) -> tuple[RunMessage, ...]:
    """The last words, that which ended the run first.

    What comes after "training finished" is the end of another
    thing. Before it, errors that were caught are no end. Else the first error of a process ended it; what
    launchers and other ranks say is a consequence, an interruption is told apart from an error, and an exception
    without its traceback may have been caught.
    """
    first: dict[str, RunMessage] = {}
    for one in words:
        first.setdefault(one.text, one)
    words = _own([*first.values()])
    done = [place for place, one in enumerate(words) if one.ending == EndReason.FINISHED]
    if done:
        after = [one for one in words[done[-1] + 1 :] if one.level == Severity.ERROR]
        said = next((words[place] for place in done if _EARLY.search(words[place].text)), words[done[-1]])
        return (said, *after) if not after else (after[0], said, *after[1:])
    return tuple(sorted(words, key=_weight))


def _own(words: Sequence[RunMessage]) -> list[RunMessage]:
    """Those that say how it ended: what is said after an error as well as without one says nothing behind one."""
    bad = next((at for at, one in enumerate(words) if one.ending not in (None, EndReason.FINISHED)), len(words))
    return [one for at, one in enumerate(words) if at < bad or not _IN_ANY_CASE.search(one.text)]


def _weight(one: RunMessage) -> tuple[bool, int]:
    weak = one.ending == EndReason.INTERRUPTED or one.level == Severity.WARNING
    return is_consequence(one.text), int(weak) + int(one.level == Severity.WARNING)
