"""Composer: a record ends with its loss, an evaluation or the next record."""

from log_examples import iterations, of, read

from itermon.events import SpanEnd

LOG = """
\t Eval metrics/eval/A: 0.25
[batch=1/100]:
\t Train lr-DecoupledAdamW/group0: 0.5
[batch=2/100]:
\t Train throughput/tokens_per_sec: 5.0
\t Eval metrics/eval/A: 0.5
\t Eval metrics/eval/B: nan
[batch=3/100]:
\t Train loss/train/total: 2.5
\t Train lr-DecoupledAdamW/group0: 0.25
\t Eval metrics/eval/A: 0.75
"""


def test_a_record_without_a_loss_is_one_unless_it_holds_an_evaluation():
    events = read("Composer", LOG)
    assert [(i.index, i.loss, i.learning_rate) for i in iterations(events)] == [(1, None, 0.5), (3, 2.5, None)]
    assert [(one.iteration, one.values["metrics/eval/A"]) for one in of(SpanEnd, events)] == [
        (None, 0.25), (2, 0.5), (3, 0.75)
    ]  # fmt: skip
