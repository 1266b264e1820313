"""Evaluations that have bars of their own: whether a training's clock has them in it, and how long they took."""

import pytest
from log_examples import iterations, of
from log_examples import read_to_end as read
from simulated_runs import watched

from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, PrintedLoss, SpanEnd


def bar(title: str, n: int, total: int, elapsed: str, rate: str = "2.00s/it") -> str:
    return f"{title}: {n}%|█ | {n}/{total} [{elapsed}<00:30, {rate}]\n"


def ended(text: str) -> list[tuple[float | None, bool]]:
    return [(one.duration_s, one.apart) for one in of(SpanEnd, read("tqdm", text))]


def test_an_evaluation_after_a_full_bar_is_in_no_step_of_the_training() -> None:
    trained = "".join(bar("Epoch 1 train", n, 4, f"00:0{2 * n}") for n in (1, 2, 3, 4))
    tested = bar("Epoch 1 val", 1, 9, "00:05") + bar("Epoch 1 val", 9, 9, "00:45")
    assert ended(trained + tested + bar("Epoch 2 train", 1, 4, "00:02")) == [(45.0, True)]


def test_what_was_scanned_before_the_training_is_no_evaluation_and_one_before_it_is_in_no_step() -> None:
    trained = "".join(bar("Epoch 1 train", n, 4, f"00:0{2 * n}") for n in (1, 2))
    scanned = bar("val: Scanning labels... 90 found", 90, 90, "00:03", "30.00it/s")
    assert ended(scanned + trained) == []
    assert ended(bar("Sanity check", 9, 9, "00:45") + trained) == [(45.0, True)]


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("Evaluating on the held-out set ...", [(45.0, True)]),
        ("Validation set: many images", []),
        ("Evaluating, best loss 2.5", []),
    ],
)
def test_a_bar_without_a_title_below_an_evaluations_heading_is_its(
    heading: str, found: list[tuple[float, bool]]
) -> None:
    """It is as long as none of the training's: those of the next epoch need no heading of their own."""
    trained = "".join(bar("", n, 4, f"00:0{2 * n}", "2.00s/it, loss=2.5") for n in (1, 2, 3, 4))
    text = trained + heading + "\n" + bar("", 9, 9, "00:45", "5.00s/it") + trained
    assert ended(text) == found
    assert [one.index for one in iterations(read("tqdm", text))] == [*range(1, 9)]


def test_of_a_bar_behind_lost_lines_no_more_is_known_than_its_newest_steps() -> None:
    """A file that was emptied while it was written: epochs 2 and 3 are missing, and the beginning of epoch 4."""
    drawn = [(1, 1, "00:02"), (1, 2, "00:04"), (4, 7, "00:14"), (4, 8, "00:16")]
    found = iterations(read("tqdm", "".join(bar(f"Epoch {e}", n, 9, at) for e, n, at in drawn)))
    told = [(one.index, one.duration_s and round(one.duration_s, 3), one.averaged_over) for one in found]
    assert told == [(1, 2.0, 1), (2, 2.0, 1), (34, None, 1), (35, 2.0, 1)]


def test_an_evaluation_in_the_middle_of_a_bar_is_in_one_of_its_steps() -> None:
    trained = "".join(bar("Epoch 1 train", n, 4, f"00:0{2 * n}") for n in (1, 2))
    tested = bar("val", 1, 9, "00:05") + bar("val", 9, 9, "00:45")
    assert ended(trained + tested + bar("Epoch 1 train", 3, 4, "00:51")) == [(45.0, False)]


@pytest.mark.parametrize(
    ("elapsed", "rate", "seconds"),
    [
        ("00:01", "8.00it/s", 1.125),
        ("00:00", "18.00it/s", 0.5),
        ("00:02", "8.00it/s", 2.0),
        ("00:00", "8.00it/s", None),
    ],
)
def test_the_mean_rate_at_its_end_says_what_a_clock_of_whole_seconds_cuts_off(
    elapsed: str, rate: str, seconds: float | None
) -> None:
    text = bar("Epoch 1 train", 1, 1, "00:02") + bar("val", 9, 9, elapsed, rate)
    assert ended(text) == [(seconds, True)]


def epoch(number: int) -> str:
    drawn = "".join(
        bar(f"Epoch {number}/3 train", n, 10, f"00:{2 * n:02d}", "2.00s/it, loss=1.5") for n in range(1, 11)
    )
    return drawn + "".join(
        bar(f"Epoch {number}/3 val", n, 4, f"00:{10 * n:02d}", "10.00s/it") for n in range(1, 5)
    )


def test_they_have_their_share_of_the_wall_time_beside_the_steps_of_the_training() -> None:
    reader = LogReader()
    found = watched([*reader.feed("".join(map(epoch, (1, 2, 3))).encode()), *reader.end(b"")]).findings()
    spent = {row.cause: row.seconds for row in found.ledger}
    assert spent["evaluation"] == pytest.approx(120.0)
    assert spent["training"] == pytest.approx(60.0)


def test_an_evaluation_before_the_training_is_counted_once() -> None:
    reader = LogReader()
    text = bar("Sanity check", 9, 9, "00:45") + "".join(map(epoch, (1, 2, 3)))
    found = watched([*reader.feed(text.encode()), *reader.end(b"")]).findings()
    spent = {row.cause: row.seconds for row in found.ledger}
    assert spent == {"evaluation": pytest.approx(45.0 + 120.0), "training": pytest.approx(60.0)}


def test_values_between_the_rows_of_a_bar_are_told_to_be_more_than_is_known() -> None:
    drawn = [(1, "CE=4.5"), (1, "CE=3.5"), (1, "CE=2.5"), (3, "CE=2.5"), (4, "CE=2.0")]
    text = "".join(bar("Epoch 1", n, 9, f"00:0{2 * n}", f"2.00s/it, {said}") for n, said in drawn)
    assert [(one.iteration, one.thinned) for one in of(PrintedLoss, read("tqdm", text))] == [(3, ("CE",))]
    each = "".join(bar("Epoch 1", n, 9, f"00:0{2 * n}", f"2.00s/it, CE={n}.5") for n in range(1, 5))
    assert of(PrintedLoss, read("tqdm", each)) == []


@pytest.mark.parametrize(("second", "last"), [("00:10", 8), ("00:52", 8), ("00:53", 4)])
def test_a_full_bar_behind_an_evaluation_whose_time_its_clock_lacks_is_the_next_epochs(
    second: str, last: int
) -> None:
    """Of each bar its end alone was kept. The same one, drawn again after the evaluation, shows that it waited: clocks are cut to whole seconds."""
    ends = [bar("Train", 4, 4, "00:08"), bar("Val", 9, 9, "00:45"), bar("Train", 4, 4, second)]
    assert [one.index for one in iterations(read("tqdm", "".join(ends)))][-1] == last


@pytest.mark.parametrize(
    ("postfix", "values"),
    [
        ("Val Loss=0.125, Val Dice=0.5", {"val_loss": 0.125, "val_Dice": 0.5}),
        ("val_loss: 0.125, val/acc: 75.5", {"val_loss": 0.125, "val_acc": 75.5}),
        ("valid_loss=0.125, lr=0.5", {"val_loss": 0.125}),
        ("{'eval_loss': 0.125}", {"val_loss": 0.125}),
        ("loss=0.125, acc=0.5", {}),  # of the last batch alone, for all that is known
        ("value=3, validated=5, eval=1", {}),
        ("val_loss=?", {}),
    ],
)
def test_what_the_last_frame_of_an_evaluations_bar_says_that_it_found_is_its_result(
    postfix: str, values: dict[str, float]
) -> None:
    trained = "".join(bar("Epoch 1 train", n, 4, f"00:0{2 * n}") for n in (1, 2, 3, 4))
    tested = "".join(bar("Validate", n, 9, "00:45", f"5.00s/it, {postfix}") for n in (8, 9))
    twice = trained + tested + trained.replace("Epoch 1", "Epoch 2") + tested
    assert [one.values for one in of(SpanEnd, read("tqdm", twice))] == [{}, values]
    broken_off = bar("Validate", 8, 9, "00:40", f"5.00s/it, {postfix}") + bar("Epoch 2 train", 1, 4, "00:02")
    assert [one.values for one in of(SpanEnd, read("tqdm", trained + tested + broken_off))] == [{}, {}]


@pytest.mark.parametrize(
    ("line", "believed"),
    [
        ("saved the best model", True),
        ("Valid Loss: 0.12", True),
        ("Best validation loss: 0.0625", True),
        ("Train loss: 0.5, val loss: 0.125", True),
        ("Valid Loss: 0.5 - Perplexity: 1.6", False),
        ("Valid Loss: 0.5 (best loss 0.4)", False),
        ("epoch 1 | train loss 0.125 | val_loss 0.5", False),
    ],
)
def test_a_loss_in_the_bar_of_an_evaluation_counts_where_no_line_behind_it_says_otherwise(
    line: str, *, believed: bool
) -> None:
    trained = "".join(bar("Epoch 1 train", n, 4, f"00:0{2 * n}", "2.00s/it, loss=2.5") for n in (1, 2, 3, 4))
    epoch = trained + bar("Validate", 9, 9, "00:45", "5.00s/it, val_loss=0.125") + line + "\n"
    text = "".join(epoch.replace("Epoch 1", f"Epoch {n}") for n in (1, 2, 3))
    reader = LogReader()
    events = [*reader.feed(text.encode()), *reader.end(b"")]
    found = [one.values for one in of(SpanEnd, events) if one.kind == EVALUATION]
    assert found == [{"val_loss": 0.125} if believed else {}] * 3


def test_the_rate_of_a_full_bar_says_more_than_its_whole_seconds_also_at_their_edge() -> None:
    """30 at 7.50 a second are 3.997 to 4.003 s, and the clock says 3 to 4."""
    trained = "".join(bar("Epoch 1 train", n, 4, f"00:0{2 * n}") for n in (1, 2, 3, 4))
    for rate, spent_s in (("7.50it/s", 4.0), ("7.60it/s", 30 / 7.6), ("7.40it/s", 3.0), ("70.00it/s", 3.0)):
        ((found, _),) = ended(trained + bar("val", 30, 30, "00:03", rate))
        assert found == pytest.approx(spent_s)
    # of so many the digits of the rate leave more open than the clock does
    assert ended(trained + bar("val", 6957, 6957, "38:53", "2.98it/s")) == [(2333.0, True)]


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ([1, 5, 9, 13, 1, 5], [1, 5, 9, 13, 15, 19]),  # of 14, each fourth is drawn, and the end is erased
        ([4, 8, 12, 4, 8, 12, 4], [4, 8, 12, 18, 22, 26, 32]),
        ([1, 2, 12, 1, 2], [1, 2, 12, 1, 2]),  # each step is drawn, but for those that somebody left out
        ([1, 4, 7, 10, 1, 4], [1, 4, 7, 10, 1, 4]),  # it broke off
    ],
)
def test_a_bar_whose_rest_is_less_than_what_is_drawn_at_once_was_an_epoch(
    drawn: list[int], found: list[int]
) -> None:
    text = "".join(bar("train", n, 14, f"00:{2 * n:02d}") for n in drawn)
    assert [one.index for one in iterations(read("tqdm", text))] == found


@pytest.mark.parametrize(("last", "apart"), [(13, True), (9, False)])
def test_an_evaluation_behind_such_a_bar_is_in_no_step(last: int, apart: bool) -> None:
    trained = "".join(bar("train", n, 14, f"00:{2 * n:02d}") for n in range(1, last + 1, 4))
    assert ended(trained + bar("val", 9, 9, "00:45") + bar("train", 1, 14, "00:02")) == [(45.0, apart)]
