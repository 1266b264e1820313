"""Rows that a word of two letters counts."""

from __future__ import annotations

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.generic.key_value import KeyValue


@pytest.mark.parametrize(
    "row",
    [
        "it=%10d\t\tLoss/train:%.3e\tClock/train:3.500e+00\tLR:1.000e-03",
        "it = %d, loss = %.3f, lr = 0.001",
        "[train] it=%d loss=%.3f",
    ],
)
def test_a_short_word_before_an_equals_sign_counts(row: str) -> None:
    log = "\n".join(row % (n * 20, 9 - n / 8) for n in range(8))
    found = iterations(read(KeyValue.name, log))
    assert [(one.index, one.loss) for one in found] == [(n * 20, 9 - n / 8) for n in range(8)]
    assert not any(one.duration_s for one in found)


def test_inside_another_word_or_without_a_training_s_value_it_counts_nothing() -> None:
    for row in ("limit=%d error=%.3f", "it=%d residual=%.3f", "credit=%d, loss = %.3f"):
        assert not iterations(read(KeyValue.name, "\n".join(row % (n * 20, 9 - n / 8) for n in range(8))))
