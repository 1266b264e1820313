"""Real logs of many frameworks: recognised by their content, and their iteration lines read. `bench/formats.py` has them all."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_spec = importlib.util.spec_from_file_location("bench_formats", ROOT / "bench" / "formats.py")
bench = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(bench)

pytestmark = pytest.mark.skipif(not bench.CORPUS.is_dir(), reason="the real logs, ../shared/corpus, are not here")


@pytest.mark.parametrize("expected", bench.EXPECTED, ids=lambda one: one.files)
def test_a_real_log_is_recognised_and_its_iterations_are_read(expected):
    """The smallest of its kind: a second or two for all; the bench takes the rest."""
    path = min(bench.CORPUS.glob(expected.files), key=lambda one: one.stat().st_size)
    result = bench.measure(path, expected)
    assert result.as_expected, f"taken for {result.format}"
    assert result.read >= 0.995 * result.counted
