"""DeepXDE's tables."""

from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Iteration, RunInfo, Total

BEGINS = "Compiling model...\n'compile' took 1.000000 s\n\nTraining model...\n\n"
HEADING = "Step      Train loss                        Test loss                         Test metric\n"


def table(steps: range) -> str:
    return "".join(f"{n:<10}[0.25, 0.{n + 1}]    [0.25, 0.{n + 1}]    []\n" for n in steps)


def read(text: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed(text.encode()), *reader.end(b"")]


def test_a_second_training_goes_on_where_the_first_one_ended() -> None:
    first = BEGINS + HEADING + table(range(0, 9_000, 1_000)) + "\n'train' took 19.5 s\n\n"
    second = BEGINS + HEADING + table(range(8_000, 8_040)) + "\n'train' took 9.5 s\n"
    events = read(first + second)
    rows = [(event.index, event.averaged_over) for event in events if isinstance(event, Iteration)]
    assert rows[8:10] == [(8_000, 1), (8_001, 1)]
    assert len({event.resumed for event in events if isinstance(event, RunInfo)}) == 1
    assert [event.duration_s for event in events if isinstance(event, Total)] == [19.5, 29.0]


def test_a_training_from_the_beginning_has_a_time_of_its_own() -> None:
    one = BEGINS + HEADING + table(range(0, 9_000, 1_000)) + "\n'train' took 19.5 s\n\n"
    events = read(one + one)
    assert [event.index for event in events if isinstance(event, Iteration)] == [*range(0, 9_000, 1_000)] * 2
    assert [event.duration_s for event in events if isinstance(event, Total)] == [19.5, 19.5]
