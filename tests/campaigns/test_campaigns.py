"""Each campaign for a fixed number of rounds: the same ones every time. `bench/trust.py` runs them for longer."""

import pytest
from campaigns import (
    bombs,
    burst,
    events,
    foreign,
    gpu_logs,
    guarded,
    numbers,
    opens,
    paint,
    planted,
    raw_bytes,
    soak,
    trackers,
    users,
)

SEED = 1


@pytest.mark.parametrize(
    ("campaign", "most"),
    [
        (bombs, 40),
        (burst, 2),
        (events, 40),
        (foreign, 12),
        (gpu_logs, 8),
        (guarded, 2),
        (numbers, 250),
        (opens, 9),
        (paint, 400),
        (planted, 8),
        (raw_bytes, 12),
        (soak, 8),
        (trackers, 10),
        (users, 40),
    ],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_nothing_raises_hangs_leaks_is_lost_or_doubled(campaign, most):
    if campaign in (foreign, users) and (reason := campaign.why_not()):
        pytest.skip(reason)
    tally = campaign.run(None, SEED, most=most)
    assert tally.operations >= most
    assert not tally.faults, "\n".join(tally.notes)
