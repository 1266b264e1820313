"""verl: what one line tells of a step, of an evaluation and of a save."""

from log_examples import iterations, of, read

from itermon.events import CHECKPOINT, EVALUATION, SpanEnd


def test_a_line_of_results_alone_is_an_evaluation_and_no_step():
    events = read("verl", "step:5 - val/test_score:0.5 - val-core/acc:0.25 - other/x:1\nstep:6 - other/x:1")
    assert iterations(events) == []
    (span,) = of(SpanEnd, events)
    assert (span.kind, span.iteration, span.values) == (
        EVALUATION,
        5,
        {"val/test_score": 0.5, "val-core/acc": 0.25},
    )


def test_a_step_has_its_save_its_tokens_and_what_is_not_known_by_name():
    line = "step:5 - actor/lr:1e-06 - perf/time_per_step:10.5 - timing_s/save_checkpoint:2.5"
    events = read(
        "verl", f"{line} - perf/total_num_tokens:100 - actor/entropy:0.5\nstep:7 - training/global_step:7"
    )
    first, second = iterations(events)
    assert (first.index, first.duration_s, first.learning_rate, first.tokens) == (5, 10.5, 1e-6, 100)
    assert first.scalars == {"timing_s/save_checkpoint": 2.5, "actor/entropy": 0.5}
    assert (second.index, second.duration_s, second.loss, second.learning_rate) == (7, None, None, None)
    assert [(span.kind, span.duration_s) for span in of(SpanEnd, events)] == [(CHECKPOINT, 2.5)]


def test_what_a_step_had_beside_its_parts_tells_whether_its_stops_are_in_it():
    """By the version: a test and a save are in the printed step, or came after it."""
    parts = "timing_s/gen:20.0 - timing_s/ref:10.0 - timing_s/update_actor:50.0"  # and 4 s that have no name
    plain = f"step:1 - actor/lr:1e-06 - {parts} - timing_s/step:84.0"
    stops = "timing_s/testing:6.0 - timing_s/save_checkpoint:90.0"

    def took_s(step: str) -> float | None:
        return iterations(read("verl", f"{plain}\nstep:2 - actor/lr:1e-06 - {parts} - {step}"))[-1].duration_s

    assert took_s(f"timing_s/step:84.1 - {stops}") == 84.1 + 96
    assert took_s(f"timing_s/step:180.1 - {stops}") == 180.1
    assert took_s(f"timing_s/step:90.1 - {stops}") == 90.1 + 90
    assert took_s(f"timing_s/step:174.1 - {stops}") == 174.1 + 6
    assert took_s("timing_s/step:84.0 - timing_s/testing:0.0") == 84
