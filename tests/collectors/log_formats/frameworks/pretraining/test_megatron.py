"""Megatron's tokens: of the global batch, whatever the parallelism."""

from itermon.collectors.log_formats.frameworks.pretraining.megatron import MegatronDeepSpeed
from itermon.events import Iteration

ARGUMENT = "  seq_length ............................. 1024"
LINE = " iteration        {}/    1000 | consumed samples: 1024 | elapsed time per iteration (ms): 144915.6 |{}"


def tokens(*lines: str) -> list[int | None]:
    parser = MegatronDeepSpeed()
    events = [event for line in lines for event in parser.line(line, None)]
    return [event.tokens for event in events if isinstance(event, Iteration)]


def test_tokens_are_the_global_batch_times_the_sequence_length() -> None:
    batch = " global batch size:  {} | lm loss: 9.0 |"
    grows = [LINE.format(i, batch.format(size)) for i, size in ((1, 16), (2, 32))]
    assert tokens(ARGUMENT, *grows) == [16 * 1024, 32 * 1024]


def test_without_one_of_the_two_they_are_unknown() -> None:
    assert tokens(LINE.format(1, " global batch size:  16 | lm loss: 9.0 |")) == [None]
    assert tokens(ARGUMENT, LINE.format(1, " lm loss: 9.0 |")) == [None]
