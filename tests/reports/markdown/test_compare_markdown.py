"""A comparison as a comment: conclusions first, every table with both names above it."""

from seed_runs import run_b, watched

from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.comparison import Comparison, Difference
from itermon.reports.markdown.compare_markdown import compare_markdown


def test_conclusions_come_first_and_the_numbers_stand_in_tables() -> None:
    text = compare_markdown(compare(watched(run_b("before")), watched(run_b("after"))))
    lines = text.splitlines()
    assert lines[0] == "**58 % fewer tokens/s, because the model costs 2.85 × the FLOPs a token.**"
    assert any(line.startswith("| tokens/s, clean | 134,433 | 56,134 |") for line in lines)
    assert any(line.startswith("| micro&#95;batch&#95;size | 16 | 8 |") for line in lines)
    heads = [lines[number - 1] for number, line in enumerate(lines) if line == "| :-- | --: | --: | --: |"]
    assert [head.split(" | ")[1:3] for head in heads] == [["a", "b"]] * 4
    assert [head.split(" | ")[3] for head in heads] == ["b / a |", " |", " |", "b - a |"]


def test_names_and_values_from_outside_are_text() -> None:
    difference = Difference("dataset", "@all | <img src=x>", None)
    text = compare_markdown(Comparison(names=("a|b", "#1"), headline="[x](http://y)", config=(difference,)))
    assert "&#60;img" in text
    assert "`@all`" in text
    assert "`#1`" in text
    assert "a&#124;b" in text
    assert text.startswith("**`[x](http://y)`**\n")
