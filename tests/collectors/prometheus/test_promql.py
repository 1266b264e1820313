"""A label's value is only ever a value."""

import re

import pytest

from itermon.collectors.prometheus.promql import is_label, one_of, quoted, selector


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("gpt2", '"gpt2"'),
        ('a"} or up{x="', '"a\\"} or up{x=\\""'),
        ("two\nlines\\n", '"two\\nlines\\\\n"'),
        ("caf\xe9 \U0001f600", '"caf\xe9 \U0001f600"'),
    ],
)
def test_a_value_is_quoted(value: str, written: str) -> None:
    assert quoted(value) == written
    assert selector("up", run=value) == f"up{{run={written}}}"


def test_a_pattern_matches_its_values_and_nothing_else() -> None:
    values = ["a.b", "c|d", "(e)*", "f\\g", "[h]", "i+?^$", "{2}"]
    pattern = one_of(values)[1:-1].replace("\\\\", "\\")
    assert all(re.fullmatch(pattern, value) for value in values)
    assert not any(re.fullmatch(pattern, value) for value in ("axb", "c", "d", "e", "h"))


def test_a_labels_name_is_letters_digits_and_underscores() -> None:
    assert is_label("stage")
    assert not any(map(is_label, ("", "a-b", "a)", "1a", "a b")))
