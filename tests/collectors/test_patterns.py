"""Patterns that wait until they are asked."""

import re

import pytest

from itermon.collectors.patterns import lazy_pattern


def test_it_is_compiled_when_it_is_first_asked_and_once(monkeypatch):
    compiled = []
    monkeypatch.setattr(re, "compile", lambda *what: compiled.append(what) or re._compile(*what))
    number = lazy_pattern(r"(?P<n>\d+) S", re.IGNORECASE)
    assert compiled == []
    assert [number.search(text)["n"] for text in ("in 7 s", "in 8 s")] == ["7", "8"]
    assert compiled == [(r"(?P<n>\d+) S", re.IGNORECASE)]


def test_it_is_what_re_compile_returns_of_text_and_of_bytes():
    assert lazy_pattern(r"a|b").sub("c", "abc") == "ccc"
    assert lazy_pattern(rb"\d").search(b"a7").start() == 1
    assert [*lazy_pattern("(?P<one>a)").groupindex] == ["one"]


def test_what_is_no_pattern_is_an_error_at_its_first_use():
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("")
