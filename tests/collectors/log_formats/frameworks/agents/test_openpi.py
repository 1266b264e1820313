"""openpi: the bar's frames around the lines of the steps hold the clock."""

import pytest
from log_examples import iterations, read


def log(*rows):
    """The clock of the frame before each line, if there is one, and the line's step."""
    frame = "Progress on: 1it/9kit rate:1.5s/it remaining:3:01 elapsed:{} postfix:-\n"
    return "".join((frame.format(clock) if clock else "") + f"Step {step}: loss=0.25\n" for clock, step in rows)


@pytest.mark.parametrize(
    ("rows", "times"),
    [
        ([("02:00", 100), ("1:00:30", 200)], [None, 35.1]),
        ([(None, 100), ("02:00", 200), ("03:00", 300)], [None, None, 0.6]),
        ([("02:00", 100), (None, 200), ("04:00", 300)], [None, None, 1.2]),  # of the second nothing is known
        ([("02:00", 100), ("00:30", 200), ("01:30", 300)], [None, None, 0.6]),  # another process
        ([("02:00", 100), ("03:00", 100), ("04:00", 200)], [None, 0.6]),  # printed twice
    ],
)
def test_the_time_of_a_step_is_the_clocks_difference_over_the_steps(rows, times):
    assert [i.duration_s for i in iterations(read("openpi", log(*rows)))] == [
        time if time is None else pytest.approx(time) for time in times
    ]
