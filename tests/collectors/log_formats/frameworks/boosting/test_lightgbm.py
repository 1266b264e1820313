"""LightGBM: rounds as they are aligned."""

from log_examples import example, iterations, of, read

from itermon.events import SpanEnd


def test_values_that_are_aligned_with_blanks_are_the_same_values() -> None:
    found = read("LightGBM", example("LightGBM").replace(": ", ":    "))
    assert [one.loss for one in iterations(found)] == [1.25, 1.0]
    assert [one.values for one in of(SpanEnd, found)] == [{"val_loss": 1.5}, {"val_loss": 1.625}]
