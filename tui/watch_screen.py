"""The watch screen: its keys and the mouse move the view, open pages and control a replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from .. import words
from ..events import MOST_SCALARS
from . import keys, preferences
from .copied import to_copy
from .drawn_screen import DrawnScreen
from .layout import draw_screen, enlargeable, position_at, shows_newest
from .pages.compare_page import ComparePage
from .pages.incidents_page import incident_lines
from .pages.lanes_page import LanesPage
from .pages.log_page import LogPage
from .pages.page import TextPage
from .pages.plan_page import PlanPage
from .pages.stacks_page import StacksPage
from .panels.kept import Kept
from .panels.verdict import whole_verdict
from .scene import Scene
from .view import View
from .watched import BACK

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual import events
    from textual.binding import BindingType

    from .drawing.lines import Block
    from .drawing.theme import Theme
    from .watched import Watched


class WatchScreen(DrawnScreen, inherit_bindings=False):
    """The panels, and a line of keys below them.

    Args:
        watched: What they show.
        theme: How they look.
        copy: Puts a text on the clipboard; whether it went to anybody.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(*keys.GROUPS)

    def __init__(self, watched: Watched, theme: Theme, copy: Callable[[str], Awaitable[bool]]) -> None:
        super().__init__(theme)
        self._copy = copy
        self.view = View()
        self._watched, self._theme, self._kept = watched, theme, Kept()

    def lines(self, size: tuple[int, int]) -> Block:
        """All of it."""
        return draw_screen(self._scene(size), size, self._kept)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Without a replay its keys do nothing; without a log, and without stacks, their keys say why."""
        group = keys.group_of(action)
        return group in (None, keys.LOG, keys.STACKS) or group in self.groups

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the iteration that was clicked."""
        width, height = self.app.size
        self._look_at(
            self.view.with_cursor(position_at(self._scene(), (width, height - 1), event.screen_x), self._total)
        )

    def on_mouse_scroll_up(self) -> None:
        """Zoom in."""
        self.action_zoom(0.5)

    def on_mouse_scroll_down(self) -> None:
        """Zoom out."""
        self.action_zoom(2.0)

    def action_pan(self, direction: int) -> None:
        """Earlier (-1) or later (1) iterations."""
        self._look_at(self.view.panned(direction, self._total))

    def action_zoom(self, factor: float) -> None:
        """Fewer iterations (below 1) or more."""
        self._look_at(self.view.zoomed(factor, self._total))

    def action_oldest(self) -> None:
        """To the beginning of the run."""
        self._look_at(self.view.oldest(self._total))

    def action_newest(self) -> None:
        """To its end, and on with it."""
        self._look_at(self.view.newest())

    def action_scale(self) -> None:
        """The next scale of the chart."""
        self._look_at(self.view.with_next_scale())

    def action_find_spike(self, direction: int) -> None:
        """The cursor on the next mark, earlier (-1) or later (1)."""
        at = self._scene().next_mark(self.view.cursor, direction)
        if at is not None:
            self._look_at(self.view.with_cursor(at, self._total))
        elif self.view.cursor is None:
            self.say("no slow iteration and no change of level: there is none to go to")
        else:
            self.say(f"no {'earlier' if direction < 0 else 'later'} one")

    def action_close_evidence(self) -> None:
        """Everything again, then no cursor; then back to the list of all runs, where it was opened there."""
        view = self.view
        if self._watched.extras.from_home and not view.enlarged and view.cursor is None:
            self.app.exit(return_code=BACK)
            return
        self._look_at(view.with_enlarged("") if view.enlarged else view.with_cursor(None, self._total))

    def action_enlarge(self, direction: int) -> None:
        """The next lane or panel by itself; before the first and after the last everything."""
        names = ["", *enlargeable(self._scene())]
        at = names.index(self.view.enlarged) if self.view.enlarged in names else 0
        self._enlarge(names[(at + direction) % len(names)])

    def action_enlarge_number(self, number: int) -> None:
        """This one of them; the same again, and 0: everything."""
        names = ["", *enlargeable(self._scene())]
        if number >= len(names):
            self.say(f"there are {words.plural(len(names) - 1, 'part')} here: 1 to {len(names) - 1}")
            return
        self._enlarge("" if self.view.enlarged == names[number] else names[number])

    def _enlarge(self, name: str) -> None:
        """And say which of how many it is."""
        self.view = self.view.with_enlarged(name)
        names = enlargeable(self._scene())
        if name in names:
            self.say(f"part {names.index(name) + 1} of {len(names)}: {name} · tab the next · esc all of them")
        else:
            self.say("")

    def action_enlarge_or_not(self) -> None:
        """The evidence by itself while it is open, else the chart; and back."""
        names = enlargeable(self._scene())
        which = names[0] if self.view.cursor is None else names[-1]
        self._enlarge("" if self.view.enlarged else which)

    def action_verdict(self) -> None:
        """Open the verdict in full."""
        watched = self._watched
        page = TextPage(self._theme, "verdict", lambda width: whole_verdict(watched.findings, width))
        self.app.push_screen(page)

    def action_incidents(self) -> None:
        """Open the list of what happened to the run."""
        watched = self._watched
        page = TextPage(self._theme, "incidents", lambda width: incident_lines(watched.findings, width))
        self.app.push_screen(page)

    def action_lanes(self) -> None:
        """Open the list of what can have a lane."""
        scene = self._scene
        self.app.push_screen(
            LanesPage(self._theme, lambda: scene().curves, lambda: scene().chosen_curves, self._show_or_hide)
        )

    def _show_or_hide(self, curve: str) -> None:
        """What was chosen for other sources stays chosen."""
        shown = tuple(self._scene().chosen_curves)
        names = shown if self.view.curves is None else self.view.curves
        names = tuple(name for name in names if name != curve) if curve in shown else (*names, curve)
        self.view = msgspec.structs.replace(self.view, curves=names)
        preferences.keep(msgspec.structs.replace(preferences.load(), lanes=names[-MOST_SCALARS:]))

    def action_plan(self) -> None:
        """Open the what-if page."""
        self.app.push_screen(PlanPage(self._theme, lambda: self._watched.findings))

    def action_compare(self) -> None:
        """Open the page with the other run."""
        self.app.push_screen(ComparePage(self._theme, self._watched.session.run, self._watched.extras.other))

    def action_log(self) -> None:
        """Open the log's text at the cursor (in a replay, where that has come to), or say why there is none."""
        log, at = self._watched.log, self.view.cursor
        if log is None or self._watched.why_no_log:
            self.say(self._watched.why_no_log)
            return
        if at is None and self._watched.extras.replay is not None and self._total:
            at = self._total - 1
        self.app.push_screen(LogPage(self._theme, log, self._watched.iteration_at(at)))

    def action_stacks(self) -> None:
        """Open the page with where it stands, or say why nobody knows."""
        watched, at = self._watched, self.view.cursor
        if why := watched.why_no_stacks:
            self.say(why)
        else:
            self.app.push_screen(StacksPage(self._theme, lambda: watched.seen(at), watched.look))

    async def action_copy(self) -> None:
        """Copy the evidence while it is open, else the verdict."""
        copied = to_copy(self._scene())
        if await self._copy(copied.text):
            lines = words.plural(copied.text.count("\n") + 1, "line")
            self.say(f"copied {copied.name} ({lines}), if this terminal lets programs copy")
        else:
            self.say("nothing was copied: the terminal takes nothing now")

    def action_pause(self) -> None:
        """Stop the replay's clock, or let it run."""
        if self._watched.extras.replay is not None:
            self._watched.extras.replay.toggle_pause()

    def action_step(self) -> None:
        """One iteration of the replay."""
        if self._watched.extras.replay is not None:
            self._watched.extras.replay.step()

    def action_faster(self) -> None:
        """Twice as fast."""
        if self._watched.extras.replay is not None:
            self._watched.extras.replay.faster()

    def action_slower(self) -> None:
        """Half as fast."""
        if self._watched.extras.replay is not None:
            self._watched.extras.replay.slower()

    def action_jump(self, tenths: int) -> None:
        """So many tenths of the recording back (below 0) or on."""
        if self._watched.extras.replay is not None:
            self._watched.extras.replay.jump_by(tenths / 10)

    def _look_at(self, view: View) -> None:
        self.view = view
        self.draw()

    @property
    def _total(self) -> int:
        return len(self._watched.session.run.columns)

    @property
    def groups(self) -> Sequence[str]:
        """Those of a log where there is one, those of a replay in one."""
        return self._watched.groups

    def _scene(self, size: tuple[int, int] = (0, 0)) -> Scene:
        watched, at = self._watched, self.view.cursor
        if at is None and shows_newest(size) and watched.findings.spikes:
            at = watched.findings.spikes[-1].position
        lines = watched.log_lines(at, self.draw)
        return Scene(watched.session.run, watched.findings, watched.standing, self.view, lines)
