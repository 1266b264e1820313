import math

import pytest
from campaigns import wandb_writer as w

from itermon.collectors.trackers.wandb.items import Names, items
from itermon.collectors.trackers.wandb.protobuf import BadMessageError


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
