"""Logs of lines that never stood together: of several formats, in any order, with words and numbers exchanged.

A reader that learnt its columns from some lines meets others that it has not seen: that is where a rule takes for
granted what a single line cannot break.
"""

from __future__ import annotations

import re
from random import Random

from itermon.collectors.log_formats.registry import all_formats

_BLOCKS = [example.log.strip().splitlines() for one in all_formats() for example in one.examples]
_WORDS = [
    *("step", "steps", "epoch", "Epoch", "batch", "update", "updates", "iter", "iteration", "episode", "loss"),
    *("train", "val", "eval", "test", "time", "took", "total", "per", "rank", "lr", "of", "average"),
    *("0/1", "3/7", "[", "]", ":", "="),
]


def mixed(seed: int) -> list[str]:
    """Lines of one to three examples, some of them many times, a part of them misprinted."""
    random = Random(seed)
    lines: list[str] = []
    for block in random.sample(_BLOCKS, random.randint(1, 3)):
        lines += block * random.randint(1, 6)
    if random.random() < 0.5:
        random.shuffle(lines)
    return [_misprinted(line, random) for line in lines]


def _misprinted(line: str, random: Random) -> str:
    chance = random.random()
    if chance < 0.3:
        line = re.sub(
            r"[A-Za-z]{3,}", lambda m: random.choice(_WORDS) if random.random() < 0.4 else str(m[0]), line
        )
    if 0.2 < chance < 0.6:
        line = re.sub(r"\d+(?:\.\d+)?", lambda m: _number(str(m[0]), random), line)
    return line[: random.randrange(len(line) + 1)] if chance > 0.97 else line


def _number(printed: str, random: Random) -> str:
    return random.choice(
        [str(random.randint(0, 300)), f"{random.random() * 300:.2f}", "nan", "-1", "1e30", printed]
    )
