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
