"""Compressed logs and UTF-16 give the text that is in them."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from itermon.collectors.files import tail as tail_module
from itermon.collectors.files.decoding import DecodingError, decoder_for
from itermon.collectors.files.tail import Tail

TEXT = "".join(f"iter {i}: loss 2.5000, time {i}.00ms, mfu 40.00% é\n" for i in range(3000))


def zstd(data: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard", reason="an extra").ZstdCompressor().compress(data)
    return compressed


def read(path: Path) -> bytes:
    tail, data = Tail(path), b""
    while more := tail.read():
        data += more
    tail.close()
    return data


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd])
@pytest.mark.parametrize("piece", [7, 1 << 14])
def test_a_compressed_log_is_read_in_any_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: object, piece: int
) -> None:
    monkeypatch.setattr(tail_module, "COMPRESSED_BYTES", piece)
    path = tmp_path / "train.log"
    path.write_bytes(compress(TEXT.encode()))  # type: ignore[operator]
    assert read(path) == TEXT.encode()


def test_members_after_each_other_are_one_log(tmp_path: Path) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(b"one\ntw") + gzip.compress(b"o\nthree\n"))
    assert read(path) == b"one\ntwo\nthree\n"


def test_what_comes_before_the_damage_is_read_and_then_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "train.log.gz"
    whole = gzip.compress(TEXT.encode(), 1)
    path.write_bytes(whole[: len(whole) // 2])
    assert TEXT.encode().startswith(read(path))
    assert len(read(path)) > 1000
    path.write_bytes(whole[:30] + b"garbage" * 9 + whole[60:])
    with pytest.raises(DecodingError, match="damaged"):
        read(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_told_with_and_without_its_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(TEXT.encode(encoding))
    assert read(path) == TEXT.encode()


def test_the_first_32_characters_show_whether_it_is_utf16(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    for count, is_text in ((32, True), (31, False)):
        text = "x" * count + "초\n"  # neither of its bytes is zero
        path.write_bytes(text.encode("utf-16-le"))
        assert (read(path) == text.encode()) == is_text


@pytest.mark.parametrize("level", range(1, 10))
def test_bzip2_is_recognised_at_every_level(level: int) -> None:
    decoder = decoder_for(bz2.compress(b"iter 0", level))
    assert decoder
    assert decoder(bz2.compress(b"iter 0", level)) == b"iter 0"


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"iter 0: loss 1",
        b"\xef\xbb\xbfiter 0",
        b"\x00" * 64,
        b"BZh is no",
        b"BZh01AY&SY",
        b"\x1f\x8b",
        b"\x00" * 7 + b"x",  # zeros in one half of the bytes, and in some of the other
        b"x" + b"\x00" * 7,
        b"x\x00x\x00x\x00",  # too short to say
    ],
)
def test_plain_text_is_left_alone(head: bytes) -> None:
    assert decoder_for(head) is None
