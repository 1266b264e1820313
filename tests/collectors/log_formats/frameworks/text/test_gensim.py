"""gensim: calls of `train`, and when it is over."""

from log_examples import iterations, of, read

from itermon.events import End, RunInfo, Total

CALL = """
INFO:gensim.models.word2vec:training model with 3 workers on 374 vocabulary and 300 features, using sg=1 hs=0
INFO:gensim.models.word2vec:EPOCH - 1 : training on 1000 raw words (800 effective words) took 25.0s, 32 effective words/s
INFO : training on a 1000 raw words (800 effective words) took 25.5s, 31 effective words/s
"""


def test_each_call_is_a_training() -> None:
    events = read("gensim", CALL * 3)
    assert [(one.index, one.duration_s, one.scalars) for one in iterations(events)] == [
        (1, 25.0, {"effective words/s": 32.0})
    ] * 3
    assert len(of(RunInfo, events)) == 3
    assert [one.duration_s for one in of(Total, events)] == [25.5] * 3
    assert len(of(End, events)) == 3


def test_without_an_epoch_nothing_is_over() -> None:
    text = "training on a 1000 raw words (800 effective words) took 25.5s, 31 effective words/s"
    assert read("gensim", text) == []
