"""Numbers in sentences: three digits, the right unit, nothing rounded into another unit."""

import pytest

from itermon.analysis.words import (
    listed,
    percent,
    seconds,
    si,
    times,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 s"),
        (7.44e-6, "7.44 µs"),
        (0.169, "169 ms"),
        (0.99951, "1.00 s"),
        (9.34, "9.34 s"),
        (21.0, "21.0 s"),
        (146.0, "2 m 26 s"),
        (210_000.0, "2 d 10 h"),
        (15_000.0, "4 h 10 m"),
        (3_599.7, "1 h 00 m"),
        (372_000.0, "4 d 07 h"),
        (float("inf"), "for ever"),
    ],
)
def test_durations(value: float, text: str) -> None:
    assert seconds(value) == text


def test_shares_factors_and_units() -> None:
    assert [percent(x) for x in (0.517, 0.05, 1.644, 0.003)] == ["51.7 %", "5 %", "164 %", "0.3 %"]
    assert [percent(x) for x in (0.0, 0.0004, 0.0005)] == ["0 %", "< 0.1 %", "0.1 %"]
    assert [times(x) for x in (1.93, 10.86, 273.9)] == ["1.93 ×", "10.9 ×", "274 ×"]
    assert [si(x, "B") for x in (2.1e6, 999.7e3, 5.0)] == ["2.10 MB", "1.00 MB", "5.00 B"]
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"], "or") == "a, b or c"
