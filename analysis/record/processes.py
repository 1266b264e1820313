"""The processes of a run, one after the other: their iterations, and those that came to none.

A trainer that begins again counts from a lower index; one that ends before its first iteration has only its words.
"""

from __future__ import annotations

from itertools import pairwise
from operator import gt, sub
from statistics import median
from typing import TYPE_CHECKING, Any

from ...events import Counted, Iterations, OtherRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...events import Iteration, Launch
    from .columns import Columns
    from .messages import Messages
    from .settings import Settings

STEPS = 8
"""The newest distances of rows tell how far it is to the next one."""

LONG_S, FAR, BESIDE = 1_800.0, 100.0, 20.0
"""So long is a silence at least, so many times what usually passes between two rows, and what passes beside it."""

SOME = 0.1
"""Of the wall time: what takes so much is told."""

JUMP, LEAST_JUMP = 20, 1_000
"""Times the distance of rows, and iterations at least: nobody has seen what lies in between."""

_ALIKE = 2  # times the least of them: else rows come at no distance that is usual

Part = tuple["list[Iteration] | Iterations", "Sequence[int]"]
"""Iterations of one process, and their indices, which ascend."""


def by_process(events: list[Iteration] | Iterations) -> Iterator[Part]:
    """`events` cut where the index steps back."""
    if isinstance(events, Iterations):
        yield events, events.index
        return
    indices = [e.index for e in events]
    if not any(map(gt, indices, indices[1:])):
        yield events, indices
        return
    backwards = [n for n in range(1, len(indices)) if indices[n] < indices[n - 1]]
    for start, stop in pairwise([0, *backwards, len(indices)]):
        yield events[start:stop], indices[start:stop]


def at_jumps(part: Part, seen: Sequence[int], begun: int) -> Iterator[tuple[Part, bool]]:
    """`part` cut where `jumps` are; does each begin with one? `seen` came before, its process from `begun` on."""
    events, indices = part
    before = seen[max(begun, len(seen) - STEPS - 1) :]
    even = isinstance(events, Iterations) and _are_even(before[-1:], indices)
    stops = [] if even else jumps(before, indices)
    if not stops and indices:
        yield part, False
        return
    for start, stop in pairwise([0, *stops, len(indices)]):
        if start < stop:
            yield (events[start:stop], indices[start:stop]), start in stops


def _are_even(before: Sequence[int], indices: Sequence[int]) -> bool:
    """Do they ascend by one and the same step, from near the one `before`? Nearly all blocks do."""
    step = indices[min(1, len(indices) - 1)] - indices[0]
    near = not before or indices[0] - before[-1] < LEAST_JUMP
    return near and indices[-1] - indices[0] == step * (len(indices) - 1)


def jumps(before: Sequence[int], indices: Sequence[int]) -> list[int]:
    """The places in `indices`, which ascend, before which the index jumps far over the usual distance of rows.

    `before`: the newest of the same process before them. What comes after a jump is of another process, or the
    rows in between are not in the source: in neither case did these iterations pass here.
    """
    known = [*before, *indices] if before and before[-1] <= indices[0] else [*indices]
    steps = [*map(sub, known[1:], known)]
    if max(steps, default=0) < LEAST_JUMP:
        return []
    found, since, away = [], 0, len(known) - len(indices)
    for n, step in enumerate(steps):
        newest = steps[max(since, n - STEPS) : n]
        regular = len(newest) > 1 and max(newest) <= _ALIKE * min(newest)
        if regular and step >= max(LEAST_JUMP, JUMP * max(newest)) and n + 1 >= away:
            found.append(n + 1 - away)
            since = n + 1
    return found


def starts_ahead(index: Sequence[int], starts: Sequence[int]) -> int:
    """How many processes begin with a later iteration than the one before them: no counter goes back there."""
    return sum(1 for place in starts[1:] if place < len(index) and index[place] > index[place - 1])


def starts_level(index: Sequence[int], starts: Sequence[int]) -> int:
    """How many begin with the iteration that the one before them ended with: it stands twice."""
    return sum(1 for place in starts[1:] if place < len(index) and index[place] == index[place - 1])


def of_rank(events: list[Iteration], rank: int | None) -> list[Iteration]:
    """Those of `rank`, without the other ranks of the same iterations: they pass at the same pace."""
    return events if {e.rank for e in events} == {rank} else [e for e in events if e.rank == rank]


class Launches:
    """The processes that wrote to one log: what one says, its `messages` and its `settings`, is not the others'.

    Of a source that has one process, or does not tell them apart, there are none.
    """

    def __init__(self, messages: Messages, settings: Settings, launched: dict[int, float]) -> None:
        self._launched = launched
        self._count = self._without_iterations = 0
        self._are_known = True  # all of them
        self.newest: Launch | None = None
        """The newest, as long as it has no iteration."""

        self.positions: set[int] = set()
        """Where the first iterations of launches are: there another process is proven."""

        self.counted, self.other = Counted(), OtherRows()
        self._messages, self._settings = messages, settings

    @property
    def count(self) -> int:
        """How many there are; 0 where that is not certain, or one process wrote all."""
        return self._count if self._are_known else 0

    @property
    def said(self) -> dict[str, Any]:
        """What the log says of how it counts, by the names of `Progress`."""
        said = self.counted
        return {
            "openings": said.openings,
            "parts": said.parts,
            "counts_rows": said.rows,
            "unit": said.unit or "iteration",
            "at_least": said.at_least,
            "tag": said.tag,
            "round": said.round,
            "other": self.other,
        }

    def note(self, event: Counted | OtherRows) -> None:
        """What else than its rows a log tells."""
        if isinstance(event, Counted):
            self.counted = event
        else:
            self.other = event

    @property
    def told(self) -> int:
        """How many there are at least; 0 where none is told of."""
        return max(self._count, self.counted.dumps or 0)

    @property
    def without_iterations(self) -> int:
        """How many of those have ended, as far as anybody knows, before their first iteration."""
        return self._without_iterations if self._are_known else 0

    def begin(self, launch: Launch, hear: Callable[[], None]) -> None:
        """Another one begins. `hear` looks at how the run ended that goes on no more."""
        self._messages.begin_launch(launch.line, hear)
        self._are_known = self._are_known and launch.after_none is not None
        self._count = max(1, self._count) + 1
        self._without_iterations += 1 + bool(launch.after_none) - (self.newest is not None)
        self.newest = launch

    def go_on(self, position: int) -> bool:
        """Iterations come, from `position` on: is it the newest launch that has come to its first?

        How the process before it ended is known then, and how long one takes to begin nobody knows.
        """
        if self.newest is None:
            return False
        if self.newest.at_s is not None:
            self._launched[position] = self.newest.at_s
        self._messages.go_on()
        self._settings.begin_launch()
        self._without_iterations -= 1
        self.newest = None
        self.positions.add(position)
        return True

    def begin_process(self, position: int, *, jumped: bool) -> None:
        """Rows begin again at `position`, or have `jumped`.

        Without a launch before them their first lines may be others than those that launches are known by: nobody
        knows how many have said them.
        """
        self._messages.go_on()
        self._are_known = self._are_known and (jumped or not position or position in self.positions)


class Silences:
    """Long times without a row, behind which another process may have begun: to ask again costs what is new."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._seen, self._short, self._short_s = 1, 0, 0.0
        self._long: list[int] = []  # the rows behind such a time

    def seconds(self, wall_s: float) -> float | None:
        """What all silences take of a wall time by the rows' stamps, if they are some of it.

        Shorter ones may be as well: no less than this is without a row.
        """
        self._take_in()
        if not self._long:
            return None
        at = self._columns.at_s
        long_s = [float(at[n] - at[n - 1]) for n in self._long]
        apart = not self._short or len(long_s) >= self._short  # rows are that far apart
        usual_s = median(long_s) if apart else self._short_s / self._short
        gaps = zip(self._long, long_s, strict=True)
        found = (gap for n, gap in gaps if gap >= max(FAR * usual_s, BESIDE * self._beside_s(n)))
        silent = min(wall_s, sum(found))
        return silent if silent >= SOME * wall_s else None

    def _beside_s(self, n: int) -> float:
        """The shorter distance of those beside row `n`'s: the rows of a training may all be as far apart."""
        at = self._columns.at_s
        near = [at[k] - at[k - 1] for k in (n - 1, n + 1) if 0 < k < len(at)]
        return min((gap for gap in near if gap > 0), default=0.0)

    def _take_in(self) -> None:
        at = self._columns.at_s
        for n, gap in enumerate(map(sub, at[self._seen :], at[self._seen - 1 :]), self._seen):
            if gap >= LONG_S:
                self._long.append(n)
            elif gap > 0:
                self._short, self._short_s = self._short + 1, self._short_s + gap
        self._seen = max(1, len(at))
