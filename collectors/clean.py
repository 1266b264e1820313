"""Text from outside, made harmless before anything else sees it: the one place where bytes enter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from .escaped import has_escapes, unescaped
from .mangled import with_bars
from .rows_in_a_line import rows_in

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CHARACTERS = 2_000
"""More of one line than a screen can show, and little enough that a hostile one costs no time."""

MOST_PARSED_CHARACTERS = 1 << 16
"""A parser sees this much of a line: more than the longest record of any known format (verl: 10 kB)."""

_MOST_MARKS = 4  # combining marks on one character: what living scripts use; more climbs out of its row

# Strings (OSC, DCS, SOS, PM, APC, tmux's title `ESC k`) come first: the generic escape would eat only their first
# two bytes and leave the payload. They end at BEL, ST or the next escape; unterminated, with the line. Then CSI,
# then any other escape. 8-bit C1 forms too. Neighbouring classes share no character: linear in the line's length.
_ESCAPES = re.compile(
    "(?:\x1b[]PX^_k]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"
    "|\x1b[ -/]*[0-~]?"
)
_ECHOED = re.compile(r"\^\[(?:O[A-S]|\[[\d;]{0,8}[A-DFHP-SZ~])")
"""What a terminal shows of a key that somebody presses, as of a cursor's, in the midst of what is printed."""
_MARKS = {"Mn", "Me", "Mc"}
_INNER = re.compile(r"\] *\x1b\[A")
_RATES = ("it/s", "s/it", "batch/s", "s/batch", "epoch/s", "step/s", "s/step]")
_STEP = "s/step"
"""Ends a bar of Keras, or one like it: `3/3 [=====] 11.3s/step`."""
_RATE_BYTES = tuple(rate.encode() for rate in _RATES)
_BARS = ("=]", "━")
_UNIT = "(?:it|batch|epoch|step)"
_GLUED = re.compile(rf"(?<=[\d?])(?:{_UNIT}/s|s/{_UNIT})(?:, [^\[\]]{{0,2000}})?\](?=[A-Za-z0-9({{<]|\[(?!A))")
"""The end of a bar's frame, and what a script printed behind it without a newline."""
_BEGUN = re.compile(r"\d\.\d{1,12}%?(?=[A-Z][a-z][\w ./()-]{0,40}: {1,3}\d{1,3}%\|)")
"""`acc: 88.75%Val 3/9:  80%|████`: a bar's frame behind a row whose newline is still to come."""
_REPORTS = ("WARNING:", "INFO:", "ERROR:", "Traceback (most ")
"""What a library says on standard error, also behind a row whose newline is still to come."""
_REPORT_BYTES = tuple(report.encode() for report in _REPORTS)
_ROW = re.compile(r"[A-Za-z_)\]][:= ]{1,3}-?\d{1,12}\.\d{1,20}(?:e[-+]\d\d)?\Z")
_LONGEST_VALUE = 50
_CHINESE = re.compile(rb"(?:[\x00-\x7f]|[\xa1-\xf7][\xa1-\xfe])*")
"""GB 2312, what Chinese Windows prints: characters of two high bytes. In Latin-1 hardly two stand together."""
_MARK = "\ufeff"  # begins a file of some Windows programs, and each that `cat` put behind another


def decoded(data: bytes) -> str:
    """The text of some lines, in UTF-8. A line that is none is in GB 2312, or has U+FFFD in it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "\n".join(map(_decoded_line, data.split(b"\n")))


def _decoded_line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("gb18030" if _CHINESE.fullmatch(line) else "utf-8", errors="replace")


def clean(text: str, most: int = MOST_CHARACTERS) -> str:
    """`text` without anything that a terminal would obey or that would shear a row: at most `most` characters.

    Escape sequences go; tabs become blanks; of text with carriage returns the last segment stays, as a terminal
    would show it; every other character that is not printable (control, bidirectional, zero-width, lone surrogate)
    becomes U+FFFD. What is left is plain text, never markup.
    """
    text = text[:most]
    if not text.isprintable():
        text = _printable(text, most)
    return text if text.isascii() or _MARKS.isdisjoint(map(category, {*text})) else _without_towers(text)


def _printable(text: str, most: int) -> str:
    if "\r" in text:
        text = text.rstrip("\r\n").rpartition("\r")[2]
    if "\x1b" in text or not text.isascii():
        text = _ESCAPES.sub("", text)
    if "\t" in text:
        text = text.expandtabs()[:most]
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def _without_towers(text: str) -> str:
    """Cut runs of combining marks to `_MOST_MARKS`: a tower of them paints over the rows above and below."""
    kept: list[str] = []
    run = 0
    for character in text:
        run = run + 1 if category(character) in _MARKS else 0
        if run <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def clean_lines(data: bytes) -> Iterator[str]:
    """The lines of `data`, clean, in their order, without newlines: see `numbered_lines`."""
    return (text for _, text in numbered_lines(data, 1))


def numbered_lines(data: bytes, first: int) -> Iterator[tuple[int, str]]:
    """The lines of `data`, clean, without newlines, each with its number.

    A carriage return ends a line as well: each frame of a progress bar may say something that the next wipes out.
    A bar that is drawn below another moves the cursor up again: `][A` stays of that, as of a pasted one.
    What is printed while a bar is open stands behind its frame, without a newline: it is a line of its own.
    """
    bars, steps = any(rate in data for rate in _RATE_BYTES), _STEP.encode() in data
    reports, escapes = any(report in data for report in _REPORT_BYTES), has_escapes(data)
    lines = decoded(data).removesuffix("\n").split("\n")
    for number, line in enumerate(map(unescaped, lines) if escapes else lines, first):
        if line.isascii() and line.isprintable() and len(line) <= MOST_PARSED_CHARACTERS:  # as nearly all are
            if "^[" in line:
                line = _ECHOED.sub("", line)  # noqa: PLW2901 - the line as it was printed
            if (bars and any(rate in line for rate in _RATES)) or (steps and _end_of_steps(line)):
                yield from ((number, part) for part in _parts(line))
            elif reports and (end := _end_of_row(line)):
                yield from ((number, line[:end]), (number, line[end:]))
            else:
                yield from ((number, row) for row in rows_in(line))
            continue
        text = with_bars(line.removeprefix(_MARK))
        for frame in filter(None, text.split("\r")) if "\r" in text else (text,):
            shown = _INNER.sub("][A", frame) if "\x1b[A" in frame else frame
            cleaned = clean(shown, MOST_PARSED_CHARACTERS)
            cleaned = _ECHOED.sub("", cleaned) if "^[" in cleaned else cleaned
            parts = _parts(cleaned) if bars or steps or reports else rows_in(cleaned)
            yield from ((number, part) for part in parts)


def _parts(line: str) -> Iterator[str]:
    """The frames of bars on a line, the row in front of the first, and what stands directly behind each."""
    begin = 0
    if "%|" in line and (row := _BEGUN.search(line)) is not None:
        begin = row.end()
        yield line[:begin]
    for found in _GLUED.finditer(line, begin):
        yield line[begin : found.end()]
        begin = found.end()
    end = _end_of_steps(line)
    if end > begin:
        yield line[begin:end]
        begin = end
    rest = line[begin:]
    end = _end_of_row(rest)
    yield from (rest[:end], rest[end:]) if end else (rest,)


def _end_of_row(line: str) -> int:
    """Where a row ends behind whose last number one stands, `loss: 0.25WARNING:root:...`; 0: there is none."""
    for report in _REPORTS:
        at = line.find(report)
        if at > 0 and line[at - 1].isdigit() and _ROW.search(line[max(0, at - _LONGEST_VALUE) : at]):
            return at
    return 0


def _end_of_steps(line: str) -> int:
    """Where the frame of a bar of Keras ends, behind which a line stands without a newline; 0: there is none."""
    at = line.rfind(_STEP)
    end = at + len(_STEP)
    if at <= 0 or not line[end : end + 1].isupper() or line[at - 1] not in "0123456789mu":
        return 0
    return end if any(bar in line[:at] for bar in _BARS) else 0
