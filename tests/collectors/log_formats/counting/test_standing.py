"""What a clock of rows says of their process."""

import pytest

from itermon.collectors.log_formats.counting.standing import Clock, clock_of


@pytest.mark.parametrize(
    ("elapsed_s", "before_s", "clock"),
    [
        (5.0, 10.0, Clock.NEW),
        (5.5, 10.0, Clock.RUNS_ON),
        (99.0, 10.0, Clock.RUNS_ON),
        (None, 10.0, None),
        (5.0, None, None),
        (0.0, 0.0, Clock.RUNS_ON),
    ],
)
def test_a_clock_at_half_of_what_it_was_began_again(
    elapsed_s: float | None, before_s: float | None, clock: Clock | None
) -> None:
    """One that shows what it showed runs on."""
    assert clock_of(elapsed_s, before_s) is clock
