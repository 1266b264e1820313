"""What is told of behind the last row."""

from __future__ import annotations

from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.log_formats.stops.told_stops import ToldStops
from itermon.events import Iteration, SpanEnd


def last_told(*lines: str) -> list[float | None]:
    stops = ToldStops()
    assert stops.before([Iteration(1, at_s=stamp("2025-03-01 10:00:00 x"))], None) == []
    for line in lines:
        text = line.replace("@", "2025-03-01 10:")
        stops.hear(text, stamp(text))
    return [one.duration_s for one in stops.end() if isinstance(one, SpanEnd)]


def test_of_several_evaluations_the_time_of_the_first_is_not_that_of_all() -> None:
    first = ("@00:01 Start evaluation", "@05:00 Evaluation done.")
    assert last_told(*first, "@05:00 mAP: 0.5") == [299.0]
    assert last_told(*first, "@05:01 loading the model", "@09:00 Evaluation done.") == [None]
    assert last_told(*first, "@05:01 loading the model", "@09:00 val mAP: 0.5", "@12:00 val mAP: 0.75") == [None]
