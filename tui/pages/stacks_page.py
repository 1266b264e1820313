"""Where the training stands: what its hooks saw, what its processes do now. The look has a thread of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...reports.stack_text import look_lines, seen_lines, stack_lines
from .. import keys
from ..aside import Aside
from ..drawing.lines import wrap
from .page import TextPage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from ...reports.stack_text import Process
    from ..drawing.lines import Block, Line
    from ..drawing.theme import Theme
    from ..scene import Seen

    Look = Callable[[], Sequence[Process] | str]

NONE_OF_IT = "nobody looked at it: the hooks look at an iteration of 3 × its usual time, and at least 0.5 s"
NO_STACKS = "no stacks: itermon's hooks record them (itermon.watch(), or itermon run --hooks)"
NO_PROCESS = "no process is known here to look at: --pid PID names it; elsewhere, itermon stack RUN|PID|LOG"


FRESH_S = 10.0
"""So old may be what the hooks saw: within a minute they look ten times, and then no more."""


class StacksPage(TextPage, inherit_bindings=False):
    """What was seen, and what is seen now.

    Args:
        theme: How it looks.
        seen: Gives what the hooks saw.
        look: Looks at the processes, or says why it cannot; it may take seconds. `None`: there are none.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.TEXT_PAGE, keys.STACKS_PAGE, keys.PAGES)

    def __init__(self, theme: Theme, seen: Callable[[], Seen], look: Look | None) -> None:
        super().__init__(theme, "where it stands", self._body_of)
        self._seen, self._look = seen, look
        self._aside = Aside()
        self._is_looking = False
        self._found: list[str] | None = None

    def on_mount(self) -> None:
        """Unless the hooks have just looked themselves, look at once."""
        seen = self._seen()
        newest_s = max((stack.at_s for stack in seen.newest.now), default=0.0)
        if self._look is not None and (seen.now_s or 0.0) - newest_s > FRESH_S:
            self.action_look()

    def on_unmount(self) -> None:
        """Nobody waits for the answer."""
        self._aside.forget()

    @property
    def groups(self) -> Sequence[str]:
        """Where there is a process, one can look again."""
        return super().groups if self._look is None else (keys.STACKS_PAGE, *super().groups)

    def action_look(self) -> None:
        """What its processes do now."""
        if self._look is None:
            self.action_close()  # as any key that does nothing here
        elif not self._is_looking:
            self._is_looking = True
            look = self._look
            self._aside.do(lambda _is_old: look(), self._show)
            self.draw()

    def _show(self, found: Sequence[Process] | str) -> None:
        self._is_looking = False
        self._found = [f"– {found}"] if isinstance(found, str) else stack_lines(found)
        self.draw()

    def _body_of(self, width: int) -> Block:
        seen = self._seen()
        parts: list[tuple[str, list[str]]] = []
        if seen.iteration is not None:
            of_it = look_lines(seen.of_it) or [f"– {NONE_OF_IT}"]
            parts.append((f"iteration {seen.iteration:,}, as the hooks saw it", of_it))
        if seen.newest.now:
            parts.append(("the iteration under way, as the hooks saw it", seen_lines(seen.newest.now, seen.now_s)))
        if self._found is not None or self._is_looking:
            parts.append(("now, seen from outside", self._found or ["looking ..."]))
        if seen.newest.before:
            before = seen_lines(seen.newest.before, seen.now_s)
            parts.append(("the newest that the hooks saw, of iterations that have ended", before))
        if not seen.newest.now and not seen.newest.before and seen.iteration is None:
            parts.append(("what the hooks saw", [f"– {NO_STACKS}"]))
        if self._look is None and not seen.newest.now:
            parts.append(("now, seen from outside", [f"– {NO_PROCESS}"]))
        return [line for heading, told in parts for line in _part(heading, told, width)]


def _part(heading: str, told: Sequence[str], width: int) -> Block:
    """A heading and its rows, wrapped: what is long is a command to copy, or the reason."""
    rows: Block = [((f" {heading}", "title"),)]
    for row in told:
        text = row.lstrip()
        indent = len(row) - len(text) + 2
        is_own, is_known = text.startswith("> "), not text.startswith("–")
        style = "value" if is_own else "" if is_known else "label"
        more = 4 if is_own else 2
        for number, line in enumerate(wrap(text, width - indent - more, style) or [()]):
            rows.append(_indented(line, indent + (more if number else 0)))
    return [*rows, ()]


def _indented(line: Line, cells: int) -> Line:
    return ((" " * cells, ""), *line)
