"""Numbers, times and reasons in cells."""

import time

import pytest

from itermon.collectors.gpu_logs.cells import moment, number, reasons, scale_by_value, scale_of


@pytest.mark.parametrize(("text", "found"), [
    ("28 %", (28, "%")), (" 345.67 W", (345.67, "w")), ("1410 MHz", (1410, "mhz")), ("-3", (-3, "")),
    ("[N/A]", None), ("-", None), ("", None), ("nan", None), ("1e999", None), ("٣", None), ("9" * 400, None),
])  # fmt: skip
def test_numbers(text: str, found: object) -> None:
    assert number(text) == found


def test_times_with_a_zone_are_those_of_the_world() -> None:
    for text in ("2025-09-24T03:48:33.493Z", "2025-09-24 05:48:33.493+02:00", "2025/09/24 03:48:33.493 UTC"):
        found = moment(text)
        assert found is not None
        assert found.zoned
        assert found.at_s == pytest.approx(1758685713.493)


def test_times_without_a_zone_are_local_as_those_of_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    at_s = time.mktime((2026, 2, 15, 6, 12, 48, 0, 0, -1))
    for text in ("2026/02/15 06:12:48.455", "2026-02-15T06:12:48.455", "20260215 06:12:48.455"):
        found = moment(text)
        assert found is not None
        assert not found.zoned
        assert found.at_s == pytest.approx(at_s + 0.455)


@pytest.mark.parametrize(
    "text", ["1702385280", "1702385280.0", "1702385280000", "1702385280000000", "1702385280000000000"]
)
def test_unix_time_in_any_of_its_units(text: str) -> None:
    found = moment(text)
    assert found is not None
    assert found.at_s == 1702385280


@pytest.mark.parametrize("text", ["12", "", "soon", "2026-13-45T99:00:00Z", "9" * 300, "06:12:48"])
def test_what_is_no_time(text: str) -> None:
    assert moment(text) is None


def test_without_a_unit_the_value_decides_or_nothing_does() -> None:
    assert [scale_by_value("share", v) for v in (87, 0.87, 1, 0)] == [0.01, 1.0, None, None]
    assert [scale_by_value("hertz", v) for v in (1.41e9, 1410, 1.41)] == [1.0, 1e6, 1e9]
    assert [scale_by_value("bytes", v) for v in (8e9, 40_000, 40)] == [1.0, 2**20, None]
    assert scale_of("watts", "mhz") is None


def test_reasons_are_the_drivers_bits() -> None:
    assert reasons("0x0000000000000024") == ("power cap", "thermal")
    assert reasons("0x0") == ()
    assert reasons("Not Active") is None
    assert reasons("0x" + "f" * 400) is None


def test_a_minute_is_read_once_for_all_its_seconds() -> None:
    first, later, zoned = map(
        moment, ("2026/02/15 06:12:01.5", "2026/02/15 06:12:59.25", "2026-02-15T06:12:59.25+02:00")
    )
    assert first is not None
    assert later is not None
    assert zoned is not None
    assert (later.at_s - first.at_s, first.zoned, zoned.zoned) == (57.75, False, True)


@pytest.mark.parametrize("zone", ["+0530", "+05:30"])
def test_a_zone_of_half_an_hour_is_read_with_and_without_its_colon(zone: str) -> None:
    found, west = moment(f"2025-09-24 09:18:33{zone}"), moment("2025-09-24 00:18:33-0330")
    assert found == west == moment("2025-09-24T03:48:33Z")
    assert found is not None
    assert found.at_s == 1758685713


def test_unix_times_lie_between_1985_and_2286() -> None:
    assert moment("500000000") == (5e8, True)
    assert moment("499999999") is None
    assert moment("9999999999") == (9999999999, True)
    assert moment("10000000000") is None
    assert moment("500000000000") == (5e8, True)  # milliseconds


@pytest.mark.parametrize(
    ("of", "value", "scale"),
    [
        ("share", 1.01, 0.01), ("share", 0.99, 1.0), ("share", -0.5, None),
        ("hertz", 1e7, 1.0), ("hertz", 9.9e6, 1e6), ("hertz", 50, 1e6), ("hertz", 49, 1e9), ("hertz", 0.05, None),
        ("bytes", 1e7, 1.0), ("bytes", 9.9e6, 2**20), ("bytes", 2_000, 2**20), ("bytes", 1_999, None),
        ("watts", 0, 1.0),
    ],
)  # fmt: skip
def test_the_value_decides_from_its_bound_on(of: str, value: float, scale: float | None) -> None:
    assert scale_by_value(of, value) == scale


def test_reasons_may_be_written_in_tens_and_have_a_bound() -> None:
    assert reasons(" 36 ") == ("power cap", "thermal")
    assert reasons("-4") is None
    assert reasons("0x" + "0" * 17 + "4") == ("power cap",)
    assert reasons("0x" + "0" * 18 + "4") is None


def test_a_cell_has_a_bound() -> None:
    assert number("1" + " " * 255) == (1, "")
    assert number("1" + " " * 256) is None


@pytest.mark.parametrize(
    ("of", "unit", "scale"),
    [
        ("share", "%", 0.01), ("watts", "mw", 0.001), ("watts", "kw", 1000.0), ("celsius", "°c", 1.0),
        ("hertz", "khz", 1e3), ("hertz", "mhz", 1e6), ("hertz", "ghz", 1e9), ("bytes", "kib", 1024.0),
        ("bytes", "mb", 2.0**20), ("bytes", "gib", 2.0**30), ("joules", "mj", 0.001), ("joules", "kj", 1e3),
        ("watts", "mib", None), ("bytes", "hz", None), ("watts", "volts", None),
    ],
)  # fmt: skip
def test_a_value_beside_its_unit_is_scaled_where_that_is_one_of_its_kind(
    of: str, unit: str, scale: float | None
) -> None:
    assert scale_of(of, unit) == scale
