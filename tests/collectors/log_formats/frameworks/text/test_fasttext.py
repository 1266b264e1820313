"""fastText: a tenth of a percent is told of many times."""

from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.text.fasttext import TENTHS
from itermon.events import Message, RunInfo

LINE = "Progress: {}% words/sec/thread:  927098 lr:  0.25 avg.loss:  {} ETA:   0h 0m22s"


def test_the_first_line_of_a_tenth_counts() -> None:
    text = "\n".join(LINE.format(*one) for one in (("0.5", 2.5), ("0.5", 2.25), ("1.0", 1.5), ("1.0", 1.25)))
    events = read("fastText", text)
    assert [(one.index, one.loss) for one in iterations(events)] == [(5, 2.5), (10, 1.5)]
    assert [one.text for one in of(Message, events)] == [TENTHS]


def test_another_training_begins_with_its_words() -> None:
    one = f"Number of words: 22\n{LINE.format('0.5', 2.5)}\n{LINE.format('100.0', 1.5)}\n"
    events = read("fastText", one + one)
    assert [row.index for row in iterations(events)] == [5, 1000, 5, 1000]
    assert len(of(RunInfo, events)) == 2


def test_the_trials_of_its_autotuning_are_no_rows() -> None:
    assert read("fastText", "Progress:   4.5% Trials:    6 Best score:  0.875000 ETA:   0h 4m46s") == []
