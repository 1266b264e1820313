"""MATLAB's tables: rows with empty cells, and rows that no heading names."""

from log_examples import iterations, read


def test_behind_an_empty_cell_that_nothing_shows_no_value_is_read() -> None:
    text = """
    Iteration    Epoch    TimeElapsed    LearnRate    TrainingLoss    ValidationLoss    TrainingAccuracy    ValidationAccuracy
            1        1       00:00:01         0.01          2.5000            2.7500             25.0000               12.5000
           50        1       00:00:15         0.01          2.2500                              50.0000
          100        1       00:00:34         0.01          2.1250                              50.0000
"""
    assert [(one.index, one.loss, one.scalars) for one in iterations(read("MATLAB", text))] == [
        (1, 2.5, {"TrainingAccuracy": 25.0}),
        (50, 2.25, None),
        (100, 2.125, None),
    ]


def test_rows_without_a_heading_are_another_programs() -> None:
    assert iterations(read("MATLAB", "   1    1   00:00:01    0.5    2.5\n")) == []
