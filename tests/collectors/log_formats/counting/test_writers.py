"""Two trainings that write to one log in turns."""

import pytest

from itermon.collectors.log_formats.counting.counter import Counter
from itermon.collectors.log_formats.counting.standing import Clock, RowContext, Standing
from itermon.collectors.log_formats.counting.writers import Fate, Lengths, OtherTotals, Twins, Writers
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message, RunInfo

AGAIN, ANEW, ON, OTHER = Standing.AGAIN, Standing.ANEW, Standing.ON, Standing.OTHER


def epochs_of(*epochs: int, lines: int) -> list[tuple]:
    return [(epoch, None) for epoch in epochs for _ in range(lines)]


def test_of_two_trainings_that_write_in_turns_the_one_ahead_is_read() -> None:
    """Several lines an epoch each: their turns were hundreds of restarts."""
    rows = [(one, None) for n in range(20, 60) for _ in range(5) for one in (n, n // 3)]
    counter = Counter()
    standings = [counter.see(*row) for row in rows]
    assert counter.writers.are_two
    assert AGAIN not in standings[60:]
    assert counter.index == 59
    after = [counter.see(n, None) for n in range(1, 20)]  # both are over, and a third begins
    assert (AGAIN in after, counter.index) == (True, 19)


def test_a_training_that_begins_beside_another_one_restarts_none() -> None:
    """It says what the first one said, and its rows stand behind those that go on."""
    counter = Counter()
    rows = [(100, None), (200, None, RowContext(anew=True)), *((n, None) for n in (100, 300, 200, 400, 300, 500))]
    assert [counter.see(*row) for row in rows].count(ON) == 5
    assert counter.index == 500


def test_steps_behind_an_opening_are_another_training_s_than_the_epochs_before_them() -> None:
    counter = Counter()
    assert counter.see(None, 1) is ON
    assert counter.see(100, None, RowContext(anew=True)) is ANEW
    assert counter.resized
    assert [counter.see(n, None) for n in (200, 300)] == [ON, ON]


def test_a_training_with_one_row_an_epoch_counts_epochs_also_behind_one_whose_rows_were_counted() -> None:
    counter, begun = Counter(), RowContext(anew=True)
    for row in [(None, n) for n in (1, 1, 2, 2)] + [(None, 1, begun), (None, 2), (None, 3)]:
        counter.see(*row)
    assert (counter.index, counter.of_an_epoch) == (3, 1)


@pytest.mark.parametrize("lines", [1, 5])
def test_trainings_one_after_another_are_no_two_writers(lines: int) -> None:
    counter = Counter()
    found = [counter.see(*row) for row in epochs_of(*(n for _ in range(9) for n in range(20)), lines=lines)]
    assert not counter.writers.are_two
    assert found.count(AGAIN) == 8


@pytest.mark.parametrize("first", [0, 1, 20])
def test_trainings_that_print_some_epochs_only_are_no_two_writers(first: int) -> None:
    """Of each the epochs that were better than all before: it steps over the place where the one before it ended."""
    counter = Counter()
    for epochs in ((50, 100, 150, 200), (50, 100, 150, 400), (50, 150, 200), (50, 100, 300), (100, 150, 400)):
        for n in (first, *epochs):
            counter.see(n, None)
    assert counter.writers.word() is None


def test_rows_that_stand_aside_after_a_restart_make_no_two_writers() -> None:
    counter = Counter()
    found = [counter.see(n, None) for n in (*range(1, 21), *range(1, 11))]
    assert found.count(AGAIN) == 1
    assert [counter.see(5, None, RowContext(), Clock.RUNS_ON) for _ in range(9)] == [OTHER] * 9
    assert not counter.writers.are_two


@pytest.mark.parametrize(("first", "are_two"), [(60, True), (70, False)])
def test_two_writers_are_more_than_three_rows_apart(first: int, are_two: bool) -> None:
    writers = Writers()
    for _ in range(2):
        writers.begins(100, first, first + 10, 10)
        writers.goes_on(first + 10, 100)
    assert writers.are_two is are_two


def test_that_there_are_two_is_said_once() -> None:
    writers = Writers()
    assert writers.word() is None
    writers._returns = 2
    assert (writers.word() is None, writers.word()) == (False, None)


def told(*rows: tuple) -> list[tuple]:
    counter, found = Counter(), []
    for step, epoch, length in rows:
        said = RowContext(length=length if step else None, total=None if step else length)
        standing = counter.see(step, epoch, said)
        found.append((standing, counter.index))
    return found


def test_epochs_of_another_number_are_another_trainings() -> None:
    rows = [(None, 16, 20), (None, 17, 20), (None, 1, 30), (None, 2, 30)]
    assert told(*rows) == [(ON, 16), (ON, 17), (ANEW, 1), (ON, 2)]
    assert told((None, 5, 20), (None, 6, 40)) == [(ON, 5), (ON, 6)], "it is to train for longer"


def test_steps_of_another_number_far_beyond_are_of_another_log_and_nothing_is_done_again() -> None:
    rows = [
        *((n, None, 9000) for n in (90, 100, 110)),
        *((n, None, 5000) for n in (700, 800)),
        *((n, None, 9000) for n in (300, 310)),
    ]
    assert told(*rows)[2:] == [(ON, 110), (ANEW, 700), (ON, 800), (ANEW, 300), (ON, 310)]
    assert told((90, None, 9000), (100, None, 9000), (110, None, 12_000))[-1] == (ON, 110), (
        "it is to train for longer"
    )


def test_steps_that_name_their_epoch_may_be_of_another_number_in_each() -> None:
    totals = OtherTotals()
    for epoch, length in enumerate((100, 140, 120, 100)):
        assert not totals.begins(0.5 * length, epoch, RowContext(length=length))
    assert not totals.begins(1, None, RowContext(length=None))


@pytest.mark.parametrize(
    ("rows", "begins"),
    [
        ("90/90 40/40 40/40 60/60", (False, True, True, True)),  # each is the last of its training
        ("40/40 40/40 40/40", (False, False, False)),  # they may be one epoch's, told by several
        ("89/90 90/90 40/40", (False, False, False)),  # a training with rows of its own
        ("90/90 39/40 40/40", (False, False, False)),
    ],
)
def test_epochs_that_are_each_the_last_of_another_number_are_trainings_of_one_row(
    rows: str, begins: tuple[bool, ...]
) -> None:
    totals = OtherTotals()
    places = (map(float, row.split("/")) for row in rows.split())
    assert tuple(totals.begins(None, n, RowContext(total=of)) for n, of in places) == begins


def turns(*rows: str) -> str:
    """Of `A17`, `B1`: R read, w waits, * all that wait and it, another training's, + all of them, - another one's."""
    lengths, totals = {"A": 20.0, "B": 30.0, "C": 5.0}, Lengths()
    signs = {Fate.READ: "R", Fate.WAITS: "w", Fate.ALL: "+", Fate.ALL_ANEW: "*", Fate.OTHER: "-"}
    return "".join(
        signs[totals.see(float(row[1:].rstrip("!")), lengths[row[0]], anew=row[-1] == "!")] for row in rows
    )


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("A17 B1 A18 B2 A19 B3 A20 B4 B5", "RwRwRwR*R"),
        ("A17 B1 B2 A18 B3 A19 B4", "Rw*-R-R"),
        ("A17 B1 B2 A18 A19 A20", "Rw*-RR"),  # the first one goes on alone
        ("A20 B1 B2", "RRR"),
        ("A10 B11 B12", "RRR"),  # it is to train for longer
        ("A10 B1 C1 C2", "Rw+R"),
        ("A10 B1! A11 B2", "RR-R"),
        ("A10 B1 A11 B2! A12", "RwR+-"),
        ("A3 A4 A1 A2", "RRRR"),
    ],
)
def test_rows_of_another_total_wait_while_the_first_one_goes_on(rows: str, found: str) -> None:
    assert turns(*rows.split()) == found


def test_no_more_rows_wait_than_there_is_room_for() -> None:
    totals = Lengths()
    found = [totals.see(n, length) for n in range(1, 1_100) for length in (5_000.0, 4_000.0)]
    assert found.count(Fate.WAITS) == 1_000
    assert Fate.ALL_ANEW in found


def twin_lines(epochs: int, *, of: int = 9, late: bool = False) -> list[str]:
    """Two processes that print each epoch's head, and then its row; one may begin the next before the other has its row."""
    lines = [f"10:00:00 --- Epoch 1/{of} on cuda:0 ---"] * 2
    for n in range(1, epochs + 1):
        head = f"10:00:00 --- Epoch {n + 1}/{of} on cuda:0 ---"
        one, other = (f"10:00:00 Epoch {n} average loss: {n}.{which}" for which in (0, 5))
        lines += [one, head, other, head] if late else [one, other, head, head]
    return lines[: -2 if epochs == of else None]


def rows_of(*lines: str) -> tuple[list[list[float]], list[str]]:
    reader, runs, said = LogReader(lines), [], []
    for event in [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]:
        if isinstance(event, RunInfo):
            runs.append([])
        elif isinstance(event, Iteration):
            assert event.index == int(event.loss)
            runs[-1].append(event.loss)
        elif isinstance(event, Message):
            said.append(event.text)
    return [run for run in runs if run], said


@pytest.mark.parametrize("late", [False, True])
def test_two_processes_that_print_each_epoch_with_its_head_are_read_as_one(late: bool) -> None:
    runs, said = rows_of(*twin_lines(9, late=late))
    assert runs == [[float(n) for n in range(1, 10)]]
    assert sum("two processes print each epoch" in one for one in said) == 1


def test_twins_that_begin_again_are_read_as_one_again() -> None:
    start = ["10:00:00 Starting training"] * 2
    runs, _ = rows_of(*start, *twin_lines(3), *start, *twin_lines(9))
    assert runs == [[1.0, 2.0, 3.0], [float(n) for n in range(1, 10)]]


@pytest.mark.parametrize(
    ("lines", "left_out"),
    [
        (["1", "r1", "r1", "2", "r2", "r2"], 0),  # one process, two rows an epoch
        (["1", "r1", "1", "r1", "2", "r2"], 0),  # it began again
        (["1", "1", "r1", "r1", "r1", "2", "2", "r2", "r2"], 2),
        (["1", "r1", "r1", "2", "2", "r2", "r2"], 0),  # it was one
        (["1", "1", "other", "begin", "1", "r1", "r1"], 0),
        (["r3", "1", "begin", "1", "r1", "r1"], 1),
        (["1", "1", "r1", "r2", "r2"], 0),
    ],
)
def test_a_second_row_is_another_process_s_where_both_heads_came_before_the_first(
    lines: list[str], left_out: int
) -> None:
    twins, found = Twins(), 0
    for line in lines:
        if line == "begin":
            twins.begin()
        elif line[0] == "r":
            found += twins.leaves_out(float(line[1:]))
        else:
            twins.hear(f"INFO: Epoch {line} of 9")
    assert found == left_out


def test_some_lines_of_a_log_do_not_show_that_it_has_one_writer() -> None:
    lines = twin_lines(9)
    reader = LogReader([lines[0], *lines[2:4], *lines[8:]])  # a head is left out
    events = reader.feed("".join(f"{line}\n" for line in lines).encode())
    assert sum(isinstance(event, Iteration) for event in events) == 9


@pytest.mark.parametrize("line", ["Epoch 3/9 loss: 0.5", "Epoch 3/9: 50%", "epoch 3", "x" * 500 + " Epoch 3/9"])
def test_what_says_more_is_no_head(line: str) -> None:
    twins = Twins()
    twins.hear(line)
    assert twins.heads == {}


def test_rows_of_another_process_that_count_on_by_themselves_are_told_of() -> None:
    writers = Writers()
    for epoch in (0, 1, 2, 0, 1, 2):
        writers.goes_on(1.0, 2.0, (epoch, 9.0))
    assert writers.word() is None
    writers.goes_on(1.0, 2.0)
    writers.goes_on(1.0, 2.0, (3, 9.0))
    assert "another process's" in (writers.word() or "")
    assert writers.word() is None
