"""A nanoGPT config file is read, never executed, and says what it could not read."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.collectors.nanogpt_config import (
    MAX_FILE_BYTES,
    as_config,
    assignments,
    near_misses,
    read_config,
)

TRAIN_GPT2 = """
# config for training GPT-2
wandb_log = True
batch_size = 12
block_size = 1024
gradient_accumulation_steps = 5 * 8  # 491,520 tokens with 8 GPUs
max_iters = 6e5
lr_decay_iters = max_iters
eval_interval: int = 1000
eval_iters = 200
always_save_checkpoint = False
dtype = 'bfloat16'
learning_rate = 6e-4
min_lr = learning_rate / 10
weight_decay = -(-1e-1)
"""


def test_a_config_file_gives_what_it_assigns_and_its_arithmetic(tmp_path: Path) -> None:
    path = tmp_path / "train_gpt2.py"
    path.write_text(TRAIN_GPT2)
    config, problems = read_config(path)
    assert problems == []
    assert config.origin == "config file train_gpt2.py"
    assert (config.micro_batch_size, config.block_size) == (12, 1024)
    assert config.tokens_per_iteration == 491_520
    assert config.gradient_accumulation is None  # that of one rank needs the world size
    assert (config.max_iterations, config.evaluation_interval, config.evaluation_iterations) == (
        600_000,
        1000,
        200,
    )
    assert config.checkpoint_needs_improvement is True
    assert config.precision == "bf16"
    assert config.extra["gradient_accumulation_steps"] == "40"
    assert config.extra["lr_decay_iters"] == "600000.0"
    assert float(config.extra["min_lr"]) == pytest.approx(6e-5)
    assert float(config.extra["weight_decay"]) == 0.1


@pytest.mark.parametrize(("dtype", "precision"), [("float32", "tf32"), ("float16", "fp16"), ("complex64", None)])
def test_the_precision_is_that_of_the_matmuls_and_nanogpt_allows_tf32(dtype: str, precision: str | None) -> None:
    assert as_config({"dtype": dtype}, "log").precision == precision


def test_nothing_is_executed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = (
        f"batch_size = 8\nblock_size = len(open({str(trace)!r}, 'w').name)\nimport os\nos.mkdir({str(trace)!r})\n"
    )
    values, problems = assignments(text)
    assert values == {"batch_size": 8}
    assert not trace.exists()
    assert len(problems) == 2
    assert problems[0].startswith("line 2: block_size is not read: `len(open(")
    assert problems[1] == "line 4: only plain assignments are read, not this statement"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("batch_size = 12\nblock_size == (", "line 2: not Python"),
        ("max_iters = 10 ** 10 ** 10", "no setting"),
        ("max_iters = 1 / 0", "division by zero"),
        ("max_iters = (-8) ** 0.5", "no setting"),
        ("max_iters = 'a' * 10 ** 9", "`'a'` is no number"),
        ("max_iters = unknown", "`unknown` is no number"),
        ("a, b = 1, 2", "only plain assignments"),
        ("max_iters = True + 1", "`True` is no number"),
        ("\0", "not Python"),
        ("x = " + "1+" * 50_000 + "1", "line 1"),
    ],
)
def test_what_cannot_be_read_gives_one_line_with_its_place(text: str, says: str) -> None:
    values, problems = assignments(text)
    assert "max_iters" not in values
    assert len(problems) == 1
    assert says in problems[0]


def test_a_value_of_another_type_is_no_field_but_kept_as_text() -> None:
    config = as_config({"batch_size": "12", "bias": 1, "compile": True, "dataset": 3, "max_iters": None}, "x")
    assert (config.micro_batch_size, config.bias, config.compiled, config.dataset) == (None, None, True, None)
    assert config.max_iterations is None


@pytest.mark.parametrize(("batch", "block", "tokens"), [(8, 2, 48), (-8, -2, None), (8, 0, None), (8.0, 2, None)])
def test_tokens_of_an_iteration_are_a_product_of_three_counts(
    batch: float, block: int, tokens: int | None
) -> None:
    values = {"batch_size": batch, "block_size": block, "gradient_accumulation_steps": 3}
    assert as_config(values, "x").tokens_per_iteration == tokens


def test_a_huge_file_is_no_config_file(tmp_path: Path) -> None:
    path = tmp_path / "big.py"
    path.write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    assert "larger than 1,048,576 bytes" in read_config(path).problems[0]


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    values, problems = assignments(text)
    as_config(values, "any")
    assert all(isinstance(problem, str) for problem in problems)


def test_text_of_a_config_cannot_speak_to_the_terminal() -> None:
    values, _ = assignments('dataset = "a\\x1b[2Jb"\nwandb_project = "\\x1b]52;c;aGk=\\x07x"')
    config = as_config(values, "log")
    assert "\x1b" not in f"{config.dataset}{config.extra}"


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse such names")
def test_the_name_of_a_config_file_is_text_too(tmp_path: Path) -> None:
    path = tmp_path / "a\udc9b2J\x1b[2J.py"
    path.write_text("batch_size = 12\n")
    assert read_config(path).config.origin == "config file a\ufffd2J.py"


def test_a_setting_that_is_nearly_one_that_counts_is_named(tmp_path: Path) -> None:
    path = tmp_path / "train_gpt2.py"
    path.write_text(TRAIN_GPT2 + "n_layers = 12\nout_dirs = 'x'\nval_interval = 3\nmy_own = 4\n")
    (problem,) = read_config(path).problems
    assert problem == f"{path}: n_layers means nothing here (did you mean n_layer?)"


def test_of_a_million_settings_nobody_waits_for_the_likeness() -> None:
    assert near_misses(f"n_layerx{n}" for n in range(1_000_000)) != []
