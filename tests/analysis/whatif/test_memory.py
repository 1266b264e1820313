"""Does a micro-batch fit: worked by hand for a small model."""

import pytest
from msgspec.structs import replace

from itermon.analysis.findings import Audit, Findings, Throughput
from itermon.analysis.whatif.memory import ROOM, Need, estimated, fits
from itermon.events import Config, GpuSample

SMALL = Config(layers=10, embedding=100, heads=5, block_size=50, vocabulary=1_000, precision="bf16")


def test_weights_optimizer_and_activations_by_formula() -> None:
    tokens = 2 * 50
    inner, scores, logits = 34 * tokens * 100 * 10, 5 * 2 * 5 * 50**2 * 10, tokens * 1_000
    need = Need(16e6 + inner + 6 * logits, 20e6 + inner + scores + 14 * logits)
    assert estimated(SMALL, 1_000_000, 2) == need
    no_logits = Need(16e6 + inner, 20e6 + inner + scores)
    assert estimated(replace(SMALL, vocabulary=None), 1_000_000, 2) == no_logits


def test_in_32_bits_activations_take_twice_as_much() -> None:
    tokens = 2 * 50
    inner, scores, logits = 34 * tokens * 100 * 10, 5 * 2 * 5 * 50**2 * 10, tokens * 1_000
    need = Need(16e6 + 2 * inner + 6 * logits, 20e6 + 2 * (inner + scores) + 14 * logits)
    assert estimated(replace(SMALL, precision="fp32"), 1_000_000, 2) == need


def test_frozen_weights_have_no_optimizer() -> None:
    whole = estimated(SMALL, 1_000_000, 2)
    tuned = estimated(replace(SMALL, trained_parameters=1_000), 1_000_000, 2)
    assert whole is not None
    assert tuned is not None
    assert (whole.low - tuned.low, whole.high - tuned.high) == (999_000 * (16 - 2), 999_000 * (20 - 4))


@pytest.mark.parametrize("missing", ["layers", "embedding", "heads", "block_size"])
def test_without_the_model_nothing_is_estimated(missing: str) -> None:
    known = {"layers": 10, "embedding": 100, "heads": 5, "block_size": 50} | {missing: None}
    assert estimated(Config(**known), 1_000_000, 2) is None  # type: ignore[arg-type]
    assert estimated(SMALL, None, 2) is None
    assert estimated(SMALL, 1_000_000, None) is None


FOUND = Findings(config=SMALL, audit=Audit(parameters=1_000_000), throughput=Throughput(micro_batch_size=2))


@pytest.mark.parametrize(
    ("memory", "said"), [(1e9, "it fits: "), (25e6, "may fit or not"), (5e6, "does not fit"), (None, "not known")]
)
def test_it_is_said_as_an_estimate_with_its_range(memory: float | None, said: str) -> None:
    sentence = fits(FOUND, 2, 2, memory)
    assert said in sentence
    assert ("an estimate" in sentence) == (memory is not None)


def test_a_sample_of_the_run_goes_before_the_formula() -> None:
    sample = GpuSample(at_s=1.0, gpu=0, memory_used_bytes=20_000_000, memory_total_bytes=80_000_000)
    found = Findings(config=SMALL, audit=FOUND.audit, throughput=FOUND.throughput, gpus=(sample,))
    assert "It probably fits: about 24.0 MB of 80.0 MB" in fits(found, 4, 2)
    assert "It probably does not fit" in fits(found, 4, 2, 24e6)
    guess = 16e6 + 2 * 4e6
    assert [("not fit" in fits(found, 4, 2, guess / share)) for share in (0.94, 0.95, 0.96)] == [False, True, True]


def test_what_needs_exactly_what_may_be_used_may_fit_or_not() -> None:
    need = estimated(SMALL, 1_000_000, 2)
    assert need is not None
    for bound in (need.low, need.high):
        assert "may fit or not" in fits(FOUND, 2, 2, bound / ROOM)
