import time
from itertools import pairwise

import pytest

from itermon.collectors.log_formats.parsing.stamps import Calendar, stamp


@pytest.mark.parametrize(
    "text",
    [
        "[rank0]:[titan] 2025-06-25 13:06:17,500 - root - INFO - step: 450",
        "2025-06-25T13:06:17.5 INFO",
        "[2025-06-25 13:06:17.500] [INFO]",
        "06/25/2025 13:06:17.5 - INFO - __main__ -",
        "Finetuning: 25/06/2025, 13:06:17.5",
        "[06.25.25|13:06:17.5] Training epoch: 0",
        "[25/06/2025 01:06:17.5 PM] epoch 3",
        "Wed Jun 25 13:06:17.5 2025 epoch 3",
        "INFO Jun 25, 2025, 13:06:17.5 epoch 3",
        "step2025-06-25 13:06:17.5: loss 0.5",
        "x" * 200 + " [time:[2025-06-25 13:06:17.5]]",
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
    [
        "",
        "x" * 200 + " runs until 2025-06-25 13:06:17",
        "acc 12.04.99|10:00:00 33/45/2025 10:00:00",
        "iter 250: loss 2.0",
        "step 1700000000 of 9",
        "2025-13-45 99:99:99",
        "x" * 200 + "2025-06-25 13:06:17",
    ],
)
def test_other_text_has_no_stamp(text):
    assert stamp(text) is None


def moved(*lines):
    """Hours from each stamp to the next."""
    calendar = Calendar()
    at_s = [calendar.stamp(line) for line in lines]
    return [(after - before) / 3600 for before, after in pairwise(at_s)]


def test_a_field_beyond_12_says_where_the_day_stands():
    assert moved("24/12/2023 10:00:00 a", "24/12/2023 11:00:00 a", "02/01/2024 11:00:00 a")[0::1] == [1, 9 * 24]


def test_until_then_the_log_goes_on_by_a_day_rather_than_by_a_month():
    assert moved("05/06/2023 23:00:00 a", "05/06/2023 23:30:00 a", "06/06/2023 00:30:00 a")[1:] == [1]
    assert moved("06.06.23|23:00:00 a", "07.06.23|00:00:00 a", "08.06.23|00:00:00 a") == [1, 24]
    assert moved("06/07/2023 23:00:00 a", "06/08/2023 00:00:00 a", "06/09/2023 00:00:00 a") == [1, 24]


def test_a_number_behind_the_clock_is_a_year_only_behind_a_weekday() -> None:
    """`ts` puts `May 01 10:00:00` in front of `2080 train 3.25`."""
    assert time.localtime(stamp("Wed May  1 10:00:00 2024"))[:2] == (2024, 5)
    assert stamp("May 01 10:00:00 2019 train 3.25") == stamp("May 01 10:00:00 2080 train 3.25")
