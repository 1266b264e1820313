"""FLOPs by convention, against figures that are published or worked by hand."""

import pytest

from itermon.analysis.audit.flops import (
    NO_ATTENTION,
    PALM,
    Model,
    checkpoint_bytes,
    flops,
)
from itermon.events import Config

XL = {"layers": 48, "embedding": 1600, "block_size": 1024}


@pytest.mark.parametrize(
    ("model", "parameters", "total", "per_token"),
    [
        (Model(**XL, vocabulary=50_257, bias=True), 1_555_972_800, 1_557_611_200, 10_279_555_200),
        (Model(**XL, vocabulary=50_304, bias=True), 1_556_048_000, 1_557_686_400, 10_280_006_400),
        (Model(**XL, vocabulary=50_304, bias=False), 1_555_201_600, 1_556_840_000, 10_274_928_000),
    ],
)
def test_parameters_and_flops_of_gpt2_xl(model: Model, parameters: int, total: int, per_token: int) -> None:
    assert (model.parameters, model.parameters_total, model.flops_per_token) == (parameters, total, per_token)


def test_llm_c_counts_half_of_attention() -> None:
    assert Model(**XL, vocabulary=50_304, bias=True).flops_per_token_llm_c == 9_817_977_600


def test_recomputation_costs_a_third_more() -> None:
    model = Model(**XL)
    assert model.hardware_flops_per_token / model.flops_per_token == pytest.approx(4 / 3)


def test_a_printed_count_settles_vocabulary_and_bias() -> None:
    found = flops(Config(**XL, parameters=1_556_050_000))
    assert found is not None
    assert found.model == Model(**XL, vocabulary=50_304, bias=True)
    assert (found.convention, found.estimated) == (PALM, "")


def test_llm_c_counts_positions_and_pads_the_vocabulary() -> None:
    config = Config(layers=12, embedding=768, block_size=1024, vocabulary=50_257, parameters=124_475_904)
    found = flops(config)
    assert found is not None
    assert found.model == Model(12, 768, 1024, vocabulary=50_304, bias=True)
    assert found.parameters_total == 124_475_904


def test_without_a_printed_count_the_assumption_is_told() -> None:
    found = flops(Config(**XL))
    assert found is not None
    assert found.per_token == 10_274_928_000
    assert "50,304" in found.estimated
    assert "assumed" in found.estimated


def test_a_known_size_is_recognised_by_its_count_and_marked() -> None:
    found = flops(Config(parameters=123_590_000, block_size=1024))
    assert found is not None
    assert found.parameters == 123_587_328
    assert "12 layers of width 768" in found.estimated


@pytest.mark.parametrize(("layers", "embedding"), [(12, 768), (24, 1024), (36, 1280), (48, 1600), (6, 384)])
def test_each_known_size_is_recognised(layers: int, embedding: int) -> None:
    model = Model(layers, embedding, 1024, vocabulary=50_257, bias=True)
    found = flops(Config(parameters=model.parameters, block_size=1024))
    assert found is not None
    assert found.model == model
    assert found.parameters_total == model.parameters_total


def test_an_unknown_size_gives_a_lower_bound() -> None:
    found = flops(Config(parameters=7_000_000_000))
    assert found is not None
    assert (found.per_token, found.convention) == (42e9, NO_ATTENTION)
    assert "lower bound" in found.estimated


def test_another_architecture_keeps_its_own_count() -> None:
    found = flops(Config(layers=32, embedding=4096, block_size=2048, parameters=6_738_000_000))
    assert found is not None
    assert found.per_token == 6 * 6_738_000_000 + 12 * 32 * 4096 * 2048


@pytest.mark.parametrize("left_out", XL)
def test_dimensions_count_only_where_all_are_given(left_out: str) -> None:
    some = {name: value for name, value in XL.items() if name != left_out}
    assert flops(Config(**some)) is None
    found = flops(Config(**some, parameters=7_000_000_000))
    assert found is not None
    assert found.convention == NO_ATTENTION


def test_nothing_known_is_none() -> None:
    assert flops(Config(block_size=1024)) is None
    assert checkpoint_bytes(None) is None


def test_a_checkpoint_holds_twelve_bytes_a_parameter() -> None:
    assert checkpoint_bytes(flops(Config(**XL, vocabulary=50_257, bias=True))) == 12 * 1_557_611_200


def test_frozen_weights_cost_two_thirds_and_are_in_no_checkpoint() -> None:
    """LoRA: 21 M of 8,051 M parameters are trained; 6 × 21 M would make 13,000 × the floor of a healthy run."""
    found = flops(Config(parameters=8_051_236_865, trained_parameters=20_975_617))
    assert found is not None
    assert found.per_token == 4 * 8_051_236_865 + 2 * 20_975_617
    assert "lower bound" in found.estimated
    assert checkpoint_bytes(found) == 12 * 20_975_617
    whole = Config(parameters=7_000_000_000, trained_parameters=7_000_000_000)
    assert flops(whole) == flops(Config(parameters=7_000_000_000))


def test_how_many_are_trained_is_not_how_many_there_are() -> None:
    config = Config(trained_parameters=20_975_617)
    assert flops(config) is None


def test_a_token_costs_the_experts_that_it_passes_through() -> None:
    """DeepSeek-V3 16B: 2.4 B of 15.7 B parameters; by all of them its floor were 6 times too high."""
    found = flops(Config(parameters=15_706_484_224, active_parameters=2_400_000_000))
    assert found is not None
    assert found.per_token == 6 * 2_400_000_000
    assert checkpoint_bytes(found) == 12 * 15_706_484_224
    dense = Config(parameters=8_190_735_360, active_parameters=8_190_735_360)
    assert flops(dense) == flops(Config(parameters=8_190_735_360))
