import time
from itertools import pairwise

import pytest

from itermon.collectors.log_formats.parsing.stamps import (
    Calendar,
    _hour,
    dates_in,
    names_its_year,
    passed_s,
    stamp,
)

DAY_S = 86_400.0


@pytest.mark.parametrize(
    "text",
    [
        "[rank0]:[titan] 2025-06-25 13:06:17,500 - root - INFO - step: 450",
        "2025-06-25T13:06:17.5 INFO",
        "[2025.06.25 13:06:17.5] INFO",
        "[20250625 13:06:17.500][INFO] Step 00000050",
        "20250625-13:06:17.5 Epoch: 3/9",
        "2025-06-25-13:06:17.5 Epoch: 3/9",
        "[2025-06-25 13:06:17.500] [INFO]",
        "06/25/2025 13:06:17.5 - INFO - __main__ -",
        "Finetuning: 25/06/2025, 13:06:17.5",
        "[06.25.25|13:06:17.5] Training epoch: 0",
        "[25/06/2025 01:06:17.5 PM] epoch 3",
        "Wed Jun 25 13:06:17.5 2025 epoch 3",
        "Wed 25 Jun 2025 13:06:17.5 INFO  epoch 3",
        "25-Jun-25 13:06:17.5 - epoch 3",
        "INFO Jun 25, 2025, 13:06:17.5 epoch 3",
        "step2025-06-25 13:06:17.5: loss 0.5",
        "x" * 200 + " [time:[2025-06-25 13:06:17.5]]",
    ],
)
def test_a_stamp_with_its_year_is_local_time(text):
    assert stamp(text) == time.mktime((2025, 6, 25, 13, 6, 17, 0, 0, -1)) + 0.5


@pytest.mark.parametrize(
    "text",
    [
        "[06/25 13:06:17.500 d2.utils.events]: eta",
        "I0625 13:06:17.500  6584 solver.cpp:228]",
        "[default0]:I0625 13:06:17.500  6584 solver.cpp:228]",
        "INFO:root:I0625 13:06:17.500 6584 solver.cpp:228]",
    ],
)
def test_a_stamp_without_a_year_lies_in_the_past_year(text):
    at_s = stamp(text)
    assert time.localtime(at_s)[1:6] == (6, 25, 13, 6, 17)
    assert time.time() - 366 * 86_400 <= at_s <= time.time() + 86_400


@pytest.mark.parametrize(
    "text",
    ["1700000000.250 step 1", "1700000000250 host error step 1", "[rank0]: 1700000000250 step 1",
     "trainer-1  | 1700000000.250 step 1"],
)  # fmt: skip
def test_unix_time_in_front_is_a_stamp(text):
    assert stamp(text) == 1700000000.25


@pytest.mark.parametrize(
    "text",
    ["2025_06_25_13_06_17 [Epoch] 001 loss 0.5", "[2025-06-25_13-06-17] epoch 3", "2025-06-25-13-06-17: epoch 3"],
)
def test_one_mark_may_join_the_numbers_of_a_stamp_in_front(text):
    assert stamp(text) == time.mktime((2025, 6, 25, 13, 6, 17, 0, 0, -1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025_06_25_13_06_17_best.pt epoch 3",
        "2025_06_25_13_06_17",
        "saved 2025_06_25_13_06_17 epoch 3",
        "2025_13_45_99_06_17 epoch 3",
        "2025_06_25_13_99_17 epoch 3",
        "x" * 200 + " runs until 2025-06-25 13:06:17",
        "acc 12.04.99|10:00:00 33/45/2025 10:00:00",
        "iter 250: loss 2.0",
        "step 1700000000 of 9",
        "[rank0]: 1700000000 tokens",
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


@pytest.mark.parametrize(
    ("clock", "hour"), [("12:05:00 AM", 0), ("01:05:00 am", 1), ("12:05:00 PM", 12), ("11:05:00 pm", 23), ("23:05:00", 23)]
)  # fmt: skip
def test_twelve_is_the_first_hour_of_each_half_day(clock: str, hour: int) -> None:
    assert time.localtime(stamp(f"2025-06-25 {clock} x"))[2:6] == (25, hour, 5, 0)


@pytest.mark.parametrize(
    ("date", "read"),
    [
        ("2025-01-01 00", (2025, 1, 1, 0)),
        ("2025-12-31 23", (2025, 12, 31, 23)),
        ("2025-00-10 10", None),
        ("2025-13-10 10", None),
        ("2025-10-00 10", None),
        ("2025-10-32 10", None),
        ("2025-10-10 24", None),
    ],
)
def test_a_date_that_no_calendar_has_is_no_stamp(date: str, read: tuple[int, ...] | None) -> None:
    at_s = stamp(f"{date}:30:15 x")
    assert (None if at_s is None else time.localtime(at_s)[:6]) == (read and (*read, 30, 15))


@pytest.mark.parametrize(
    ("line", "is_stamp"),
    [
        ("it took long" + "x" * 120 + " 2025-06-25 13:06:17", True),
        ("it took long" + "x" * 120 + " 2025-06-25 13:06:17].", True),
        ("it took long" + "x" * 120 + " 2025-06-25 13:06:17 h", False),  # something stands behind it
        ("it took long" + "x" * 120 + "-2025-06-25 13:06:17", True),
        ("it took long" + "x" * 120 + " 2 2025-06-25 13:06:17", True),
        ("it took long" + "x" * 110 + " v2025-06-25 13:06:17", False),
        ("it took long" + "x" * 120 + " finished: 2025-06-25 13:06:17", False),  # the time of something else
        ("2025-06-25 13:06:17 " + "x" * 200, True),
        ("x" * 101 + "2025-06-25 13:06:17", True),  # the last place in front
        ("x" * 102 + "2025-06-25 13:06:17", False),
        ("1700000000 " + "x" * 200, True),
        ("[1700000000] " + "x" * 200, True),
        ("1700000000" + "x" * 200, False),
        ("x" * 110 + " 05/06/25 13:06:17", False),
    ],
)
def test_a_stamp_stands_in_front_or_ends_the_line(line: str, is_stamp: bool) -> None:
    assert (stamp(line) is not None) == is_stamp


def test_a_stamp_without_a_year_may_be_a_day_ahead_of_this_clock() -> None:
    """Another machine's clock, another time zone: it is this year's, and no year old."""
    for hours, this_year in ((-48, True), (12, True), (48, False)):
        there_s = time.time() + hours * 3600
        at_s = stamp(time.strftime("[%m/%d %H:%M:%S] x", time.localtime(there_s)))
        assert (abs(at_s - there_s) < 2) == this_year
        there = time.localtime(there_s)
        year = there.tm_year if this_year else there.tm_year - 1
        assert at_s == time.mktime((year, *there[1:6], 0, 0, -1))


def test_a_date_whose_reading_turns_out_wrong_goes_on_from_where_it_was() -> None:
    calendar = Calendar()
    first_s = calendar.stamp("03/04/2023 10:00:00 a")
    assert first_s == time.mktime((2023, 3, 4, 10, 0, 0, 0, 0, -1))
    # The 13th is a day: it was the 3rd of April, and ten days passed.
    assert calendar.stamp("13/04/2023 10:00:00 a") - first_s == 10 * 86_400
    assert calendar.stamp("13/04/2023 10:00:01.5 a") - first_s == 10 * 86_400 + 1.5


def test_what_another_reader_is_sure_of_counts_from_the_first_stamp_on() -> None:
    sure, fresh, begun = Calendar(), Calendar(), Calendar()
    sure.stamp("25/06/2023 10:00:00 a")
    begun.stamp("01/02/2023 10:00:00 a")
    for calendar in (fresh, begun):
        calendar.learn(sure)
    assert time.localtime(fresh.stamp("05/06/2023 10:00:00 a"))[1:3] == (6, 5)
    assert time.localtime(begun.stamp("01/02/2023 11:00:00 a"))[1:3] == (1, 2)
    unsure = Calendar()
    unsure.learn(begun)
    assert time.localtime(unsure.stamp("05/06/2023 10:00:00 a"))[1:3] == (5, 6)


def test_a_year_of_two_digits_is_none_that_lies_far_ahead() -> None:
    assert stamp("06/25/98 10:00:00 a") is None
    assert stamp("06/25/2098 10:00:00 a") is not None


def test_in_summer_the_clocks_of_a_stamp_may_be_an_hour_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        _hour.cache_clear()
        summer_s, winter_s = (stamp(f"2025-{month}-25 13:00:00 x") for month in ("06", "12"))
    time.tzset()
    _hour.cache_clear()
    assert [time.gmtime(at_s).tm_hour for at_s in (summer_s, winter_s)] == [11, 12]


@pytest.mark.parametrize(
    "text",
    [
        "2025-06-25 13:09:59.000 [INFO|2025-06-25 13:06:17.500] trainer.py:157 >> {'loss': 2.5}",
        "[2025-06-25T13:09:59.000Z] [node7] 2025-06-25 13:06:17,500 (trainer:793) INFO: 1epoch",
        "2025-06-25 13:09:59 2025-06-25 13:06:17.5 - root - INFO - step: 450",
        "2025-06-25 13:06:17.5 step 450, best since 2025-06-25 13:00:00",
    ],
)
def test_of_two_stamps_the_one_that_the_trainer_wrote_counts_not_that_of_the_line_s_arrival(text):
    assert stamp(text) == time.mktime((2025, 6, 25, 13, 6, 17, 0, 0, -1)) + 0.5


@pytest.mark.parametrize(
    ("first", "second", "passed_s"),
    [
        ("25-01-25 11:00:00.000", "25-01-26 11:00:00.000", DAY_S),  # year-month-day: a day, and not a year
        ("17/06/09 20:10:40", "17/06/10 20:10:40", DAY_S),
        ("09/06/17 20:10:40", "10/06/17 20:10:40", DAY_S),
        ("06/09/17 20:10:40", "06/10/17 20:10:40", DAY_S),
        ("31.12.24 23:00:00", "01.01.25 23:00:00", DAY_S),
        ("24-12-31 23:00:00", "25-01-01 23:00:00", DAY_S),
    ],
)
def test_the_order_of_a_short_date_is_the_one_that_moves_least(first: str, second: str, passed_s: float) -> None:
    calendar = Calendar()
    before_s, after_s = calendar.stamp(f"{first} : x"), calendar.stamp(f"{second} : x")
    assert before_s is not None
    assert after_s is not None
    assert after_s - before_s == pytest.approx(passed_s, abs=3_600.0)  # where clocks are put forward in between


@pytest.mark.parametrize(("days", "known"), [(365, True), (366, False)])
def test_a_year_of_two_digits_lies_less_than_a_year_ahead(
    days: int, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_s = time.mktime((2025, 6, 25, 10, 0, 0, 0, 0, -1))
    monkeypatch.setattr(time, "time", lambda: at_s - days * DAY_S)
    assert stamp("06/25/25 10:00:00 a") == (at_s if known else None)


def test_lines_of_one_second_have_its_time_whatever_follows() -> None:
    calendar = Calendar()
    first = calendar.stamp("2025-06-25 13:06:03 step 10")
    assert first is not None
    for line, later_s in (
        ("2025-06-25 13:06:03 worker 7 read shard 12", 0.0),
        ("2025-06-25 13:06:03,750 step 11", 0.75),
        ("2025-06-25 13:06:03 | 2025-06-25 13:05:01 step 12", -62.0),  # the trainer's own goes before
        ("2025-06-25 13:06:04 step 13", 1.0),
    ):
        assert calendar.stamp(line) == pytest.approx(first + later_s)


@pytest.mark.parametrize(
    ("ahead", "month"),
    [(("12/09/24 10:00:00 x", "13/09/24 10:00:00 x"), 9), (("12/09/24 10:00:00 x",), 12), (("12/31/24 10:00:00",), 12), ((), 12)],
)  # fmt: skip
def test_a_later_line_tells_which_number_of_the_first_date_is_the_month(
    ahead: tuple[str, ...], month: int
) -> None:
    calendar = Calendar()
    calendar.look_ahead(ahead)
    assert time.localtime(calendar.stamp("12/09/24 10:00:00 x") or 0.0).tm_mon == month


def test_lines_ahead_change_nothing_behind_the_first_stamp() -> None:
    calendar = Calendar()
    first = calendar.stamp("12/09/24 10:00:00 x")
    calendar.look_ahead(["13/09/24 10:00:00 x"])
    assert calendar.stamp("12/09/24 10:00:00 x") == first


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2025-06-25 13:06:17 INFO", True),
        ("===== Training Loss (Wed Jun 25 13:06:17 2025) =====", True),
        ("25-Jun-25 13:06:17 - epoch 3", True),
        ("1750856777 step 3", True),
        ("[06/25 13:06:17] step 3", False),
        (f"[06/25 13:06:17] step 3 loss 0.34{time.localtime().tm_year} {time.localtime().tm_year}", False),
        ("I0625 13:06:17.5 step 3", False),
        ("step 3", False),
    ],
)
def test_some_stamps_say_their_year(text: str, says: bool) -> None:
    assert names_its_year(text) is says


def test_a_log_has_the_newest_of_its_dates_or_stamps_without_a_year() -> None:
    dated = "2025-06-25 13:06:17 INFO"
    assert dates_in([dated, "2025-06-24 13:06:17 INFO"]) == (stamp(dated), False)
    assert dates_in(["[06/25 13:06:17] step 3", "step 4"]) == (None, True)
    assert dates_in(["step 4"]) == (None, False)
    found = '{"score": 2.5, "of": "best.pkl", "timestamp": 1650000000.25}'
    assert dates_in(["step 4", found, '{"time": 1650000}']) == (1650000000.25, False)


@pytest.mark.parametrize(
    ("begin_s", "end_s", "passed"),
    [(100.0, 102.0, None), (100.0, 105.0, 5.0), (100.25, 100.75, 0.5), (100.0, 100.5, 0.5), (105.0, 100.0, None)],
)
def test_two_stamps_of_whole_seconds_tell_no_short_time(
    begin_s: float, end_s: float, passed: float | None
) -> None:
    assert passed_s(begin_s, end_s) == passed
    assert passed_s(None, end_s) is passed_s(begin_s, None) is None


@pytest.mark.parametrize(("years_ago", "guessed"), [(0, False), (1, True), (4, True)])
def test_an_older_date_does_not_say_the_year_of_stamps_without_one(years_ago: int, guessed: bool) -> None:
    now = time.localtime()
    dated = f"{now.tm_year - years_ago}-{now.tm_mon:02d}-01 00:00:00 INFO"
    row = f"[{now.tm_mon:02d}/01 00:00:01] step 3"
    assert dates_in([dated, row]) == (stamp(dated), guessed)
