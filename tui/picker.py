"""The home screen: all runs, one line each, from which one is opened. An app of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from . import preferences
from .aside import Latest
from .drawing import terminal
from .drawn_app import DrawnApp, show
from .pages.runs_page import RunsPage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .drawing.theme import Theme
    from .pages.runs_page import Choice, Deletion

AGAIN_S = 4.0
"""Between two looks at the runs; more where a look takes long: they take `USUAL_SHARE` at most."""

USUAL_SHARE = 1 / 50
"""Of a core, once all is read; a look that has more to read says how much it may take."""

_LEAST_S = 0.05


class Looked(NamedTuple):
    """What a look at the runs found; `share`: of a core that looks may take from here on.

    A `problem` leaves the list as it was; a `note` is said below the one that was found.
    """

    choices: Sequence[Choice]
    share: float = USUAL_SHARE
    problem: str = ""
    took_s: float = 0.0
    note: str = ""

    @property
    def has_more(self) -> bool:
        """Is there more to read?"""
        return self.share > USUAL_SHARE


class Picker(DrawnApp):
    """Lets a person choose a run.

    Args:
        look: Lists the runs; it may take long, and raises `OSError` where it cannot.
        heading: What is chosen, and what for.
        theme: How it looks.
        deletion: What deletes runs: then this is the home screen.
        clock: Unix time.
    """

    def __init__(
        self,
        look: Callable[[], Looked],
        heading: str,
        theme: Theme,
        *,
        deletion: Deletion | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(theme)
        self.chosen: tuple[str, ...] = ()
        self._page = RunsPage(theme, heading, self._chose, deletion)
        self._page.empty = "looking for runs"
        self._look_at, self._clock = look, clock
        self._seen: Latest[Looked] = Latest()

    def get_default_screen(self) -> RunsPage:
        """The list."""
        return self._page

    def begin(self) -> None:
        """Look, now and again."""
        if self.is_left_alone():
            return
        self._seen.ask(self._look, self.draw)
        self.draw()
        seen = self._seen.answer or Looked(())
        pause_s = (1 / seen.share - 1) * seen.took_s
        self.set_timer(max(_LEAST_S if seen.has_more else AGAIN_S, pause_s), self.begin)

    def draw(self) -> None:
        """Show what was seen last."""
        if (seen := self._seen.answer) is not None:
            if not seen.problem:
                self._page.show(seen.choices, self._clock())
            self._page.problem, self._page.empty = seen.problem or seen.note, "no run"
        if isinstance(self.screen, RunsPage):
            self._page.draw()

    def _look(self) -> Looked:
        begun_s = time.monotonic()
        try:
            found = self._look_at()
        except OSError as error:
            found = Looked((), problem=str(error))
        return found._replace(took_s=time.monotonic() - begun_s)

    def _chose(self, keys: tuple[str, ...]) -> None:
        self.chosen = keys
        self.exit()


def pick(
    look: Callable[[], Looked],
    heading: str,
    *,
    deletion: Deletion | None = None,
    scheme: str = "",
    ascii_only: bool = False,
    mouse: bool = True,
) -> tuple[str, ...]:
    """Let the person choose a run, or two to compare on the home screen; none if they leave without.

    Raises:
        SystemExit: a signal has ended it, or a fault.
    """
    theme = terminal.theme(preferences.chosen_theme(scheme), ascii_only=ascii_only)
    app = Picker(look, heading, theme, deletion=deletion)
    if code := show(app, mouse=mouse):
        raise SystemExit(code)
    return app.chosen
