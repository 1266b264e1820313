"""Coqui: a block of values is whole where the next thing begins."""

import pytest
from log_examples import iterations, of, read

from itermon.events import SpanEnd

BLOCK = "   --> STEP: 24/36 -- GLOBAL_STEP: 25\n     | > loss_0: 2.5  (2.5)\n     | > step_time: 1.25000  (1.5)\n"


@pytest.mark.parametrize(
    "after", ["   --> STEP: 25/36 -- GLOBAL_STEP: 26", " > EPOCH: 1/9", "  --> EVAL PERFORMANCE", " > BEST MODEL : a.pth", " > CHECKPOINT : a.pth"]
)  # fmt: skip
def test_a_block_ends_where_the_next_thing_begins(after):
    assert [(i.index, i.loss, i.duration_s) for i in iterations(read("Coqui trainer", BLOCK + after))] == [
        (25, 2.5, 1.25)
    ]


def test_values_count_for_the_block_in_which_they_stand():
    log = f"""
     | > loss_0: 9.5  (2.5)
     | > avg_loss_0: 9.5 (+0.0)
{BLOCK}     | > avg_loss_1: 7.5 (+0.0)
   --> STEP: 25/36 -- GLOBAL_STEP: 50
     | > grad_norm_1: 4.5  (4.25)
  --> EVAL PERFORMANCE
     | > loss_0: 2.5  (2.5)
 > EPOCH: 1/1000
"""
    events = read("Coqui trainer", log)
    found = [(i.index, i.loss, i.duration_s, i.gradient_norm) for i in iterations(events)]
    assert found == [(25, 2.5, 1.25, None), (50, None, None, 4.5)]
    assert [(span.iteration, span.values) for span in of(SpanEnd, events)] == [(51, {})]
