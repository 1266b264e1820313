"""Where an iteration ends: after an optimizer's step, as nanoGPT's own clock has it.

Where several optimizers step, `turns` says whose steps end an iteration. Until that shows, in the second one as a
rule, steps are marked, and the hooks' thread makes iterations of them then.
"""

from __future__ import annotations

import time
import weakref
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ....events import BEFORE_STEP, OPTIMIZER, Message
from ...marks import RULE, STEPPED
from ...timeline.turns import rule_of
from . import trained
from .counts import Counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..watcher import Watcher

_LOST = "the optimizer's state that was loaded has no count of its steps: iterations are counted from 0 again"
_MOST_OTHERS = 256  # steps of others without one that ends an iteration: then that one has had its day
_SHORT = 16  # steps of one optimizer before another's: they may take turns, and are no two phases
_IDLE_STEPS, _IDLE_NS = 8, 30_000_000_000  # of one alone, while another never steps: nobody waits longer for it


class Boundaries:
    """Decides which step of which optimizer ends an iteration.

    `all_seen`: no optimizer was made before this one looked.
    """

    def __init__(self, watcher: Watcher, *, all_seen: bool = False) -> None:
        self._watcher = watcher
        self._all_seen = all_seen
        self._ends: Callable[[], Any] = _nobody  # a weak reference to the one whose step ends an iteration
        self._begun = self._stepped = self._is_engines = False
        self.counts = Counts()
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()
        self._turn: list[weakref.ref[Any]] = []  # who take turns in an iteration; empty where one steps alone
        self._others = 0  # steps of these since the newest iteration
        self._since = 0  # the first iteration of the one that steps alone now
        self._are_phases = False  # what looked like turns were none
        self._marked: list[int] = []  # steps of which nobody knows yet, by the optimizers' places in `_turn`
        self._marked_since_ns = 0

    def begins(self, _optimizer: Any, _arguments: Any, _named: Any) -> None:
        """A step begins: on the GPU, backward is over."""
        if self._is_engines:
            return
        self._begun = True
        watcher = self._watcher
        watcher.stamps.waiting.append((BEFORE_STEP, time.perf_counter_ns(), 0))  # clipping, since the backward
        for act in watcher.on_step:
            act()

    def stepped(self, optimizer: Any, _arguments: Any, _named: Any) -> None:
        """A step is done. One that contains another's has no beginning any more: the inner one counted."""
        if not self._begun:
            return
        self._begun, self._stepped = False, True
        if self._ends() is optimizer:
            self._others = 0
            self._watcher.trainer_thread = get_ident()
            self._end(optimizer)
        else:
            self._another_stepped(optimizer)

    def made(self, optimizer: Any) -> None:
        """Who makes an optimizer is going to train: the hooks are made now, in milliseconds that no loop waits."""
        self._known.add(optimizer)
        self._watcher.made()

    def loop_begins(self) -> None:
        """A loop without a loader begins with its first `zero_grad`, if it does: it holds the first forward."""
        watcher = self._watcher
        if watcher.is_trainer and watcher.iteration == 0 and not watcher.loop.begun:
            watcher.loop.begin()

    def engine_begins(self, engine: Any) -> None:
        """DeepSpeed's engine steps its optimizer several times within one step of its own."""
        self.begins(engine.optimizer, (), {})
        self._begun, self._is_engines = False, True  # what is stepped within it began with it

    def engine_stepped(self, engine: Any) -> None:
        """That one is the iteration."""
        self._begun, self._is_engines = True, False
        self.counts.now(engine.optimizer, int(engine.global_steps))
        self.stepped(engine.optimizer, (), {})

    def engine_failed(self, _engine: Any) -> None:
        """No iteration; other optimizers count again."""
        self._is_engines = False

    def scaler_begins(self) -> None:
        """`GradScaler` may skip the step for an overflow, which calls no hook."""
        self._stepped = False

    def scaler_stepped(self, optimizer: Any) -> None:
        """A step that was skipped is an iteration too."""
        if not self._stepped:
            self._begun = True
            self.stepped(optimizer, (), {})

    def at_work(self) -> list[Any]:
        """The optimizers that step, as far as is known."""
        alone = self._ends()
        turn = () if self._marked else self._turn  # not all may have had their turn
        at_work = [one for ref in turn if (one := ref()) is not None]
        return at_work or ([alone] if alone is not None else list(self._known))

    def is_model(self, module: Any) -> bool:
        """Does `module` hold what is trained, as far as is known?"""
        return trained.is_model(module, self.at_work(), may_be_any=not self._all_seen)

    def is_copy(self, module: Any) -> bool:
        """Is `module` shaped like what is trained?"""
        return trained.is_copy(module, self.at_work())

    def _another_stepped(self, optimizer: Any) -> None:
        """A step of one that does not end iterations, as far as is known."""
        self._known.add(optimizer)
        ends = self._ends()
        if self._marked:
            self._mark(optimizer)
        elif self._turn:
            self._others += 1
            if ends is None or self._others >= _MOST_OTHERS or all(ref() is not optimizer for ref in self._turn):
                self._begin_anew(optimizer)
            else:
                self._step_ends(time.perf_counter_ns())
        elif ends is None or self._are_phases or self._watcher.iteration - self._since > _SHORT:
            self._begin_anew(optimizer, first=ends is None)
        else:
            self._mark(optimizer)

    def _begin_anew(self, optimizer: Any, *, first: bool = True) -> None:
        """Another begins to step: alone, or, at `first`, in turns with others that are there."""
        if (before := self._ends()) is not None and self._others:
            self._known.discard(before)
        self._turn, self._others = [], 0
        if first and not self._are_phases and self._count() > 1:
            self._mark(optimizer)
            return
        self._alone(optimizer)
        self._resume(optimizer, 1)
        self._end(optimizer)

    def _count(self) -> int:
        """How many optimizers there are; one that wraps another, or takes its place, has the same tensors."""
        return len({trained.first_tensor(optimizer) for optimizer in self._known})

    def _alone(self, optimizer: Any) -> None:
        self._ends, self._since = weakref.ref(optimizer), self._watcher.iteration
        self._watcher.trainer_thread = get_ident()

    def _mark(self, optimizer: Any) -> None:
        """It stepped, and nobody knows yet whether that ended an iteration."""
        watcher, now_ns = self._watcher, time.perf_counter_ns()
        if not self._marked:
            self._ends, self._turn, self._marked_since_ns = _nobody, [], now_ns
            watcher.trainer_thread = get_ident()
        number = next((place for place, ref in enumerate(self._turn) if ref() is optimizer), len(self._turn))
        if number == len(self._turn):
            self._turn.append(weakref.ref(optimizer))
        self._marked.append(number)
        self._step_ends(now_ns)
        watcher.loop.put((STEPPED, now_ns, number, _rate(optimizer)))
        rule = rule_of(self._marked, self._count())
        idle = len(self._turn) == 1 and len(self._marked) >= _IDLE_STEPS
        if rule is not None:
            self._decide(rule.number, optimizer)
        elif idle and now_ns - self._marked_since_ns >= _IDLE_NS:
            self._decide(None, optimizer)

    def _decide(self, number: int | None, newest: Any) -> None:
        """From now on the optimizer with this number ends the iterations; `None`: whichever steps."""
        watcher, marked = self._watcher, self._marked
        ending = newest if number is None else self._turn[number]()
        made = len(marked) if number is None else marked.count(number)
        self._resume(ending, marked.count(marked[-1]) if number is None else made)
        watcher.iteration += made
        watcher.loop.put((RULE, time.perf_counter_ns(), number, watcher.iteration))
        self._marked = []
        if number is None:
            self._are_phases = len(self._turn) > 1
            self._turn = []
            self._alone(newest)
        else:
            self._ends = self._turn[number]

    def _step_ends(self, at_ns: int) -> None:
        """Another optimizer's part of the iteration: the iteration goes on."""
        self._watcher.stamps.waiting.append((OPTIMIZER, at_ns, 0))
        self._watcher.optimizer_step_ends()

    def _end(self, optimizer: Any) -> None:
        watcher = self._watcher
        iteration = watcher.iteration
        watcher.loop.iteration(iteration, learning_rate=_rate(optimizer))
        watcher.iteration = iteration + 1
        for act in watcher.on_iteration:
            act()

    def _resume(self, optimizer: Any, made: int) -> None:
        """A resumed run goes on counting: its optimizer knows its steps, `made` of them in this process."""
        if not self._watcher.iteration and optimizer is not None:
            before = self.counts.before(optimizer, made)
            if before is not None:
                self._watcher.iteration = self._since = before
            elif self.counts.is_lost(optimizer):
                self._watcher.loop.emit(Message(text=_LOST, iteration=0))


def _nobody() -> None:
    return None


def _rate(optimizer: Any) -> float | None:
    groups = optimizer.param_groups
    rate = groups[0].get("lr") if groups else None
    return rate if type(rate) is float else None
