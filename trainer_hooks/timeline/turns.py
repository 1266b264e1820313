"""Whose step ends an iteration, where several optimizers take turns in one.

Where one steps once and the others several times, it does (WGAN: five steps of the critic, one of the generator);
where each steps once, the last one does (a GAN; Muon and AdamW). Where they step one after another for long (two
phases of a training; PPO: 80 steps of the policy, 80 of the value function), each step is an iteration.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_STEPS = 128
"""So many steps are looked at; the first WGAN made 100 of the critic before one of the generator."""

_REPEATED = 3  # times that all who step have had their turn: whoever has had none by now steps seldom, or never


class Rule(msgspec.Struct, frozen=True, gc=False):
    """What ends an iteration: the steps of the optimizer with this number; `None`: those of all."""

    number: int | None


def rule_of(steps: Sequence[int], optimizers: int) -> Rule | None:
    """The rule behind `steps`, by the number of who made each, from the first one on; `None`: not known yet.

    Args:
        steps: the number of the optimizer that made each of them, oldest first.
        optimizers: how many there are; some may never step.
    """
    turns = [(number, len(list(group))) for number, group in groupby(steps)]
    over = turns[:-1]  # the newest may still go on
    stepping = {number for number, _ in turns}
    all_seen = len(stepping) >= optimizers or len(over) >= _REPEATED * len(stepping)
    if all_seen and len(stepping) > 1 and {number for number, _ in over} == stepping:
        return _rule(over)
    return _rule(over) if len(steps) >= MOST_STEPS else None


def rule_at_end(steps: Sequence[int]) -> Rule:
    """The rule, as far as `steps` show it: no more will come."""
    return _rule([(number, len(list(group))) for number, group in groupby(steps)])


def _rule(turns: Sequence[tuple[int, int]]) -> Rule:
    newest = dict(turns)  # in the order of their first turns, with the length of the newest one
    once = [number for number, length in newest.items() if length == 1]
    return Rule(once[-1] if once and len(newest) > 1 else None)
