"""Each library unpacks no more at a time than it is asked for, and says when a member is complete."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import sys
from types import SimpleNamespace

import pytest

from itermon.collectors.files.compression import COMPRESSIONS, DecodingError, Member

NOISE = random.Random(1).randbytes(5_000)


def zstd(data: bytes) -> bytes:
    made: bytes = pytest.importorskip("zstandard", reason="an extra").ZstdCompressor().compress(data)
    return made


COMPRESS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}
each = pytest.mark.parametrize("name", COMPRESS)


def member(name: str) -> Member:
    return next(one for one in COMPRESSIONS if one.name == name).make()


@each
def test_a_member_begins_as_its_compression_says(name: str) -> None:
    one = next(one for one in COMPRESSIONS if one.name == name)
    assert COMPRESS[name](b"text").startswith(one.magics)
    assert [other.name for other in COMPRESSIONS if COMPRESS[name](NOISE).startswith(other.magics)] == [name]


def test_a_bzip2_file_without_text_and_any_level_are_known() -> None:
    (bzip2,) = (one for one in COMPRESSIONS if one.name == "bzip2")
    for level in range(1, 10):
        assert bz2.compress(b"", level).startswith(bzip2.magics)
        assert bz2.compress(b"text", level).startswith(bzip2.magics)
    assert not b"BZh0 is a word".startswith(bzip2.magics)


@each
def test_what_it_gives_is_bounded_and_what_waits_comes_without_more_input(name: str) -> None:
    one, text = member(name), b""
    more = COMPRESS[name](bytes(1 << 20)) + b"behind"
    parts = [one.decompress(more, 1 << 12)]
    while not one.eof:
        assert not one.needs_input
        parts.append(one.decompress(b"", 1 << 12))
        assert len(parts) < 2_000
    text = b"".join(parts)
    assert text == bytes(1 << 20)
    assert max(map(len, parts)) <= (1 << 12 if name != "zstd" else 1 << 22)
    assert one.unused_data == b"behind"


@each
def test_one_that_has_all_used_asks_for_more(name: str) -> None:
    one, whole = member(name), COMPRESS[name](NOISE)
    text = one.decompress(whole[:-20], 1 << 16)
    for _ in range(200):
        text += b"" if one.needs_input else one.decompress(b"", 1 << 16)
    assert one.needs_input
    assert not one.eof
    text += one.decompress(whole[-20:], 1 << 16)
    assert one.eof
    assert (text, one.unused_data) == (NOISE, b"")


def test_zstd_of_many_frames_of_text_stops_where_it_has_enough() -> None:
    one, whole = member("zstd"), zstd(random.Random(2).randbytes(200_000))
    first = one.decompress(whole, 1)
    while not first:
        first = one.decompress(b"", 1)
    assert len(first) <= 1 << 17  # a block
    assert not one.needs_input


def test_without_its_package_zstd_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)  # type: ignore[misc]
    with pytest.raises(DecodingError, match="pip install"):
        member("zstd")


@each
def test_one_that_asks_for_more_holds_nothing_back_wherever_its_input_is_cut(name: str) -> None:
    whole = COMPRESS[name](bytes(10_000))
    for cut in range(1, len(whole)):
        one = member(name)
        one.decompress(whole[:cut], 5_000)
        assert not one.needs_input or one.decompress(b"", 5_000) == b"", cut


class Unpacked:
    """In the place of the zstd package: text that was never packed."""

    eof, unused_data = False, b""

    def __init__(self, **options: object) -> None:
        self.decompress = bytes

    def decompressobj(self) -> Unpacked:
        return self


@pytest.mark.parametrize(("most", "given"), [(1, 1), (100, 100), (128, 128), (129, 256), (256, 256), (999, 600)])
def test_zstd_gets_slices_until_it_has_given_enough(
    most: int, given: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", SimpleNamespace(ZstdDecompressor=Unpacked))
    one, text = member("zstd"), bytes(range(250)) * 3
    assert one.decompress(text[:600], most) == text[:given]
    assert one.needs_input == (given == 600)
    assert one.unused_data == text[given:600]
    assert one.decompress(text[600:], 999) == text[given:]


def test_a_bzip2_member_gives_the_whole_block_before_it_asks_for_more() -> None:
    text = b"".join(b"iter %d: loss %.4f\n" % (n, n % 97 / 7) for n in range(30_000))
    whole = bz2.compress(text, 1)
    block = 99_900  # bytes at least, of level 1
    for cut in range(len(whole) - 20, len(whole) - 4):
        one, more, found = member("bzip2"), whole[:cut], b""
        while not one.eof and (more or not one.needs_input):
            part = one.decompress(b"" if not one.needs_input else more, 1 << 12)
            more, found = b"", found + part
        assert text.startswith(found)
        rest = member("bzip2")
        unbounded = rest.decompress(whole[:cut], 1 << 24)
        assert len(found) == len(unbounded) >= len(text) - block
