"""Deeplearning4j: the time of day is the clock."""

from log_examples import iterations, read

LINE = "{} [main] INFO org.deeplearning4j.optimize.listeners.ScoreIterationListener - Score at iteration {} is 1.5"


def test_another_training_has_a_clock_of_its_own_and_a_line_without_one_no_time():
    rows = [("10:00:00.000", 0), ("10:00:10.000", 10), ("10:00:30.000", 20)]
    rows += [("10:01:00.000", 0), ("10:01:10,500", 10), ("", 20), ("10:02:00.000", 30)]
    found = iterations(read("Deeplearning4j", "\n".join(LINE.format(*row) for row in rows)))
    assert [(i.duration_s, i.elapsed_s) for i in found] == [
        (None, None), (1.0, 10.0), (2.0, 30.0), (None, None), (1.05, 10.5), (None, None), (None, None)
    ]  # fmt: skip
