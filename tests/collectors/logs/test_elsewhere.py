"""A row or two of a log whose other lines count on: nothing is said of them."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.doubt import counted_elsewhere
from itermon.collectors.logs.reader import LogReader

BAR = "Epoch 14: 100%|█████| 352/352 [00:53<00:00,  6.56it/s, v_num=3, loss=2.5]\n"


def done(*epochs: int, word: str = "epoch", of: str = "") -> str:
    return "".join(f">> {word} {n}{of} was done\n" for n in epochs)


def read(text: str) -> tuple[list[int], str]:
    """What remains of all that was told, and the reason if that is nothing."""
    reader = LogReader()
    events = reader.feed(text.encode())
    last = reader.end(b"")
    told = last if reader.anew else [*events, *last]
    return [one.index for one in iterations(told)], reader.doubt.reason


def test_a_row_that_was_left_over_is_no_training() -> None:
    why = "lines count on to epoch 121, and no more than 1 row could be read"
    assert read(BAR + done(*range(122))) == ([], why)
    assert read(done(*range(60)) + BAR + done(*range(60, 122), of="/200"))[1] == why


@pytest.mark.parametrize(
    "lines",
    [
        done(*range(9)),  # few
        done(*range(20), *range(20)),  # they begin anew
        done(*range(20), word="step"),  # no farther than the row
        done(*range(5_000, 50_000, 4_000), word="step", of="/60000"),  # inside of an epoch
        done(*[7] * 30),
    ],
)
def test_other_lines_say_nothing_against_it(lines: str) -> None:
    assert read(BAR + lines) == ([4928], "")


def test_rows_that_count_the_same_are_a_training() -> None:
    rows, text = {"epoch 10 loss", "epoch 20 loss"}, done(*range(1, 25)) + "epoch 10 loss\nepoch 20 loss\n"
    assert counted_elsewhere(text.encode(), rows.__contains__, 2, 20) == ""
    assert counted_elsewhere(done(*range(300)).encode(), rows.__contains__, 2, 20) != ""
    assert counted_elsewhere(done(*range(300)).encode(), rows.__contains__, 4, 20) == ""
