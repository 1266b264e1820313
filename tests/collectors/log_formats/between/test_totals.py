"""A clock and totals that begin again in one row: another training, though nothing numbers the rows."""

import pytest
from log_examples import iterations, of

from itermon.analysis.run import Run
from itermon.collectors.log_formats.between.totals import Totals
from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Iteration, Message, RunInfo, SpanEnd
from itermon.reports.sentences import how_far


def read(text: str) -> list[list[int]]:
    """The places of the rows, training by training."""
    reader, runs = LogReader(name="x"), [[]]
    for event in reader.feed(text.encode()) + reader.end(b""):
        if isinstance(event, RunInfo):
            runs.append([])
        elif isinstance(event, Iteration):
            runs[-1].append(event.index)
    return [run for run in runs if run]


ROWS = [(5 * n, 0.5 - n / 64, 4.25 * n, 5120 * n) for n in range(1, 6)]
ANEW = [(2 * n, 0.25 - n / 64, 0.75 * n, 1280 * n) for n in range(1, 9)]
NAMES = "num_episodes", "total_loss", "total_time", "total timesteps"


def test_rows_whose_clock_and_totals_begin_again_are_another_training_s() -> None:
    table = "\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in [*ROWS, *ANEW]), ""])
    assert read(table) == [[*range(5)], [*range(8)]]


@pytest.mark.parametrize(
    ("rows", "again"),
    [
        ([(1, 10), (2, 20), (3, 30), (4, 40), (1, 10)], True),
        ([(1, 10), (2, 20), (3, 30), (1, 10)], False),  # grown too seldom
        ([(1, 10), (2, 20), (3, 30), (4, 40), (1, 50)], False),  # the other goes on
        ([(1, 10), (2, 20), (3, 30), (4, 40), (3, 30)], False),  # late, and no beginning
        ([(1, 10), (2, 20), (3, 5), (4, 40), (5, 50), (1, 1)], False),  # one is no total
    ],
)
def test_all_of_them_begin_again(rows: list[tuple[float, float]], *, again: bool) -> None:
    totals = Totals()
    found = [totals.begin_again([("clock", clock), ("n", n)], "clock") for clock, n in rows]
    assert found == [*[False] * (len(rows) - 1), again]


LOSSES = "Epoch {n} - Training Loss: {loss}\nEpoch {n} - Validation Loss: {loss}5\n"


def epochs(*numbers: int) -> str:
    return "".join(LOSSES.format(n=n, loss=0.5 + 1 / (n + 2)) for n in numbers)


@pytest.mark.parametrize(
    ("last", "runs"),
    [
        ("Epoch 0 - Training Loss: 1.75\n", [[*range(6)], [0]]),
        ("Epoch 0 - Training Loss: 1.75", [[*range(6)], [0]]),  # without a newline
        ("Epoch 0 - Training Loss: 1.75\nepoch 0 validates\n", [[*range(6)], [0]]),
        ("Epoch 3 - Training Loss: 1.75\n", [[*range(6)]]),  # maybe another rank's, that is late
        ("Best: Epoch 0 - Training Loss: 1.75\n", [[*range(6)]]),  # tells of something else
    ],
)
def test_the_first_row_of_another_training_at_the_end_of_the_log_is_one(last: str, runs: list[list[int]]) -> None:
    assert read(epochs(*range(6)) + last) == runs


def test_the_same_of_a_log_that_is_silent_and_goes_on_later() -> None:
    reader = LogReader(name="x")
    reader.feed(epochs(*range(6)).encode())
    live = reader.feed(b"Epoch 0 - Training Loss: 1.75\n", 100.0)
    assert not any(isinstance(e, Iteration) for e in live)
    assert [e.index for e in reader.release() if isinstance(e, Iteration)] == [0]
    later = reader.feed(b"Epoch 1 - Training Loss: 1.5\n", 200.0)
    assert [type(e) for e in later if isinstance(e, RunInfo | Iteration)] == [Iteration]


ROW = "Epoch {n}/{of} | loss: {loss} | time: 12.5s"
WITH_BOTH = "Epoch [{n}/{of}], Train Loss: {loss}, Val Loss: 2.75"
ON_TWO_LINES = "epoch: {n}/{of}, time: 12.5, train loss: {loss}\nval loss: {found}"


def told(form: str, *places: tuple[int, int]) -> list[Event]:
    rows = (form.format(n=n, of=total, loss=total - n / 64, found=total + n / 64) for n, total in places)
    reader = LogReader()
    return [*reader.feed("".join(f"{row}\n" for row in rows).encode()), *reader.end(b"")]


AT_ONCE = [
    *((n, 20) for n in range(1, 17)),
    *((n, of) for n, m in zip(range(17, 21), range(1, 5), strict=True) for n, of in ((n, 20), (m, 30))),
    *((n, 30) for n in range(5, 31)),
]


@pytest.mark.parametrize("form", [ROW, WITH_BOTH, ON_TWO_LINES])
def test_two_trainings_of_other_totals_that_write_at_once_are_read_one_by_one(form: str) -> None:
    events = told(form, *AT_ONCE)
    assert [one.index for one in iterations(events)] == [*range(1, 21), *range(1, 31)]
    begun = [event for event in events if isinstance(event, RunInfo)][2:]
    assert [one.resumed for one in begun] == [False]


def test_what_an_evaluation_found_stays_with_its_training() -> None:
    events = told(ON_TWO_LINES, *AT_ONCE)
    second = next(at for at, event in enumerate(events) if isinstance(event, RunInfo) and event.resumed is False)
    found = [
        [next(iter(one.values.values())) for one in of(SpanEnd, part)]
        for part in (events[:second], events[second:])
    ]
    assert [{*map(int, part)} for part in found] == [{20}, {30}]
    assert [*map(len, found)] == [20, 30]


def test_rows_of_a_training_that_went_on_while_another_is_read_are_counted() -> None:
    places = [*((n, 20) for n in range(1, 11)), (1, 30), (2, 30), (11, 20), (3, 30), (12, 20), (4, 30), (5, 30)]
    events = told(ROW, *places)
    assert [one.index for one in iterations(events)] == [*range(1, 11), *range(1, 6)]
    (word,) = (one.text for one in of(Message, events) if "left out" in one.text)
    assert word.startswith("2 rows of another training, of 20, ")


def test_what_waits_is_read_where_the_other_one_is_over() -> None:
    places = [(n, of) for n in range(1, 21) for of in ((20, 12) if n <= 12 else (20,))]
    assert [one.index for one in iterations(told(ROW, *places))] == [*range(1, 21), *range(1, 13)]
    unfinished = told(ROW, *places[:-1])
    assert [one.index for one in iterations(unfinished)] == [*range(1, 20)]
    assert any("12 rows of another training, of 12" in one.text for one in of(Message, unfinished))


def test_a_training_that_is_to_last_longer_goes_on() -> None:
    events = told(ROW, *((n, 10) for n in range(1, 11)), *((n, 20) for n in range(11, 21)))
    assert [one.index for one in iterations(events)] == [*range(1, 21)]
    assert sum(isinstance(event, RunInfo) for event in events) == 2


def test_rows_that_a_word_says_are_epochs_are_called_so() -> None:
    def said(word: str) -> str:
        lines = [f"[train] {word}: {n}/80 score: {n / 100:.3f} IoU: {n / 50:.3f}\n" for n in range(30)]
        reader = LogReader()
        run = Run()
        run.apply([*reader.feed("".join(lines).encode()), *reader.end(b"")])
        return how_far(run.findings())

    assert said("Epoch").startswith("epoch 29 of 80 (37.5 %)")  # counted from 0: 30 are done
    assert said("Iteration").startswith("iteration 29 ")
