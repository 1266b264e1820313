import struct

import pytest
from campaigns import wandb_writer as w

from itermon.collectors.trackers.wandb.protobuf import BadMessageError, fields, integer, text, varint


def test_fields_come_in_their_order_whatever_their_form():
    message = w.field(1, 300) + w.field(200, "grün") + w.field(3, 1.5) + w.varint(4 << 3 | 5) + b"\0\1\2\3"
    found = list(fields(message))
    assert found == [(1, 300), (200, "grün".encode()), (3, struct.pack("<d", 1.5)), (4, b"\0\1\2\3")]


def test_long_texts_and_negative_numbers():
    (number, value), (_, below) = fields(w.field(2, "x" * 500) + w.field(3, -1))
    assert (number, text(value), integer(below)) == (2, "x" * 500, -1)


def test_what_is_absent_is_nothing():
    assert (text(None), text(5), integer(None), integer(b"x")) == ("", "", 0, 0)


@pytest.mark.parametrize(
    "message",
    [b"\x0a", b"\x0a\x05abcd", b"\x08", b"\x08\xff", b"\x0b", b"\x0f", b"\x09abc", b"\xff" * 12, b"\x0a\xff\xff"],
)
def test_what_is_no_message_is_said_to_be_none(message):
    with pytest.raises(BadMessageError):
        list(fields(message))


@pytest.mark.parametrize("length", [0, 1, 127, 128, 129, 16_383, 16_384])
@pytest.mark.parametrize("number", [1, 15, 16, 3_000])
def test_a_text_of_any_length_in_a_field_of_any_number(number, length):
    assert list(fields(w.field(number, "x" * length) + w.field(1, 5))) == [(number, b"x" * length), (1, 5)]


@pytest.mark.parametrize("value", [0, 1, 127, 128, 16_384, (1 << 63) - 1, -1, -(1 << 63)])
@pytest.mark.parametrize("number", [1, 16])
def test_an_integer_of_any_size_and_sign(number, value):
    ((found, read), (_, behind)) = fields(w.field(number, value) + w.field(2, 7))
    assert (found, integer(read), behind) == (number, value, 7)


@pytest.mark.parametrize(
    "last", [w.field(2, "abc"), w.field(2, ""), w.field(2, 300), w.field(2, 1.5), w.field(2, 5)]
)
def test_a_message_that_is_cut_in_its_last_field_is_none_and_whole_it_is_one(last):
    assert len(list(fields(w.field(1, 1) + last))) == 2
    for cut in range(1, len(last)):
        with pytest.raises(BadMessageError):
            list(fields(w.field(1, 1) + last[:cut]))


def test_an_integer_has_at_most_ten_bytes():
    assert varint(b"x" + b"\x80" * 9 + b"\x01", 1) == (1 << 63, 11)
    with pytest.raises(BadMessageError):
        varint(b"\x80" * 10 + b"\x01", 0)
