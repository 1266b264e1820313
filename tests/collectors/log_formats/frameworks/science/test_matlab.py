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


def test_small_numbers_and_a_loss_that_is_none_stand_in_rows_too() -> None:
    text = """
|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Mini-batch  |  Base Learning  |
|         |             |   (hh:mm:ss)   |   Accuracy   |     Loss     |      Rate       |
|       1 |           1 |       00:00:01 |       25.00% |       2.5000 |      2.5000e-05 |
|       1 |          50 |       00:00:15 |       50.00% |   5.0000e-07 |      2.5000e-05 |
|       2 |         100 |       00:00:34 |       62.50% |          NaN |      2.5000e-05 |
"""
    found = iterations(read("MATLAB", text))
    assert [(one.index, one.learning_rate) for one in found] == [(1, 2.5e-5), (50, 2.5e-5), (100, 2.5e-5)]
    assert [one.loss for one in found[:2]] == [2.5, 5e-7]
