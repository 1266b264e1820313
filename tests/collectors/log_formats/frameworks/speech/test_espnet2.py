"""ESPnet2: what its stamps, its waits and its epochs say."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import EVALUATION, SpanBegin, SpanEnd, Witness

HEAD = "[node] 2026-04-23 04:59:00,000 (trainer:318) INFO: 1/30epoch started"
WINDOW = "[node] 2026-04-23 04:59:18,000 (trainer:793) INFO: 1epoch:train:1-90batch: iter_time=0.003, loss=80.5, train_time={}"
RESULTS = "[node] 2026-04-23 04:59:40,000 (trainer:372) INFO: 1epoch results: [train] loss=79.0, total_count={}"


@pytest.mark.parametrize(
    ("train_time", "duration_s", "witness"),
    [
        (0.199, 0.199, None),  # as the stamps say
        (0.804, 0.201, None),  # an update of four batches
        (0.5, 0.2, Witness.STAMPS),  # two and a half batches are none
        ("nan", 0.2, Witness.STAMPS),
    ],
)
def test_the_time_of_a_batch_is_the_printed_one_where_the_stamps_bear_it_out(train_time, duration_s, witness):
    (one,) = iterations(read("ESPnet2", f"{HEAD}\n{WINDOW.format(train_time)}"))
    assert (one.duration_s, one.witness, one.averaged_over) == (pytest.approx(duration_s), witness, 90)
    assert one.data_wait_s == 0.003


def test_the_validation_has_its_own_time():
    (ended,) = of(SpanEnd, read("ESPnet2", example("ESPnet2")))
    assert (ended.kind, ended.duration_s, ended.values) == (EVALUATION, 11.9, {"loss_ctc": 75.0, "val_loss": 70.5})
    (begun,) = of(SpanBegin, read("ESPnet2", example("ESPnet2")))
    assert (begun.kind, begun.iteration) == (EVALUATION, ended.iteration)
    assert ended.at_s - begun.at_s == pytest.approx(11.9)


def test_without_its_heading_the_first_window_of_an_epoch_has_no_time():
    line = "[node] 2026-04-23 04:5{}:00,000 (trainer:793) INFO: {}epoch:train:{}batch: iter_time=0.003, loss=70.5"
    log = "\n".join(line.format(*one) for one in ((1, 3, "91-180"), (2, 3, "181-270"), (9, 4, "1-90")))
    assert [i.duration_s is None for i in iterations(read("ESPnet2", log))] == [True, False, True]


def test_without_its_heading_the_only_window_of_an_epoch_has_no_time():
    second = WINDOW.replace("04:59:18", "05:03:00").replace("1epoch", "2epoch")
    log = "\n".join([HEAD, WINDOW, RESULTS.format(90), second])
    assert [(one.index, one.duration_s is None) for one in iterations(read("ESPnet2", log))] == [
        (90, False),
        (180, True),
    ]


@pytest.mark.parametrize(("batches", "duration_s"), [("1-1", 18.0), ("1-2", 9.0), ("2-1", None), ("3-1", None)])
def test_a_window_of_one_batch_has_a_time_and_one_without_batches_none(batches, duration_s):
    log = f"{HEAD}\n{WINDOW.replace('1-90', batches).format('nan')}"
    assert [one.duration_s for one in iterations(read("ESPnet2", log))] == [duration_s]


@pytest.mark.parametrize(("iter_time", "wait_s"), [("0.199", 0.199), ("0.2", None), ("0.201", None)])
def test_a_wait_is_less_than_the_whole_time(iter_time, wait_s):
    log = f"{HEAD}\n{WINDOW.replace('=0.003', f'={iter_time}').format('nan')}"
    assert [(one.duration_s, one.data_wait_s) for one in iterations(read("ESPnet2", log))] == [(0.2, wait_s)]


@pytest.mark.parametrize(("count", "following"), [(90, 270), (95, 275), (50, 180)])
def test_an_epoch_follows_upon_the_batches_of_those_before_and_never_goes_back(count, following):
    log = "\n".join(
        [HEAD, WINDOW, RESULTS.format(count), WINDOW.replace("1epoch:train:1-90", "2epoch:train:91-180")]
    )
    assert [one.index for one in iterations(read("ESPnet2", log))] == [90, following]


def test_a_window_whose_stamp_is_that_of_its_heading_has_no_time():
    log = f"{HEAD}\n{WINDOW.replace('04:59:18', '04:59:00').format(0.2)}"
    assert [one.duration_s for one in iterations(read("ESPnet2", log))] == [None]
