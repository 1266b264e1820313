"""What is printed stays the same, to the byte; the stream is the same object before, meanwhile and after."""

from __future__ import annotations

import io
import logging
import sys
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.trainer_hooks.output.taps import Taps

# The bounds as numbers of its own: from the code, a test would move with them.
MOST_OF_A_WRITE, MOST_WRITES = 16_384, 2_048

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def seen(taps: Taps) -> str:
    return "".join(text for _, _, text in taps.written)


@given(st.lists(st.one_of(TEXT, st.lists(TEXT), st.none(), st.binary(max_size=3), st.integers()), max_size=8))
def test_a_tapped_stream_takes_and_refuses_what_a_bare_one_does(writes: list[Any]) -> None:
    bare, tapped = stream(), stream()
    taps = Taps((tapped,))
    for each in writes:
        answers = []
        for one in (bare, tapped):
            try:
                answers.append(repr(one.writelines(each) if isinstance(each, list) else one.write(each)))
            except TypeError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]
    assert tapped.buffer.getvalue() == bare.buffer.getvalue()  # type: ignore[attr-defined]
    assert seen(taps) == bare.buffer.getvalue().decode()  # type: ignore[attr-defined]
    taps.remove()
    assert "write" not in vars(tapped)


def test_print_logging_and_who_holds_the_stream_already_are_seen() -> None:
    out = stream()
    handler = logging.StreamHandler(out)
    taps = Taps((out,))
    print("a", 1, sep="-", file=out)
    handler.emit(logging.LogRecord("x", logging.INFO, "", 0, "logged", None, None))
    assert seen(taps) == "a-1\nlogged\n"


def test_the_stream_is_the_same_object_and_answers_as_before() -> None:
    out = stream()
    before = (out.encoding, out.isatty(), out.buffer, out.line_buffering, type(out))
    taps = Taps((out,))
    assert (out.encoding, out.isatty(), out.buffer, out.line_buffering, type(out)) == before
    out.reconfigure(line_buffering=True)
    assert out.write("four") == 4
    taps.remove()
    out.write("not seen")
    assert seen(taps) == "four"


def test_an_error_of_the_stream_is_its_own_and_nothing_is_kept_of_it() -> None:
    out = stream()
    taps = Taps((out,))
    out.close()
    with pytest.raises(ValueError, match="closed file"):
        out.write("lost")
    assert not taps.written


def test_a_full_queue_takes_nothing_and_counts() -> None:
    out = stream()
    taps = Taps((out,))
    for _ in range(MOST_WRITES + 3):
        out.write("x")
    assert (len(taps.written), taps.missed) == (MOST_WRITES, 3)
    assert len(out.buffer.getvalue()) == MOST_WRITES + 3  # type: ignore[attr-defined]


def test_of_a_huge_write_only_its_beginning_is_held() -> None:
    out = stream()
    taps = Taps((out,))
    out.write("x" * (1 << 20))
    assert [len(text) for _, _, text in taps.written] == [MOST_OF_A_WRITE]


def test_one_stream_under_both_names_is_tapped_once() -> None:
    out = stream()
    taps = Taps((out, out))
    out.write("once\n")
    assert seen(taps) == "once\n"


def test_a_process_without_streams_or_with_odd_ones_has_no_taps() -> None:
    class Fixed:
        __slots__ = ()

        def write(self, text: str) -> int:
            return len(text)

    Taps((None, Fixed(), object())).remove()


def test_who_wrapped_the_stream_since_goes_on_and_who_had_before_is_put_back() -> None:
    out = stream()
    own = out.write
    out.write = lambda text: own(text.upper())  # type: ignore[method-assign]
    theirs = out.write
    taps = Taps((out,))
    ours = out.write
    out.write = lambda text: ours(text + "!")  # type: ignore[method-assign]
    taps.remove()
    out.write("a")
    assert not taps.written
    out.write = ours  # they let go of it: ours passes on
    out.write("b")
    assert out.buffer.getvalue() == b"A!B"  # type: ignore[attr-defined]
    out.write = theirs  # type: ignore[method-assign]
    Taps((out,)).remove()
    assert out.write is theirs


def test_what_we_say_ourselves_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    err = stream()
    monkeypatch.setattr(sys, "stderr", err)
    taps = Taps((err,))
    taps.say("itermon: watching")
    assert err.buffer.getvalue() == b"itermon: watching\n"  # type: ignore[attr-defined]
    assert not taps.written
    monkeypatch.setattr(sys, "stderr", None)
    taps.say("nobody hears")


def test_many_threads_print_at_once_and_nothing_is_lost() -> None:
    out = stream()
    taps = Taps((out,))
    threads = [threading.Thread(target=lambda: [out.write("x\n") for _ in range(100)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen(taps) == out.buffer.getvalue().decode() == "x\n" * 800  # type: ignore[attr-defined]


def test_what_waits_at_most_is_32_million_characters() -> None:
    assert MOST_WRITES * MOST_OF_A_WRITE <= 1 << 25


@pytest.mark.parametrize(
    ("text", "has_a_time"), [("a", False), ("a\n", True), ("a\r", True), ("a\r\n", True), ("\nb", True)]
)
def test_a_write_has_a_time_where_a_line_or_a_frame_ends_in_it(text: str, has_a_time: bool) -> None:
    out = stream()
    taps = Taps((out,))
    out.write(text)
    assert (taps.written[0][0] > 0) is has_a_time


class Wide(io.StringIO):
    """A stream whose `write` takes more than a text."""

    def write(self, text: object, other: object = "") -> int:  # type: ignore[override]
        return super().write(f"{text}{other}")


def test_of_a_stream_of_the_user_s_own_the_first_text_is_kept_and_nothing_that_is_none() -> None:
    out = Wide()
    taps = Taps((out,))
    out.write("a\n", "b\n")
    out.write(5)
    out.write("")
    assert seen(taps) == "a\n"
