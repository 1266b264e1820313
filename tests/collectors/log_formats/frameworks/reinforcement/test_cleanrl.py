"""Episodes of CleanRL."""

from itermon.collectors.log_formats.frameworks.reinforcement.cleanrl import CleanRl
from itermon.events import Iteration, PrintedLoss


def test_of_several_episodes_that_end_at_one_step_the_newest_counts() -> None:
    parser = CleanRl()
    lines = [f"global_step={step}, episodic_return={value}" for step, value in ((64, 2.0), (96, 5.0), (96, 8.5))]
    events = [event for line in lines for event in parser.line(line, None)]
    rows = [(one.index, one.scalars) for one in events if isinstance(one, Iteration)]
    later = [(one.iteration, one.scalars) for one in events if isinstance(one, PrintedLoss)]
    assert rows == [(64, {"episodic_return": 2.0}), (96, {"episodic_return": 5.0})]
    assert later == [(96, {"episodic_return": 8.5})]
