"""Times of rows that a clock contradicts: of a part of the iteration, of one slow instant, in another unit.

So nothing is told that rests on them: no usual time, no waits, no shares of the time that passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import Witness
from ...words import duration
from ..findings import Level
from ..timing.witnesses import WORDS, words_of

if TYPE_CHECKING:
    from ..findings import Findings


def without_contradicted(found: Findings) -> Findings:
    """`found` without what rests on times that cannot be true beside a clock, and with the reason."""
    if found.level.left_out_s is not None:
        left, what = duration(found.level.left_out_s), found.progress.unit
        return _without(
            found, f"the printed times leave out {left} of each {what}, beside its stops, by the stamps"
        )
    against = next((one for one in found.witnesses if one.agrees is False), None)
    if against is None or found.level.by_clock or found.level.witnesses[:1] == (Witness.HOOKS,):
        return found
    passed, spent = duration(against.seconds), duration(against.iterations_s)
    rows = found.progress.other.against  # then which rows are missing nobody knows, and no sum of theirs is told
    own = WORDS[found.level.witnesses[0]] if found.level.witnesses else "the times from row to row"
    own += ", taken for all iterations," if found.progress.iterations_unseen else ""
    sums = f"{own} add up to {spent} where {passed} passed by {words_of(against)}"
    if against.iterations_s < against.seconds and found.contradiction is None:
        sums = f"{own} are of a part of what passed: {spent} of the {passed} by {words_of(against)}"
    why = rows or sums
    return _without(found, why)


def _without(found: Findings, why: str) -> Findings:
    return replace(
        found,
        level=Level(iterations=found.level.iterations),
        ledger=(),
        recompiled=None,
        first_waits=None,
        drained=None,
        spikes=(),
        slow_untold=0,
        slow_unnamed=None,
        slow_place=None,
        unknown={**found.unknown, "level": why},
    )


def without_waits(found: Findings) -> Findings:
    """... and without the share of them that is waited for data, which rates are made of."""
    if not found.contradicted:
        return found
    return replace(found, throughput=replace(found.throughput, data_wait_share=None, data_wait_of_s=None))
