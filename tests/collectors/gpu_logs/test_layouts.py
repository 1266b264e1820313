"""Which headings are those of a recording of GPUs, and how its rows are cut."""

import pytest

from itermon.collectors.gpu_logs import layouts
from itermon.collectors.gpu_logs.layouts import Layout, all_words, cut, is_units, layout, marked


def found(line: str, units: str = "") -> Layout:
    made = layout(line, units)
    assert made is not None
    return made


def test_places_of_the_time_the_gpu_and_its_values() -> None:
    one = found("date,time,index,uuid,power.draw [W],temperature.gpu")
    assert (one.times, one.number, one.uuid, one.width, one.delimiter, one.wide) == ((0, 1), 2, 3, 6, ",", False)
    ((gpu, columns),) = one.gpus
    assert gpu is None
    assert [(place, column.field) for place, column in columns] == [
        (3, "uuid"), (4, "power_w"), (5, "temperature_c"),
    ]  # fmt: skip


def test_columns_of_each_gpu_leave_out_those_of_none() -> None:
    one = found("time,elapsed,GPU0_power_w,GPU1_power_w,power_w,notes")
    assert one.wide
    assert (one.times, sorted(one.columns)) == ((0,), [0, 2, 3])
    assert [gpu for gpu, _ in one.gpus] == [0, 1]


def test_one_figure_alone_is_no_table_and_with_a_time_it_is() -> None:
    assert layout("gpu power_w,notes") is None
    assert layout("gpu power_w,time") is not None
    assert layout("power_w,time") is None  # of whatever machine
    assert layout("timestamp,index,name") is None


@pytest.mark.parametrize("word", ["loss", " Step ", "EPOCH"])
def test_what_a_training_counts_is_no_recording(word: str) -> None:
    assert layout(f"time,index,power_w,{word}") is None


def test_a_heading_has_two_columns_at_least_and_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    assert layout("gpu0_power_w") is None
    monkeypatch.setattr(layouts, "MOST_COLUMNS", 3)
    assert layout("time,index,power_w") is not None
    assert layout("time,index,power_w,note") is None


def test_of_two_columns_for_one_field_that_with_a_unit_is_taken_else_the_first() -> None:
    def power(line: str) -> list[int]:
        return [place for place, one in found(line).columns.items() if one.field == "power_w"]

    assert power("index,power,power.draw [W]") == [2]
    assert power("index,power.draw [W],power") == [1]
    assert power("index,power,power draw") == [1]
    assert power("index,power.draw [W],power usage [W]") == [1]


def test_several_columns_of_reasons_stay() -> None:
    line = "index,power_w,clocks_throttle_reasons.sw_power_cap,clocks_throttle_reasons.hw_slowdown"
    assert [one.reason for one in found(line).columns.values()] == ["", "", "power cap", "hardware slowdown"]


def test_units_count_where_they_are_as_many_as_the_headings() -> None:
    assert found("#index,power,temp", "#Idx,kW,C").columns[1].scale == 1e3
    assert found("#index,power,temp", "#kW,C").columns[1].scale is None


@pytest.mark.parametrize(
    ("line", "delimiter", "cells"),
    [
        ("a  b c", "", ["a", "b", "c"]),
        ("a, b;c", ",", ["a", " b;c"]),
        ('"a,b", "c"', ",", ["a,b", "c"]),
        ('"a;b";c', ";", ["a;b", "c"]),
    ],
)
def test_cells(line: str, delimiter: str, cells: list[str]) -> None:
    assert cut(line, delimiter) == cells


@pytest.mark.parametrize("line", ["a,b,c", "a;b", "a\tb", "# a b", "a,b,c,4"])
def test_words_alone_may_be_headings(line: str) -> None:
    assert all_words(line)


@pytest.mark.parametrize("line", ["1,b", "a,2", "a,b,3", "2026-02-15 x,b", "a;1", "a b"])
def test_a_number_a_time_or_one_cell_is_no_heading(line: str) -> None:
    assert not all_words(line)


def test_a_mark_stands_first_or_behind_a_time() -> None:
    assert marked("# gpu pwr") == " gpu pwr"
    assert marked("2026-02-15 06:12:48 # gpu pwr") == " gpu pwr"
    assert marked("gpu # pwr") == ""
    assert marked("gpu pwr") == ""


def test_a_row_of_units_has_one_and_no_number() -> None:
    assert is_units("# Idx W C")
    assert not is_units("# Idx pwr")
    assert not is_units("# 0 W")
    assert not is_units("Idx W")
    assert not is_units("#")


def test_a_row_that_says_how_dates_are_written_is_one_of_units_all_the_same() -> None:
    one = found("#Date Time gpu pwr", "#YYYYMMDD HH:MM:SS Idx kW")
    assert (one.times, one.number, one.columns[3].scale) == ((0, 1), 2, 1e3)
