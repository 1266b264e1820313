import time

import pytest

from itermon.collectors.log_formats.parsing.stamps import stamp


@pytest.mark.parametrize(
    "text",
    [
        "[rank0]:[titan] 2025-06-25 13:06:17,500 - root - INFO - step: 450",
        "2025-06-25T13:06:17.5 INFO",
        "[2025-06-25 13:06:17.500] [INFO]",
        "06/25/2025 13:06:17.5 - INFO - __main__ -",
    ],
)
def test_a_stamp_with_its_year_is_local_time(text):
    assert stamp(text) == time.mktime((2025, 6, 25, 13, 6, 17, 0, 0, -1)) + 0.5


@pytest.mark.parametrize(
    "text", ["[06/25 13:06:17.500 d2.utils.events]: eta", "I0625 13:06:17.500  6584 solver.cpp:228]"]
)
def test_a_stamp_without_a_year_lies_in_the_past_year(text):
    at_s = stamp(text)
    assert time.localtime(at_s)[1:6] == (6, 25, 13, 6, 17)
    assert time.time() - 366 * 86_400 <= at_s <= time.time() + 86_400


@pytest.mark.parametrize("text", ["1700000000.250 step 1", "1700000000250 host error step 1"])
def test_unix_time_in_front_is_a_stamp(text):
    assert stamp(text) == 1700000000.25


@pytest.mark.parametrize(
    "text",
    ["", "iter 250: loss 2.0", "step 1700000000 of 9", "2025-13-45 99:99:99", "x" * 200 + "2025-06-25 13:06:17"],
)
def test_other_text_has_no_stamp(text):
    assert stamp(text) is None
