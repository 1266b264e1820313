"""Numbers of a log line, and which of them an event can hold: the bounds themselves and what lies beside them."""

from math import inf, nan

import pytest

from itermon.collectors.log_formats.parsing.stamps import Calendar
from itermon.collectors.log_formats.parsing.values import (
    UNREAD,
    LogLine,
    as_float,
    as_number,
    ended,
    loss_fields,
    number,
    quantity,
    remaining,
    scalars,
    seconds,
    short_counters,
    unix_time,
    whole,
)
from itermon.events import SpanEnd


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234.5", 1234.5), ("inf", inf), ("-Infinity", -inf), ("1e999", None), ("-1e999", None), ("x", None), ("", None)],
)  # fmt: skip
def test_a_number_beyond_all_doubles_is_not_read(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5ms", 5e-3), ("5us", 5e-6), ("5 ns", 5e-9), ("5s", 5.0), ("5 sec", 5.0), ("5secs", 5.0), ("5 seconds", 5.0),
        ("5m", 300.0), ("5min", 300.0), ("5 mins", 300.0), ("5 minutes", 300.0), ("0.5h", 1_800.0), ("0.5hr", 1_800.0),
        ("0.5hrs", 1_800.0), ("0.5 hours", 1_800.0), ("12 %", 0.12), ("12.5k", 12_500.0), ("12K", 12_000.0), ("1.5M", 1.5e6),
        ("5 (ms)", 5e-3), ("0:02:11", 131.0), ("2:11", 7_860.0 / 60), ("1:00:00.5", 3_600.5), ("1 day, 1:00:00", 90_000.0),
        ("1 h 2 min 11 s", 3_731.0), ("1h  2min 11s  50ms", 3_731.05), ("250 ms", 0.25), ("2 days", 172_800.0), ("2 minutes 1 second", 121.0), ("1970-01-02", None),
        ("2001-09-09T01:46:40Z", 1e9), ("2001-13-09", None), ("epoch", None), ("", None), ("5 apples", None), ("x" * 41, None),
        ("9" * 41, None),
    ],
)  # fmt: skip
def test_numbers_with_units_clocks_and_dates_are_read_in_si(text: str, value: float | None) -> None:
    assert as_number(text) == (None if value is None else pytest.approx(value))


def test_a_number_of_json_is_no_truth_value_and_none_beyond_all_doubles() -> None:
    assert [as_float(value) for value in (3, 2.5, 0, True, False, "3", None, 10**400)] == [3.0, 2.5, 0.0] + [
        None
    ] * 5


def test_what_counts_is_a_whole_number_that_a_double_holds() -> None:
    assert [whole(value) for value in (0, 2.75, 2.0**53 - 1, 2.0**53, -1.0, -0.5, nan, inf, None)] == [
        *(0, 2, 2**53 - 1),
        *[None] * 6,
    ]


@pytest.mark.parametrize("bounded", [seconds, quantity, unix_time])
def test_a_bounded_number_is_neither_negative_nor_without_end(bounded) -> None:
    assert [bounded(value) for value in (0.0, 2.5, -0.5, nan, inf, -inf, None)] == [0.0, 2.5] + [None] * 5


def test_a_span_ends_without_what_no_event_can_hold() -> None:
    values = {"loss": 2.5, "bad": nan, "worse": inf}
    assert ended("evaluation", 5.0, 7.0, 2.0, detail="d", values=values) == SpanEnd(
        "evaluation", 5.0, 7, 2.0, detail="d", values={"loss": 2.5}
    )
    assert ended("evaluation", -1.0, -7.0, nan) == SpanEnd("evaluation", None, None, None)


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (None, {"loss": None}),
        (2.5, {"loss": 2.5}),
        (-2.5, {"loss": -2.5}),
        (UNREAD, {"loss": None}),
        (nan * 1, {"bad_loss": "nan"}),
        (inf, {"bad_loss": "inf"}),
        (-inf, {"bad_loss": "-inf"}),
    ],
)
def test_a_loss_that_is_no_number_is_told_by_its_name(value: float | None, fields: dict[str, object]) -> None:
    assert loss_fields(value) == fields


def test_a_line_is_stamped_by_its_own_time_or_by_one_of_its_values() -> None:
    bare = LogLine.of("step 1", 9.0, Calendar())
    assert bare == ("step 1", 9.0, False)
    assert LogLine.of("1700000000 step 1", 9.0, Calendar()) == ("1700000000 step 1", 1.7e9, True)
    assert bare.at(1.7e9) == ("step 1", 1.7e9, True)
    assert bare.at(-1.0) is bare


def test_a_stamp_behind_something_else_is_of_what_was_glued_to_it() -> None:
    bar = "train: 17%|1 | 9/50 [07:02<22:35, 1.07s/it]"
    glued, front = (
        LogLine.of(text, 9.0, Calendar())
        for text in (f"{bar}[2025-01-31 10:00:00] loss", f"2025-01-31 10:00:00 {bar}")
    )
    assert glued.stamped
    assert glued.before("[07:02").at_s is None
    assert front.before("[07:02") is front
    assert LogLine.of(bar, 9.0, Calendar()).before("[07:02").at_s == 9.0


def test_scalars_are_the_other_numbers_by_clean_and_short_names() -> None:
    named = [
        ("loss", 2.5), ("mAP ", 0.5), ("reward", "-1.5"), ("eta", 90), ("clock", "0:01:30"), ("share", "12 %"),
        ("text", "abc"), ("yes", True), ("nan", nan), ("inf", "inf"), ("big", 1e39), ("\x1b[31mred", 1), ("x" * 99, 2),
        ("Test", "10"), ("nested", {"a": 1}), ("digits", 10**400),
    ]  # fmt: skip
    assert scalars(named, ("loss",)) == {"mAP": 0.5, "reward": -1.5, "share %": 12.0, "red": 1.0, "x" * 40: 2.0}
    assert scalars([("Test", "0.75"), ("val", 0.5), ("train", "10")]) == {"Test": 0.75, "val": 0.5}


def test_a_value_in_percent_is_shown_as_the_log_has_it_and_is_no_share_of_one() -> None:
    assert scalars([("Acc", "99.94%"), ("acc%", "85.2 %"), ("Acc (%)", "85.2")]) == {
        "Acc %": 99.94, "acc%": 85.2, "Acc (%)": 85.2,
    }  # fmt: skip
    assert scalars([("Acc", 0.75), ("Acc", "75%")]) == {"Acc": 0.75, "Acc %": 75.0}
    assert (
        scalars(
            [
                ("progress", "12%"),
                ("Epoch done", "50 %"),
                ("progress_pct", "5%"),
                ("Test", "10%"),
                ("note", "many%"),
            ]
        )
        == {}
    )


def test_scalars_of_one_line_are_bounded() -> None:
    assert len(scalars((f"s{n}", n) for n in range(1000))) == 64


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("lr: 1.0e-02, eta: 1 day, 1:52:14, time: 1.865", 93_134.0),
        ("eta: 0:10:00  time: 0.5", 600.0),
        ("[step=100/2,000,epoch=1,eta=5h11m]", 18_660.0),
        ("learn: 0.75 total: 50ms remaining: 1m 40s", 100.0),
        ('"remaining_time": "8:45:50"', 31_550.0),
        ("iter time: 595.27 ms (step) remaining time: 0:01:54", 114.0),
        ("ETA: 12s", 12.0),
        ("eta: 12:30:15:20", None),
        ("beta: 0:10:00", None),
        ("eta: 3 samples", None),
        ("eta: 0.5", None),
    ],
)
def test_what_a_line_says_is_left(text: str, seconds: float | None) -> None:
    assert remaining(text) == seconds


@pytest.mark.parametrize("name", ["lib/training/saver.py", "kernel.cc", "out/best.pt", "config.yaml"])
def test_a_line_of_a_file_is_no_metric(name: str) -> None:
    assert scalars([(name, "966"), ("loss.G", 0.5), ("acc.top1", 0.25)]) == {"loss.G": 0.5, "acc.top1": 0.25}


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("batch_idx=64 loss=2.5", "batch=64 loss=2.5"),
        ("global_iter 64 | step_time 0.5", "iter 64 | step_time 0.5"),
        ("current_epoch: 3, iter_num [7/9]", "epoch: 3, iter [7/9]"),
        ("global_step: 64, step: 3", "global_step: 64, step: 3"),  # of these two the first counts all
        ("batch_num=200 epoch_count: 9", "batch_num=200 epoch_count: 9"),  # so many there are
    ],
)
def test_a_counter_may_be_called_an_index(text: str, short: str) -> None:
    assert short_counters(text) == short


def test_what_says_where_a_row_stands_is_no_metric() -> None:
    assert scalars({"step": "40", "max_steps": 900, "Global_Step": 7, "steps": "12", "kl": 0.5}.items()) == {
        "steps": 12.0,
        "kl": 0.5,
    }
