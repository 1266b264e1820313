"""One line on stderr, once: what of the training was found, and what was not. The daemon thread's."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING

from ... import run_files
from ...events import (
    CHECKPOINT,
    COMPILE,
    EVALUATION,
    NO_ITERATION,
    Config,
    Iteration,
    Message,
    Output,
    Progress,
    Severity,
    SpanEnd,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ...events import Event

ITERATIONS = 20
WAIT_S = 10.0
"""After the first iteration; earlier, where so many iterations and a loss are there already."""

NOTHING_S = 20.0
"""So long nothing is said of a loop in which there is nothing to find."""

LEAST_S = 5.0
"""... and of a process that ends sooner: it was not to train, or has failed."""

BACKWARDS = 512
"""So many backward passes without a step that PyTorch knows of are an optimizer of the script's own: no iteration
is a sum of as many, as a rule (nanoGPT: 40)."""

NOTHING = f"{NO_ITERATION}: no optimizer step of PyTorch, no trainer of Hugging Face, Lightning or Keras"
INSTEAD = "In another loop: hooks = itermon.Hooks(), then hooks.iteration(i, loss=loss) in each iteration."
NO_STEP = f"{NO_ITERATION}: backward passes, and no step of an optimizer that PyTorch knows"
SAY_STEP = "Say it: hooks = itermon.watch(), then hooks.iteration(i) after each step"
LINES = "until then the iterations are those that the script prints"

_FOUND_IN = frozenset({"torch", "keras", "tensorflow", "jax"})
"""Where one of these is loaded, a first step may still come: a tokenizer takes minutes."""

_LOSS = r"loss(?:_\w{0,20})?[\"']?\)?\s{0,8}[:=|]?\s{0,8}[-+]?(?:\d|\.\d|nan|inf)"
_TOTAL = r"\d\s?/\s?\d|\bof \d|(?i:(?:max|num|total)_?(?:iter|step|train_step))\w*\W{1,3}\d"
_SPANS = {EVALUATION: "evaluations", CHECKPOINT: "checkpoints", COMPILE: "compilation"}
_ORDER = ("iterations", "loss", "loss (printed)", "data waits", *_SPANS.values())


class Notice:
    """Sees all events, and says the line when its time has come.

    Args:
        name: of the run.
        config: the settings that it began with.
        say: prints a line.
        clock: monotonic.
    """

    def __init__(
        self, name: str, config: Config, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = run_files.slug(name)
        self._say = say
        self._clock = clock
        self._loss = re.compile(_LOSS, re.IGNORECASE)
        self._total = re.compile(_TOTAL)
        self._found: set[str] = set()
        self._settings: set[str] = set()
        self._iterations = 0
        self._backwards = 0  # of the iteration that runs, as far as they were looked at
        self._since_s: float | None = None
        self._is_written = self._warned = False
        self._made_s = clock()
        self._add_settings(config)

    def see(self, events: Iterable[Event]) -> Message | None:
        """Take in the `events` since the last call; a warning, once, where no iteration is to be expected."""
        if self._is_written:
            return None
        for event in events:
            self._add(event)
        self._say_in_time()
        may_come = _FOUND_IN & sys.modules.keys() and self._backwards < BACKWARDS
        return None if may_come else self._nothing(NOTHING_S)

    def end(self, events: Iterable[Event]) -> Message | None:
        """The same of the last `events`: who looks for a run that trained nothing needs to know why."""
        for event in events:
            self._add(event)
        return self._nothing(LEAST_S)

    def _nothing(self, after_s: float) -> Message | None:
        if self._iterations or self._warned or self._clock() - self._made_s < after_s:
            return None
        self._warned = True
        if self._backwards:
            printed = f"; {LINES}" if "loss (printed)" in self._found else ""
            self._say(f"itermon: {NO_STEP}. {SAY_STEP}{printed}.")
            return Message(NO_STEP, Severity.WARNING)
        self._say(f"itermon: {NOTHING}. {INSTEAD}")
        return Message(NOTHING, Severity.WARNING)

    def _say_in_time(self) -> None:
        if self._since_s is None:
            self._since_s = self._clock() if self._iterations else None
        elif self._is_time(self._since_s):
            self._is_written = True
            self._say(self.line())

    def line(self) -> str:
        """The line, as things stand."""
        found = ", ".join(each for each in _ORDER if each in self._found)
        missing = [what for what, _ in self._missing()]
        wanted = ", ".join(f"{name}=..." for _, names in self._missing() for name in names)
        not_found = f"; not found: {', '.join(missing)}" if missing else ""
        say = f" (say itermon.watch({wanted}))" if wanted else ""
        return f"itermon: watching {self._name}: {found}{not_found}{say}. Attach: itermon attach {self._name}"

    def _is_time(self, since_s: float) -> bool:
        has_loss = not self._found.isdisjoint({"loss", "loss (printed)"})
        return (has_loss and self._iterations >= ITERATIONS) or self._clock() - since_s >= WAIT_S

    def _missing(self) -> list[tuple[str, tuple[str, ...]]]:
        """What was not found, and the settings that would say it."""
        has = self._settings
        lacking = tuple(name for name in ("micro_batch_size", "block_size") if name not in has)
        tokens = () if "tokens_per_iteration" in has or "tokens" in self._found else lacking
        missing: list[tuple[str, tuple[str, ...]]] = []
        if self._found.isdisjoint({"loss", "loss (printed)"}):
            missing.append(("loss (none was printed so far)", ()))
        if tokens:
            missing.append(("tokens per iteration", tokens))
        if not has & {"max_iterations", "total"}:
            missing.append(("how many iterations", ("max_iterations",)))
        return missing

    def _add(self, event: Event) -> None:
        if isinstance(event, Iteration):
            self._iterations += 1
            self._found.add("iterations")
            self._found |= {"loss"} if event.loss is not None else set()
            self._found |= {"data waits"} if event.data_wait_s is not None else set()
            self._found |= {"tokens"} if event.tokens is not None else set()
        elif isinstance(event, Progress):
            self._backwards = event.micro_step
        elif isinstance(event, Output):
            self._read(event.lines)
        elif isinstance(event, SpanEnd):
            self._found |= {_SPANS[event.kind]} if event.kind in _SPANS else set()
        elif isinstance(event, Config):
            self._add_settings(event)

    def _add_settings(self, config: Config) -> None:
        self._settings |= {name for name in config.__struct_fields__ if getattr(config, name) is not None}

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            if "loss (printed)" not in self._found and self._loss.search(line):
                self._found.add("loss (printed)")
            if "total" not in self._settings and self._total.search(line):
                self._settings.add("total")
