import math

import pytest
from campaigns import wandb_writer as w
from hypothesis import given, settings
from hypothesis import strategies as st

from itermon.collectors.trackers.wandb import items as module
from itermon.collectors.trackers.wandb.items import Names, _read, items
from itermon.collectors.trackers.wandb.protobuf import BadMessageError, fields


def read(message, wanted=str, field=3):
    return items(message, field, Names(wanted))


def test_names_and_values_of_old_and_new_files():
    assert read(w.items(3, {"a": 1.5, "b": "x"})) == [("a", b"1.5"), ("b", b'"x"')]
    assert read(w.items(3, {"a": 1, "outer.inner.b": 2}, nested=True)) == [("a", b"1"), ("outer.inner.b", b"2")]


def test_only_what_is_wanted_and_by_the_name_it_is_wanted_under():
    asked = []

    def wanted(name):
        asked.append(name)
        return "power" if name == "p" else None

    message = w.items(3, {"p": 1, "cpu": 2}) + w.items(3, {"p": 3, "cpu": 4})
    assert read(message, wanted) == [("power", b"1"), ("power", b"3")]
    assert asked == ["p", "cpu"]


def test_other_fields_between_and_items_of_any_length():
    long = "n" * 200
    message = w.field(1, 5) + w.field(2, "text") + w.items(3, {long: "v" * 300, "a": 1}) + w.field(9, 2.5)
    assert read(message) == [(long, b'"' + b"v" * 300 + b'"'), ("a", b"1")]


def test_values_that_are_no_json():
    """The newest SDKs describe an item of history with such fields."""
    typed = w.field(3, w.field(2, "i") + w.field(5, 7)) + w.field(3, w.field(2, "x") + w.field(6, 0.25))
    assert read(typed) == [("i", b"-4"), ("x", b"0.25")]
    ((_, value),) = read(w.field(3, w.field(1, "n") + w.field(6, math.nan)))
    assert value == b"nan"


@pytest.mark.parametrize("other", [w.field(9, "8 bytes!"), w.field(6, "five!"), w.field(4, 2.5)])
def test_a_part_that_is_not_known_is_left_aside(other):
    assert read(w.field(3, w.field(1, "name") + w.field(16, "1") + other)) == [("name", b"1")]


def test_parts_in_another_order():
    assert read(w.field(3, w.field(16, "1") + w.field(1, "late"))) == [("late", b"1")]


def test_a_name_beyond_any_reason_is_not_wanted():
    assert read(w.items(3, {"x" * 5_000: 1})) == []


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_message_that_is_cut_is_none(cut):
    message = w.items(3, {"name": "v" * 150, "b": 2})
    try:
        found = read(message[:-cut])
    except BadMessageError:
        return
    assert found == [("name", b'"' + b"v" * 150 + b'"')]
    assert cut == len(w.items(3, {"b": 2}))


MESSAGES = [
    w.items(3, {"a": 1.5, "b": "x"}),
    w.items(3, {"a": 1, "outer.inner": 2}, nested=True),
    w.field(1, 5) + w.items(3, {"n" * 130: "v" * 130, "a": 1}) + w.field(9, 2.5),
    w.field(2, w.time(1.7e9)) + w.items(3, {"v": "x" * 126}) + w.varint(4 << 3 | 5) + bytes(4),
    w.field(3, w.field(16, "1") + w.field(1, "late")) + w.field(3, b"") + w.items(3, {"": 0}),
]


def read_slowly(message):
    """Each item field by field, without the way that is quick for what most of them look like."""
    found = []
    for number, content in fields(message):
        if number == 3 and isinstance(content, bytes):
            _read(content, Names(str), found)
    return found


def outcome(way, message):
    try:
        return way(message)
    except BadMessageError:
        return "no message"


@given(st.sampled_from(MESSAGES), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=2),
       st.none() | st.integers(0, 400))  # fmt: skip
@settings(max_examples=1_000, deadline=None)
def test_the_quick_way_finds_in_any_message_what_the_slow_one_does(whole, changes, cut):
    message = bytearray(whole[:cut])
    for place, byte in changes:
        if message:
            message[place % len(message)] = byte
    assert outcome(read, bytes(message)) == outcome(read_slowly, bytes(message))


@pytest.mark.parametrize("whole", MESSAGES, ids=range(len(MESSAGES)))
def test_a_message_that_is_cut_anywhere_is_the_same_to_both_ways(whole):
    for cut in range(len(whole) + 1):
        assert outcome(read, whole[:cut]) == outcome(read_slowly, whole[:cut])


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\x01", b"\n\x01a"])
def test_an_item_of_a_few_bytes_is_the_same_to_both_ways(content):
    message = bytes([3 << 3 | 2, len(content)]) + content
    assert outcome(read, message) == outcome(read_slowly, message)


@pytest.mark.parametrize(("length", "known"), [(1_000, True), (1_001, False)])
def test_a_name_may_have_a_thousand_bytes(length, known):
    assert bool(read(w.items(3, {"x" * length: 1}))) == known


def test_of_ten_thousand_names_each_is_read_and_those_behind_them_are_not():
    names = Names(str)
    found = items(w.items(3, {f"n{number}": 1 for number in range(10_005)}), 3, names)
    assert [name for name, _ in found] == [f"n{number}" for number in range(10_000)]
    assert len(items(w.items(3, {"n5": 2}), 3, names)) == 1, "what is known stays known"


def test_what_most_items_look_like_is_read_at_once(monkeypatch):
    """Field by field it takes several times as long."""
    monkeypatch.setattr(module, "_read", None)
    assert read(w.items(3, {"a": 1.5, "name": "x" * 50})) == [("a", b"1.5"), ("name", b'"' + b"x" * 50 + b'"')]
    assert read(w.items(3, {"b": 1}, nested=True)) == [("b", b"1")]
