"""Where an iteration ends: after an optimizer's step, as nanoGPT's own clock has it.

Where several optimizers step, `turns` says whose steps end an iteration. Until that shows, in the second one as a
rule, steps are marked, and the hooks' thread makes iterations of them then. A step that `GradScaler` skips for an
overflow calls no hook; it is an iteration too. DeepSpeed's engine steps its optimizer several times within
one step of its own (ZeRO: once a group of parameters, or a part of one): that one is the iteration. An optimizer
that is no `torch.optim.Optimizer` calls no hook either, and nobody else knows when it steps.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

from ..marks import RULE, STEPPED
from ..turns import rule_of
from .imports import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher

_MOST_OTHERS = 256  # steps of others without one that ends an iteration: then that one has had its day
_SHORT = 16  # steps of one optimizer before another's: they may take turns, and are no two phases
_IDLE_STEPS, _IDLE_NS = 8, 30_000_000_000  # of one alone, while another never steps: nobody waits longer for it


def install(watcher: Watcher) -> None:
    """Register with torch for every optimizer's steps."""
    boundaries = Boundaries(watcher, all_seen="torch.optim.optimizer" not in sys.modules)
    watcher.is_model, watcher.is_copy = boundaries.is_model, boundaries.is_copy
    watcher.optimizers = boundaries.at_work

    def hook(module: ModuleType) -> None:
        boundaries.wrap_making(module.Optimizer)
        boundaries.wrap_first_zeroing(module.Optimizer)
        module.register_optimizer_step_pre_hook(watcher.guard(boundaries.begins))
        module.register_optimizer_step_post_hook(watcher.guard(boundaries.stepped))

    when_imported("torch.optim.optimizer", watcher.guard(hook))
    when_imported("torch.amp.grad_scaler", watcher.guard(boundaries.wrap_scaler))
    when_imported("deepspeed.runtime.engine", watcher.guard(boundaries.wrap_engine))


class Boundaries:
    """Decides which step of which optimizer ends an iteration.

    `all_seen`: no optimizer was made before this one looked.
    """

    def __init__(self, watcher: Watcher, *, all_seen: bool = False) -> None:
        self._watcher = watcher
        self._all_seen = all_seen
        self._ends: Callable[[], Any] = _nobody  # a weak reference to the one whose step ends an iteration
        self._begun = self._stepped = self._is_engines = False
        self._counted: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()  # steps, by an engine
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
        self._watcher.optimizer_step_begins()

    def stepped(self, optimizer: Any, _arguments: Any, _named: Any) -> None:
        """A step is done. One that contains another's has no beginning any more: the inner one counted."""
        if not self._begun or self._is_engines:
            return
        self._begun, self._stepped = False, True
        if self._ends() is optimizer:
            self._others = 0
            self._watcher.trainer_thread = threading.get_ident()
            self._end(optimizer)
        else:
            self._another_stepped(optimizer)

    def wrap_making(self, optimizer_class: Any) -> None:
        """Know the optimizers before they step: of one that is alone, the first step ends an iteration."""
        make = optimizer_class.__init__
        made = self._watcher.guard(self._made)

        @functools.wraps(make)
        def watched(optimizer: Any, *arguments: Any, **named: Any) -> None:
            make(optimizer, *arguments, **named)
            made(optimizer)

        optimizer_class.__init__ = watched

    def wrap_first_zeroing(self, optimizer_class: Any) -> None:
        """A loop without a loader begins with its first `zero_grad`, if it does: it holds the first forward."""
        zero = getattr(optimizer_class, "zero_grad", None)
        if zero is None:
            return
        begins = self._watcher.guard(self._loop_begins)

        @functools.wraps(zero)
        def watched(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            if getattr(optimizer_class, "zero_grad", None) is watched:
                optimizer_class.zero_grad = zero  # what others are is nothing to us
            begins()
            return zero(optimizer, *arguments, **named)

        optimizer_class.zero_grad = watched

    def wrap_scaler(self, module: ModuleType) -> None:
        """Make a step that `GradScaler` skips end an iteration too."""
        step = module.GradScaler.step
        skipped = self._watcher.guard(self._skipped)

        @functools.wraps(step)
        def watched(scaler: Any, optimizer: Any, *arguments: Any, **named: Any) -> Any:
            self._stepped = False
            result = step(scaler, optimizer, *arguments, **named)
            if not self._stepped:
                skipped(optimizer)
            return result

        module.GradScaler.step = watched

    def wrap_engine(self, module: ModuleType) -> None:
        """Make the step of DeepSpeed's engine one step, whatever it steps inside, or skips for an overflow."""
        take = module.DeepSpeedEngine._take_model_step  # only at the end of an accumulation; a pipeline's too
        begins, ends = self._watcher.guard(self._engine_begins), self._watcher.guard(self._engine_stepped)

        @functools.wraps(take)
        def watched(engine: Any, *arguments: Any, **named: Any) -> Any:
            begins(engine)
            try:
                result = take(engine, *arguments, **named)
            finally:
                self._is_engines = False
            ends(engine)
            return result

        module.DeepSpeedEngine._take_model_step = watched

    def at_work(self) -> list[Any]:
        """The optimizers that step, as far as is known."""
        alone = self._ends()
        turn = () if self._marked else self._turn  # not all may have had their turn
        at_work = [one for ref in turn if (one := ref()) is not None]
        return at_work or ([alone] if alone is not None else list(self._known))

    def is_model(self, module: Any) -> bool:
        """Does `module` hold what is trained: half of the tensors, at least, of each optimizer that is at work?"""
        at_work = self.at_work()
        counts = [sum(len(group["params"]) for group in optimizer.param_groups) for optimizer in at_work]
        if not module._modules and any(2 * len(module._parameters) < count for count in counts):
            return False  # a batch norm that somebody freezes, before every step
        own = {id(parameter) for parameter in module.parameters() if parameter.requires_grad}
        if not at_work and self._all_seen:
            return False
        return bool(own) and all(_holds(own, optimizer) for optimizer in at_work)

    def is_copy(self, module: Any) -> bool:
        """Has `module` tensors of the shapes of half of those, at least, that each optimizer at work changes?"""
        at_work = self.at_work()
        shapes = Counter(tuple(parameter.shape) for parameter in module.parameters())
        for optimizer in at_work:
            trained = Counter(tuple(one.shape) for group in optimizer.param_groups for one in group["params"])
            if 2 * (trained & shapes).total() < trained.total():
                return False
        return bool(at_work)

    def _made(self, optimizer: Any) -> None:
        """Who makes an optimizer is going to train: the hooks are made now, in milliseconds that no loop waits."""
        self._known.add(optimizer)
        _ = self._watcher.hooks

    def _engine_begins(self, engine: Any) -> None:
        self.begins(engine.optimizer, (), {})
        self._is_engines = True

    def _engine_stepped(self, engine: Any) -> None:
        self._counted[engine.optimizer] = int(engine.global_steps)
        self.stepped(engine.optimizer, (), {})

    def _loop_begins(self) -> None:
        watcher = self._watcher
        if watcher.is_trainer and watcher.iteration == 0 and not watcher.loop.begun:
            watcher.loop.begin()

    def _skipped(self, optimizer: Any) -> None:
        self._begun = True
        self.stepped(optimizer, (), {})

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
                self._watcher.optimizer_step_ends()
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
        return len({_first_tensor(optimizer) for optimizer in self._known})

    def _alone(self, optimizer: Any) -> None:
        self._ends, self._since = weakref.ref(optimizer), self._watcher.iteration
        self._watcher.trainer_thread = threading.get_ident()

    def _mark(self, optimizer: Any) -> None:
        """It stepped, and nobody knows yet whether that ended an iteration."""
        watcher, now_ns = self._watcher, time.perf_counter_ns()
        if not self._marked:
            self._ends, self._turn, self._marked_since_ns = _nobody, [], now_ns
            watcher.trainer_thread = threading.get_ident()
        number = next((place for place, ref in enumerate(self._turn) if ref() is optimizer), len(self._turn))
        if number == len(self._turn):
            self._turn.append(weakref.ref(optimizer))
        self._marked.append(number)
        watcher.optimizer_step_ends()
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

    def _end(self, optimizer: Any) -> None:
        watcher = self._watcher
        watcher.loop.iteration(watcher.iteration, learning_rate=_rate(optimizer))
        watcher.iteration += 1
        for act in watcher.on_iteration:
            act()

    def _resume(self, optimizer: Any, made: int) -> None:
        """A resumed run's optimizer knows how many steps it has made, `made` of them in this process.

        That is Adam's `step`, where it lies on the CPU. DeepSpeed's engine knows it of its own.
        """
        if self._watcher.iteration or optimizer is None:
            return
        if (steps := self._counted.get(optimizer)) is not None:
            self._watcher.iteration = self._since = max(0, steps - made)
            return
        for state in optimizer.state.values():
            step = state.get("step")
            if step is not None and getattr(step, "is_cpu", True):
                self._watcher.iteration = self._since = max(0, int(step) - made)
            return


def _nobody() -> None:
    return None


def _rate(optimizer: Any) -> float | None:
    rate = optimizer.param_groups[0].get("lr") if optimizer.param_groups else None
    return rate if rate.__class__ is float else None


def _first_tensor(optimizer: Any) -> int:
    return next((id(one) for group in optimizer.param_groups for one in group["params"]), 0)


def _holds(own: set[int], optimizer: Any) -> bool:
    """Are half of the tensors that `optimizer` changes among `own`? Of copies of them, nobody knows."""
    kind: Any = getattr(sys.modules.get("torch.nn.parameter"), "Parameter", object)
    tensors = [one for group in optimizer.param_groups for one in group["params"] if isinstance(one, kind)]
    return 2 * sum(id(one) in own for one in tensors) >= len(tensors)
