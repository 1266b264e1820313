"""Which iteration is the last, by settings of a head that may contradict each other."""

from __future__ import annotations

from typing import NamedTuple

from ..head_words import Value  # noqa: TC001 - a field of a tuple
from . import totals


class Setting(NamedTuple):
    """A value, and the line that first gives it."""

    value: Value
    line: int


def agreed_end(said: dict[Value, int], found: dict[str, Setting], doubtful: set[str]) -> None:
    """Of several ends the one after all epochs; where none is that one, nobody knows which comes first."""
    epochs, each = found.get("epochs"), found.get("steps_per_epoch")
    if not said or epochs is None or each is None:
        return
    found.pop("max_iterations", None)
    doubtful.add("max_iterations")
    ends = {int(value): line for value, line in said.items()}
    if (end := totals.by_epochs(ends, int(number(epochs)), int(number(each)))) is not None:
        doubtful.remove("max_iterations")
        found["max_iterations"] = Setting(end, ends[end])


def of_epochs(found: dict[str, Setting]) -> None:
    """Each iteration is an epoch: it has more than one step, and there are as many as the epochs."""
    for field in ("gradient_accumulation", "tokens_per_iteration", "max_iterations", "steps_per_epoch"):
        found.pop(field, None)
    if "epochs" in found:
        found["max_iterations"] = found["epochs"]


def end(found: dict[str, Setting], doubtful: set[str], *, counts_steps: bool) -> None:
    """The last iteration: steps are iterations where a line is a step, and no part of one."""
    end, epochs, each = (found.get(f) for f in ("max_iterations", "epochs", "steps_per_epoch"))
    steps = found.get("gradient_accumulation")
    if end is None and "max_iterations" not in doubtful and epochs and each:
        end = found["max_iterations"] = Setting(int(number(epochs) * number(each)), each.line)
    parts = "gradient_accumulation" in doubtful or (steps is not None and steps.value != 1)
    if end is not None and (parts or not counts_steps):
        del found["max_iterations"]


def number(said: Setting) -> float:
    """Its value; 0, where it is text."""
    return said.value if isinstance(said.value, int | float) else 0.0
