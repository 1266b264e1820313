"""What a checkpoint says of the steps behind it, for an optimizer whose own state does not count them (SGD).

Trainers name their counter in their own ways, and save before or after they count on. It is taken where nothing is
to be guessed: by a name that means the steps that are done, or by another one that the scheduler saved beside it
bears out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...values import TOO_MANY

_DONE = ("iter_num", "global_step", "global_steps")
"""nanoGPT, Lightning and Hugging Face, DeepSpeed: so many steps are done, and the next one has this index."""

_NEWEST = ("iter", "iteration", "step", "it", "current_step", "global_iter")
"""The newest step's index, or how many are done: of a script nobody knows which."""

_MOST_KEYS = 1_000  # of a dictionary that is looked through: one of weights alone may have more
_MOST_PARTS = 16  # optimizers, or schedulers, in one list


class Said(NamedTuple):
    """The optimizers' states in a checkpoint (by their groups, which are small), and the steps behind it."""

    groups: tuple[Any, ...] = ()
    steps: int | None = None

    def steps_of(self, state: dict[str, Any]) -> int | None:
        """Behind this optimizer's `state`, if it came out of the checkpoint."""
        groups = state.get("param_groups")
        return self.steps if groups is not None and any(groups is one for one in self.groups) else None


def said_by(checkpoint: Any) -> Said:
    """What a file that was read says; of one without an optimizer's state, nothing."""
    if not isinstance(checkpoint, dict) or len(checkpoint) > _MOST_KEYS:
        return Said()
    parts = []
    for part in checkpoint.values():
        parts += part[:_MOST_PARTS] if isinstance(part, list) else [part]
    states = [part for part in parts if isinstance(part, dict)]
    groups = tuple(state["param_groups"] for state in states if "param_groups" in state and "state" in state)
    scheduled = {steps for state in states if (steps := _count(state.get("last_epoch"))) is not None}
    return Said(groups, _steps(checkpoint, scheduled) if groups else None)


def _steps(checkpoint: dict[Any, Any], scheduled: set[int]) -> int | None:
    """All that say it must agree; `scheduled` are the counts of its schedulers, of steps or of epochs."""
    done = {count for name in _DONE if (count := _count(checkpoint.get(name))) is not None}
    for name in _NEWEST:
        newest = _count(checkpoint.get(name))
        if newest is not None and (borne_out := scheduled & {newest, newest + 1}):
            done |= borne_out
    return done.pop() if len(done) == 1 else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < TOO_MANY else None
