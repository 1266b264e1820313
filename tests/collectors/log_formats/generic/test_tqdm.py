"""tqdm's bars where no framework is known by its own lines."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader


@pytest.mark.parametrize(
    ("title", "loss"),
    [
        ("L: 2.50, L_crf: 1.25, ", 2.5),
        ("L: 2.50, L_crf: 1.25: ", 2.5),
        ("g: 2.50, d: 1.25: ", None),  # two, and neither is the other's part
        ("G_adv: 2.50; D_real: 1.25: ", None),
    ],
)
def test_values_in_front_of_a_bar_tell_that_it_trains(title: str, loss: float | None) -> None:
    text = "".join(f"{title} {n}%|█ | {n}/90 [00:{n:02d}<00:80,  1.00s/it]\n" for n in range(1, 9))
    found = iterations(LogReader().feed(text.encode()))
    assert [one.index for one in found] == [*range(1, 9)]
    assert {one.loss for one in found} == {loss}
