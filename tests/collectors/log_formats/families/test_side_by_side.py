"""Counters that do not wait for each other: those of one are read, and a person is told once."""

from itermon.collectors.log_formats.families.side_by_side import SideBySide


def others(tags: str) -> list[bool]:
    """Of each letter of `tags`, a row's: is it another's?"""
    learnt, counters = SideBySide(), SideBySide()
    for tag in tags:
        learnt.see(tag)
    counters.learn(learnt)
    found = []
    for tag in tags:
        counters.see(tag)
        found.append(counters.is_others(tag))
    return found


def test_a_tag_that_comes_back_after_another_runs_beside_it() -> None:
    assert others("ababa") == [False, True, False, True, False]
    assert others("aabb") == [False] * 4


def test_it_is_told_once_and_only_where_it_is_so() -> None:
    counters = SideBySide()
    for tag in "aab":
        counters.see(tag)
    assert counters.word() == ""
    counters.see("a")
    assert "only the lines of [a] are read" in counters.word()
    assert counters.word() == ""
