"""A short run of `bench/tail_soak.py`: random writing, truncation, rotation, deletion and replacement."""

import importlib.util
from pathlib import Path

import pytest

SOAK = Path(__file__).parents[2] / "bench" / "tail_soak.py"


@pytest.mark.parametrize("seed", range(3))
def test_no_line_is_lost_or_doubled_whatever_is_done_to_the_file(tmp_path: Path, seed: int) -> None:
    spec = importlib.util.spec_from_file_location("tail_soak", SOAK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    soak = module.Soak(tmp_path, seed)
    soak.run(1_000)
    assert len(soak.read) > 1_000
    assert soak.read == soak.expected
