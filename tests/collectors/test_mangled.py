"""Bars from a Windows console."""

import pytest

from itermon.collectors.clean import clean_lines
from itermon.collectors.mangled import with_bars

BAR = "1/9 ━━━╸── 50%|████▌    |"


@pytest.mark.parametrize("page", ["cp437", "cp850", "cp852", "cp866"])
def test_a_bar_that_was_read_by_a_code_page_is_drawn_as_it_was(page: str) -> None:
    mangled = BAR.encode().decode(page)
    assert with_bars(mangled) == BAR


def test_a_byte_without_a_character_in_the_page_is_kept_by_windows() -> None:
    assert with_bars("â”\x81â”€") == "━─"


@pytest.mark.parametrize(
    "text", ["этап 3: потери в точке", "Ôter l'étape", "Γ-distribution β", "âge: 3 – “x”", "100%|████| 4/4 ┌──┐"]
)
def test_words_and_bars_that_are_whole_stay(text: str) -> None:
    assert with_bars(text) == text


def test_lines_are_read_with_their_bars() -> None:
    assert [*clean_lines("1/9 ÔöüÔöÇ 1.5it/s\n".encode())] == ["1/9 ━─ 1.5it/s"]
