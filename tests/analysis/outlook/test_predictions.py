"""ETAs put down at a tenth, a quarter and half of the run."""

import pytest

from itermon.analysis.findings import EtaScore
from itermon.analysis.outlook.predictions import Predictions


@pytest.mark.parametrize(
    ("indices", "parts"),
    [
        (range(100), []),
        (range(101), [101]),
        (range(100, 120), [1]),
        (range(1_000), [101, 150, 250]),
        (range(0, 1_000, 200), [2, 1, 1]),
        ([700], [1, 0, 0]),
    ],
)
def test_taking_in_stops_where_an_eta_is_due(indices: list[int], parts: list[int]) -> None:
    assert Predictions().due(list(indices), 1_000) == parts


def test_without_an_end_none_is_due() -> None:
    assert Predictions().due([500], None) == []
    assert Predictions().due([500], 0) == []


def test_each_share_is_predicted_once_and_in_order() -> None:
    predictions = Predictions()
    predictions.add(50.0)
    assert predictions.due([120], 1_000) == []
    assert predictions.due([249, 250], 1_000) == [2]
    predictions.add(60.0)
    assert predictions.made == [EtaScore(0.1, 50.0), EtaScore(0.25, 60.0)]
    predictions.add(70.0)
    assert predictions.due([999], 1_000) == []
