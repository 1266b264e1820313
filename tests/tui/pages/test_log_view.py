"""The log's text on the screen: it follows, scrolls, finds, and opens at an iteration."""

import pytest
from log_in_memory import LogInMemory

from itermon.tui.drawing import lines
from itermon.tui.pages.log_view import LogView

SIZE = (60, 12)


@pytest.fixture
def text() -> LogInMemory:
    return LogInMemory(500)


def shown(page: LogView) -> str:
    return "\n".join(lines.text(line) for line in page.lines(SIZE))


def search(page: LogView, words: str = "") -> None:
    if find := page.search(words):
        assert "searching: " in shown(page)
        page.found(find(lambda: False))


def test_it_follows_the_end(text: LogInMemory) -> None:
    page = LogView(text)
    assert "iter 499:" in shown(page)
    text.texts.append("iter 500: loss 3.1000, time 100.00ms, mfu 41.20%")
    assert "iter 500:" in shown(page)
    assert "following" in shown(page)


def test_it_opens_at_an_iteration(text: LogInMemory) -> None:
    page = LogView(text, (250, 0))
    assert "251 iter 250:" in shown(page)
    assert "251 of 500" in shown(page)


def test_it_says_that_an_iteration_has_no_line(text: LogInMemory) -> None:
    assert "no line in the file" in shown(LogView(text, (9_999, 0)))


def test_it_finds_what_is_typed_and_goes_on(text: LogInMemory) -> None:
    page = LogView(text)
    search(page)
    assert "following" in shown(page), "nothing was searched for yet"
    search(page, "ITER 12")
    assert "13 of 500" in shown(page)
    search(page)
    assert "121 of 500" in shown(page)
    search(page, "zebra")
    assert "nowhere: zebra" in shown(page)


def test_it_scrolls_and_follows_again(text: LogInMemory) -> None:
    page = LogView(text)
    page.lines(SIZE)
    page.to_first()
    page.scroll(1)
    page.scroll_page(1)
    assert "12 of 500" in shown(page)
    page.follow()
    assert "following" in shown(page)
    page.scroll(-1)
    page.scroll(1)
    assert "following" in shown(page)


def test_lines_that_are_gone_are_not_scrolled_to_and_it_says_why(text: LogInMemory) -> None:
    text.first, text.gone = 101, "the first 100 lines are not kept"
    page = LogView(text)
    page.to_first()
    assert "101 of 500" in shown(page)
    assert " 101 iter 100:" in shown(page)
    assert "the first 100 lines are not kept" in shown(page)
    page.follow()
    assert "not kept" not in shown(page)
    assert "the first 100 lines are not kept" in shown(LogView(text, (9_999, 0)))


def test_a_log_without_text_says_so() -> None:
    assert "nothing was read" in shown(LogView(LogInMemory(0)))


@pytest.mark.parametrize("size", [(60, 12), (20, 4), (200, 50), (3, 3)])
def test_it_fills_any_size(text: LogInMemory, size: tuple[int, int]) -> None:
    made = LogView(text).lines(size)
    assert len(made) == size[1]
    assert {lines.width(line) for line in made} == {size[0]}


def test_it_finds_the_line_above_and_goes_round(text: LogInMemory) -> None:
    page = LogView(text)
    for words, line in (("ITER 12", 130), ("", 129), ("", 128)):
        find = page.search(words, back=True)
        assert find is not None
        page.found(find(lambda: False))
        assert f"{line} of 500" in shown(page)
    page.to_first()
    find = page.search("", back=True)
    assert find is not None
    page.found(find(lambda: False))
    assert "130 of 500" in shown(page)
