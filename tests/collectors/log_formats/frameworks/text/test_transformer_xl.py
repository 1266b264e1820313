"""Transformer-XL: a line that comes twice is read once, with its stamp."""

import pytest
from log_examples import iterations

from itermon.collectors.logs.reader import LogReader

ROW = "[{}] | gnorm 1.50 lr 0.000125 | loss 7.50"
BARE = f"INFO:tensorflow:{ROW}"
STAMPED = f"I1216 07:50:20.500000 133272504153920 train_gpu.py:298] {ROW}"


@pytest.mark.parametrize(
    "lines",
    [
        [BARE.format(200), STAMPED.format(400), BARE.format(600)],
        [BARE.format(200), BARE.format(400), STAMPED.format(400), STAMPED.format(600)],
        [BARE.format(200), STAMPED.format(200), BARE.format(400), STAMPED.format(400), BARE.format(600)],
    ],
)
def test_each_row_is_read_once(lines):
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    assert [i.index for i in iterations(events)] == [200, 400, 600]
