"""One run with all its ranks: what matters most, the ranks with the worst on top, the heat map of them all."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ...analysis.fleet.standing import GONE, IN_STEP, LATE, place
from ...collectors.clean import clean
from ...reports.fleet import figures, gpu_words, troubles, verdict
from ...words import DASH, count, duration, plural
from .. import keys
from ..drawing.lines import block, box, fit, shed, spread
from ..drawn_screen import DrawnScreen
from .heat import BY_LATENESS, BY_NAME, BY_STAGE, heat_map, lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from ...analysis.fleet.standing import RankStanding, Standing
    from ...events.fleet import FleetCourse, FleetReading, Member, RankKey
    from ..drawing.lines import Block, Line
    from ..drawing.theme import Theme

_LEAST_TABLE, _MOST_TABLE = 6, 20  # rows, with the frame
_MOST_TROUBLES = 2
_MOST_LANES = 5
_STYLES = {IN_STEP: "dim", LATE: "warn", GONE: "bad"}
_COLUMNS = (("rank", 6), ("host", 16), ("state", 11), ("late by", 8), ("power", 6), ("clock", 9), ("temp", 6))


class Seen(NamedTuple):
    """One look at the server: what it said, or why there is nothing new."""

    reading: FleetReading
    standing: Standing
    course: FleetCourse


class FleetScreen(DrawnScreen, inherit_bindings=False):
    """Shows `seen`, which is set anew at each look.

    Args:
        theme: How it looks.
        server: Which server it is.
        leave: Called with the rank that is to be opened, or without one.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.FLEET, keys.ALWAYS)

    def __init__(self, theme: Theme, server: str, leave: Callable[[Member | None], None]) -> None:
        super().__init__(theme)
        self._server, self._leave = server, leave
        self.seen: Seen | None = None
        self.problem = ""
        """Why what is shown is older."""

        self._at = 0
        self._key: RankKey | None = None
        self._top, self._shown = 0, 1
        self._order = BY_LATENESS

    @property
    def groups(self) -> Sequence[str]:
        """Its own, and those of everywhere."""
        return (keys.FLEET, keys.ALWAYS)

    def lines(self, size: tuple[int, int]) -> Block:
        """The head, the table, the map."""
        width, height = size
        if self.seen is None:
            words = self.problem or f"asking {self._server}"
            return block([((f" {words}", "warn" if self.problem else "dim"),)], width, height)
        head = self._head(self.seen, width)
        left = height - len(head)
        table = max(_LEAST_TABLE, min(_MOST_TABLE, left * 2 // 5))
        if left - table < 4:
            table = left
        body = [*head, *self._table(self.seen, width, table)]
        if left > table:
            body += self._map(self.seen, width, left - table)
        return block(body, width, height)

    def _head(self, seen: Seen, width: int) -> Block:
        reading, said = seen.reading, verdict(seen.standing, seen.reading)
        at = time.strftime("%H:%M:%S", time.localtime(reading.at_s))
        hosts = len({place(member) for member in reading.members})
        name: Line = ((f" {clean(reading.run, 200)}", "title"), (f"  {plural(hosts, 'host')}", "label"))
        lines = [
            spread(name, ((f"{self._server}  {at} ", "dim"),), width),
            ((f" {said.what}", "good" if said.well else "bad"),),
            ((f" {said.evidence or said.action}", ""),),
            shed(_figures(figures(reading, seen.standing.ranks)), width),
        ]
        wrong = [*([f"no news: {self.problem}"] if self.problem else []), *troubles(seen.standing, reading)]
        if len(wrong) > _MOST_TROUBLES:
            more = f"{wrong[_MOST_TROUBLES - 1]} (and {len(wrong) - _MOST_TROUBLES} more)"
            wrong = [*wrong[: _MOST_TROUBLES - 1], more]
        return [fit(line, width) for line in (*lines, *(((f" {words}", "warn"),) for words in wrong))]

    def _table(self, seen: Seen, width: int, height: int) -> Block:
        rows = seen.standing.rows
        self._follow(rows)
        self._shown = max(1, height - 3)
        self._top = max(0, min(self._top, self._at, len(rows) - self._shown), self._at - self._shown + 1)
        heads = "".join(
            f" {name.rjust(cells) if name != 'host' else name.ljust(cells)}" for name, cells in _COLUMNS
        )
        body: Block = [((f"  {heads}", "label"),)]
        for number, row in enumerate(rows[self._top : self._top + self._shown], self._top):
            marked = number == self._at
            line = _row(row)
            body.append(
                ((" ▶", "key"), *((words, "value" if marked else style) for words, style in line))
                if marked
                else (("  ", ""), *line)
            )
        return box((("ranks", "title"),), body, width, height, right=((count(len(rows)), "dim"),))

    def _map(self, seen: Seen, width: int, height: int) -> Block:
        course, usual_s = seen.course, seen.reading.usual_s
        if not (usual_s and seen.standing.knows_late and course.rows):
            why = "who is late is not known: no rank says what it does by itself"
            return box((("the ranks over time", "title"),), [((f" {why}", "dim"),)], width, height)
        inner = height - 2
        below = lanes(course, seen.reading.lost_s, seen.standing.ranks, (width - 2, min(_MOST_LANES, inner // 3)))
        drawn = heat_map(course, usual_s, (width - 2, inner - len(below)), self._order)
        over = duration(course.columns * course.step_s)
        title = f"late, by {self._order}: · below 5 % of an iteration, ▃ 10 %, ▅ 20 %, ▆ 50 %, █ more"
        return box(((title, "title"),), [*drawn, *below], width, height, right=((over, "dim"),))

    # The mark

    def _follow(self, rows: Sequence[RankStanding]) -> None:
        """The mark stays on its rank; before one was chosen, on the top."""
        if self._key is not None:
            self._at = next((n for n, row in enumerate(rows) if row.member.key == self._key), self._at)
        self._at = max(0, min(self._at, len(rows) - 1))

    def _mark(self, at: int) -> None:
        rows = self.seen.standing.rows if self.seen else ()
        self._at = max(0, min(at, len(rows) - 1))
        self._key = rows[self._at].member.key if rows else None
        self.draw()

    def action_choose(self, rows: int) -> None:
        """So many ranks up (below 0) or down."""
        self._mark(self._at + rows)

    def action_choose_page(self, pages: int) -> None:
        """A screenful up or down."""
        self._mark(self._at + pages * self._shown)

    def action_first(self) -> None:
        """The one on top, and whichever comes to stand there."""
        self._at, self._key = 0, None
        self.draw()

    def action_order(self) -> None:
        """The map in the next order; by stage where the trainers say it."""
        orders = [BY_LATENESS, BY_NAME, *([BY_STAGE] if self.seen and self.seen.course.stages else [])]
        self._order = orders[(orders.index(self._order) + 1) % len(orders)] if self._order in orders else orders[0]
        self.draw()

    def action_open(self) -> None:
        """This rank's own screen."""
        if self.seen and self.seen.standing.rows:
            self._leave(self.seen.standing.rows[self._at].member)

    def action_close(self) -> None:
        """Back to the runs."""
        self._leave(None)


def _figures(pairs: Sequence[tuple[str, str]]) -> list[tuple[int, Line]]:
    return [(rank, ((f" {name} ", "label"), (f"{value} ", "value"))) for rank, (name, value) in enumerate(pairs)]


def _row(row: RankStanding) -> Line:
    power, clock, heat, wrong = gpu_words(row.gpu)
    late = DASH if row.late_s is None else f"+{duration(row.late_s)}"
    cells = (clean(row.member.rank, 40), clean(place(row.member), 200), row.state, late, power, clock, heat)
    style = _STYLES.get(row.state, "bad")
    line: list[tuple[str, str]] = []
    for words, (name, width) in zip(cells, _COLUMNS, strict=True):
        cell = ((words, style if name in ("state", "late by") else ""),)
        pad = " " * (width - len(words))
        line += [(" ", ""), *(fit(cell, width) if name == "host" or not pad else ((pad, ""), *cell))]
    return (*line, (f" {wrong}", "bad"))
