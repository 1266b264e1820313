import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, End, Event, Total

ROWS = [f"[{n:5.1f}%]  {n * 1000:>9,}/100,000 | {n * 5:>6}s | 200 fps | ETA {500 - 5 * n}s" for n in (1, 2, 3, 4)]


def events_of(*lines: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]


@pytest.mark.parametrize(
    "head", ["[START] Training begun at 12:00:02", "Training has started", "Training PPO (2M steps) | 16 envs"]
)
def test_steps_are_timed_by_the_clock_that_began_with_the_training(head: str) -> None:
    events = events_of(head, *ROWS, "[DONE] Training complete in 21s (0.4 min)")
    read = iterations(events)
    assert [(one.index, one.duration_s) for one in read] == [
        (1000, None), (2000, 0.005), (3000, 0.005), (4000, 0.005)
    ]  # fmt: skip
    assert {one.max_iterations for one in of(Config, events)} == {100_000}
    assert [one.duration_s for one in of(Total, events)] == [21.0]
    assert len(of(End, events)) == 1


def test_rows_of_a_film_are_none_of_a_training() -> None:
    assert not iterations(events_of("Rendering begun at 12:00:02", *ROWS, *ROWS))


def test_a_rate_that_is_no_mean_times_nothing() -> None:
    rows = [row.replace(" 200 fps", f" {fps} fps") for row, fps in zip(ROWS, (900, 90, 400, 0), strict=True)]
    read = iterations(events_of("Training has started", *rows))
    assert [one.index for one in read] == [1000, 2000, 3000, 4000]
    assert {one.duration_s for one in read} <= {None, 0.005}
