"""ESPnet2: what its stamps, its waits and its epochs say."""

from log_examples import example, iterations, of, read

from itermon.events import EVALUATION, SpanEnd, Witness


def test_the_time_of_a_batch_rests_on_the_stamps_and_its_wait_is_told():
    first, *_ = iterations(read("ESPnet2", example("ESPnet2")))
    assert (first.duration_s, first.witness, first.data_wait_s) == (0.2, Witness.STAMPS, 0.003)


def test_the_validation_has_its_own_time():
    (ended,) = of(SpanEnd, read("ESPnet2", example("ESPnet2")))
    assert (ended.kind, ended.duration_s, ended.values) == (EVALUATION, 11.9, {"val_loss": 70.5})


def test_without_its_heading_the_first_window_of_an_epoch_has_no_time():
    line = "[node] 2026-04-23 04:5{}:00,000 (trainer:793) INFO: {}epoch:train:{}batch: iter_time=0.003, loss=70.5"
    log = "\n".join(line.format(*one) for one in ((1, 3, "91-180"), (2, 3, "181-270"), (9, 4, "1-90")))
    assert [i.duration_s is None for i in iterations(read("ESPnet2", log))] == [True, False, True]
