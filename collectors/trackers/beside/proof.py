"""Whether a log and a tracker's run are one: the same figures at the same iterations, at the same time.

That they lie side by side says nothing: a folder holds the logs and runs of weeks. Equal losses alone do not
either, for a script that is started again with the same seed prints them again; its times it does not.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ....events import Witness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....events import Iteration

    _Pairs = Sequence[tuple[Iteration, Iteration]]

LEAST = 5
"""Different figures that have to agree."""

_SHARE = 0.95  # of all that both tell: a row may be lost, or belong to a process before
_AHEAD = (0, 1, -1)  # a log that counts from 1, a tracker from 0
_MOST_DIGITS = 15
_APART_S = 5.0  # between the line and the tracker's row
_ZONES_S, _MOST_ZONE_S = 900.0, 14 * 3_600.0  # a log's times of day may be of another zone
_EARLY_S, _LATE_S = 60.0, 3_600.0  # a script may go on when its tracker has closed
_PRINTED = (None, Witness.PRINTED)


class Same(NamedTuple):
    """How the two go together."""

    agreeing: int
    """Iterations of which both say the same."""

    ahead: int
    """How far the tracker's numbers are ahead of the log's."""

    offset_s: float
    """What is to be added to the tracker's times to have those of the log."""


def same_run(
    log: Sequence[Iteration],
    tracker: Mapping[int, Iteration],
    *,
    begun_s: float | None,
    newest_s: float | None,
    written_s: float | None,
) -> Same | None:
    """How `log` goes together with `tracker`; `None`: that they are one run is not proven.

    Args:
        log: its iterations, some thousands of them.
        tracker: those of the tracker, by their numbers.
        begun_s: when the tracker's run began, Unix time,
        newest_s: and when its newest record was written.
        written_s: when the log was last written to.
    """
    for ahead in _AHEAD:
        pairs = [(one, tracker[one.index + ahead]) for one in log if one.index + ahead in tracker]
        timed = _agreeing(pairs, "duration_s")
        agreeing = max(_agreeing(pairs, "loss"), timed)
        if not agreeing:
            continue
        offset_s = _offset(pairs)
        if offset_s is not None:
            return Same(agreeing, ahead, offset_s) if _is_zone(offset_s) else None
        if timed or _overlaps(begun_s, newest_s, written_s):
            return Same(agreeing, ahead, 0.0)
    return None


def _agreeing(pairs: _Pairs, field: str) -> int:
    """In how many pairs both say the same; 0 where they are too few, or too many say something else."""
    told = 0
    alike: list[float] = []
    for one, other in pairs:
        a, b = getattr(one, field), getattr(other, field)
        if a is None or b is None or (field == "duration_s" and not _both_printed(one, other)):
            continue
        told += 1
        if abs(a - b) <= _rounding(a, b):
            alike.append(a)
    return len(alike) if len(set(alike)) >= LEAST and len(alike) >= _SHARE * told else 0


def _both_printed(one: Iteration, other: Iteration) -> bool:
    return one.witness in _PRINTED and other.witness in _PRINTED


def _rounding(a: float, b: float) -> float:
    """By how much two numbers may differ that are the same, each rounded as it is written."""
    return 0.51 * 10.0 ** -min(_decimals(a), _decimals(b)) + 1e-6 * abs(a)


def _decimals(value: float) -> int:
    written = f"{value:.{_MOST_DIGITS}g}"
    mantissa, _, power = written.partition("e")
    return len(mantissa.partition(".")[2]) - int(power or 0)


def _offset(pairs: _Pairs) -> float | None:
    """How far the log's times are ahead of the tracker's; `None` where the log has none of its own."""
    apart = [one.at_s - other.at_s for one, other in pairs if one.at_s is not None and other.at_s is not None]
    if len(apart) < LEAST:
        return None
    middle = median(apart)
    near = sum(abs(each - middle) <= _APART_S for each in apart)
    return middle if near >= 0.8 * len(apart) else float("inf")


def _is_zone(offset_s: float) -> bool:
    """Can two clocks of one machine differ by so much?"""
    if abs(offset_s) > _MOST_ZONE_S:
        return False
    return abs(offset_s - _ZONES_S * round(offset_s / _ZONES_S)) <= _APART_S


def _overlaps(begun_s: float | None, newest_s: float | None, written_s: float | None) -> bool:
    """Was the log last written to while the tracker's run went on, or soon after?"""
    if begun_s is None or newest_s is None or written_s is None:
        return False
    return begun_s - _EARLY_S <= written_s <= newest_s + _LATE_S
