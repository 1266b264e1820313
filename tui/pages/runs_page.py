"""The page of the runs: one line a run, to find, sort, mark, open, compare and delete."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ... import words
from ...collectors.clean import clean
from ...events import Severity
from ...reports.run_line import RunLine
from .. import keys
from .list_page import ListPage, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.binding import BindingType

    from ..drawing.lines import Block, Span
    from ..drawing.theme import Theme


class Choice(NamedTuple):
    """A run as the list shows it.

    key: What a person could have typed to mean it.
    state: `running`, or how it has ended.
    line: What its report says in few words; `None` while it is not read yet.
    seen_at_s: When it last wrote anything (Unix time).
    """

    key: str
    name: str
    state: str
    line: RunLine | None = None
    seen_at_s: float | None = None
    host: str = ""
    path: str = ""


COLUMNS = {
    "run": 0,
    "state": 1,
    "done": 3,
    "left": 4,
    "time/iter": 5,
    "loss": 6,
    "cost": 8,
    "last update": 7,
    "what": 2,
    "host": 10,
    "path": 9,
}
"""In their order, with the rank that each has where there is no room for all."""
_STYLES = {"running": "good", "failed": "bad", "killed": "bad", "lost": "warn", "silent": "warn"}
_SAID = {Severity.ERROR: "bad", Severity.WARNING: "warn"}
_NOT_READ = "…"
_MARK = "* "


def row_of(choice: Choice, now_s: float, *, marked: bool = False) -> Row:
    """The run in columns."""
    seen, line = choice.seen_at_s, choice.line or RunLine()
    age = words.DASH if seen is None else f"{words.rough_duration(max(0.0, now_s - seen))} ago"
    done = words.count(line.iteration) if line.fraction is None else words.percent(line.fraction, 0)
    figures = (
        (done, ""),
        (words.DASH if line.remaining_s is None else words.rough_duration(line.remaining_s), ""),
        (words.duration(line.iteration_s), ""),
        (words.loss(line.loss), ""),
        (words.money(line.cost), ""),
    )
    said = (clean(line.said), _SAID.get(line.severity, "dim"))
    cells: tuple[Span, ...] = (
        (f"{_MARK if marked else ''}{clean(choice.name)}", "accent" if marked else ""),
        (choice.state, _STYLES.get(choice.state, "dim")),
        *(figures if choice.line else ((_NOT_READ, "dim"),) * len(figures)),
        (age, "label"),
        said,
        (clean(choice.host), "label"),
        (clean(choice.path), "dim"),
    )
    return Row(choice.key, cells)


def _last(value: float | None) -> float:
    return math.inf if value is None else value


_GRAVITY = {Severity.WARNING: 1, Severity.ERROR: 2}
_ORDERS: dict[str, Callable[[Choice], object] | None] = {
    "newest": None,
    "name": lambda choice: choice.name,
    "left": lambda choice: _last((choice.line or RunLine()).remaining_s),
    "time/iter": lambda choice: _last((choice.line or RunLine()).iteration_s),
    "loss": lambda choice: _last((choice.line or RunLine()).loss),
    "cost": lambda choice: -((choice.line or RunLine()).cost or 0.0),
    "trouble": lambda choice: -_GRAVITY.get((choice.line or RunLine()).severity, 0),
}
"""What the rows can be sorted by, in the order in which the key steps through; `None`: as they were found."""


class Deletion(NamedTuple):
    """What deletes runs.

    ask: What would be deleted, in a question; or why it cannot be, and `False`.
    do: Deletes it; what went wrong, or "".
    """

    ask: Callable[[Sequence[str]], tuple[str, bool]]
    do: Callable[[Sequence[str]], str]


class RunsPage(ListPage, inherit_bindings=False):
    """The list; `leave` is called with the keys that were chosen: one, two to compare, or none.

    With a `deletion` it is the home screen: there runs are marked, compared and deleted too.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.LIST_PAGE, keys.PICKER, keys.HOME)

    def __init__(
        self,
        theme: Theme,
        heading: str,
        leave: Callable[[tuple[str, ...]], None],
        deletion: Deletion | None = None,
    ) -> None:
        super().__init__(theme, heading, COLUMNS)
        self._leave, self._deletion = leave, deletion
        self._title = heading
        self._choices: Sequence[Choice] = ()
        self._now_s = 0.0
        self._order = next(iter(_ORDERS))
        self._marked: list[str] = []
        self._asked: tuple[str, ...] = ()
        self._said = ""

    def show(self, choices: Sequence[Choice], now_s: float) -> None:
        """These are the runs now."""
        self._choices, self._now_s = choices, now_s
        there = {choice.key for choice in choices}
        self._marked = [key for key in self._marked if key in there]
        self._set_rows()

    def lines(self, size: tuple[int, int]) -> Block:
        """As of any list; below it what is asked, or was done."""
        problem, self.problem = self.problem, self._said or self.problem
        try:
            return super().lines(size)
        finally:
            self.problem = problem

    @property
    def groups(self) -> Sequence[str]:
        """`q` leaves, and is a letter once something is typed."""
        own = (self.group,) if self._deletion is None else (self.group, keys.HOME)
        return own if self.typed or self._asked else (*own, keys.PICKER)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """As above."""
        if action in ("mark_run", "sort", "delete_runs"):
            return self._deletion is not None
        return action != "leave" or not (self.typed or self._asked)

    def press_unknown(self, event: events.Key) -> None:
        """The answer, where something is asked: `y` is yes, and whatever else no."""
        if not self._asked:
            super().press_unknown(event)
            return
        event.stop()
        asked, self._asked, self._said = self._asked, (), "nothing was deleted"
        if event.character in ("y", "Y") and self._deletion is not None:
            gone = f"{words.plural(len(asked), 'run')} deleted"
            self._said = self._deletion.do(asked) or gone
            self._marked = []
            self._choices = [one for one in self._choices if self._said != gone or one.key not in asked]
        self._set_rows()
        self.draw()

    def take(self, key: str) -> None:
        """This one; where two are marked, these, to be compared."""
        if self._asked:
            self._unask()
        elif len(self._marked) == 2:
            self._leave(tuple(self._marked))
        else:
            self._leave((key,))

    def action_close(self) -> None:
        """None; where something is asked, no."""
        if self._asked:
            self._unask()
        else:
            self._leave(())

    action_leave = action_close

    def action_mark_run(self) -> None:
        """Mark the run, or not any more, and go on to the next."""
        if self.chosen in self._marked:
            self._marked.remove(self.chosen)
        elif self.chosen:
            self._marked.append(self.chosen)
        two = "enter compares the two · ctrl+x deletes them"
        many = f"{words.plural(len(self._marked), 'run')} marked · two can be compared · ctrl+x deletes them"
        self._said = two if len(self._marked) == 2 else many if self._marked else ""
        self._set_rows()
        self.action_choose(1)

    def action_sort(self) -> None:
        """By the next of what they can be sorted by."""
        orders = list(_ORDERS)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self._said = f"sorted by {self._order}"
        self._set_rows()
        self.draw()

    def action_delete_runs(self) -> None:
        """Ask whether the marked ones, or the one below the mark, are to be deleted."""
        wanted = tuple(self._marked) or ((self.chosen,) if self.chosen else ())
        if self._deletion is None or not wanted:
            return
        self._said, may = self._deletion.ask(wanted)
        self._asked = wanted if may else ()
        self.draw()

    def _unask(self) -> None:
        self._asked, self._said = (), "nothing was deleted"
        self.draw()

    def _set_rows(self) -> None:
        order = _ORDERS[self._order]
        choices = self._choices if order is None else sorted(self._choices, key=order)  # type: ignore[arg-type]
        self.rows = [row_of(choice, self._now_s, marked=choice.key in self._marked) for choice in choices]
