"""The text that `itermon demo` trains on: sentences about training machines, made by a small grammar.

The same seed gives the same text. Each rule is a list of ways to say a thing; `{rule}` stands for one way of it.
"""

from __future__ import annotations

import random
import re

SENTENCES = 220

_GRAMMAR = {
    "sentence": [
        "{Thing} {verb} {time}.",
        "{Time}, {thing} {verb}.",
        "{Thing} {verb} because {thing} {verb}.",
        "When {thing} {verb}, {thing} {verb} {time}.",
        "If {thing} {verb}, {advice}.",
        "{Person} {saw} that {thing} {verb}, and {person} {saw} why.",
        '"{Advice}," said {person}, "before {thing} {verb}."',
        "{Number} {units} later {thing} {verb}; {thing} {verb} as well.",
        "Was it {thing} that {verb}? No, {thing} {verb} {time}.",
    ],
    "thing": [
        "the {adjective} {noun}", "the {noun}", "a {noun} of the {noun}", "every {noun}", "one {adjective} {noun}",
    ],
    "adjective": ["small", "large", "warm", "quiet", "slow", "quick", "idle", "new", "last", "unlucky", "patient"],
    "noun": [
        "model", "gradient", "optimizer", "checkpoint", "batch", "token", "kernel", "loss", "disk",
        "data loader", "cooling fan", "queue", "worker", "graph", "evaluation", "layer", "cluster", "job",
        "learning rate", "power supply",
    ],
    "verb": [
        "was waiting for {thing}", "began to fall", "went up again", "took {number} {units}", "ran out of memory",
        "was saved to the disk", "overtook {thing}", "became too hot", "had nothing to do", "settled down",
        "was compiled once more", "moved {number} steps forward", "asked {thing} for data", "was full",
        "learned to spell",
    ],
    "time": [
        "at night", "in the first hour", "after {number} {units}", "for a moment", "without a warning", "at last",
        "before the weekend", "every {number} steps", "until the morning", "once a day",
    ],
    "advice": [
        "look at {thing}", "lower the learning rate", "give {thing} more room", "do not stop {thing}",
        "write a checkpoint first", "count the tokens again", "wait {number} {units}",
    ],
    "person": ["the engineer", "a student", "the operator", "her colleague", "the night shift"],
    "saw": ["saw", "noticed", "knew", "wrote down", "remembered"],
    "number": ["two", "three", "four", "seven", "ten", "twelve", "forty", "ninety"],
    "units": ["seconds", "minutes", "hours", "steps", "epochs"],
}  # fmt: skip


def demo_text(sentences: int = SENTENCES, seed: int = 1) -> str:
    """`sentences` sentences, each on a line of its own."""
    source = random.Random(seed)  # noqa: S311 - the same text every time, not a secret
    return "".join(_expanded("{sentence}", source) + "\n" for _ in range(sentences))


def _expanded(text: str, source: random.Random) -> str:
    """`text` with every `{rule}` replaced; a capital in its name makes the first letter one."""

    def chosen(rule: re.Match[str]) -> str:
        words = _expanded(source.choice(_GRAMMAR[rule[1].lower()]), source)
        return words[0].upper() + words[1:] if rule[1][0].isupper() else words

    return re.sub(r"\{(\w+)\}", chosen, text)


class Sentences:
    """The text as numbers, one a character, in shards: what a trainer reads, and what it validates on."""

    def __init__(self) -> None:
        text = demo_text()
        self.characters = sorted(set(text))
        self._number = {character: number for number, character in enumerate(self.characters)}
        numbers = self._numbers(text)
        cut = len(numbers) * 9 // 10
        self.train, self.validation = numbers[:cut], numbers[cut:]

    def next_shard(self, seed: int, sentences: int) -> None:
        """Train on other sentences from now on: they are made and turned into numbers while the training waits."""
        self.train = self._numbers(demo_text(sentences, seed))

    def _numbers(self, text: str) -> list[int]:
        return [self._number[character] for character in text if character in self._number]
