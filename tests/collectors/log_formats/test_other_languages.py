"""Scripts whose lines count in another language than English."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.other_languages import COUNTING
from itermon.events import Config


@pytest.mark.parametrize("word", COUNTING)
def test_what_counts_may_be_a_word_of_another_language(word: str) -> None:
    for line in ("{} {}/50 - loss: {}.5", "[{}: {}] train loss: {}.5", "{}={}, loss={}.5"):
        text = "\n".join(line.format(word.capitalize(), n, n) for n in (1, 2, 3, 4))
        found = iterations(read("key: value", text))
        assert [(one.index, one.loss, one.scalars) for one in found] == [
            (n, n + 0.5, None) for n in (1, 2, 3, 4)
        ], line


def test_colons_and_commas_may_be_full_width() -> None:
    text = "\n".join(f"轮次：{n}/50，损失：0.{n}，用时：3.{7 * n % 5}s" for n in (1, 2, 3, 4))
    events = read("key: value", text)
    found = iterations(events)
    assert [(one.index, one.loss) for one in found] == [(n, n / 10) for n in (1, 2, 3, 4)]
    assert found[-1].duration_s == 3.3
    assert {one.max_iterations for one in of(Config, events)} == {50}


@pytest.mark.parametrize(
    "line", ["第{0}/9轮 第{1}/100步 Train Loss: {0}.5", "第 {0}/9 个epoch, 第 {1}/100 个batch：loss={0}.5"]
)
def test_the_word_that_counts_may_stand_behind_its_number(line: str) -> None:
    text = "\n".join(line.format(n, batch) for n in (1, 2, 3) for batch in (0, 20, 40, 60, 80))
    events = read("key: value", text)
    found = iterations(events)
    assert [one.index for one in found][:7] == [0, 20, 40, 60, 80, 100, 120]
    assert (found[-1].loss, found[-1].scalars) == (3.5, None)
    assert {one.max_iterations for one in of(Config, events)} == {900}
