"""ESPnet2: what its stamps, its waits and its epochs say."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import EVALUATION, SpanBegin, SpanEnd, Witness

HEAD = "[node] 2026-04-23 04:59:00,000 (trainer:318) INFO: 1/30epoch started"
WINDOW = "[node] 2026-04-23 04:59:18,000 (trainer:793) INFO: 1epoch:train:1-90batch: iter_time=0.003, loss=80.5, train_time={}"


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
