"""A pickle from anybody gives plain data, or is refused; nothing in it is ever called."""

from __future__ import annotations

import pickle
import random
import struct
from contextlib import suppress
from pathlib import Path

import pytest

from itermon.collectors.collective_dumps.plain_pickle import NotPlainError, loads


class Harm:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (str(self.path),)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_comes_as_it_is(protocol: int) -> None:
    data = {
        "entries": [{"a": (1, 2.5, None, True), "b": [b"x" if protocol > 2 else "x", -1, 2**40]}],
        "version": "2.4",
    }
    assert loads(pickle.dumps(data, protocol)) == data


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_would_call_something_is_refused(protocol: int, tmp_path: Path) -> None:
    harm = pickle.dumps([Harm(tmp_path / "harm")], protocol)
    with pytest.raises(NotPlainError, match=r"asks for|more than plain data"):
        loads(harm)
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    "call", [b"R", b"b", b"\x81", b"\x92", b"o", b"\x82\x01", b"P1\n", b"Q", b"\x97", b"\x98"]
)
def test_each_operation_that_is_more_than_data_is_refused(call: bytes) -> None:
    with pytest.raises(NotPlainError, match="more than plain data"):
        loads(b"\x80\x04(I1\nI2\n" + call + b".")


def test_a_memo_of_a_billion_places_takes_no_memory() -> None:
    assert loads(b"\x80\x02I1\nr" + struct.pack("<I", (1 << 32) - 1) + b".") == 1


def test_any_damage_is_refused_or_read_as_data() -> None:
    whole = pickle.dumps(
        {"entries": [{"frames": [], "state": "scheduled"}] * 5, "pg_config": {"0": {"ranks": "[0]"}}}
    )
    chance = random.Random(5)
    for _ in range(2_000):
        data = bytearray(whole[: chance.randrange(len(whole))] if chance.random() < 0.5 else whole)
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)
        with suppress(NotPlainError):
            loads(bytes(data))
