"""Compressed logs and UTF-16 give the text that is in them."""

import bz2
import gzip
import lzma
import random
import sys
from pathlib import Path

import pytest

from itermon.collectors.files import decoding
from itermon.collectors.files import tail as tail_module
from itermon.collectors.files.decoding import decoder_for, may_be_compressed
from itermon.collectors.files.tail import Tail

TEXT = "".join(f"iter {i}: loss 2.5000, time {i}.00ms, mfu 40.00% é\n" for i in range(3000))


def zstd(data: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard", reason="an extra").ZstdCompressor().compress(data)
    return compressed


def read(path: Path) -> bytes:
    tail, data = Tail(path), b""
    while (more := tail.read()) or not tail.caught_up:
        data += more
    tail.close()
    return data


def read_with_problem(path: Path) -> tuple[bytes, str]:
    tail, data = Tail(path), b""
    while (more := tail.read()) or not tail.caught_up:
        data += more
    data += tail.rest()
    problem = tail.problem_at_end
    tail.close()
    return data, problem


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, zstd])
@pytest.mark.parametrize("piece", [7, 1 << 14])
def test_a_compressed_log_is_read_in_any_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: object, piece: int
) -> None:
    monkeypatch.setattr(tail_module, "COMPRESSED_BYTES", piece)
    path = tmp_path / "train.log"
    path.write_bytes(compress(TEXT.encode()))  # type: ignore[operator]
    assert read(path) == TEXT.encode()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_zero_that_comes_alone_is_half_of_a_letter_of_utf_16(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr(tail_module, "COMPRESSED_BYTES", 1)
    path = tmp_path / "train.log"
    path.write_bytes("iter 7: loss\n".encode(encoding))
    assert read(path).decode().lstrip("\ufeff") == "iter 7: loss\n"


def test_members_after_each_other_are_one_log(tmp_path: Path) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(b"one\ntw") + gzip.compress(b"o\nthree\n"))
    assert read(path) == b"one\ntwo\nthree\n"


COMPRESS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}
each = pytest.mark.parametrize("name", COMPRESS)


@each
def test_a_cut_file_is_read_up_to_the_cut_and_this_is_reported(tmp_path: Path, name: str) -> None:
    path = tmp_path / "train.log"
    whole = COMPRESS[name](TEXT.encode())
    for cut in (2, 12, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        data, problem = read_with_problem(path)
        assert TEXT.encode().startswith(data)
        assert problem.startswith(("cut: ", "needs")), (cut, problem)


@each
def test_nothing_that_was_unpacked_before_a_damage_is_lost(tmp_path: Path, name: str) -> None:
    path = tmp_path / "train.log"
    whole = COMPRESS[name](TEXT.encode())
    path.write_bytes(whole + whole[:-9] + b"\xff" * 9)  # a wrong checksum, at the end of all the text
    data, problem = read_with_problem(path)
    assert data.startswith(TEXT.encode() + (b"" if name == "zstd" else TEXT.encode()[:-1]))
    assert "damaged at byte" in problem or "cut" in problem


@each
def test_zeros_behind_a_member_are_passed_over_and_garbage_is_reported(tmp_path: Path, name: str) -> None:
    path = tmp_path / "train.log"
    whole = COMPRESS[name](TEXT.encode())
    path.write_bytes(whole + bytes(10_240) + whole + bytes(300_000))
    assert read_with_problem(path) == (TEXT.encode() * 2, "")
    path.write_bytes(whole + b"garbage" * 9)
    data, problem = read_with_problem(path)
    assert data == TEXT.encode()
    assert problem == f"not read beyond byte {len(whole):,}: what follows there is no {name} data"


@each
def test_a_compressed_file_that_still_grows_is_no_fault(tmp_path: Path, name: str) -> None:
    path = tmp_path / "train.log"
    whole = COMPRESS[name](TEXT.encode())
    tail, data = Tail(path), b""
    for at in range(0, len(whole), 997):
        with path.open("ab") as file:
            file.write(whole[at : at + 997])
        while (more := tail.read()) or not tail.caught_up:
            data += more
        assert not tail.problem
    assert data == TEXT.encode()
    assert not tail.problem_at_end
    tail.close()


@each
def test_what_unpacks_to_absurdly_more_than_its_size_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(decoding, "FREE_BYTES", 1 << 20)
    path = tmp_path / "train.log"
    first = b"iter 1: loss 2.5, time 1.0ms\n"
    path.write_bytes(COMPRESS[name](first + bytes(8 << 20)))
    data, problem = read_with_problem(path)
    assert data.startswith(first)
    assert len(data) < 4 << 20
    assert "it unpacks to more than 500 times its size" in problem


def test_a_member_that_wants_too_much_memory_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.log.xz"
    huge = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28}]
    path.write_bytes(lzma.compress(b"one\n", check=lzma.CHECK_CRC32, filters=huge))
    data, problem = read_with_problem(path)
    assert data == b""
    assert problem.startswith("needs too much memory at byte ")


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
    packed = bz2.compress(b"iter 0", level)
    decoder = decoder_for(packed, lambda _count, _offset: b"")
    assert decoder
    decoder.push(packed, 0)
    assert decoder.pull() == b"iter 0"


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
    assert decoder_for(head, lambda _count, _offset: b"") is None


@pytest.mark.parametrize("name", ["gzip", "xz"])  # the others have blocks
def test_a_compressed_file_is_read_in_small_pieces(tmp_path: Path, name: str) -> None:
    path = tmp_path / "train.log"
    noise = random.Random(7).randbytes(40_000).hex().encode()
    path.write_bytes(COMPRESS[name](b"\n".join(noise[at : at + 63] for at in range(0, len(noise), 63)) + b"\n"))
    tail = Tail(path)
    assert tail.read()
    assert tail.offset in range(1 << 14, path.stat().st_size, 1 << 14)
    while tail.read() or not tail.caught_up:
        assert tail.offset % (1 << 14) == 0 or tail.offset == path.stat().st_size


@each
def test_a_compressed_file_is_unpacked_in_bounded_pieces(tmp_path: Path, name: str) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(COMPRESS[name](b"0123456\n" * (1 << 18)))
    tail = Tail(path)
    pieces = [len(tail.read())]
    while not tail.caught_up:
        pieces.append(len(tail.read()))
    assert sum(pieces) == 1 << 21
    assert max(pieces) <= 1 << (23 if name == "zstd" else 18)


@each
def test_what_ends_with_a_member_is_whole_and_what_is_begun_is_cut(name: str) -> None:
    whole = COMPRESS[name](b"one\n")
    decoder = decoder_for(whole, lambda count, offset: whole[offset : offset + count])
    assert decoder
    assert decoder.is_between
    decoder.push(whole[:-1], 0)
    pulled = decoder.pull()
    assert (decoder.is_between, decoder.cut()) == (
        False, f"cut: it ends at byte {len(whole) - 1:,}, in the middle of {name} data",
    )  # fmt: skip
    decoder.push(whole[-1:], len(whole) - 1)
    assert pulled + decoder.pull() == b"one\n"
    assert decoder.pull() == b""
    assert (decoder.is_between, decoder.cut(), decoder.problem) == (True, "", "")


def test_half_a_magic_is_too_short_to_say() -> None:
    assert [may_be_compressed(head) for head in (b"", b"\x1f", b"\x1f\x8b", b"\x1f\x8b\x08", b"BZh9", b"x")] == [
        True, True, True, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(16))
def test_a_zstd_file_may_begin_with_a_frame_to_be_skipped(tmp_path: Path, number: int) -> None:
    path = tmp_path / "train.log"
    skipped = bytes([0x50 + number]) + b"\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
    path.write_bytes(skipped + zstd(b"one\n"))
    assert read(path) == b"one\n"


def test_so_much_may_come_out_whatever_the_ratio(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decoding.FREE_BYTES == 64 << 20
    monkeypatch.setattr(decoding, "FREE_BYTES", 1 << 20)
    for size, problem in ((1 << 20, ""), ((1 << 20) + (1 << 18), "not read beyond byte")):
        packed = gzip.compress(bytes(size - 1) + b"\n")
        decoder = decoder_for(packed, lambda _count, _offset: b"")
        assert decoder
        decoder.push(packed, 0)
        while decoder.pull():
            pass
        assert decoder.problem.startswith(problem)
        assert bool(decoder.problem) == bool(problem)


def test_zstd_without_its_package_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "train.log"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(100))
    with pytest.raises(OSError, match=r"pip install 'itermon\[zstd\]'"):
        read(path)


@pytest.mark.parametrize(
    "head",
    [
        b"abcdefg",
        b"\0a\0b\0c",
        b"a\0b\0c\0de",
        b"\0a\0bc\0\0d",
        b"\0a\0bcd\0e",
        b"a\0bcd\0e\0",
        b"\0a\0b\0\0\0c",
        bytes(8),
    ],
)
def test_a_zero_that_is_not_in_each_other_byte_makes_no_utf16(head: bytes) -> None:
    assert decoder_for(head, lambda _count, _offset: b"") is None
