"""Rounds that are done, where a log tells of nothing else that counts; and lines that sound so."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[Round {} Complete] -> the global model was updated", [1, 2, 3, 4, 5, 6]),
        ("Round {}/6 is done: 4 clients were aggregated", [1, 2, 3, 4, 5, 6]),
        ("Round {} complete: 3 points for you", []),
        ("[Round 3 Complete] -> the global model has {} parts", []),
    ],
)
def test_a_round_alone_may_be_one_of_a_game(line: str, found: list[int]) -> None:
    text = "".join(f"{line.format(n)}\n" for n in range(1, 7))
    assert [one.index for one in iterations(LogReader().feed(text.encode()))] == found


@pytest.mark.parametrize(
    ("head", "line", "found"),
    [
        ("Beginning training", "finished iteration {} on process 0 [13/03 15:57:41]", [1, 2, 3, 4, 5, 6]),
        ("Training started", "Completed step {}", [1, 2, 3, 4, 5, 6]),
        ("Solving", "finished iteration {} on process 0", []),
        ("Beginning training", "finished iteration {} of the line search", []),
    ],
)
def test_iterations_that_are_finished_are_those_of_a_training_that_began(head, line, found) -> None:
    text = f"{head}\n" + "".join(f"Loading file {n}.png\n{line.format(n)}\n" for n in range(1, 7))
    reader = LogReader()
    assert [one.index for one in iterations([*reader.feed(text.encode()), *reader.end(b"")])] == found
