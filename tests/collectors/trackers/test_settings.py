from itermon.collectors.trackers.settings import config_of

from .wandb.runs import GPT2


def test_nothing_says_nothing():
    assert config_of({}, "W&B config", counts_steps=True) is None
    assert config_of({"deep": {"deeper": {"x": 1}}}, "W&B config", counts_steps=True) is None


def test_nanogpts_own_names():
    config = config_of(GPT2, "W&B config", counts_steps=False)
    assert (config.layers, config.tokens_per_iteration, config.max_iterations) == (12, 12 * 40 * 1024, 600)
    assert (config.precision, config.origin) == ("bf16", "W&B config")


def test_words_that_heads_of_logs_use():
    values = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 8, "world_size": 2, "bf16": True}
    config = config_of(values, "W&B config", counts_steps=False)
    assert (config.micro_batch_size, config.gradient_accumulation, config.world_size) == (4, 8, 2)
    assert config.precision == "bf16"


def test_a_total_of_steps_needs_iterations_that_are_steps():
    assert config_of({"max_steps": 500}, "W&B config", counts_steps=False).max_iterations is None
    assert config_of({"max_steps": 500}, "W&B config", counts_steps=True).max_iterations == 500


def test_all_of_it_is_kept_as_text_and_made_harmless():
    config = config_of(
        {"lr": 0.1, "model": {"name": "x\x1b[31m"}, "list": [1], "none": None}, "W&B config", counts_steps=False
    )
    assert config.extra == {"lr": "0.1", "model.name": "x"}
    assert len(config_of({str(n): "y" * 999 for n in range(2_000)}, "W&B config", counts_steps=False).extra) == 500


def test_settings_beyond_their_bounds_are_left_out():
    assert config_of({"world_size": 2**60}, "W&B config", counts_steps=False).world_size is None
