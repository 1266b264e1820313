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


def test_a_short_epoch_took_as_long_as_its_words_at_its_rate() -> None:
    """Unless the time that is printed is another one."""
    text = "EPOCH - {n} : training on 900 raw words (600 effective words) took {took}s, {rate} effective words/s"
    rows = (("0.0", 24_000), ("0.1", 8_000), ("0.1", 24_000), ("0.0", 0))
    lines = [text.format(n=n, took=took, rate=rate) for n, (took, rate) in enumerate(rows, 1)]
    found = [one.duration_s for one in iterations(read("gensim", "\n".join(lines)))]
    assert found == [0.025, 0.075, 0.1, 0.0]
