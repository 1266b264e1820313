"""The last frame of a bar, which has no end of a line."""

import pytest

from itermon.collectors.files.tail import LineBuffer

FRAME = "\x1b[1m{:>2}/40\x1b[0m \x1b[32m{}\x1b[0m\x1b[37m{}\x1b[0m \x1b[1m3s\x1b[0m 49ms/step - loss: 0.5"


@pytest.mark.parametrize(("digits", "counts"), [("125", True), ("1", False)])
def test_the_last_frame_of_a_bar_in_colours_that_steps_back_is_like_those_before(
    digits: str, *, counts: bool
) -> None:
    frames = [FRAME.format(n, "━" * (n // 2), "━" * (20 - n // 2)) for n in (8, 9, 11)]
    back = "\b" * 40 + "\r"
    buffer = LineBuffer()
    buffer.add(("x\n" + "".join(f"{one}250{back}" for one in frames[:2]) + frames[-1] + digits).encode())
    assert buffer.rest(over=True) == ((frames[-1] + digits + "\n").encode() if counts else b"")


@pytest.mark.parametrize(
    ("end", "counts"),
    [
        (", 2.5it/s, loss=2.5, lr=1.2", ", 2.5it/s, loss=2.5"),
        (", 12.00s/step, loss=2.", ", 12.00s/step"),
        (", 2.5", None),
        (", 2.5it/s, loss=2.5] step 3", None),
    ],
)
def test_a_frame_that_was_cut_behind_its_rate_counts_but_for_its_last_value(end: str, counts: str | None) -> None:
    frame, buffer = "Fit:  75%|###   | 30/40 [00:12<00:04", LineBuffer()
    buffer.add(f"Fit\n{frame}{end}".encode())
    assert buffer.unfinished(over=False) == b""
    assert buffer.rest(over=True) == (f"{frame}{counts}\n".encode() if counts else b"")
