"""The pages of `docs/` whose frameworks are installed: their scripts run, and do what the table says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from pages import assert_as_its_row_says, events_of

NEEDS = {
    "pytorch.md": "torch",
    "accelerate.md": "accelerate",
    "huggingface.md": "transformers",
    "lightning.md": "lightning",
    "fabric.md": "lightning",
    "fsdp2.md": "torch",
    "deepspeed.md": "deepspeed",
    "keras.md": "keras",
    "jax.md": "jax",
    "scikit-learn.md": "sklearn",
}
LAUNCHED = {
    "HF_HUB_OFFLINE": "1", "KERAS_BACKEND": "torch", "DS_ACCELERATOR": "cpu", "LOCAL_RANK": "0",
    "RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0",
}  # fmt: skip


@pytest.mark.parametrize("page", NEEDS)
def test_the_script_of_a_page_does_what_its_row_says(page: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(NEEDS[page]) is None:
        pytest.skip(f"{NEEDS[page]} is not installed: make test-frameworks runs this")
    launched = {} if NEEDS[page] == "lightning" else LAUNCHED
    assert_as_its_row_says(page, events_of(page, tmp_path, **launched))
