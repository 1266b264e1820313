"""Evaluations of the ImageNet example and its children: they are wall time."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.vision.imagenet_example import ImageNetExample
from itermon.collectors.log_formats.parsing.phases import Phase, evaluates_behind, of_line
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, SpanBegin, SpanEnd

TRAIN = {
    "PyTorch meters": "Epoch: [{e}][ 10/100]\tTime  0.5 ( 0.5)\tData  0.0 ( 0.0)\tLoss 2.5 (2.5)",
    "Swin": "INFO Train: [{e}/9][10/100]\teta 0:10:00 lr 0.001\ttime 0.5 (0.5)\tloss 2.5 (2.5)",
    "timm": "Train: {e} [  10/100 ( 12%)]  Loss: 2.5 (2.5)  Time: 0.5s,  6.5/s  (0.5s,  5.5/s)  LR: 1e-03  Data: 0.0 (0.0)",
}


@pytest.mark.parametrize("name", TRAIN)
def test_an_evaluation_lasts_as_long_as_its_batches_took(name: str) -> None:
    tests = [f"Test: [{n}/20]\tTime: 0.25 (0.5)\tLoss: 2.0 (2.25)" for n in (0, 10, 20)]
    tests = (
        tests if name == "timm" else tests[:2]
    )  # timm's last batch has a row always, with the number of 20 before it
    text = "\n".join([TRAIN[name].format(e=0), *tests, TRAIN[name].format(e=1)])
    events = read(name, text if name == "timm" else text.replace("Time:", "Time").replace("Loss:", "Loss"))
    assert [one.index for one in iterations(events)] == [10, 110]
    assert len(of(SpanBegin, events)) == 1
    assert [(one.iteration, one.duration_s, one.values) for one in of(SpanEnd, events)] == [
        (11, 10.5 if name == "timm" else 10.0, {"val_loss": 2.25})
    ]


def test_an_evaluation_lasts_as_long_as_the_line_behind_its_batches_says() -> None:
    """What its batches took is not all: behind them come a validation's and a test's distances and ranks."""
    row = TRAIN["PyTorch meters"]
    tests = [f"{of}: [{n}/20]\tTime 0.25 (0.5)" for of in ("Val", "Test") for n in (0, 10)]
    tests = [*tests[:2], "Validating time:  0:00:12.500", *tests[2:], "", "Testing time:  0:00:30.250"]
    events = read("PyTorch meters", "\n".join([row.format(e=0), *tests, row.format(e=1)]))
    assert [one.duration_s for one in of(SpanEnd, events)] == [12.5, 30.25]
    alone = read("PyTorch meters", f"{row.format(e=0)}\nTesting time:  0:00:30.250\n{row.format(e=1)}")
    assert of(SpanEnd, alone) == []


@pytest.mark.parametrize("name", TRAIN)
def test_a_batch_that_waited_between_two_rows_of_an_epoch_is_in_the_mean_so_far(name: str) -> None:
    line = (
        TRAIN[name]
        .replace("0.5 ( 0.5)", "0.5 ({m})")
        .replace("0.5 (0.5)", "0.5 ({m})")
        .replace("0.5s,  5.5/s", "{m}s,  5.5/s")
    )
    line = (
        line.replace("[  10/100 ", "[{b}/100 ").replace("[ 10/100]", "[{b}/100]").replace("[10/100]", "[{b}/100]")
    )
    means = {9: "0.500", 19: "0.500", 29: "0.650", 39: "0.613"}  # 5 s in one of twenty to twenty-nine
    text = "\n".join(line.format(e=e, b=b, m=mean) for e in (0, 1) for b, mean in means.items())
    assert [(one.duration_s, one.averaged_over) for one in iterations(read(name, text))] == [
        (0.5, 1), (0.5, 1), (pytest.approx(0.95), 10), (0.5, 1)
    ] * 2  # fmt: skip
    saved = "\n".join(row for row in text.splitlines() for row in (row, "Saving model.pt"))
    assert {one.averaged_over for one in iterations(read(name, saved))} == {1}
    twice = "\n".join(row for row in text.splitlines() for row in (row, row.replace("0.500", "0.600")))
    assert {one.averaged_over for one in iterations(read(name, twice))} == {1}


EPOCH = "Epoch: [{e}][{b:>4}/2000]\tTime {t:.3f} ({m:.3f})\tData {w:.3f} ({n:.3f})\tLoss 2.5 (2.5)"


def test_of_a_value_with_its_average_the_average_tells_what_the_batches_between_two_rows_waited() -> None:
    """The first batch waits 40 s, of the others each tenth 5 s, and no row is of such a one."""
    text = "\n".join(
        EPOCH.format(e=e, b=b, t=41.0 if not b else 1.0, m=(41 + 1.5 * b) / (b + 1), w=0 if b else 40.0,
                     n=(40 + 0.5 * b) / (b + 1))
        for e in (0, 1) for b in (0, 500, 1000, 1500)
    )  # fmt: skip
    found = [
        (one.duration_s, one.averaged_over, one.data_wait_s) for one in iterations(read("PyTorch meters", text))
    ]
    means = (pytest.approx(1.5, abs=0.01), 500, pytest.approx(0.5, abs=0.01))
    assert found == [(41.0, 1, 40.0), means, means, means] * 2


def test_of_two_processes_side_by_side_one_mean_follows_the_other_s_and_no_wait_is_of_both() -> None:
    rows = [
        (EPOCH.format(e=0, b=b, t=41.0 if not b else 1.0, m=(41 + 1.5 * b) / (b + 1) + 0.001 * rank, w=0.0, n=rank / 4))
        for b in (0, 500, 1000)
        for rank in (0, 1)
    ]  # fmt: skip
    found = iterations(read("PyTorch meters", "\n".join(rows)))
    assert [(one.averaged_over, one.data_wait_s) for one in found] == [(1, 0.0), (500, None), (500, None)]
    assert [one.duration_s for one in found[1:]] == [pytest.approx(1.5, abs=0.01)] * 2


OPEN = "INFO - 09/02/20 {m:02}:{s:02}:00 - Epoch: [{e}][{b}]\tTime {t:.3f} ({a:.3f})\tData {w:.3f} ({n:.3f})\tLoss 4.2 (4.3)\tLr: 0.5"


def test_a_second_bracket_without_a_length_is_the_step_of_its_epoch() -> None:
    """Rows of each 50th step: how many follow behind the last of an epoch is not known, and a mean is of its epoch."""
    text = "\n".join(
        OPEN.format(m=e, s=b, e=e, b=b, t=1.0 if b else 3.0, a=(3 + 2 * b) / (b + 1), w=0.0 if b else 2.0,
                    n=(2 + 0.5 * b) / (b + 1))
        for e in (0, 1) for b in (0, 50)
    )  # fmt: skip
    found = iterations(read("PyTorch meters", text))
    assert [(one.index, one.uncounted, one.duration_s, one.averaged_over) for one in found] == [
        (0, 0, 3.0, 1),
        (50, 0, pytest.approx(2.0, abs=0.01), 50),
        (51, 49, 3.0, 1),
        (101, 0, pytest.approx(2.0, abs=0.01), 50),
    ]
    assert [one.data_wait_s for one in found] == [2.0, pytest.approx(0.5, abs=0.01)] * 2
    assert {one.learning_rate for one in found} == {0.5}


def slow_epochs(*, first: int, between: str = "") -> list[str]:
    """Two epochs of 40 batches of 2 s, of which each tenth, seen in no row, waits 3 s more for data; a row behind each ten."""
    times = [5.0 if not b % 10 else 2.0 for b in range(40)]
    rows = [
        EPOCH.format(e=e, b=b - 1 + first, t=times[b - 1], m=sum(times[:b]) / b, w=0.0, n=3 * -(-b // 10) / b)
        for e in (0, 1)
        for b in (10, 20, 30, 40)
    ]
    return [line for row in rows for line in (row.replace("/2000", "/40"), *([between] if between else ()))]


def looked_at(lines: list[str]) -> list[tuple[float | None, int, float | None]]:
    """Times of the rows of a log whose lines were looked at before."""
    parser = ImageNetExample()
    parser.learn(lines)
    found = iterations([event for text in lines for event in parser.line(text, None)])
    return [(one.duration_s, one.averaged_over, one.data_wait_s) for one in found]


MEAN = (pytest.approx(2.3, abs=0.01), 10, pytest.approx(0.3, abs=0.02))


def test_where_its_digits_suffice_the_mean_so_far_tells_the_time_of_each_row_and_its_wait() -> None:
    """Rows of 10, 20, ... of 40 have the whole epoch in them, the first ten batches, too."""
    assert looked_at(slow_epochs(first=1)) == [MEAN] * 8
    assert (
        looked_at(slow_epochs(first=0)) == [(2.0, 1, 0.0), MEAN, MEAN, MEAN] * 2
    )  # nobody knows where means began


def test_lines_that_come_behind_each_row_took_no_time_unless_they_tell_of_a_stop() -> None:
    chatter = looked_at(slow_epochs(first=1, between="loss_a,loss_b 1.5 0.5"))
    assert chatter[2:] == [MEAN] * 6
    saved = looked_at(slow_epochs(first=1, between="Saving model.pt"))
    assert saved == [MEAN, *[(2.0, 1, 0.0)] * 3] * 2


def test_one_row_an_epoch_with_its_last_batch_stands_for_the_epoch_whose_mean_it_prints() -> None:
    """The log begins with a training that was resumed; another's first epoch shows that they count from 1."""
    epochs = (*range(61, 64), *range(1, 4))
    rows = [
        EPOCH.format(e=e, b=40, t=2.0, m=2.3, w=0.0, n=0.3).replace("/2000", "/40") + "\nsaved" for e in epochs
    ]
    lines = "\n".join(rows).splitlines()
    assert looked_at(lines) == [(pytest.approx(2.3), 40, pytest.approx(0.3))] * 6
    parser = ImageNetExample()
    parser.learn(lines)
    found = [one.index for one in iterations([event for text in lines for event in parser.line(text, None)])]
    assert found[3:] == [40, 80, 120]


def test_a_mean_of_few_digits_tells_no_row_s_time() -> None:
    coarse = [row.replace("2.300", "2.3").replace("0.300", "0.3") for row in slow_epochs(first=1)]
    assert {averaged for _, averaged, _ in looked_at(coarse)} == {1}


def _log_of(train: str, evaluates: str, announced: str = "") -> bytes:
    lines = []
    for epoch in range(3):
        for front, batches in ((train, 60), (evaluates, 30)):
            lines += [announced] if announced and batches == 30 else []
            meters = (
                f"Time 0.100 (0.100)\tData 0.010 (0.010)\tLoss {batches / 10 - epoch} ({batches / 10 - epoch})"
            )
            lines += [f"{front}Epoch: [{epoch}][{batch}/{batches}]\t{meters}" for batch in range(0, batches, 10)]
    return "\n".join([*lines, ""]).encode()


@pytest.mark.parametrize(
    ("train", "evaluates", "announced"),
    [
        ("", "EVALUATING - ", ""),
        ("2024-05-01 10:00:00,100 - INFO - TRAINING - ", "2024-05-01 10:00:00,100 - INFO - EVALUATING - ", ""),
        ("[train] ", "[Validate] ", ""),
        ("train: ", "inference: ", ""),
        ("", "", "Evaluating on the validation set..."),
    ],
)
def test_the_batches_of_an_evaluation_are_no_rows(train: str, evaluates: str, announced: str) -> None:
    reader = LogReader()
    events = [*reader.feed(_log_of(train, evaluates, announced)), *reader.end(b"")]
    rows = [event.index for event in events if isinstance(event, Iteration)]
    assert rows == [*range(0, 180, 10)]
    assert sum(isinstance(event, RunInfo) for event in events) <= 2  # nothing begins anew
    found = [event.values["val_loss"] for event in events if isinstance(event, SpanEnd) and event.values]
    assert found == [3.0, 2.0, 1.0]


def test_what_stands_in_front() -> None:
    assert evaluates_behind("2024-05-01 10:00:00,100 - INFO - Testing: ")
    for front in ("TRAINING - ", "test.py: ", "2024-05-01 10:00:00,100 - test - INFO - ", "latest ", "run/eval/"):
        assert not evaluates_behind(front), front


def test_inference_in_front_of_a_counter() -> None:
    assert of_line("Epoch 3 infer [10/50] loss 0.5") is Phase.EVALUATION
    assert of_line("Epoch 3 [10/50] loss 0.5 inference 0.25 s") is None


def test_where_most_batches_wait_the_printed_one_s_time_is_no_measure_of_how_sure_their_wait_is() -> None:
    line = "Epoch: [0][ {b}/1000]\tTime  0.25 ({m})\tData  0.00 ({w})\tLoss 2.5 (2.5)"
    means = {0: ("0.25", "0.00"), 100: ("2.00", "1.75"), 200: ("2.00", "1.75")}
    text = "\n".join(line.format(b=b, m=m, w=w) for b, (m, w) in means.items())
    waits = [one.data_wait_s for one in iterations(read("PyTorch meters", text))]
    assert waits[1:] == [pytest.approx(1.7675), pytest.approx(1.75)]


@pytest.mark.parametrize("values", ["Time 30.5\t EPE 2.5", "EPE 2.5 F1 0.5"])
def test_batches_of_an_evaluation_without_means_are_one_by_the_stamps_of_their_lines(values: str) -> None:
    """... whose first batch was over with its line; what the others print is no time of all of them."""
    row = "2025-03-01 10:{}:00,000 INFO Epoch: [{}][{}/300]\tTime 0.5 (0.5)\tData 0.0 (0.0)\tLoss 2.5 (2.5)"
    test = "2025-03-01 10:{}:00,000 INFO Test: [{}/300]\t {}"
    tests = [test.format(f"{7 + n:02}", 100 * n, values) for n in range(3)]
    lines = [row.format("05", 0, 290), row.format("06", 0, 299), *tests, row.format("12", 1, 0)]
    events = read("PyTorch meters", "\n".join(lines))
    first_s = 30.5 if "Time" in values else 0.0
    assert [(one.iteration, one.duration_s, one.values) for one in of(SpanEnd, events)] == [
        (300, 120 + first_s, {})
    ]


def test_without_stamps_batches_without_means_tell_of_an_evaluation_and_not_of_its_time() -> None:
    row = "Epoch: [{}][ 10/100]\tTime  0.5 ( 0.5)\tData  0.0 ( 0.0)\tLoss 2.5 (2.5)"
    tests = [f"Test: [{n}/20]\t Time 0.25\t EPE 2.5" for n in (0, 10)]
    events = read("PyTorch meters", "\n".join([row.format(0), *tests, row.format(1)]))
    assert [one.duration_s for one in of(SpanEnd, events)] == [None]


def test_an_evaluation_of_timm_has_one_batch_more_than_its_last_one_s_number():
    rows = [
        "Train: 0 [   0/10 (  0%)]  Loss: 3.5 (3.5)  Time: 0.400s, 40.0/s  (0.400s, 40.0/s)  LR: 1.0e-03  Data: 0.02 (0.02)",
        *(f"Test: [{n:>4}/2]  Time: 0.500 (0.500)  Loss:  1.0 (1.0)  Acc@1: 41.0 (41.0)" for n in range(3)),
        "Train: 1 [   0/10 (  0%)]  Loss: 3.5 (3.5)  Time: 0.400s, 40.0/s  (0.400s, 40.0/s)  LR: 1.0e-03  Data: 0.02 (0.02)",
    ]
    ends = [one for one in read("timm", "\n".join(rows)) if isinstance(one, SpanEnd)]
    assert [one.duration_s for one in ends] == [1.5]
