"""What the processes of a training do at this moment, and what the hooks saw, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .. import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..analysis.findings import Findings
    from ..events import Stack

_IDLE_SHOWN = 8
"""Other threads of a process that are shown."""

_MOST_STRETCHES = 6
"""Stretches of ranks that are numbered: 0 to 2, 4 to 7."""


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


def ranks_lines(asked: Findings) -> list[str]:
    """Which rank the others wait for, as NCCL's RAS counts their calls; or that it tells nothing of that."""
    if asked.hang is None:
        said = [message.text for message in asked.messages]
        return ["", *(said or ["ncclras: no rank waits for another: all have called as much, or go on calling"])]
    return ["", f"ncclras: {asked.verdict.headline}", *(f"  {sentence}" for sentence in asked.verdict.evidence)]


def _thread(thread: Thread, most: int = 12) -> list[str]:
    """Its name, then its frames, innermost first; a mark at the innermost of the user's own code."""
    holds = " (holds the interpreter)" if thread.holds_the_lock else ""
    lines = [f"  {thread.name or 'a thread'}{holds}"]
    return lines + [f"  {row}" for row in _frames(thread)[:most]]


def seen_lines(stacks: Iterable[Stack], now_s: float | None = None) -> list[str]:
    """The newest stack of each rank, those that stand in the same place together: the fewest ranks first."""
    classes: dict[tuple[str, ...], list[Stack]] = {}
    for stack in stacks:
        classes.setdefault(stack.frames, []).append(stack)
    lines: list[str] = []
    for same in sorted(classes.values(), key=len):
        lines += [""] if lines else []
        lines += [_who(same) + _when(same, now_s), *_frames(same[-1])]
    return lines


def look_lines(stacks: Iterable[Stack]) -> list[str]:
    """What was seen of one iteration, in its order; looks in a row that saw the same are told once."""
    runs: list[list[Stack]] = []
    for stack in stacks:
        if runs and (runs[-1][0].frames, runs[-1][0].native) == (stack.frames, stack.native):
            runs[-1].append(stack)
        else:
            runs.append([stack])
    lines: list[str] = []
    for same in runs:
        first, last = (words.duration(stack.waited_s) for stack in (same[0], same[-1]))
        when = f"after {first}" if first == last else f"{first} to {last}"
        looks = words.plural(sum(stack.count for stack in same), "look")
        lines += [""] if lines else []
        lines += [f"{when}, by {looks}{_native(same[0])}", *_frames(same[0])]
    return lines


def _who(same: Sequence[Stack]) -> str:
    """`the training thread`, `rank 3`, `6 ranks (0 to 2, 4 to 6)`."""
    ranks = sorted(stack.rank for stack in same if stack.rank is not None)
    if len(ranks) < 2:
        return f"rank {ranks[0]}" if ranks else "the training thread"
    stretches: list[list[int]] = []
    for rank in ranks:
        if stretches and stretches[-1][1] == rank - 1:
            stretches[-1][1] = rank
        else:
            stretches.append([rank, rank])
    told = [f"{first}" if first == last else f"{first} to {last}" for first, last in stretches]
    more = ", ..." if len(told) > _MOST_STRETCHES else ""
    return f"{words.plural(len(ranks), 'rank')} ({', '.join(told[:_MOST_STRETCHES])}{more})"


def _when(same: Sequence[Stack], now_s: float | None) -> str:
    """`: in iteration 412, after 31.0 s, 12.0 s ago; blocked in native code`"""
    numbers = [stack.iteration for stack in same if stack.iteration is not None]
    waits = [stack.waited_s for stack in same if stack.waited_s is not None]
    ago_s = None if now_s is None else now_s - max(stack.at_s for stack in same)
    first, last = min(numbers, default=0), max(numbers, default=0)
    which = f"iteration {first:,}" if first == last else f"iterations {first:,} to {last:,}"
    parts = [
        f"in {which}" if numbers else "",
        f"after {words.duration(max(waits))}" if waits else "",
        f"{words.duration(ago_s)} ago" if ago_s is not None and ago_s > 0 else "",
    ]
    told = ", ".join(part for part in parts if part)
    return (f": {told}" if told else "") + _native(same[-1])


def _native(stack: Stack) -> str:
    return "; blocked in native code" if stack.native else ""


def _frames(stack: Thread | Stack) -> list[str]:
    """Innermost first; a mark at the innermost of the user's own code."""
    return [f"{'>' if at == stack.user_frame else ' '} {frame}" for at, frame in enumerate(stack.frames)]
