"""The lines of a log, found again by number, by iteration and by what they say."""

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from itermon.collectors.logs import reader
from itermon.collectors.logs import text as log_text
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.stdin import StreamSource
from itermon.collectors.logs.text import LogText
from itermon.events import Iteration, SourceState, expand


def write(path: Path, count: int) -> list[str]:
    lines = ["tokens per iteration will be: 16,384"]
    for i in range(count):
        if i % 100 == 0:
            lines.append(f"step {i}: train loss 2.0, val loss 2.0")
        lines.append(f"iter {i}: loss 2.5000, time {i}.00ms, mfu 40.00%")
    path.write_text("".join(line + "\n" for line in lines))
    return lines


def read(path: Path) -> tuple[LogText, list[int]]:
    source = LogSource(path, follow=False)
    indices = [
        e.index
        for b in source.batches(threading.Event())
        if not b.preview
        for e in expand(b.events)
        if isinstance(e, Iteration)
    ]
    return source.text, indices


def test_the_last_lines_are_those_that_say_something_and_short(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    for written, last in (
        ("", ()),
        ("one\n", ("one",)),
        ("one\ntwo\n\n  \nthree\nfour\n\n", ("two", "three", "four")),
        ("x" * 5_000 + "\n", ("x" * 200,)),
        ("\x1b[31mred\x1b[0m\n" * 3_000, ("red",) * 3),
        ("one\ntwo", ("one", "two")),  # nobody ended it
        ("one\n 98%|###| 98/100\r 99%|###| 99/100", ("one", "99%|###| 99/100")),
        ("one\n 98%|###| 98/100\r 99%|###| 99/100\r\n", ("one", "99%|###| 99/100")),
    ):
        path.write_text(written)
        assert read(path)[0].last_lines() == last


@pytest.fixture(autouse=True)
def _small_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_text, "MARK_BYTES", 1000)


def test_lines_are_found_by_their_iteration(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 20_000)
    text, indices = read(path)
    assert text.lines == len(lines)
    for position in (0, 1, 99, 100, 5_000, 12_345, 19_999):
        number = text.line_of(position)
        assert number is not None
        assert lines[number - 1].startswith(f"iter {indices[position]}:")
    assert text.line_of(20_000) is None
    text.ahead = 1
    assert lines[(text.line_of(5_000) or 0) - 1].startswith("iter 5001:")
    text.ahead = None
    assert text.line_of(5_000) is None
    assert text.lines_about(5_000) == []


def test_what_the_log_says_of_an_iteration_stands_before_its_line(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 3_000)
    place = lines.index("step 1500: train loss 2.0, val loss 2.0")
    lines[place + 1 : place + 1] = ["saving checkpoint to out\x1b[2J", "a line that says nothing"]
    path.write_text("".join(line + "\n" for line in lines))
    text, _ = read(path)
    about = text.lines_about(1_500)
    assert [line.number for line in about] == [place + 1, place + 2]
    assert about[0].text == "step 1500: train loss 2.0, val loss 2.0"
    assert about[1].text.isprintable()
    assert text.lines_about(1_501) == []
    assert text.lines_about(3_000) == []


def test_a_resumed_run_has_an_iteration_on_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = [*write(path, 1_000), *write(path, 600)]
    path.write_text("".join(line + "\n" for line in lines))
    text, _ = read(path)
    places = [number for number, line in enumerate(lines, 1) if line.startswith("iter 500:")]
    assert [text.line_of(500, earlier) for earlier in range(3)] == [*places, None]
    assert [[line.number for line in text.lines_about(500, earlier)] for earlier in range(2)] == [
        [place - 1] for place in places
    ]


def test_a_table_is_found_though_only_its_first_line_names_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    lines = ["step,loss,duration", *(f"{n},2.5,0.1" for n in range(3, 3_000, 3))]
    path.write_text("".join(line + "\n" for line in lines))
    text, _ = read(path)
    assert text.line_of(2_400) == 801
    assert text.line_of(2_401) is None


def test_after_a_format_was_recognised_late_the_line_numbers_are_those_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_UNRECOGNISED_BYTES", 1_000)
    path = tmp_path / "train.log"
    lines = ["a preface of other words " * 9] * 3_000 + write(path, 50)
    path.write_text("".join(line + "\n" for line in lines))
    text, _ = read(path)
    number = text.line_of(40)
    assert number is not None
    assert lines[number - 1].startswith("iter 40:")


def test_lines_are_found_by_number_and_end_where_the_file_was_read_to(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 3_000)
    text, _ = read(path)
    with path.open("a") as file:
        file.write("not read yet\n")
    assert text.lines_from(1_500, 3) == [(n, lines[n - 1]) for n in (1_500, 1_501, 1_502)]
    assert [line.number for line in text.lines_from(len(lines) - 1, 10)] == [len(lines) - 1, len(lines)]
    assert text.lines_from(-3, 2)[0].number == 1
    assert text.search("not read") is None


@pytest.mark.parametrize(("more", "shown"), [(0, 2), (-1, 1)])
def test_no_more_is_shown_than_is_read_at_once(
    more: int, shown: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 20)
    text, _ = read(path)
    monkeypatch.setattr(log_text, "_MOST_SHOWN_BYTES", len(lines[0]) + len(lines[1]) + 2 + more)
    assert len(text.lines_from(1, 20)) == shown


def test_search_goes_on_from_a_line_and_minds_no_case(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 3_000)
    text, _ = read(path)
    first = text.search("STEP 2000:")
    assert first is not None
    assert lines[first - 1].startswith("step 2000:")
    assert text.search("step 2000:", first) is None
    assert text.search("[nothing]") is None


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_search_goes_back_from_a_line_over_every_mark(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 3_000)
    path.write_bytes(packed(path.read_bytes()))
    text, _ = read(path)
    found, before = [], text.lines + 10
    while (line := text.search_back("VAL LOSS", before)) is not None:
        found.append(line)
        before = line
    assert found == [n for n in range(len(lines), 0, -1) if "val loss" in lines[n - 1]]
    assert text.search_back("tokens per", 2) == 1
    assert text.search_back("[nothing]", text.lines) is None
    assert text.search_back("tokens per", text.lines, stop=lambda: True) is None


def test_what_is_shown_is_clean(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"\x1b[2Jiter 0: loss 1.0, time 1.00ms, mfu 1.00%\n 10%\r 20%\r\n\xff\n")
    text, _ = read(path)
    assert [line.text for line in text.lines_from(1, 9)] == [
        "iter 0: loss 1.0, time 1.00ms, mfu 1.00%",
        " 20%",
        "\ufffd",
    ]


def test_after_a_rotation_the_new_file_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 50)
    source = LogSource(path, poll_s=0.01)
    batches = source.batches(threading.Event())
    while next(batches).state != SourceState.LIVE:
        pass
    path.rename(path.with_suffix(".1"))
    path.write_text("iter 50: loss 2.5000, time 1.00ms, mfu 40.00%\n")
    while not any(isinstance(event, Iteration) for event in next(batches).events):
        pass
    assert source.text.line_of(50) == 1
    assert source.text.lines_from(1, 3) == [(1, "iter 50: loss 2.5000, time 1.00ms, mfu 40.00%")]
    assert source.text.line_of(3) is None
    assert len(lines) > 50
    assert "truncated or replaced" in source.text.gone
    path.unlink()
    assert source.text.line_of(50) is None


@pytest.mark.parametrize("packed", [gzip.compress, lambda data: data.decode().encode("utf-16")])
def test_text_that_is_not_the_files_own_bytes_is_kept(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 3_000)
    path.write_bytes(packed(path.read_bytes()))
    text, indices = read(path)
    assert text.lines == len(lines)
    assert (text.first, text.gone) == (1, "")
    assert text.lines_from(1_500, 3) == [(n, lines[n - 1]) for n in (1_500, 1_501, 1_502)]
    for position in (0, 99, 2_999):
        assert lines[(text.line_of(position) or 0) - 1].startswith(f"iter {indices[position]}:")
    assert lines[(text.search("STEP 2000") or 0) - 1].startswith("step 2000:")


def test_of_a_stream_the_newest_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_text, "KEPT_BYTES", 20_000)
    count = 3_000
    lines = [f"iter {i}: loss 2.5000, time {i}.00ms, mfu 40.00%" for i in range(count)]
    reading, writing = os.pipe()
    source = StreamSource(reading)
    batches = source.batches(threading.Event())
    for begin in range(0, count, 100):
        os.write(writing, "".join(line + "\n" for line in lines[begin : begin + 100]).encode())
        next(batches)
    while source.text.lines < count:
        next(batches)
    os.close(writing)
    text = source.text
    assert count - 400 < text.first < count - 200
    assert f"not kept: the first {text.first - 1:,} lines" in text.gone
    assert text.lines_from(text.first, 1) == [(text.first, lines[text.first - 1])]
    assert text.line_of(count - 10) == count - 9
    assert text.line_of(5) is None
    assert text.search("iter 2990:") == 2_991
    assert text.search("iter 5:") is None


def test_of_many_lines_about_an_iteration_the_newest_four_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    saved = [f"saving checkpoint to out-{n}" for n in range(6)]
    steps = [f"iter {n}: loss 2.5000, time {n}.00ms, mfu 40.00%" for n in range(9)]
    path.write_text("".join(line + "\n" for line in [*steps[:5], *saved, *steps[5:]]))
    text, _ = read(path)
    assert [line.text for line in text.lines_about(5)] == saved[-4:]


def test_lines_before_the_first_are_the_first(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 50)
    text, _ = read(path)
    assert [line.number for line in text.lines_from(-3, 2)] == [1, 2]
    assert [line.number for line in text.lines_from(0, 1)] == [1]
    assert [line.number for line in text.lines_from(len(lines), 1)] == [len(lines)]
    assert text.lines_from(len(lines) + 1, 1) == []
    assert text.lines_from(1, 0) == []


def test_a_text_begins_with_its_first_line_and_is_not_gone() -> None:
    text = LogText(why_none="none")
    assert (text.first, text.lines, text.gone) == (1, 0, "none")
    text.read(b"one\ntwo\n", None)
    assert (text.first, text.lines, text.gone) == (1, 2, "")
    text.replace_file()
    assert (text.first, text.lines, text.gone) == (1, 0, "none")
    text.read(b"three\n", None)
    assert text.gone == "the file was truncated or replaced: its older text is gone"
    text.begin()
    text.read(b"four\n", None)
    assert (text.gone, text.lines_from(1, 9)) == ("", [(1, "four")])


def test_a_place_in_the_file_is_noted_where_a_line_ends_so_many_bytes_behind_the_last() -> None:
    text = LogText(Path("train.log"))
    for data, offset in ((b"a\n", 999), (b"b", 1_500), (b"c\n", 1_501), (b"d\n", 2_500), (b"e\n", 2_501)):
        text.read(data, offset)
    assert [(mark.lines, mark.offset) for mark in text._marks] == [(0, 0), (2, 1_501), (4, 2_501)]


@pytest.mark.parametrize(("more", "first"), [(0, 1), (1, 101)])
def test_as_much_of_a_stream_is_kept_as_there_is_room_for(
    more: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_text, "KEPT_BYTES", 3_000)
    text = LogText()
    for _ in range(30):
        text.read(b"123456789\n" * 10, None)
    text.read(b"\n" * more, None)
    assert (text.first, text.lines) == (first, 300 + more)
    assert [line.number for line in text.lines_from(1, 400)] == list(range(first, 301 + more))


def test_one_line_that_is_longer_than_what_is_kept_is_kept_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_text, "KEPT_BYTES", 100)
    text = LogText()
    text.read(b"short\n", None)
    text.read(b"x" * 150 + b"\n", None)
    text.read(b"y" * 990 + b"\n", None)
    text.read(b"z\n", None)
    assert [line.text[0] for line in text.lines_from(1, 9)] == ["z"]
    alone = LogText()
    alone.read(b"y" * 990 + b"\n", None)
    assert len(alone.lines_from(1, 9)) == 1


@pytest.mark.parametrize(("blank", "last"), [(19, ("said",)), (20, ())])
def test_last_words_are_looked_for_in_twenty_lines(tmp_path: Path, blank: int, last: tuple[str, ...]) -> None:
    path = tmp_path / "train.log"
    path.write_text("said\n" + "\n" * blank)
    assert read(path)[0].last_lines() == last


def test_a_search_begins_at_the_mark_right_before_the_line_where_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    lines = write(path, 9_000)
    text, _ = read(path)
    first, second, *_ = (mark.lines for mark in text._marks)
    assert text.search_back(lines[second - 1], text.lines) == second, "the last line before a mark"
    begins: list[int] = []
    walk = log_text._walk
    monkeypatch.setattr(log_text, "_walk", lambda path, marks: begins.append(marks[0].lines) or walk(path, marks))

    def begun(found: int | None) -> list[int]:
        assert found is None
        return [begins.pop(0) for _ in range(len(begins))]

    assert begun(text.search("[nothing]", second)) == [second]
    assert begun(text.search("[nothing]", second - 1)) == [first]
    assert begun(text.search_back("[nothing]", second + 2)) == [second, first]
    assert begun(text.search_back("[nothing]", second + 1)) == [first]


def test_the_last_line_that_was_read_is_searched_and_none_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    write(path, 300)
    text, _ = read(path)
    with path.open("a") as file:
        file.write("iter 300: not read yet\n")
    assert text.search("iter 299:") == text.search_back("iter 299:", 10**9) == text.lines
    assert text.search("") == 1
    assert text.search("iter 300:") is text.search_back("iter 300:", 10**9) is None
