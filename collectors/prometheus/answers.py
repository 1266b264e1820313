"""From the bytes of an answer to series: bounded, and one that is no series does not lose the others."""

from __future__ import annotations

import re
from math import isfinite
from typing import NamedTuple

import msgspec

from ...words import plural
from ..clean import clean

MOST_SERIES = 20_000
MOST_POINTS = 11_000
"""Of a series: what a server gives at most (`exceeded maximum resolution of 11,000 points`)."""

_MOST_NOTES = 5
_MOST_NOTE = 200  # characters
_MOST_REFUSAL = 300
_MOST_ECHOED = 20_000
_ECHO = re.compile(r'query="(?:[^"\\]|\\.)*"')
"""VictoriaMetrics repeats the question before it says what is wrong with it."""

_PARTIAL = "the answer is partial: a part of the server's storage did not answer"
_MOST_LABELS = 64
_MOST_LABEL = 1_000  # characters
_MOST_DIGITS = 40

Point = tuple[float, float]  # Unix time, value


class Series(NamedTuple):
    """One series: its labels as the server has them, to be made harmless where they are shown; its points."""

    labels: dict[str, str]
    points: list[Point]

    @property
    def value(self) -> float:
        """The newest."""
        return self.points[-1][1]


class Answer(NamedTuple):
    """What came back: the series, and what the server warns of, or what of it could not be used."""

    series: list[Series]
    notes: tuple[str, ...] = ()


class NoAnswerError(ValueError):
    """The bytes are not what such a server says; the message says what they are."""


class RefusedError(Exception):
    """The server has refused the question: its kind of error and its words."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


class _Said(msgspec.Struct):
    status: str
    data: msgspec.Raw = msgspec.Raw(b"null")
    error_type: str = msgspec.field(default="", name="errorType")
    error: str = ""
    warnings: list[str] | None = None
    infos: list[str] | None = None
    is_partial: bool = msgspec.field(default=False, name="isPartial")  # VictoriaMetrics; Thanos warns instead


class _Data(msgspec.Struct):
    kind: str = msgspec.field(name="resultType")
    result: msgspec.Raw


class _Sample(msgspec.Struct):
    metric: dict[str, str]
    value: tuple[float, str] | None = None
    values: list[tuple[float, str]] | None = None


_said = msgspec.json.Decoder(_Said)
_samples = msgspec.json.Decoder(list[_Sample])
_each = msgspec.json.Decoder(list[msgspec.Raw])
_sample = msgspec.json.Decoder(_Sample)


def decoded(body: bytes) -> Answer:
    """The series of an answer. Raises `NoAnswerError` or `RefusedError`."""
    try:
        said = _said.decode(body)
        if said.status == "error":
            words = _ECHO.sub("the question", said.error[:_MOST_ECHOED])
            raise RefusedError(clean(said.error_type, 40), clean(words, _MOST_REFUSAL))
        data = msgspec.json.decode(said.data, type=_Data)
        notes = _notes([*((_PARTIAL,) if said.is_partial else ()), *(said.warnings or ()), *(said.infos or ())])
        if data.kind == "scalar":
            value = msgspec.json.decode(data.result, type=tuple[float, str])
            return Answer(_series([_Sample({}, value)])[0], notes)
        samples, bad = _readable(data.result)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise NoAnswerError(_what_it_is(body)) from None
    series, odd = _series(samples[:MOST_SERIES])
    bad += odd
    own = [f"{plural(bad, 'series', 'series')} left out: no number that can be read"] if bad else []
    if len(samples) > MOST_SERIES:
        own.append(f"{len(samples):,} series came: the first {MOST_SERIES:,} are shown")
    return Answer(series, (*notes, *own))


def _readable(result: msgspec.Raw) -> tuple[list[_Sample], int]:
    """The samples, and how many were none."""
    try:
        return _samples.decode(result), 0
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    samples, bad = [], 0
    for raw in _each.decode(result):
        try:
            samples.append(_sample.decode(raw))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            bad += 1
    return samples, bad


def _series(samples: list[_Sample]) -> tuple[list[Series], int]:
    """Those with a number in them, and how many cannot be read. `NaN` and the infinite are no measurements."""
    found, bad = [], 0
    for sample in samples:
        values = (sample.values or ())[-MOST_POINTS:] if sample.value is None else (sample.value,)
        long = len(sample.metric) > _MOST_LABELS or any(len(text) > _MOST_LABEL for text in sample.metric.values())
        try:
            numbers = [(at, float(text[:_MOST_DIGITS])) for at, text in values]
        except ValueError:
            numbers = []
        if long or not numbers:
            bad += 1
        elif points := [point for point in numbers if isfinite(point[0]) and isfinite(point[1])]:
            found.append(Series(sample.metric, points))
    return found, bad


def _notes(said: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clean(note, _MOST_NOTE) for note in said[:_MOST_NOTES]))


def _what_it_is(body: bytes) -> str:
    head = body[:200].lstrip().lower()
    if not head:
        return "an empty answer"
    if head.startswith(b"<"):
        return "a web page, no data: a login page, or another program's address"
    if head.startswith(b"# ") or b"# help" in head:
        return "metrics, no answers: this is an exporter, not the Prometheus server that scrapes it"
    return "something that is no answer of Prometheus" if head[:1] in b"{[" else "no JSON"
