"""What may stand beside the word that counts alone, and which rounds need no loss."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration


def places(text: str) -> list[int]:
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    return [one.index for one in events if isinstance(one, Iteration)]


@pytest.mark.parametrize("word", ["i_epoch {}", "cur_epoch: {}", "idx_epoch = {}"])
def test_an_epoch_may_be_called_by_its_variable(word: str) -> None:
    epochs = "".join(f"{word.format(n)}\nsong a.mid\np 0.9{n} r 0.91 f 0.92\n" for n in range(8))
    assert places("len(train_loader) 250\n" + epochs) == [*range(8)]
    assert places("epochs of a star chart\n" + epochs) == []


@pytest.mark.parametrize(
    "head",
    [
        "Round:{} - Active clients:[7 5 21]:",
        "Round {}/8: selected clients = [3, 1, 9]",
        "--- Global round {} | participating clients: 10 ---",
        "Round {}, sampled 10 clients",
    ],
)
def test_a_round_that_names_who_takes_part_needs_no_loss(head: str) -> None:
    below = "\n Training time:8.5 seconds\n server model correct 61\n avg_test_acc: {'uniform': 0.5}\n"
    rounds = "".join(head.format(n) + below for n in range(1, 9))
    assert places("optimizer:SGD | lr:0.01\n" + rounds) == [*range(1, 9)]
    assert places("lobby opened\n" + rounds.replace(below, "\nmap loaded\n")) == []
