"""Scripts whose lines count in another language than English."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.other_languages import COUNTING, EVALUATED_LOSSES, TRAINING_LOSSES
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, SpanEnd


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


@pytest.mark.parametrize(
    "line",
    [
        "当前Batch：{1}/100 | 当前epoch:{0}/10 | 当前损失值：{0}.5 | 当前准确率：{0}.25%",
        "当前轮次：{0}/10，当前步数：{1}/100，当前的损失：{0}.5，准确率：{0}.25%",
        "[目前 Epoch {0}/10] [目前 Step {1}/100] 目前 loss: {0}.5, 准确率: {0}.25%",
    ],
)
def test_what_is_current_is_called_by_the_name_behind_that_word(line: str) -> None:
    text = "\n".join(line.format(n, batch) for n in (0, 1, 2) for batch in (20, 40, 60, 80, 100))
    events = read("key: value", text)
    found = iterations(events)
    assert [one.index for one in found] == [*range(20, 320, 20)]
    assert (found[-1].loss, found[-1].scalars) == (2.5, {"准确率 %": 2.25})
    assert {one.max_iterations for one in of(Config, events)} == {1000}


def test_lines_in_gb_18030_count_as_those_in_utf_8() -> None:
    rows = [f"当前Batch：{n}0/900 | 当前epoch:0/9 | 当前损失值：{n}.5 | 学习率：0.25\n" for n in range(1, 9)]
    read_of = iterations(LogReader().feed("".join(rows).encode("gb18030")))
    assert [(one.index, one.loss, one.learning_rate) for one in read_of] == [
        (10 * n, n + 0.5, 0.25) for n in range(1, 9)
    ]


@pytest.mark.parametrize("word", TRAINING_LOSSES)
def test_a_loss_may_be_a_word_of_another_language(word: str) -> None:
    name = word.replace("_", " ")
    for line in (
        "エポック {n}/9: {name} = {n}.5",
        "Época {n}/9 - {name}: {n}.5 - x: 0.25",
        "轮次：{n}/9，{name}：{n}.5",
    ):
        text = "\n".join(line.format(n=n, name=name.capitalize()) for n in (1, 2, 3, 4))
        found = iterations([*LogReader().feed(f"{text}\n".encode())])
        assert [(one.index, one.loss) for one in found] == [(n, n + 0.5) for n in (1, 2, 3, 4)], line


@pytest.mark.parametrize("word", EVALUATED_LOSSES)
def test_the_loss_of_an_evaluation_too(word: str) -> None:
    text = "\n".join(f"Epoche {n}/9, Verlust: {n}.5, {word.replace('_', ' ')}: {n}.25" for n in (1, 2, 3, 4))
    events = read("key: value", text)
    assert [one.loss for one in iterations(events)] == [1.5, 2.5, 3.5, 4.5]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": n + 0.25} for n in (1, 2, 3, 4)]


def test_seconds_may_be_spelt_in_another_language() -> None:
    text = "\n".join(f"训练轮次：{n}/50，训练损失：0.5，用时：{n + 3 * (n % 2)}.5秒" for n in (1, 2, 3, 4))
    assert [one.duration_s for one in iterations(read("key: value", text))] == [None, 2.5, 6.5, 4.5]
