"""DeepXDE's tables."""

from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration

BEGINS = "Compiling model...\n'compile' took 1.000000 s\n\nTraining model...\n\n"
HEADING = "Step      Train loss                        Test loss                         Test metric\n"


def table(steps: range) -> str:
    return "".join(f"{n:<10}[0.25, 0.{n + 1}]    [0.25, 0.{n + 1}]    []\n" for n in steps)


def test_the_first_row_of_a_second_training_is_where_it_begins_and_no_thousand_steps() -> None:
    first = BEGINS + HEADING + table(range(0, 9_000, 1_000)) + "\n'train' took 19.500000 s\n\n"
    second = BEGINS + HEADING + table(range(8_000, 8_040)) + "\n'train' took 9.500000 s\n"
    reader = LogReader()
    events = [*reader.feed((first + second).encode()), *reader.end(b"")]
    rows = [(event.index, event.averaged_over) for event in events if isinstance(event, Iteration)]
    assert rows[9:11] == [(8_000, 1), (8_001, 1)]
