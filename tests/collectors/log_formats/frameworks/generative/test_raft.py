"""RAFT: steps and learning rates; sets of one evaluation; a start counts from 0."""

from log_examples import iterations, of, read

from itermon.events import SpanEnd

ROW = "[{:6d}, {:10.7f}]    15.9012,     0.1893,     0.3121,     0.4402, "


def test_the_sets_of_one_evaluation_are_one():
    log = "\n".join(
        (ROW.format(5000, 4e-4), "Validation (clean) EPE: 1.2, 1px: 0.9", "Validation (final) EPE: 2.2, 1px: 0.8")
    )
    events = read("RAFT", log)
    assert [(one.index, one.learning_rate) for one in iterations(events)] == [(5000, 4e-4)]
    assert [one.iteration for one in of(SpanEnd, events)] == [5001]


def test_another_start_counts_from_its_beginning():
    log = "\n".join(("Parameter Count: 5257536", ROW.format(100, 4e-4), ROW.format(200, 4e-4)) * 2)
    assert [one.index for one in iterations(read("RAFT", log))] == [100, 200, 100, 200]


def test_a_list_of_numbers_is_no_row():
    assert not iterations(read("RAFT", "[1,  0.0012]\n[12,  0.0012345]"))
