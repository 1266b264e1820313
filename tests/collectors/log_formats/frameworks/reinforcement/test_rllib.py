"""Ray Tune: the results of one trial, by their clock."""

from log_examples import iterations, read

from itermon.events import Message

LOG = """
Result for A:
  loss: 9.5
  time_this_iter_s: 2.5
  time_total_s: 3.5
  timestamp: 1650590949
  training_iteration: 2
Result for B:
  loss: 7.5
  training_iteration: 3
Result for A:
  time_this_iter_s: 1.5
  time_total_s: 9.5
  training_iteration: 5
"""


def test_the_first_trial_is_read_and_its_results_are_its_own():
    found = iterations(read("Ray Tune", LOG))
    assert [(i.index, i.loss, i.at_s) for i in found] == [(2, 9.5, 1650590949.0), (5, None, None)]
    assert [(i.duration_s, i.averaged_over, i.elapsed_s) for i in found] == [(2.5, 1, 3.5), (2.0, 3, 9.5)]


def test_that_others_write_to_the_log_is_told_once_and_whose_results_are_read():
    found = read("Ray Tune", LOG + LOG)
    said = [one.text for one in found if isinstance(one, Message)]
    assert said == ["several trials write to this log: only the results of A are read"]
    assert not [one for one in read("Ray Tune", LOG.replace(" B", " A")) if isinstance(one, Message)]
