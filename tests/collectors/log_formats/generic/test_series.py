"""Workers that run side by side write into one log: the rows of one of them are read."""

from __future__ import annotations

from log_examples import iterations, of, read

from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.events import Message


def row(tag: str, epoch: int) -> str:
    return f"[{tag}][Epoch {epoch}/9] Loss:{epoch / 4} ET:3.5"


def read_tagged(lines: list[str]) -> list[object]:
    parser = KeyValue()
    parser.learn(lines)
    return [event for line in lines for event in parser.line(line, None)]


def test_of_counters_that_run_side_by_side_one_is_read() -> None:
    lines = [row(tag, epoch) for epoch in range(1, 10) for tag in ("aa", "007", "b.2")]
    found = read_tagged([*lines, "[007] Elapsed Time:900.5"])
    assert [i.index for i in iterations(found)] == [*range(1, 10)]
    assert any("only the lines of [aa] are read" in m.text for m in of(Message, found))


def test_tags_that_come_one_after_another_are_one_series() -> None:
    lines = [row(tag, epoch) for tag in ("fold1", "fold2") for epoch in range(1, 10)]
    assert [i.index for i in iterations(read_tagged(lines))] == [*range(1, 10)] * 2


def test_levels_ranks_and_phases_are_no_tags() -> None:
    lines = [
        f"[{tag}] [Epoch {epoch}/9] loss: 0.5"
        for epoch in range(1, 10, 2)
        for tag, epoch in (("INFO", epoch), ("WARNING", epoch + 1))
    ]
    assert [i.index for i in iterations(read_tagged(lines[:9]))] == [*range(1, 10)]
    assert [i.index for i in iterations(read("key: value", "\n".join(lines[:9])))] == [*range(1, 10)]


def test_models_that_train_in_turns_are_two_by_the_names_in_front() -> None:
    lines = [
        f"2025-07-29 04:18:0{epoch},188 - INFO - {name} - Batch {epoch}00/900, Loss: 1.25"
        for epoch in range(1, 9)
        for name in ("Baseline", "Normalized")
    ]
    found = read_tagged(lines)
    assert [i.index for i in iterations(found)] == [*range(100, 900, 100)]
    assert any("only the lines of [Baseline] are read" in m.text for m in of(Message, found))


def test_words_in_front_of_a_count_are_no_names_without_a_mark_nor_are_phases() -> None:
    for pair in (["Started Epoch", "Ended Epoch"], ["Train - Epoch", "Training - Epoch"]):
        lines = [f"{words} {n}, loss: 2.5" for n, words in enumerate(pair * 4, 1)]
        assert [i.index for i in iterations(read_tagged(lines))] == [*range(1, 9)]


def test_a_tag_may_have_several_words_unless_they_count() -> None:
    lines = [
        f"2026-04-11 15:59:0{n},572 INFO [{tag}] step=   {n}000 | loss=0.005 | elapsed={n}s"
        for n in range(1, 8)
        for tag in ("DQN s0", "IQN s0")
    ]
    assert [i.index for i in iterations(read_tagged(lines))] == [*range(1000, 8000, 1000)]
    twice = [f"[Epoch {n}] step {n}00: loss 2.5" for n in range(1, 8)] * 2
    assert len(iterations(read_tagged(twice))) == 14


def test_a_name_that_is_said_to_be_one_is_a_tag() -> None:
    """A suite of runs in one process, each with its own epochs: no epoch is done again, and none is begun anew."""
    names = ("XOR_small_fold_1", "Moons and noise_fold_1", "XOR_small_fold_2")
    lines = [
        f"2031-05-01 10:{n:02}:0{at},500 - INFO - Run: {name} | Epoch: {n} | Train Loss: {9 / n} | Val Loss: 2.5"
        for n in range(1, 10)
        for at, name in enumerate(names)
    ]
    found = read_tagged(lines)
    assert [i.index for i in iterations(found)] == [*range(1, 10)]
    assert any("only the lines of [XOR_small_fold_1] are read" in m.text for m in of(Message, found))
    alone = [line for line in lines if "fold_2" in line]
    assert [i.index for i in iterations(read_tagged(alone))] == [*range(1, 10)]
