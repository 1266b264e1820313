"""The picker: which run is meant, chosen from a list that goes on with what happens. An app of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from .. import words
from ..collectors.clean import clean
from . import keys, preferences
from .aside import Latest
from .drawing import terminal
from .drawn_app import DrawnApp, show
from .pages.list_page import ListPage, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from .drawing.lines import Span
    from .drawing.theme import Theme

AGAIN_S = 1.0
"""Between two looks at the runs; more where a look takes long: they take a tenth of a core at most."""

_SHARE = 10


class Choice(NamedTuple):
    """A run as the list shows it.

    key: What a person could have typed to mean it.
    state: `running`, or how it has ended.
    seen_at_s: When it last wrote anything (Unix time).
    """

    key: str
    name: str
    state: str
    seen_at_s: float | None = None
    iteration: int | None = None
    iteration_s: float | None = None
    host: str = ""
    path: str = ""


COLUMNS = {"run": 0, "state": 1, "last update": 2, "iteration": 3, "time/iter": 6, "host": 5, "path": 4}
"""In their order, with the rank that each has where there is no room for all."""
RUNNING = "running"
_STYLES = {RUNNING: "good", "failed": "bad", "killed": "bad", "lost": "warn"}


def row_of(choice: Choice, now_s: float) -> Row:
    """The run in columns."""
    seen = choice.seen_at_s
    age = words.DASH if seen is None else f"{words.rough_duration(max(0.0, now_s - seen))} ago"
    cells: tuple[Span, ...] = (
        (clean(choice.name), ""),
        (choice.state, _STYLES.get(choice.state, "dim")),
        (age, "label"),
        (words.count(choice.iteration), ""),
        (words.duration(choice.iteration_s), ""),
        (clean(choice.host), "label"),
        (clean(choice.path), "dim"),
    )
    return Row(choice.key, cells)


class PickPage(ListPage, inherit_bindings=False):
    """The list; `leave` is called with what was chosen, or without anything."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.LIST_PAGE, keys.PICKER)

    def __init__(self, theme: Theme, heading: str, leave: Callable[[str | None], None]) -> None:
        super().__init__(theme, heading, COLUMNS)
        self._leave = leave

    @property
    def groups(self) -> Sequence[str]:
        """`q` leaves, and is a letter once something is typed."""
        return (self.group,) if self.typed else (self.group, keys.PICKER)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """As above."""
        return action != "leave" or not self.typed

    def take(self, key: str) -> None:
        """This one."""
        self._leave(key)

    def action_close(self) -> None:
        """None."""
        self._leave(None)

    action_leave = action_close


class Picker(DrawnApp):
    """Lets a person choose a run.

    Args:
        choices: Lists the runs; it may take long, and raises `OSError` where it cannot.
        heading: What is chosen, and what for.
        theme: How it looks.
        clock: Unix time.
    """

    def __init__(
        self,
        choices: Callable[[], Sequence[Choice]],
        heading: str,
        theme: Theme,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(theme)
        self.chosen: str | None = None
        self._page = PickPage(theme, heading, self._chose)
        self._page.empty = "looking for runs"
        self._choices, self._clock = choices, clock
        self._seen: Latest[tuple[Sequence[Choice], str, float]] = Latest()

    def get_default_screen(self) -> PickPage:
        """The list."""
        return self._page

    def begin(self) -> None:
        """Look, now and again."""
        if self.is_left_alone():
            return
        self._seen.ask(self._look, self.draw)
        self.draw()
        took_s = self._seen.answer[2] if self._seen.answer else 0.0
        self.set_timer(max(AGAIN_S, _SHARE * took_s), self.begin)

    def draw(self) -> None:
        """Show what was seen last."""
        if self._seen.answer is not None:
            found, problem, _ = self._seen.answer
            now_s = self._clock()
            if not problem:
                self._page.rows = [row_of(choice, now_s) for choice in found]
            self._page.problem, self._page.empty = problem, "no run"
        self._page.draw()

    def _look(self) -> tuple[Sequence[Choice], str, float]:
        begun_s = time.monotonic()
        try:
            return self._choices(), "", time.monotonic() - begun_s
        except OSError as error:
            return (), str(error), time.monotonic() - begun_s

    def _chose(self, key: str | None) -> None:
        self.chosen = key
        self.exit()


def pick(
    choices: Callable[[], Sequence[Choice]],
    heading: str,
    *,
    scheme: str = "",
    ascii_only: bool = False,
    mouse: bool = True,
) -> str | None:
    """Let the person choose; `None` if they leave without.

    Raises:
        SystemExit: a signal has ended it, or a fault.
    """
    app = Picker(choices, heading, terminal.theme(preferences.chosen_theme(scheme), ascii_only=ascii_only))
    if code := show(app, mouse=mouse):
        raise SystemExit(code)
    return app.chosen
