import struct

import pytest
from campaigns import wandb_writer as w

from itermon.collectors.trackers.wandb.protobuf import BadMessageError, fields, integer, text


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
