"""modded-nanogpt: one run behind the other in one file, and the last step, which has no line but its validation's."""

from log_examples import iterations, of, read

from itermon.events import Config, RunInfo, SpanEnd

TWO_RUNS = """
step:0/20 val_loss:10.5 train_time:0ms step_avg:nanms
step:1/20 train_time:500ms step_avg:nanms
step:19/20 train_time:9500ms step_avg:nanms
step:20/20 val_loss:7.5 train_time:10000ms step_avg:150.00ms
step:0/30 val_loss:10.25 train_time:0ms step_avg:nanms
step:2/30 val_loss:9.5 train_time:500ms step_avg:nanms
step:4/30 val_loss:8.5 train_time:900ms step_avg:nanms
"""


def test_a_run_that_is_appended_to_another_is_its_own():
    events = read("modded-nanogpt", TWO_RUNS)
    found = [(i.index, i.duration_s, i.averaged_over) for i in iterations(events)]
    assert found == [(1, 0.5, 1), (19, 0.5, 18), (20, 0.5, 1), (2, 0.25, 2), (4, 0.2, 2)]
    assert len(of(RunInfo, events)) == 2
    assert [config.max_iterations for config in of(Config, events)] == [20, 30]
    assert [span.iteration for span in of(SpanEnd, events)] == [0, 20, 0, 2, 4]


def test_where_training_has_lines_a_validation_is_no_step():
    log = """
step:1/20 train_time:500ms step_avg:nanms
step:1/20 val_loss:7.5 train_time:600ms step_avg:nanms
step:2/20 train_time:1000ms step_avg:nanms
"""
    assert [(i.index, i.duration_s) for i in iterations(read("modded-nanogpt", log))] == [(1, None), (2, 0.4)]
