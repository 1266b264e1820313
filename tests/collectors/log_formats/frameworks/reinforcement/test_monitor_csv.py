"""monitor.csv: its seconds are one clock, and nothing that is made of them confirms it."""

from log_examples import iterations, read

from itermon.events import RunInfo

LOG = """
#{"t_start": 1627071110.5, "env_id": null}
r,l,t
-41.5,99,1.5
12.0,98,2.5
"""


def test_the_seconds_since_the_beginning_are_no_stamps_too():
    events = read("monitor.csv of Gym", LOG)
    assert [(one.elapsed_s, one.duration_s, one.at_s) for one in iterations(events)] == [
        (1.5, None, None),
        (2.5, 1.0, None),
    ]
    (info,) = (event for event in events if isinstance(event, RunInfo))
    assert (info.started_at_s, info.clock) == (1627071110.5, None)
