"""No line is lost and none comes twice, whatever is done to the file."""

import os
import shutil
from pathlib import Path

import pytest
from file_soak import Soak

from itermon.collectors.files import tail as tail_module
from itermon.collectors.files.tail import MOST_LINE_BYTES, LineBuffer, Tail


def everything(tail: Tail) -> bytes:
    data = b""
    while (more := tail.read()) or not tail.caught_up:
        data += more
        assert tail.restarts < 99, "it is read again and again"
    return data


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "train.log"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_only_complete_lines_come_and_each_comes_once(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthr")
    tail = Tail(path)
    assert everything(tail) == b"one\ntwo\n"
    append(path, b"ee")
    assert everything(tail) == b""
    append(path, b"\nfour\n")
    assert everything(tail) == b"three\nfour\n"
    assert everything(tail) == b""


def test_a_file_that_comes_later_is_read_from_its_beginning(path: Path) -> None:
    tail = Tail(path)
    assert tail.read() == b""
    assert not tail.is_open
    path.write_bytes(b"")
    assert tail.read() == b""
    path.write_bytes(b"one\n")
    assert everything(tail) == b"one\n"


def test_a_pipe_is_no_file_to_follow_and_holds_nobody_up(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(OSError, match="a named pipe, not a file"):
        Tail(path).read()


def test_a_truncated_file_is_read_from_its_beginning(path: Path) -> None:
    path.write_bytes(b"one\ntwo\nthr")
    tail = Tail(path)
    everything(tail)
    path.write_bytes(b"new\n")
    assert everything(tail) == b"new\n"
    assert tail.restarts == 1


@pytest.mark.parametrize("size", [8, 20])
def test_a_rewritten_file_is_noticed_though_it_is_no_shorter(path: Path, size: int) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    everything(tail)
    path.write_bytes(b"x" * (size - 1) + b"\n")
    assert everything(tail) == b"x" * (size - 1) + b"\n"


def test_rotation_by_rename_loses_no_last_words(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    everything(tail)
    with path.open("ab") as writer:
        path.rename(path.with_suffix(".1"))
        path.write_bytes(b"")  # logrotate's `create`: the writer still has the old one
        assert everything(tail) == b""
        writer.write(b"two\nlast %")
    append(path, b"three\n")
    assert everything(tail) == b"two\nlast %\nthree\n"


def test_rotation_by_copy_and_truncation(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    everything(tail)
    append(path, b"two\n")
    assert everything(tail) == b"two\n"
    shutil.copy(path, path.with_suffix(".1"))
    os.truncate(path, 0)
    assert everything(tail) == b""
    append(path, b"three\n")
    assert everything(tail) == b"three\n"


def test_a_deleted_file_is_read_on_until_it_is_there_again(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    everything(tail)
    with path.open("ab") as writer:
        path.unlink()
        writer.write(b"two\n")
        writer.flush()
        assert everything(tail) == b"two\n"
    path.write_bytes(b"three\n")
    assert everything(tail) == b"three\n"


def test_a_symbolic_link_that_turns_is_followed(path: Path) -> None:
    first, second = path.with_suffix(".first"), path.with_suffix(".second")
    first.write_bytes(b"one\n")
    path.symlink_to(first)
    tail = Tail(path)
    assert everything(tail) == b"one\n"
    second.write_bytes(b"two\n")
    path.unlink()
    path.symlink_to(second)
    assert everything(tail) == b"two\n"


def test_frames_of_a_progress_bar_are_lines_and_a_newline_after_a_return_is_none(path: Path) -> None:
    path.write_bytes(b"\r 10%\r 20%\r")
    tail = Tail(path)
    assert everything(tail) == b"\r 10%\r"
    append(path, b"\ndone\r\n")
    assert everything(tail) == b" 20%\r\ndone\r\n"


def test_a_line_without_an_end_costs_no_memory_and_hides_nothing_behind_it(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b"\nnext\n")
    tail = Tail(path)
    data = everything(tail)
    assert data.endswith(b"\nnext\n")
    assert data.count(b"\n") == 2
    assert len(data) < 2 * MOST_LINE_BYTES
    assert len(data.partition(b"\n")[0]) < 1_500_000, "a MiB, and what came with its last piece"


@pytest.mark.parametrize("hole", [1 << 20, 1 << 40])
def test_a_hole_is_passed_over_and_what_stands_around_it_is_read(path: Path, hole: int) -> None:
    with path.open("wb") as file:
        file.seek(hole)
        file.write(b"one\ntwo\n")
        file.seek(hole, os.SEEK_CUR)
        file.write(b"three\n")
        file.truncate(3 * hole)
    tail = Tail(path)
    assert everything(tail) == b"one\ntwo\nthree\n"
    assert tail.progress == 1
    append(path, b"four\n")
    assert everything(tail) == b"four\n"


def test_zeros_that_were_written_are_passed_over_where_a_line_begins(path: Path) -> None:
    path.write_bytes(bytes(5_000) + b"one\ntw" + bytes(1 << 20) + b"o\n" + bytes(700_000) + b"three\n")
    lines = everything(Tail(path)).split(b"\n")
    assert [lines[0], lines[2], lines[3]] == [b"one", b"three", b""]
    assert lines[1].startswith(b"tw\0")


def test_a_hole_behind_a_zero_of_a_line_is_passed_over_too(path: Path) -> None:
    path.write_bytes(b"one\ntw" + bytes((1 << 18) - 6))
    with path.open("ab") as file:
        file.seek(1 << 30)
        file.write(b"o\n")
    tail = Tail(path)
    read = [tail.read() for _ in range(3)]
    assert read[0] == b"one\n"
    assert b"".join(read).endswith(b"o\n"), "a gibibyte of zeros takes no more reads"


def test_a_last_line_without_a_newline_counts_unless_a_number_may_be_cut(path: Path) -> None:
    for text, rest in ((b"iter 1: mfu 8.44%", b"iter 1: mfu 8.44%\n"), (b"iter 1: loss 0.80", b""), (b"", b"")):
        path.write_bytes(b"x\n" + text)
        tail = Tail(path)
        everything(tail)
        assert tail.rest() == rest


@pytest.mark.parametrize(
    ("last", "counts"),
    [
        (b"epoch 12 loss 1.5625", True), (b"epoch 12 loss 1.75", False),  # as far as it was written
        (b"epoch 12", False), (b"epoch 12 loss 1.", False),
        (b"100%|\xe2\x96\x88| 4/4 [1:04<00:00, 16.5s/it]Epoch 4, loss: 2.25", True), (b"100%| 4", False),
    ],
)  # fmt: skip
def test_the_last_line_of_a_file_that_nobody_writes_counts_where_it_is_like_those_before(
    path: Path, last: bytes, *, counts: bool
) -> None:
    bar = b" 75%|\xe2\x96\x88\xe2\x96\x8e| 3/4 [48:06<16:00, 16.0s/it]Epoch 3, loss: 2.50\nsaved\n"
    path.write_bytes(b"x\n" + bar + b"epoch 9 loss 2.1875\nepoch 10 loss 2.3125\nepoch 11 loss 2.0625\n" + last)
    for over in (True, False):
        tail = Tail(path)
        everything(tail)
        assert tail.rest(over=over) == (last + b"\n" if over and counts else b"")


@pytest.mark.parametrize(("between", "counts"), [(30, True), (60, False)])
def test_whole_lines_are_those_of_the_newest_four_kibibytes(path: Path, between: int, *, counts: bool) -> None:
    path.write_bytes(b"x\nepoch 11 loss 2.0625\n" + (b"y" * 99 + b"\n") * between + b"epoch 12 loss 1.5625")
    tail = Tail(path)
    everything(tail)
    assert bool(tail.rest(over=True)) is counts


@pytest.mark.parametrize("seed", range(3))
def test_no_line_is_lost_or_doubled_whatever_is_done_to_the_file(tmp_path: Path, seed: int) -> None:
    soak = Soak(tmp_path, seed)
    soak.run(1_000)
    assert len(soak.read) > 1_000
    assert soak.read == soak.expected


@pytest.mark.parametrize(
    ("behind", "lines", "partial"),
    [
        (b"more of it", b"", b""),
        (b"\nnext\n", b"next\n", b""),
        (b"end\rnext\n", b"next\n", b""),
        (b"end\nnext\rlast", b"next\r", b"last"),
        (b"end\n", b"", b""),
        (b"end\n\0\0last", b"", b"\0\0last"),
        (b"\n\n", b"\n", b""),
    ],
)
def test_what_follows_a_line_that_was_too_long_is_read(behind: bytes, lines: bytes, partial: bytes) -> None:
    buffer = LineBuffer()
    assert buffer.add(b"x" * (1 << 20)) == b""
    assert buffer.add(b"y") == b"x" * (1 << 20) + b"\n"
    assert buffer.rest() == b""
    buffer = LineBuffer()
    buffer.add(b"x" * ((1 << 20) + 1))
    assert (buffer.add(behind), buffer.partial) == (lines, partial)


def test_a_line_begun_after_a_long_one_was_given_up_is_a_line() -> None:
    buffer = LineBuffer()
    buffer.add(b"x" * ((1 << 20) + 1))
    assert buffer.rest() == b""
    assert buffer.add(b"a\nb ") == b"a\n"
    assert buffer.rest() == b"b \n"
    assert buffer.rest() == b""


def test_zeros_before_the_next_line_are_no_part_of_it() -> None:
    buffer = LineBuffer()
    assert buffer.add(b"one\n\0\0tw") == b"one\n"
    assert buffer.add(b"o\0\n") == b"two\0\n"


def test_a_plain_file_is_read_a_quarter_of_a_mebibyte_at_a_time(path: Path) -> None:
    path.write_bytes(b"1234567\n" * (1 << 16))
    tail = Tail(path)
    assert (len(tail.read()), tail.offset, tail.progress, tail.caught_up) == (1 << 18, 1 << 18, 0.5, False)
    assert (len(tail.read()), tail.progress, tail.caught_up) == (1 << 18, 1.0, True)
    assert (tail.read(), tail.offset) == (b"", 1 << 19)


def test_the_offset_of_the_next_line_is_where_an_unfinished_one_begins(path: Path) -> None:
    path.write_bytes(b"one\ntw")
    tail = Tail(path)
    assert (tail.progress, tail.line_offset, tail.blank, tail.is_open) == (0.0, 0, True, False)
    assert tail.read() == b"one\n"
    assert (tail.line_offset, tail.offset, tail.blank, tail.is_open, tail.restarts) == (4, 6, False, True, 0)
    os.utime(path, (5, 7))
    assert tail.written_at_s == 7
    tail.close()
    tail.close()
    assert not tail.is_open


def test_after_much_without_a_line_the_caller_may_stop(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tail_module.PATIENCE_BYTES == 16 << 20
    monkeypatch.setattr(tail_module, "PATIENCE_BYTES", (1 << 18) + 1)
    path.write_bytes(b"x" * (3 << 18) + b"\n")
    tail = Tail(path)
    for pieces in (1, 2, 3):
        assert (tail.read(), tail.caught_up, tail.offset, tail.line_offset) == (b"", False, pieces << 18, 0)
    assert (len(tail.read()), tail.caught_up) == ((3 << 18) + 1, True)


def test_a_file_of_the_same_size_whose_last_words_still_stand_is_the_same(path: Path) -> None:
    path.write_bytes(b"-" * 100 + b"x" * 63 + b"\n")
    tail = Tail(path)
    everything(tail)
    path.write_bytes(b"+" * 100 + b"x" * 63 + b"\n")
    assert (everything(tail), tail.restarts) == (b"", 0)
    path.write_bytes(b"+" * 100 + b"y" + b"x" * 62 + b"\n")
    assert (len(everything(tail)), tail.restarts) == (164, 1)


def test_the_rest_of_a_line_that_was_too_long_is_no_line_and_neither_are_blanks() -> None:
    buffer = LineBuffer()
    assert buffer.add(b"x" * (MOST_LINE_BYTES + 1)) == b"x" * MOST_LINE_BYTES + b"\n"
    assert buffer.add(b"its rest") == b""
    assert buffer.rest() == b""
    assert buffer.add(b"next\n  \t") == b"next\n"
    assert buffer.rest() == b""


def test_a_line_may_have_the_most_bytes_and_its_rest_ends_at_the_next_line() -> None:
    buffer = LineBuffer()
    assert buffer.add(b"x" * MOST_LINE_BYTES) == b""
    assert buffer.add(b"\n") == b"x" * MOST_LINE_BYTES + b"\n"
    for end in (b"\n", b"\r"):
        buffer.add(b"x" * (MOST_LINE_BYTES + 1))
        assert buffer.add(b"rest" + end + b"one\ntwo\nthr") == b"one\ntwo\n"
        assert buffer.add(b"ee\n") == b"three\n"


@pytest.mark.parametrize(
    ("last", "over", "counts"),
    [
        (b"step 12 loss 2.25", True, True),
        (b"step 12 loss 2.25", False, False),
        (b"step 12 loss 2.2", True, False),  # it may have been cut
        (b"step 12 loss 2.255", True, True),
        (b"epoch 12 loss 2.25", True, False),  # none was like it
        (b"step 12 loss 2.", True, False),
        (b"step 12 done", False, True),
    ],
)
def test_a_last_line_without_its_end_counts_where_it_cannot_have_been_cut(
    last: bytes, over: bool, counts: bool
) -> None:
    buffer = LineBuffer()
    buffer.add(b"the head\nstep 10 loss 2.50\nstep 11 loss 2.75\n" + last)
    assert buffer.rest(over=over) == (last + b"\n" if counts else b"")
    assert buffer.rest(over=over) == b""


def test_progress_is_the_share_of_the_file_that_was_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "CHUNK_BYTES", 10)
    path.write_bytes(b"123456789\n" * 4)
    tail = Tail(path)
    found = []
    while tail.read():
        found.append((tail.progress, tail.line_offset, tail.caught_up))
    assert found == [(0.25, 10, False), (0.5, 20, False), (0.75, 30, False), (1.0, 40, True)]
