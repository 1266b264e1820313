"""What stands behind a line that counts: of which row it is."""

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, Config, Iteration, RunInfo, SpanEnd


def events_of(text: str):
    reader = LogReader()
    return [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]


def metrics(said: str, soon: str, late: str) -> str:
    """A line of each hour, and values 2 s and 40 minutes behind it."""
    return "\n".join(
        f"[2024-03-01 0{n}:00:00,000][trainer][INFO] - {said.format(n=n)}\n"
        f"[2024-03-01 0{n}:00:02,000][trainer][INFO] - Metrics: {{'{soon}': 0.{n}}}\n"
        f"[2024-03-01 0{n}:40:00,000][trainer][INFO] - Metrics: {{'{late}': 0.75}}"
        for n in range(1, 6)
    )


@pytest.mark.parametrize(("closing", "late"), [("Epoch {n} finished", False), ("Epoch {n} starts", True)])
def test_what_comes_long_behind_a_line_that_closes_an_epoch_is_of_the_next_one(closing: str, late: bool) -> None:
    """Values at once are its own; an evaluation in the midst of the next epoch moves neither its time nor its values."""
    found = iterations(events_of(metrics(closing, "accuracy", "f1")))
    assert [one.index for one in found] == [1, 2, 3, 4, 5]
    assert [one.scalars for one in found] == [
        {"accuracy": n / 10} | ({"f1": 0.75} if late else {}) for n in range(1, 6)
    ]
    assert [one.at_s % 3_600 for one in found if one.at_s] == [2_400.0 if late else 2.0] * 5


def test_a_row_of_nothing_but_results_at_the_newest_place_or_between_two_is_an_evaluation() -> None:
    lines, second = [], 0
    for step in range(10, 130, 10):
        second += 12
        lines.append(
            f"[2031-04-02 06:{second // 60:02d}:{second % 60:02d}] Task [{step}/500], Train Error: {5 / step:.4f}, Train Accuracy: 0.5"
        )
        if step in (50, 100):
            second += 240
            lines.append(
                f"[2031-04-02 06:{second // 60:02d}:{second % 60:02d}] Task [{step + step // 50 - 1}/500], Test Accuracy: 0.{step}1, Test F1: 0.25"
            )
    events = LogReader().feed("\n".join([*lines, ""]).encode())
    assert [one.index for one in iterations(events)] == [*range(10, 130, 10)]
    found = [(one.values, one.duration_s) for one in of(SpanEnd, events) if one.kind == EVALUATION]
    assert found == [
        ({"Test Accuracy": 0.501, "Test F1": 0.25}, 240.0),
        ({"Test Accuracy": 0.1001, "Test F1": 0.25}, None),
    ]


@pytest.mark.parametrize(("part", "read"), [("train", True), ("sample", False)])
def test_rows_of_unknown_values_are_read_behind_the_word_of_a_training(part: str, read: bool) -> None:
    text = "\n".join(
        f"I | 03-02 11:20:0{n} |  {part}  | step={n}, p_move=0.5, energy=-2.25+0.5j" for n in range(6)
    )
    found = iterations(events_of(f"{text}\n"))
    assert [one.index for one in found] == ([*range(6)] if read else [])
    assert not found or found[-1].scalars == {"p_move": 0.5, "energy": -2.25}


def test_the_best_so_far_is_no_row_and_no_value_of_one() -> None:
    best = "\n".join(
        f"<{n}/6> net_a {n / 8} net_b {n / 16}\nBest so far: loss {1 / n:.4f} (epoch {n})" for n in range(1, 7)
    )
    assert not iterations(events_of(best))
    rows = "\n".join(
        f"ROUND REPORT\nGeneration {n}\n  fitness: {n / 8:.4f}\nBest ever: fitness 0.9375 (generation 1)\n"
        for n in range(1, 7)
    )
    found = iterations(events_of(rows))
    assert [one.index for one in found] == [*range(1, 7)]
    assert [one.scalars for one in found] == [pytest.approx({"fitness": n / 8}) for n in range(1, 7)]


def _epoch(n: int) -> list[str]:
    measured = [f"score of {kind} 0.{n}1234" for kind in ("oak", "elm", "ash", "fir")]
    both = f"Epoch {n} held-out accuracy: 0.{n}4  mIoU: 0.{n}3"
    return [
        f"Epoch {n} ({n}/40):",
        "rate stays",
        f"Train accuracy is: 0.{n}5",
        *measured,
        both,
        "Keep the model...",
    ]


@pytest.mark.parametrize(("again", "begun"), [(range(4, 9), 0), (range(1, 5), 1)])
def test_what_comes_with_each_epoch_before_rows_are_proven_opens_no_process(again: range, begun: int) -> None:
    """But behind a row, the first that goes back does."""
    events = events_of("\n".join(line for n in (*range(1, 4), *again) for line in _epoch(n)))
    assert [one.index for one in iterations(events)] == [1, 2, 3, *again]
    first = next(place for place, one in enumerate(events) if isinstance(one, Iteration))
    assert sum(isinstance(one, RunInfo) for one in events[first:]) == begun
    assert {one.max_iterations for one in events if isinstance(one, Config)} - {None} == {40}


def test_a_second_row_that_each_epoch_has_begins_nothing_though_the_first_lines_come_again_before_it() -> None:
    def epoch(n: int, *, whole: bool = True) -> list[str]:
        scores = [f"mIoU on {letter * 4} 0.{n}5" for letter in "abcdefghijk"]
        tested = [f"Epoch {n} test accuracy: 0.{n}7, mean mIoU: 0.{n}6"]
        trained = [f"Epoch {n} ({n}/90):", "learning rate: 0.25", f"batch accuracy: 0.{n}"]
        return [*trained, *scores, *tested] if whole else trained

    lines = ["no model yet, a new one", *epoch(1), *epoch(2, whole=False), "a model to go on with"]
    lines += [line for n in range(1, 10) for line in epoch(n)]
    found = [one.index for one in iterations(events_of("\n".join(lines)))]
    assert found[-8:] == [*range(2, 10)]
