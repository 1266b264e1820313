"""slim: each of its lines tells the seconds of one step."""

import pytest
from log_examples import iterations, of, read

from itermon.events import End

ROW = "INFO:tensorflow:global step {}: loss = 0.5000 (0.250 sec/step)"


@pytest.mark.parametrize("front", ["", "I0102 10:00:00.000000 1234 learning.py:507] "])
def test_a_row_is_one_step_whatever_stands_in_front_of_it(front: str) -> None:
    rows = "\n".join(ROW.format(n).replace("INFO:tensorflow:", front or "INFO:tensorflow:") for n in (1, 2, 12))
    found = [(i.index, i.duration_s, i.averaged_over, i.loss) for i in iterations(read("TensorFlow slim", rows))]
    assert found == [(1, 0.25, 1, 0.5), (2, 0.25, 1, 0.5), (12, 0.25, 1, 0.5)]


def test_it_says_when_all_steps_were_made() -> None:
    rows = f"{ROW.format(5)}\nINFO:tensorflow:Stopping Training.\n"
    assert of(End, read("TensorFlow slim", rows)) == []
    last = "INFO:tensorflow:Finished training! Saving model to disk."
    assert [end.detail for end in of(End, read("TensorFlow slim", rows + last))] == [last]
