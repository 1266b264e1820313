"""XGBoost: a repetition is no round, and a round of other data has its name."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
from itermon.events import RunInfo, SpanEnd


def test_the_best_round_is_said_again_at_the_end_and_is_no_new_training():
    log = "[0]  train-rmse:2.5\n[1]  train-rmse:2.0\nStopping. Best iteration:\n[0]  train-rmse:2.5\n[0]  train-rmse:3.5"
    events = read("XGBoost", log)
    assert [(i.index, i.loss) for i in iterations(events)] == [(0, 2.5), (1, 2.0), (0, 3.5)]
    assert len(of(RunInfo, events)) == 2


def test_deviations_of_a_cross_validation_are_left_aside():
    events = read("XGBoost", "[0]  train-error:0.25+0.01  test-error:0.5+0.02")
    assert [i.loss for i in iterations(events)] == [0.25]
    assert [span.values for span in of(SpanEnd, events)] == [{"val_loss": 0.5}]


def test_a_line_with_a_number_in_brackets_is_no_round():
    assert recognise(["[1] loss: 2.5", "[2] step-by-step: no", "[3] a-b:c"] * 9).label != "XGBoost log"
