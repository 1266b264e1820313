"""Two bars of each epoch under one title: the second validates, where lines behind it say so."""

import pytest
from log_examples import iterations, of

from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, PrintedLoss, SpanEnd

STEPS, BATCHES = 20, 6


def bar(epoch: int, total: int, each_s: float) -> str:
    """Frames of one pass, each on a line."""
    return "".join(
        f"Epoch {epoch}/9: {100 * n // total}%|##| {n}/{total} [{int(n * each_s) // 60:02d}:{int(n * each_s) % 60:02d}<00:01, {each_s:.2f}s/batch]\n"
        for n in range(1, total + 1)
    )


def log(behind_first: str, behind_second: str, epochs: int = 5) -> str:
    return "".join(
        bar(one, STEPS, 4.0)
        + behind_first.format(one=one, loss=2 / one)
        + bar(one, BATCHES, 3.0)
        + behind_second.format(one=one, loss=2.5 / one)
        for one in range(1, epochs + 1)
    )


def read(text: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed(text.encode()), *reader.end(b"")]


@pytest.mark.parametrize("found", ["Validation Loss: {loss:.4f}\n", "test acc: {loss:.4f}\n\n"])
@pytest.mark.parametrize(
    "mean", ["Epoch [{one}/9], Loss: {loss:.4f}\n", "\n\nepoch {one} train loss = {loss:.4f}\n"]
)
def test_only_the_first_trains(mean: str, found: str) -> None:
    events = read(log(mean, found))
    assert [one.index for one in iterations(events)] == [*range(1, 5 * STEPS + 1)]
    assert len(of(SpanEnd, events)) == 5


def test_what_it_found_is_of_the_epoch_s_last_step() -> None:
    events = read(log("Epoch [{one}/9], Loss: {loss:.4f}\n", "Validation Loss: {loss:.4f}\n"))
    found = {one.iteration: one.validation_loss for one in of(PrintedLoss, events) if one.validation_loss}
    assert found == {STEPS * one: pytest.approx(2.5 / one, abs=1e-4) for one in range(1, 6)}


@pytest.mark.parametrize(
    "found", ["Epoch {one} | Train Loss: 0.5 | Val Loss: {loss:.4f}\n", "\ntrain acc: 0.5\nval acc: 0.4\n"]
)
def test_a_line_behind_both_tells_of_them(found: str) -> None:
    events = read(log("", found))
    assert [one.index for one in iterations(events)] == [*range(1, 5 * STEPS + 1)]


@pytest.mark.parametrize(
    ("first", "second", "epochs"),
    [
        ("Epoch [{one}/9], Loss: {loss:.4f}\n", "Loss of the other set: {loss:.4f}\n", 5),
        ("Validation loss: {loss:.4f}\n", "Validation Loss: {loss:.4f}\n", 5),
        ("Loss: {loss:.4f}\n", "Validation Loss: {loss:.4f}\n", 1),  # one epoch shows no order
    ],
)
def test_without_both_witnesses_no_bar_is_a_validation_s(first: str, second: str, epochs: int) -> None:
    assert [one.index for one in iterations(read(log(first, second, epochs)))][-1] != epochs * STEPS
