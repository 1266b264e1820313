"""The callback for `model.fit`.

A batch has ended when Keras has its logs as numbers, for then the device has computed it. With JAX and torch Keras
waits for them in threads of its own, so that the training goes on; a callback that is not `async_safe` makes every
step wait. Such threads may overtake each other: what they bring is put in order.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from typing import Any

import keras

from ...events import EndReason
from .. import one_run
from ..guard import guarded_method
from ..hooks import Hooks
from .calls import belongs_to, wrap

wrap(keras.Model)


class ItermonCallback(keras.callbacks.Callback):  # type: ignore[misc]  # keras has no types
    """Reports one `fit`, and what follows it. An iteration is a step of the optimizer, which numbers them from 0.

    The loss is Keras's own: the mean since the epoch's beginning. With `steps_per_execution` the batches of one
    execution share its time.

    Args:
        name: of the run; without one `$ITERMON_NAME`, or the script's name.
        settings: those of `Hooks`, in its units; they win over what is read from the model.

    Raises:
        Nothing, nor does any method: a fault becomes a warning in the run.
    """

    async_safe = True

    def __init__(self, name: str = "", **settings: Any) -> None:
        super().__init__()
        self.hooks: Hooks | None = None
        self._name = name
        self._settings = settings
        self._trains = False
        self._lock = threading.Lock()  # between Keras's threads, for microseconds
        self._accumulation = self._stride = 1
        self._last_batch: int  # of an epoch
        self._first: int | None = None  # index of this training's first iteration; `None` before its first epoch
        self._batches: int  # of this training
        self._batch: int  # the newest of this epoch that is reported
        self._last_ns: int  # when it ended
        self._arrived: dict[int, tuple[int, Any]] = {}  # by batch: when, and its loss

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is for another training: tuners copy the callbacks for each of theirs, and a lock cannot be."""
        return functools.partial(type(self), self._name, **self._settings), ()

    @guarded_method
    def on_train_begin(self, logs: Any = None) -> None:
        if self.hooks is not None and self._trains:
            self.hooks.close(EndReason.FAILED)  # a training before this one that came to no end
        self.hooks = Hooks(self._name, framework=f"keras on {keras.backend.backend()}", **self._settings)
        self._first, self._trains = None, True
        belongs_to(self.model, self)
        self.hooks.begin()

    @guarded_method
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if self._first is None:
            self._first_epoch(epoch)
        self._batch, self._last_ns = -1, time.perf_counter_ns()
        self._arrived.clear()

    @guarded_method
    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        now_ns = time.perf_counter_ns()
        with self._lock:
            batch = min(batch, self._last_batch)  # Keras counts an epoch's last execution as a whole one
            self._arrived[batch] = now_ns, (logs or {}).get("loss")
            while (following := min(self._batch + self._stride, self._last_batch)) in self._arrived:
                self._batches_ended(following, *self._arrived.pop(following))

    @guarded_method
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        with self._lock:  # where nobody knew how many batches an epoch has, the last are fewer than a stride
            for batch in sorted(self._arrived):
                self._batches_ended(batch, *self._arrived.pop(batch))

    @guarded_method
    def on_train_end(self, logs: Any = None) -> None:
        self._is_over(EndReason.FINISHED)

    @guarded_method
    def failed(self, error: BaseException) -> None:
        """`fit` has ended so; who catches the error may train again."""
        self._is_over(EndReason.INTERRUPTED if isinstance(error, KeyboardInterrupt) else EndReason.FAILED)

    def _is_over(self, reason: EndReason) -> None:
        trained, self._trains = self._trains, False
        if trained and self.hooks is not None:
            one_run.is_over(self.hooks, reason)

    def _first_epoch(self, epoch: int) -> None:
        """The optimizer's count is read once, before it steps; what was resumed goes on counting."""
        optimizer = self.model.optimizer
        self._accumulation = int(getattr(optimizer, "gradient_accumulation_steps", None) or 1)
        self._first, self._batches = int(optimizer.iterations), 0
        self._stride = int(getattr(self.model, "steps_per_execution", None) or 1)
        settings: dict[str, Any] = {"gradient_accumulation": self._accumulation}
        epochs, steps = self.params.get("epochs"), self.params.get("steps")
        self._last_batch = steps - 1 if steps else sys.maxsize
        if steps and steps % self._accumulation == 0:
            settings["iterations_per_epoch"] = steps // self._accumulation
        if epochs and steps:
            settings["max_iterations"] = self._first + (epochs - epoch) * steps // self._accumulation
        if self.hooks is not None:
            self.hooks.config(**{**settings, **self._settings})

    def _batches_ended(self, batch: int, at_ns: int, loss: Any) -> None:
        """All up to `batch`: one, or those of an execution, which share its time."""
        begun_ns, at_ns = self._last_ns, max(at_ns, self._last_ns)
        new = batch - self._batch
        self._batch, self._last_ns = batch, at_ns
        for k in range(1, new + 1):
            self._batch_ended(begun_ns + (at_ns - begun_ns) * k // new, loss if k == new else None)

    def _batch_ended(self, at_ns: int, loss: Any) -> None:
        self._batches += 1
        if self.hooks is None or self._first is None:
            return
        done = self._batches % self._accumulation
        if done:
            self.hooks.micro_step(done, self._accumulation)
        else:
            index = self._first + self._batches // self._accumulation - 1
            self.hooks.past_iteration(at_ns, index, loss=loss)
