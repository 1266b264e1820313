"""Rows of a rate alone, of TPUEstimator on a GPU."""

import pytest
from log_examples import iterations, read

_HEAD = "INFO:tensorflow:Saving checkpoints for {} into /tmp/model/model.ckpt.\n"


def _rate(at_s: float, rate: float) -> str:
    front = f"I0501 10:{int(at_s // 60):02d}:{at_s % 60:09.6f} 140000000000000 tpu_estimator.py:2307] "
    return f"INFO:tensorflow:global_step/sec: {rate}\n{front}global_step/sec: {rate}\n"


@pytest.mark.parametrize(("steps", "first"), [(1, 0), (1, 500), (20, 0)])
def test_stamps_and_the_rate_tell_how_many_steps_lie_between_two_rows(steps: int, first: int) -> None:
    rows = [_rate(4.0 * n, steps / 4) for n in range(1, 7)]
    found = iterations(read("TensorFlow Estimator", _HEAD.format(first) + "".join(rows)))
    assert [one.index for one in found] == [first + 1 + steps * n for n in range(1, 7)]
    assert {(one.duration_s, one.averaged_over) for one in found} == {(4.0 / steps, steps)}


def test_beside_lines_of_a_loss_rates_are_no_rows() -> None:
    loss = "INFO:tensorflow:loss = 0.5, step = {} (4.000 sec)\n"
    rows = "".join(_rate(4.0 * n, 5.0) + loss.format(20 * n) for n in range(1, 7))
    found = iterations(read("TensorFlow Estimator", _HEAD.format(0) + rows))
    assert [one.index for one in found] == [20 * n for n in range(1, 7)]


@pytest.mark.parametrize("rows", [3, 4])
def test_a_few_rates_alone_may_have_a_line_of_a_loss_behind_them(rows: int) -> None:
    found = iterations(
        read("TensorFlow Estimator", _HEAD.format(0) + "".join(_rate(4.0 * n, 0.25) for n in range(rows)))
    )
    assert len(found) == (4 if rows == 4 else 0)


def test_without_the_step_that_a_process_begins_with_nobody_knows_the_others() -> None:
    assert not iterations(read("TensorFlow Estimator", "".join(_rate(4.0 * n, 0.25) for n in range(6))))
