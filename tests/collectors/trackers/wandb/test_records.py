import math

import pytest
from campaigns import wandb_writer as w
from hypothesis import given, settings
from hypothesis import strategies as st

from itermon.collectors.trackers.wandb import records
from itermon.collectors.trackers.wandb.records import (
    Begun,
    Exited,
    Machine,
    Measured,
    Printed,
    Records,
    Row,
    Settings,
)


def read(record, measured=str):
    said = Records(measured).read(record)
    return [] if said is None else [said]


@pytest.mark.parametrize("nested", [False, True])
def test_a_row_has_its_numbers(nested):
    (row,) = read(w.row({"loss": 2.5, "_step": 3, "word": "x", "flag": True, "none": None}, nested=nested))
    assert row == Row({"loss": 2.5, "_step": 3.0})


def test_numbers_that_are_none_are_numbers_too():
    values = {"a": "NaN", "b": "Infinity", "c": "-Infinity", "d": math.nan, "e": -math.inf}
    (row,) = read(w.row(values))
    assert math.isnan(row.values["a"])
    assert math.isnan(row.values["d"])
    assert (row.values["b"], row.values["c"], row.values["e"]) == (math.inf, -math.inf, -math.inf)


def test_what_was_logged_as_a_group_and_what_is_a_picture():
    (row,) = read(w.row({"eval": {"loss": 1.0, "_type": 3}, "x": {"y": "z"}}, nested=False))
    assert row == Row({"eval.loss": 1.0})


def test_a_row_without_a_number_says_nothing():
    assert read(w.row({"word": "x"})) == []


def test_measurements_as_far_as_they_are_wanted():
    known = {"gpu.0.gpu": "u"}.get
    found = read(w.stats(1.7e9 + 0.25, {"gpu.0.gpu": "99.5", "cpu": 1}), known)
    assert found == [Measured(1.7e9 + 0.25, {"u": 99.5})]
    assert read(w.stats(1.7e9, {"cpu": 1}), known) == []


@pytest.mark.parametrize("raw", [False, True])
def test_what_was_printed_and_when(raw):
    assert read(w.printed("a\n", 1.7e9 + 0.5, raw=raw)) == [Printed("a\n", 1.7e9 + 0.5, False)]
    assert read(w.printed("b", 1.7e9, error=True, raw=raw)) == [Printed("b", 1.7e9, True)]


def test_the_run_and_its_settings():
    record = w.begun("my run", 1.7e9, {"lr": 0.1, "model": {"layers": 4}, "_wandb": {"x": 1}}, resumed=True)
    assert read(record) == [Begun("my run", "gpu-box", 1.7e9, True, {"lr": 0.1, "model": {"layers": 4}})]
    assert read(w.config({"lr": 0.2})) == [Settings({"lr": 0.2})]


def test_the_machine_and_the_end():
    assert read(w.machine([("NVIDIA H100", 80 << 30)] * 2)) == [Machine((("NVIDIA H100", 80 << 30),) * 2)]
    assert read(w.machine([])) == []
    assert read(w.exited(-1, 60)) == [Exited(-1, 60.0)]


def test_a_record_that_is_none_is_counted():
    reader = Records(str)
    assert reader.read(b"\x0b\xff") is None
    assert reader.read(w.record(w.HISTORY, b"\xff")) is None
    assert reader.unread == 2


def test_settings_that_are_no_text_are_none():
    bad = w.field(1, w.field(1, "a") + w.field(16, b'"\xff"')) + w.items(1, {"b": 1})
    assert read(w.record(w.CONFIG, bad)) == [Settings({"a": None, "b": 1})]


@pytest.mark.parametrize("error", [False, True])
@pytest.mark.parametrize("length", [0, 1, 127, 128, 16_383, 16_384])
def test_a_text_of_any_length_and_a_time_with_any_fraction(length, error):
    for fraction in (0.0, 1e-9, 2.0**-10, 0.999999999):
        assert read(w.printed("x" * length, 1.7e9 + fraction, error=error, raw=True), str) == [
            Printed("x" * length, pytest.approx(1.7e9 + fraction, abs=1e-6), error)
        ]


def test_a_cut_or_stretched_record_of_what_was_printed_is_none():
    whole = w.record(w.OUTPUT_RAW, w.field(1, 1) + w.field(2, w.time(1.7e9 + 0.5)) + w.field(3, "abc"))
    begin = whole.index(b"abc")
    assert read(whole[: begin + 2]) == []
    longer = whole[: begin - 1] + bytes([9]) + whole[begin:]  # the text says more than its message has
    assert read(longer) == []


WHOLE = [
    w.row({"loss": 2.5, "a.b": 3}),
    w.row({"n" * 150: 1, "word": "v" * 200}, nested=False),
    w.stats(1.7e9 + 0.25, {"gpu.0.gpu": "99.5", "cpu": 1}),
    w.printed("a\n", 1.7e9 + 0.5),
    w.printed("x" * 130, 1.7e9, raw=False),
    w.printed("b", 1.7e9 + 1e-9, error=True),
    w.begun("my run", 1.7e9, {"lr": 0.1}, resumed=True),
    w.config({"lr": 0.2}),
    w.machine([("NVIDIA H100", 80 << 30)]),
    w.exited(-1, 60),
    w.record(w.HISTORY, w.items(1, {"loss": 1}), count=1 << 40),
    w.record(w.OUTPUT_RAW, w.field(1, 1) + w.field(2, w.time(1.7e9 + 0.5)) + w.field(3, "abc"), count=300),
    w.record(9, b"of nobody's interest"),
    w.record(300, b"of a newer SDK"),
]


def read_slowly(record):
    """Field by field, without the ways that are quick for what most records look like."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_plain_printed", lambda record: None)
        patch.setattr(records, "_first_message", lambda record: None)
        return Records(str).read(record)


@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=2),
       st.none() | st.integers(0, 400))  # fmt: skip
@settings(max_examples=1_000, deadline=None)
def test_the_quick_way_reads_of_any_record_what_the_slow_one_does(whole, changes, cut):
    record = bytearray(whole[:cut])
    for place, byte in changes:
        if record:
            record[place % len(record)] = byte
    quick, slow = Records(str), read_slowly(bytes(record))
    assert repr(quick.read(bytes(record))) == repr(slow)


@pytest.mark.parametrize("whole", WHOLE, ids=range(len(WHOLE)))
def test_a_record_that_is_cut_anywhere_says_the_same_to_the_quick_way_and_the_slow_one(whole):
    for cut in range(len(whole) + 1):
        assert repr(Records(str).read(whole[:cut])) == repr(read_slowly(whole[:cut]))


@pytest.mark.parametrize("whole", WHOLE[:8:7], ids=["a row", "settings"])
def test_what_most_records_look_like_is_read_at_once(whole, monkeypatch):
    """Field by field it takes several times as long."""
    monkeypatch.setattr(records, "fields", None)
    assert len(read(whole)) == 1


@pytest.mark.parametrize("error", [False, True])
@pytest.mark.parametrize("more", [n for n in range(-19, 10) if n])
def test_a_message_of_another_size_than_it_says_is_read_by_its_fields(error, more):
    record = bytearray(w.printed("abc", 1.7e9 + 0.5, error=error, raw=True))
    record[3] += more  # behind the record's number and the field's
    assert repr(Records(str).read(bytes(record))) == repr(read_slowly(bytes(record)))


def test_what_was_printed_is_read_at_once_whether_or_not_fields_stand_behind_it(monkeypatch):
    whole = w.printed("abc", 1.7e9)
    alone = whole[: whole.index(b"abc") + 3]
    assert alone != whole
    monkeypatch.setattr(records, "fields", None)
    assert read(whole) == read(alone) == [Printed("abc", 1.7e9, False)]
