"""`[Training] 3/10 [===>..]`: an epoch's time stands at the end of its bar, and evaluations have bars of their own."""

import pytest
from log_examples import iterations, of
from log_examples import read_to_end as read

from itermon.collectors.log_formats.recognition import recognise
from itermon.events import Config, SpanEnd

NAME = "[Training] bar"


def frame(n: int, of: int, each: str = "2.0s", *, title: str = "Training", said: str = "  loss: 0.5000 ") -> str:
    width = n * 30 // of
    if n < of:
        return f"[{title}] {n}/{of} [{'=' * width}>{'.' * (29 - width)}] - ETA: 0s{said}"
    return f"[{title}] {n}/{of} [{'=' * 30}] {each}/step{said}"


def epoch(of: int = 4, each: str = "2.0s") -> list[str]:
    return [frame(n, of, each) for n in range(1, of + 1)]


def test_each_bar_is_an_epoch_whose_mean_is_told_at_its_end() -> None:
    events = read(NAME, "\n".join(["Num Epochs = 2", *epoch(), *epoch(each="250.0ms")]))
    assert [one.index for one in iterations(events)] == [*range(1, 9)]
    timed = [(one.index, one.duration_s, one.averaged_over) for one in iterations(events) if one.duration_s]
    assert timed == [(4, 2.0, 4), (8, 0.25, 4)]
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [8]
    without = read(NAME, "\n".join([*epoch(), *epoch()]))
    assert [one.max_iterations for one in of(Config, without) if one.max_iterations] == []


@pytest.mark.parametrize("times", [("2.0s", "3.0s"), ("3.0s", "2.0s"), ("2.0s", "2.0s")])
def test_of_each_epoch_the_end_alone_may_be_left(times: tuple[str, str]) -> None:
    events = read(NAME, "\n".join(frame(4, 4, each) for each in times))
    assert [one.index for one in iterations(events)] == [4, 8]


@pytest.mark.parametrize(
    ("trained", "apart"),
    [(epoch(), True), (epoch()[:2], False)],  # between two epochs; in the middle of one
)
def test_an_evaluation_takes_what_its_bar_says(trained: list[str], apart: bool) -> None:
    tested = [frame(n, 3, "1.5s", title="Evaluating", said="") for n in (1, 2, 3)]
    (end,) = of(SpanEnd, read(NAME, "\n".join([*trained, *tested, frame(1 if apart else 3, 4)])))
    assert (end.duration_s, end.apart) == (4.5, apart)


def test_a_row_behind_the_bar_says_what_was_found() -> None:
    tested = frame(3, 3, "1.5s", title="Evaluating", said="")
    found = ["Iter:     10,  Train Loss:   2.5,  Val Loss:   1.5,  Val Acc: 12.50%"]
    events = read(NAME, "\n".join([*epoch(), tested, *found, *epoch()]))
    assert [one.validation_loss for one in events if getattr(one, "validation_loss", None)] == [1.5]


def test_it_is_known_by_a_few_frames_and_an_evaluations_alone_are_none() -> None:
    taken = recognise(epoch(8)).format
    assert taken is not None
    assert taken.name == NAME
    assert recognise([frame(n, 9, title="Evaluating", said="") for n in range(1, 10)]).iterations == 0
