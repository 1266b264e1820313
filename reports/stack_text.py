"""What the processes of a training do at this moment, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .. import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_IDLE_SHOWN = 8
"""Other threads of a process that are shown."""


class Thread(Protocol):
    """What is shown of a thread: see `collectors.host.stacks`."""

    @property
    def name(self) -> str: ...
    @property
    def frames(self) -> tuple[str, ...]: ...
    @property
    def user_frame(self) -> int | None: ...
    @property
    def holds_the_lock(self) -> bool: ...


class Process(Protocol):
    """What is shown of a process."""

    @property
    def pid(self) -> int: ...
    @property
    def command(self) -> str: ...
    @property
    def threads(self) -> Sequence[Thread]: ...
    @property
    def trouble(self) -> str: ...
    @property
    def remedy(self) -> str: ...


def stack_lines(processes: Iterable[Process]) -> list[str]:
    """Each process with its threads, the main one first; equal main stacks are said to be equal."""
    lines: list[str] = []
    seen: dict[tuple[str, ...], int] = {}
    for process in processes:
        lines += [""] if lines else []
        lines.append(f"process {process.pid}  {process.command}".rstrip())
        if process.trouble:
            lines.append(f"  {words.DASH} {process.trouble}")
            lines += [f"  This would permit it: {process.remedy}"] if process.remedy else []
            continue
        first, *others = process.threads or (None,)
        if first is None:
            lines.append(f"  {words.DASH} it has no Python threads")
            continue
        same = seen.setdefault(first.frames, process.pid)
        if same != process.pid and first.frames:
            lines.append(f"  {first.name}: the same as in process {same}")
        else:
            lines += _thread(first)
        for thread in others[:_IDLE_SHOWN]:
            lines += _thread(thread, most=2)
        if len(others) > _IDLE_SHOWN:
            lines.append(f"  and {words.plural(len(others) - _IDLE_SHOWN, 'more thread')}; --json lists them")
    return lines


def _thread(thread: Thread, most: int = 12) -> list[str]:
    """Its name, then its frames, innermost first; a mark at the innermost of the user's own code."""
    holds = " (holds the interpreter)" if thread.holds_the_lock else ""
    lines = [f"  {thread.name or 'a thread'}{holds}"]
    for place, frame in enumerate(thread.frames[:most]):
        lines.append(f"  {'>' if place == thread.user_frame else ' '} {frame}")
    return lines
