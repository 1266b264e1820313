"""Real logs of many frameworks: recognised by their content, and their iteration lines read. `bench/formats.py` has them all."""

import pytest
from real_logs import CORPUS, EXPECTED, Expected, measure

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the real logs, ../shared/corpus, are not here")


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda one: one.files)
def test_a_real_log_is_recognised_and_its_iterations_are_read(expected: Expected) -> None:
    """The smallest of its kind: a second or two for all; the bench takes the rest."""
    path = min(CORPUS.glob(expected.files), key=lambda one: one.stat().st_size)
    result = measure(path, expected)
    assert result.as_expected, f"taken for {result.format}"
    assert result.read >= 0.995 * result.counted
