"""The marks: what the training thread leaves behind, and the daemon thread makes events of.

A mark is a plain tuple `(kind, at_ns, ...)`, the cheapest thing that Python can put into a deque; `at_ns` is
`time.perf_counter_ns()` on the training thread, when it happened. Each kind has one shape, and a type checker
knows which by the kind. `Any` is what a user's loop gave: a number, a tensor, or anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, Protocol, TypeAlias

from ..events import Event, Phases

ITERATION: Final = "iteration"
WAITED: Final = "waited"
WAITING: Final = "waiting"
PASSED: Final = "passed"
PROGRESS: Final = "progress"
LOOP: Final = "loop"
BEGIN: Final = "begin"
END: Final = "end"
SPAN: Final = "span"
PHASES: Final = "phases"
PARTS: Final = "parts"
EVENT: Final = "event"
STEPPED: Final = "stepped"
RULE: Final = "rule"
VOID: Final = "void"
PRINTED: Final = "printed"


Stamp: TypeAlias = tuple[str, int, int]
"""What is over and when; of what is timed apart, since when it lasted, else 0: since the phase before."""


class Parts(Protocol):
    """What an iteration is made of. The daemon thread asks."""

    @property
    def usual(self) -> int | None:
        """Micro-steps of an iteration, as a rule."""

    def of(self, iteration: int, until_ns: int, apart: list[Stamp]) -> list[Event]:
        """What is known of the `iteration` that ended at `until_ns`, and after all before it.

        `apart` is what else was timed in it: stops, and phases that the script or a call of its timed.
        """

    def under_way(self) -> tuple[int, int] | None:
        """How many micro-steps of the iteration that runs are done, and when the newest was; `None` before one."""


IterationMark: TypeAlias = tuple[Literal["iteration"], int, int | None, Any, Any, Any, Any, Any]
"""An iteration ended: its index (`None`: the next), loss, gradient norm, learning rate, tokens, MFU."""

WaitedMark: TypeAlias = tuple[Literal["waited"], int, int]
"""A wait for data is over: since when it lasted, in nanoseconds of the marks' clock."""

PassedMark: TypeAlias = tuple[Literal["passed"], int, str, int]
"""A phase is over that was timed apart (`events.PHASES`): its name, and since when it lasted."""

WaitingMark: TypeAlias = tuple[Literal["waiting"], int, int]
"""A wait for data was under way when the daemon thread looked: since when."""

ProgressMark: TypeAlias = tuple[Literal["progress"], int, Any, Any]
"""The newest micro-step when the daemon thread looked: its number, from 1, and of how many."""

LoopMark: TypeAlias = tuple[Literal["loop"], int]
"""The training loop begins."""

BeginMark: TypeAlias = tuple[Literal["begin"], int, str, Any]
"""A span begins: the kind of span, and a detail."""

EndMark: TypeAlias = tuple[Literal["end"], int, str, Any, dict[str, Any] | None]
"""A span ends: the kind of span, a detail, and the values that came out of it."""

SpanMark: TypeAlias = tuple[Literal["span"], int, str, int, Any]
"""A span that is reported when it is over: the kind of span, its duration in nanoseconds, a detail."""

PhasesMark: TypeAlias = tuple[Literal["phases"], int, Callable[..., Phases], tuple[Any, ...]]
"""The phases of an iteration that ended before: how the daemon thread makes them, and of what."""

PartsMark: TypeAlias = tuple[Literal["parts"], int, Parts | None]
"""From now on these `Parts` say what each iteration was made of; `None`: nobody does."""

EventMark: TypeAlias = tuple[Literal["event"], int, Event]
"""An event that is made already."""

SteppedMark: TypeAlias = tuple[Literal["stepped"], int, int, Any]
"""One of several optimizers stepped, and whose step ends an iteration is not known yet: its number, its rate."""

RuleMark: TypeAlias = tuple[Literal["rule"], int, int | None, int]
"""It is known now: the number of the optimizer (`None`: any), and the index of the next iteration."""

VoidMark: TypeAlias = tuple[Literal["void"], int, str]
"""What looked like a span turned out to be none: the kind of span."""

PrintedMark: TypeAlias = tuple[Literal["printed"], int, str]
"""A line that the process printed."""

Mark: TypeAlias = (
    IterationMark
    | WaitedMark
    | PassedMark
    | WaitingMark
    | ProgressMark
    | LoopMark
    | BeginMark
    | EndMark
    | SpanMark
    | PhasesMark
    | PartsMark
    | EventMark
    | SteppedMark
    | RuleMark
    | VoidMark
    | PrintedMark
)
