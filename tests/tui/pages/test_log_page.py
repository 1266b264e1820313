"""The log's text on the screen: it follows, scrolls, finds, and opens at an iteration."""

import pytest

from itermon.tui.drawing import lines
from itermon.tui.pages.log_page import LogPage

SIZE = (60, 12)


class Text:
    """A log kept in memory, as this page needs it."""

    def __init__(self, count: int) -> None:
        self.texts = [f"iter {n}: loss 3.1000, time 100.00ms, mfu 41.20%" for n in range(count)]

    @property
    def lines(self) -> int:
        return len(self.texts)

    first, gone = 1, ""

    def lines_from(self, number: int, count: int) -> list[tuple[int, str]]:
        return list(enumerate(self.texts, 1))[number - 1 : number - 1 + count]

    def search(self, text: str, after: int = 0) -> int | None:
        return next((n for n, t in enumerate(self.texts, 1) if n > after and text.lower() in t.lower()), None)

    def line_of(self, iteration: int, earlier: int = 0) -> int | None:
        return iteration + 1 if iteration < self.lines and not earlier else None


@pytest.fixture
def text() -> Text:
    return Text(500)


def shown(page: LogPage) -> str:
    return "\n".join(lines.text(line) for line in page.lines(SIZE))


def press(page: LogPage, *pressed: str) -> None:
    for key in pressed:
        assert page.press(key, key if len(key) == 1 else None)
        page.lines(SIZE)


def test_it_follows_the_end(text: Text) -> None:
    page = LogPage(text)
    assert "iter 499:" in shown(page)
    text.texts.append("iter 500: loss 3.1000, time 100.00ms, mfu 41.20%")
    assert "iter 500:" in shown(page)
    assert "following" in shown(page)


def test_it_opens_at_an_iteration(text: Text) -> None:
    page = LogPage(text, (250, 0))
    assert "251 iter 250:" in shown(page)
    assert "251 of 500" in shown(page)


def test_it_says_that_an_iteration_has_no_line(text: Text) -> None:
    assert "no line in the file" in shown(LogPage(text, (9_999, 0)))


def test_it_finds_what_is_typed_and_goes_on(text: Text) -> None:
    page = LogPage(text)
    page.lines(SIZE)
    press(page, "slash", *"ITER 12", "enter")
    assert "13 of 500" in shown(page)
    press(page, "n")
    assert "121 of 500" in shown(page)
    press(page, "slash", "q", "backspace", *"zebra", "enter")
    assert "nowhere: zebra" in shown(page)


def test_it_scrolls_and_follows_again(text: Text) -> None:
    page = LogPage(text)
    press(page, "home", "down", "pagedown")
    assert "following" not in shown(page)
    press(page, "end")
    assert "following" in shown(page)
    assert not page.press("escape", None)


def test_lines_that_are_gone_are_not_scrolled_to_and_it_says_why(text: Text) -> None:
    text.first, text.gone = 101, "the first 100 lines are not kept"
    page = LogPage(text)
    press(page, "home")
    assert "101 of 500" in shown(page)
    assert " 101 iter 100:" in shown(page)
    assert "the first 100 lines are not kept" in shown(page)
    press(page, "end")
    assert "not kept" not in shown(page)
    assert "the first 100 lines are not kept" in shown(LogPage(text, (9_999, 0)))


def test_a_log_without_text_says_so() -> None:
    assert "nothing was read" in shown(LogPage(Text(0)))


@pytest.mark.parametrize("size", [(60, 12), (20, 4), (200, 50), (3, 3)])
def test_it_fills_any_size(text: Text, size: tuple[int, int]) -> None:
    made = LogPage(text).lines(size)
    assert len(made) == size[1]
    assert {lines.width(line) for line in made} == {size[0]}
