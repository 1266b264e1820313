"""ms-swift says its step and its clock in each dictionary."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.trainers.ms_swift import placed_by_swift
from itermon.events import Config, SpanEnd, Total

LINE = "{{'loss': 2.5, 'grad_norm': 1.5, 'epoch': {}, 'global_step/max_steps': '{}/100', 'elapsed_time': '{}'}}"


def test_steps_and_times_of_the_console_without_a_bar():
    log = "\n".join(
        LINE.format(*one)
        for one in ((0.05, 5, "1m 30s"), (0.1, 10, "2m 0s"), (0.11, 11, "2m 6s"), (0.12, 12, "2m 20s"))
    )
    events = read("Hugging Face Trainer", log)
    found = [(i.index, i.duration_s, i.averaged_over, i.elapsed_s) for i in iterations(events)]
    assert found == [(5, None, 1, 90.0), (10, 6.0, 5, 120.0), (11, None, 1, 126.0), (12, 14.0, 1, 140.0)]
    assert [one.max_iterations for one in of(Config, events)] == [100]


def test_the_printed_total_of_the_file_is_a_witness():
    log = '{"train_runtime": 180.5, "train_loss": 2.5, "global_step/max_steps": "15/100", "elapsed_time": "3m 0s"}'
    (total,) = of(Total, read("ms-swift logging.jsonl", log))
    assert (total.duration_s, total.origin) == (180.5, "train_runtime")


def test_ten_seconds_by_its_clock_are_enough_to_tell_the_time_of_a_step():
    for later, duration_s in (("1m 40s", 2.0), ("1m 39s", None)):
        log = "\n".join(LINE.format(*one) for one in ((0.05, 5, "1m 30s"), (0.1, 10, later)))
        assert [i.duration_s for i in iterations(read("Hugging Face Trainer", log))] == [None, duration_s]


def test_a_step_without_a_clock_and_one_that_comes_twice_have_no_time():
    place, later = "'global_step/max_steps': '5/100'", "'elapsed_time': '2m 0s'"
    assert placed_by_swift("'loss': 2.5", (4, 60.0)) is None
    assert placed_by_swift(place, (4, 60.0)) == ({"iteration": 5, "total": 100}, None)
    again = {"iteration": 5, "total": 100, "elapsed_s": 120.0}
    assert placed_by_swift(f"{place}, {later}", (5, 60.0)) == (again, (5, 120.0))


def test_an_evaluation_is_of_the_step_that_its_line_names() -> None:
    log = """
{"loss": 2.5, "global_step/max_steps": "90/97", "elapsed_time": "1m 30s"}
{"eval_loss": 2.125, "eval_runtime": 12.5, "global_step/max_steps": "97/97", "elapsed_time": "1m 50s"}
"""
    (evaluation,) = of(SpanEnd, read("ms-swift logging.jsonl", log))
    assert evaluation.shown_at == 97
    assert evaluation.values == {"val_loss": 2.125}
