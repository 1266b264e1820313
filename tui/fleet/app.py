"""The app of many ranks: it asks the server beside the thread that draws, and goes on showing what it knew."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...analysis.fleet.standing import standing
from ..aside import Latest
from ..drawn_app import DrawnApp
from .screen import FleetScreen, Seen

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events.fleet import FleetCourse, FleetReading, Member
    from ..drawing.theme import Theme

LEAST_S = 2.0
"""Between two looks: no server scrapes more often, and each look costs it a dozen questions."""

_FIRST_S = 15.0
_SHARE = 4.0
"""Between two looks so many times as long as the last one took: 10,000 ranks keep a server busy for seconds, and
others ask it too."""


class FleetApp(DrawnApp):
    """Shows one run until it is left.

    Args:
        look: Asks the server; raises `OSError` whose words say why there is no answer.
        server: How it is called.
        theme: How it looks.
        every_s: Between two looks; as often as the server scrapes, if `None`.
        note: What is said at first: why a rank could not be opened.
    """

    def __init__(
        self,
        look: Callable[[], tuple[FleetReading, FleetCourse]],
        server: str,
        theme: Theme,
        *,
        every_s: float | None = None,
        note: str = "",
    ) -> None:
        super().__init__(theme)
        self._note = note
        self.chosen: Member | None = None
        self.closed = False
        self._look_there, self._every_s = look, every_s
        self._took_s = 0.0
        self._page = FleetScreen(theme, server, self._leave_with)
        self._seen: Latest[tuple[Seen | None, str]] = Latest()

    def get_default_screen(self) -> FleetScreen:
        """The ranks."""
        return self._page

    def begin(self) -> None:
        """Look, now and again."""
        if self.is_left_alone():
            return
        if self._note:
            self._page.say(self._note)
            self._note = ""
        self._seen.ask(self._look, self._show)
        self._show()
        self.set_timer(self._pause_s(), self.begin)

    def _pause_s(self) -> float:
        if self._every_s is not None:
            return self._every_s
        seen = self._page.seen
        return max(LEAST_S, (seen.reading.scrape_s if seen else None) or _FIRST_S, _SHARE * self._took_s)

    def _show(self) -> None:
        if self._seen.answer is not None:
            seen, self._page.problem = self._seen.answer
            self._page.seen = seen or self._page.seen
        self._page.draw()

    def _look(self) -> tuple[Seen | None, str]:
        begun_s = time.monotonic()
        try:
            reading, course = self._look_there()
        except OSError as error:
            return None, str(error)
        finally:
            self._took_s = time.monotonic() - begun_s
        return Seen(reading, standing(reading, course), course), ""

    def _leave_with(self, member: Member | None) -> None:
        self.chosen, self.closed = member, member is None
        self.exit()
