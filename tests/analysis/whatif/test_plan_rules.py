"""What a plan is bounded by, rule by rule."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Audit, Findings, Progress, Throughput
from itermon.analysis.whatif.plan import _left, _tokens
from itermon.analysis.whatif.scenario import Change


@pytest.mark.parametrize(
    ("iteration", "tokens", "left"),
    [
        (299, None, 9_700),
        (9_999, None, 0),
        (10_007, None, 0),  # it went on beyond its end
        (None, None, None),
        (299, 100, 4_850),  # with twice the tokens in each
        (300, 100, 4_850),
        (10_007, 100, 0),
    ],
)
def test_what_is_left_is_never_less_than_nothing(
    iteration: int | None, tokens: int | None, left: int | None
) -> None:
    found = Findings(progress=Progress(iteration=iteration), throughput=Throughput(tokens_per_iteration=tokens))
    total = None if tokens is None else 10_000.0 * tokens
    assert _left(found, total, None if tokens is None else 2 * tokens, 10_000) == left
    assert _left(found, total, None, None) is None


@pytest.mark.parametrize(("gpus", "times"), [(None, 4), (1, 4), (2, 2), (8, 0.5)])
def test_tokens_grow_with_the_gpus_and_one_is_assumed(gpus: int | None, times: float) -> None:
    found = Findings(throughput=Throughput(tokens_per_iteration=1_000), audit=Audit(gpus=gpus))
    assert _tokens(found, Change(gpus=4)) == 1_000 * times
    assert _tokens(found, Change()) == 1_000
