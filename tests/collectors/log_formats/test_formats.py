"""Every format on small examples: what is read, and above all what the time means."""

import random
import string

import pytest
from log_examples import EXAMPLES, iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.log_formats.registry import all_formats
from itermon.events import RunInfo, decode, encode


@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_an_example_is_recognised_and_read(name, text, expected):
    recognition = recognise(text.split("\n"))
    assert recognition.format is not None
    assert recognition.format.name == name
    assert recognition.iterations
    found = iterations(read(name, text))
    assert [(i.index, i.averaged_over, i.loss) for i in found] == [(e[0], e[2], e[3]) for e in expected]
    assert [i.duration_s for i in found] == [
        None if e[1] is None else pytest.approx(e[1], rel=0.03) for e in expected
    ]


@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_a_run_begins_with_what_its_time_includes(name, text, expected):
    events = read(name, text)
    (found,) = [one for one in all_formats() if one.name == name]
    assert isinstance(events[0], RunInfo)
    assert events[0].time_includes == found.time_includes
    assert len(of(RunInfo, events)) == 1


FILES = (
    "Hugging Face trainer_state.json",
    "Lightning metrics.csv",
    "Ultralytics results.csv",
    "CSV",
)  # nobody prints them


@pytest.mark.parametrize(
    "prefix", ["[rank0]:", "0: ", "[1,0]<stdout>:", "(Worker pid=33, ip=10.0.0.1) ", "node-3: ", "run-1  | "]
)
@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_what_a_launcher_puts_in_front_of_each_line_is_no_obstacle(name, text, expected, prefix):
    if name in FILES:
        return
    launched = "\n".join(prefix + line for line in text.strip("\n").split("\n"))
    assert recognise(launched.split("\n")).format.name == name
    assert [(i.index, i.loss) for i in iterations(read(name, launched))] == [(e[0], e[3]) for e in expected]


def test_only_the_first_rank_that_prints_is_read():
    line = "step:{}/4875 train_time:{}s step_avg:178.57ms"
    launched = "\n".join(f"{rank}: {line.format(n, n)}" for n in range(1, 4) for rank in (1, 0))
    assert [i.index for i in iterations(read("modded-nanogpt", launched))] == [1, 2, 3]
    skewed = "\n".join((f"1: {line.format(5, 5)}", f"0: {line.format(4, 4)}", f"1: {line.format(6, 6)}"))
    assert [i.index for i in iterations(read("modded-nanogpt", skewed))] == [5, 6]


def test_a_loss_that_is_no_number_is_told_apart_from_one_that_is_missing():
    (_, second) = iterations(read("llm.c", EXAMPLES["llm.c"][1]))
    assert second.bad_loss == "nan"
    assert all(not i.bad_loss for i in iterations(read("modded-nanogpt", EXAMPLES["modded-nanogpt"][1])))


def test_who_waits_for_the_gpu_before_reading_the_clock_is_told():
    assert read("llm.c", EXAMPLES["llm.c"][1])[0].synchronised is True
    assert read("modded-nanogpt", EXAMPLES["modded-nanogpt"][1])[0].synchronised is False
    assert read("torchtitan", EXAMPLES["torchtitan"][1])[0].synchronised is None


def test_two_ranks_that_say_the_same_count_once():
    line = "step:7/4875 train_time:1.250s step_avg:178.57ms"
    assert [i.index for i in iterations(read("modded-nanogpt", f"{line}\n{line}"))] == [7]


def mutations(line, rng):
    """The line cut, with a character changed, with its numbers blown up, told three times."""
    at = rng.randrange(len(line) + 1)
    yield line[:at]
    yield line[:at] + rng.choice(string.printable) + line[at + 1 :]
    yield line.replace("1", "9" * 40)
    yield line.replace("0", "nan")
    yield line * 3


@pytest.mark.parametrize(("name", "text", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_damaged_lines_break_nothing(name, text, expected):
    rng = random.Random(7)
    (found,) = [one for one in all_formats() if one.name == name]
    parser = found.parser()
    for line in text.split("\n"):
        for damaged in (mutation for _ in range(5) for mutation in mutations(line, rng)):
            for event in parser.line(damaged, None):
                decode(encode(event))
