"""Whether a column counts, by how its values move."""

import pytest

from itermon.collectors.log_formats.counting.falls import Falls, Waning, no_counters
from itermon.collectors.logs.reader import LogReader
from itermon.events import Message


def seen(*values: float, of: float | None = None) -> Falls:
    falls = Falls()
    for value in values:
        falls.see(value, same_epoch=True, of=of)
    return falls


@pytest.mark.parametrize(
    ("values", "no_counter", "climbs", "has_fallen"),
    [
        ((1, 2, 3, 4), False, True, False),
        ((1, 2, 3, 1, 2, 3), False, False, False),  # to its least: it began anew
        ((5, 9, 3, 8, 7, 6, 9, 4), True, False, True),  # lengths, drawn at random
        ((5, 9, 7, 10, 11), False, False, True),  # once
        ((1, 2, 3), False, False, False),  # too few to climb
    ],
)
def test_what_counts_does_not_fall_but_to_its_beginning(
    values: tuple[float, ...], no_counter: bool, climbs: bool, has_fallen: bool
) -> None:
    found = seen(*values)
    assert (found.is_no_counter, found.climbs, found.has_fallen) == (no_counter, climbs, has_fallen)


def test_what_always_is_all_of_it_is_a_length() -> None:
    assert seen(*[200.0] * 22, of=200.0).stands
    assert not seen(*[200.0] * 22, of=300.0).stands
    assert not seen(*[200.0] * 20, of=200.0).stands


def test_another_epoch_begins_without_a_fall() -> None:
    falls = Falls()
    for value, same in ((5, True), (9, True), (3, False), (7, True)):
        falls.see(value, same_epoch=same, of=None)
    assert not falls.has_fallen


@pytest.mark.parametrize(
    ("named", "left_out"),
    [
        ({"iteration": (2, 3, 4, 5, 6), "train_steps": (300, 300, 300, 319, 319)}, ["train_steps"]),
        ({"step": (1, 2, 3, 4, 5), "update": (1, 1, 2, 2, 3)}, []),  # it counts, if not each row
        ({"step": (1, 2, 3, 1, 2), "steps": (300,) * 5}, []),  # none is sure
        ({"step": (1, 2, 3, 4, 5), "batch": (64, 32, 64, 16, 64)}, ["batch"]),
    ],
)
def test_beside_what_climbs_nothing_counts_that_stands(
    named: dict[str, tuple[float, ...]], left_out: list[str]
) -> None:
    assert [*no_counters({name: seen(*values) for name, values in named.items()}, set())] == left_out


def test_what_counts_in_lines_side_by_side_counts_in_lines_far_apart_where_trainings_begin_again() -> None:
    sure: set[str] = set()
    near, far = [*range(0, 1000, 50), *range(0, 500, 50)], [150, 400, 650, 250, 500, 750, 100, 350, 600] * 3
    assert [*no_counters({"step": seen(*far)}, set())] == ["step"]
    assert [*no_counters({"step": seen(*near), "length": seen(*near[:9])}, sure)] == []
    assert [*no_counters({"step": seen(*far), "length": seen(*far)}, sure)] == ["length"]


@pytest.mark.parametrize(
    ("values", "is_left"),
    [
        ([655.0, 531.0, 489.0, 469.0, 470.0, *(float(n) for n in range(400, -1, -40))], True),
        ([90.0 - n for n in range(0, 91, 10)], True),
        (
            [90.0 - n for n in range(0, 60, 5)],
            False,
        ),  # it has not come to its end: as times of rows that get faster
        ([2.0, 1.5, 1.25, 1.125, 1.0625, 1.05, 1.04, 1.03, 1.02, 1.01], False),  # a mean so far
        ([2.0, 1.5, 2.0, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 0.0], False),
    ],
)
def test_a_time_that_falls_to_nothing_is_what_is_left(values: list[float], is_left: bool) -> None:
    waning = Waning()
    for value in values:
        waning.see("epoch_time", value)
    assert [*waning.names()] == (["epoch_time"] if is_left else [])


def test_a_column_of_what_is_left_is_no_time_of_a_row() -> None:
    lines = [f"step: {n * 10} loss: {2.5 - n / 64} time: {(40 - n) * 2.0}min\n" for n in range(41)]
    reader = LogReader([one.rstrip() for one in lines])
    events = reader.feed("".join(lines).encode())
    (said,) = [one.text for one in events if isinstance(one, Message) and "columns" in one.text]
    assert "time" not in said
