"""What stands in every match is known without a search; of what may be missing nothing is said."""

import re

import pytest

from itermon.collectors.log_formats.needed_words import MOST_WORDS, needed_words

PATTERNS = {
    r"^\[step (?P<iteration>\d+)/(?P<total>\d+)\] loss=\d": ("] loss=", "[step ", "/"),
    r"step +\d+": ("step ",),
    r"a(?:bc)+d": ("abc", "bcd"),
    r"x(?:ab){2}y": ("xababy",),
    r"x(?:ab){2,}y": ("ababy", "xabab"),
    r"_ {9,}_": ("    _", "_    "),
    r"a(?:bc)*d": ("a", "d"),
    r"a(?:bc)?d": ("a", "d"),
    r"lr(?: = |: )\d": ("lr",),
    r"(?:iter|iteration) \d": (" ", "iter"),
    r"(?i)Epoch 12: \d": (" 12: ",),
    r"(?i:loss) = (?P<loss>\d)": (" = ",),
    r"a(?i:b)c": ("a", "c"),
    r"(?=.*\bloss\b)(?!none)step": ("loss", "step"),
    r"ab(?=cd)cde": ("abcde",),
    r"(?<=dt )\d+ms\b": ("dt ", "ms"),
    r"[ab]c[d]e\.": ("cde.",),
    r"(a)\1b": ("a", "b"),
    r"": (),
    r"\d+|loss": (),
    r"one two three four five": ("one two three four five",),
    r"aaaa\dbbb\dcc\dd": ("aaaa", "bbb", "cc"),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_words_of_a_pattern(pattern):
    assert sorted(needed_words(pattern)) == sorted(PATTERNS[pattern])
    assert len(needed_words(pattern)) <= MOST_WORDS


def test_what_is_no_pattern_is_an_error():
    with pytest.raises(re.error):
        needed_words("(")
