"""Sockeye counts batches through all epochs, MXNet within each."""

from log_examples import example, iterations, read

from itermon.collectors.log_formats.recognition import recognise


def test_its_lines_are_not_taken_for_those_of_mxnet():
    log = example("Sockeye")
    assert recognise(log.splitlines()).label == "Sockeye log"
    assert [i.index for i in iterations(read("Sockeye", log))] == [50, 100, 150]
