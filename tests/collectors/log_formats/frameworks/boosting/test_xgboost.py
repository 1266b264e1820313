"""XGBoost: a repetition is no round, and a round of other data has its name."""

from log_examples import iterations, of, read

from itermon.analysis.run import Run
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


def test_the_best_round_may_lie_between_two_rows_and_is_no_evaluation_more() -> None:
    text = "\n".join(
        f"[{n}]\ttrain-rmse:0.{9 - n // 10}\tvalid-rmse:0.{50 + abs(30 - n)}" for n in range(0, 60, 10)
    )
    again = f"{text}\nStopping. Best iteration:\n[34]\ttrain-rmse:0.55\tvalid-rmse:0.46875\n"
    run = Run()
    run.apply(read("XGBoost", again))
    found = run.findings()
    assert (found.losses.best_validation, found.losses.best_validation_at) == (0.46875, 34)
    assert (found.losses.validation, found.progress.evaluations) == (0.7, 6)
