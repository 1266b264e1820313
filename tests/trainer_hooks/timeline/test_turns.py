"""Whose step ends an iteration: sequences of steps as real trainings make them."""

from __future__ import annotations

import pytest

from itermon.trainer_hooks.timeline.turns import Rule, rule_at_end, rule_of

# The bounds as numbers of its own: from the code, a test would move with them.
MOST_STEPS = 128


def decided(steps: str, optimizers: int) -> tuple[str | None, int]:
    """Who ends an iteration ("": all of them), and after how many steps that is known; letters are optimizers."""
    order = sorted(set(steps), key=steps.index)
    numbers = [order.index(letter) for letter in steps]
    for count in range(1, len(numbers) + 1):
        rule = rule_of(numbers[:count], optimizers)
        if rule is not None:
            return "" if rule.number is None else order[rule.number], count
    return None, len(numbers)


@pytest.mark.parametrize(
    ("what", "steps", "optimizers", "expected"),
    [
        ("a GAN", "dgdgdg", 2, ("g", 3)),
        ("Muon and AdamW", "amamam", 2, ("m", 3)),
        ("WGAN", "dddddgdddddg", 2, ("g", 7)),
        ("its generator first", "gdddddgddddd", 2, ("g", 7)),
        ("WGAN's first iterations", "d" * 100 + "g" + "d" * 100, 2, ("g", 102)),
        ("TD3: the actor every second time", "ccaccacca", 2, ("a", 4)),
        ("SAC", "catcatcat", 3, ("t", 4)),
        ("a discriminator that was trained before", "d" * 50 + "gdgdgd", 2, ("g", 52)),
        ("one that never steps", "dgdgdgdg", 3, ("g", 7)),
        ("PPO", "p" * 80 + "v" * 80, 2, ("", MOST_STEPS)),
        ("PPO with few steps", "pppvvvpppvvv", 2, ("", 7)),
        ("the second phase is still to come", "a" * 200, 2, ("", MOST_STEPS)),
        ("too early", "ddddd", 2, (None, 5)),
        ("the generator's turn may not be over", "dddddg", 2, (None, 6)),
    ],
)
def test_the_rule_is_found_as_soon_as_it_shows(
    what: str, steps: str, optimizers: int, expected: tuple[str | None, int]
) -> None:
    assert decided(steps, optimizers) == expected, what


@pytest.mark.parametrize(
    ("steps", "number"), [([0], None), ([0, 0, 0], None), ([0, 1], 1), ([0, 0, 0, 1], 1), ([0, 0, 1, 1], None)]
)
def test_at_the_end_what_there_is_decides(steps: list[int], number: int | None) -> None:
    assert rule_at_end(steps) == Rule(number)
