"""Every format on its own examples: what is read, and above all what the time means."""

import json
import random
import string
from itertools import groupby
from pathlib import Path

import pytest
from log_examples import EXAMPLES, FILES, IDS, TEXTLESS, example, format_named, iterations, of, read

from itermon.collectors.log_formats.base import held_back
from itermon.collectors.log_formats.check_format import wrong_in_example
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.log_formats.registry import all_formats
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, decode, encode

every_example = pytest.mark.parametrize(("log_format", "one"), EXAMPLES, ids=IDS)


@every_example
def test_an_example_is_recognised_and_read(log_format, one):
    assert wrong_in_example(log_format, one) == []


def test_every_format_has_an_example_with_an_iteration():
    without = [one.name for one in all_formats() if not any(example.iterations for example in one.examples)]
    assert without == list(TEXTLESS)


def test_an_example_is_of_one_format_alone_and_names_are_not_used_twice():
    assert len(IDS) == len(set(IDS))
    logs = sorted((one.log, log_format.name) for log_format, one in EXAMPLES)
    assert [[*same] for _, same in groupby(logs, lambda pair: pair[0]) if len([*same]) > 1] == []


@every_example
def test_a_run_begins_with_what_its_time_includes(log_format, one):
    first = LogReader(formats=[log_format]).feed(one.log.encode())[0]
    assert isinstance(first, RunInfo)
    assert first.time_includes == log_format.time_includes
    assert len(of(RunInfo, read(log_format.name, one.log))) <= 1


@pytest.mark.parametrize(
    "prefix", ["[rank0]:", "0: ", "[1,0]<stdout>:", "(Worker pid=33, ip=10.0.0.1) ", "node-3: ", "run-1  | "]
)
@every_example
def test_what_a_launcher_puts_in_front_of_each_line_is_no_obstacle(log_format, one, prefix):
    if log_format.name in FILES:
        return
    launched = "\n".join(prefix + line for line in one.log.strip("\n").split("\n"))
    assert recognise(launched.split("\n")).format.name == log_format.name
    found = [(i.index, i.loss) for i in iterations(read(log_format.name, launched))]
    assert found == [(index, loss) for index, _, _, loss in one.iterations]


def test_only_the_first_rank_that_prints_is_read():
    line = "step:{}/4875 train_time:{}s step_avg:178.57ms"
    launched = "\n".join(f"{rank}: {line.format(n, n)}" for n in range(1, 4) for rank in (1, 0))
    assert [i.index for i in iterations(read("modded-nanogpt", launched))] == [1, 2, 3]
    skewed = "\n".join((f"1: {line.format(5, 5)}", f"0: {line.format(4, 4)}", f"1: {line.format(6, 6)}"))
    assert [i.index for i in iterations(read("modded-nanogpt", skewed))] == [5, 6]


def test_a_loss_that_is_no_number_is_told_apart_from_one_that_is_missing():
    (_, second) = iterations(read("llm.c", example("llm.c")))
    assert second.bad_loss == "nan"
    assert all(not i.bad_loss for i in iterations(read("modded-nanogpt", example("modded-nanogpt"))))


def test_who_waits_for_the_gpu_before_reading_the_clock_is_told():
    assert read("llm.c", example("llm.c"))[0].synchronised is True
    assert read("modded-nanogpt", example("modded-nanogpt"))[0].synchronised is False
    assert read("torchtitan", example("torchtitan"))[0].synchronised is None


def test_two_ranks_that_say_the_same_count_once():
    line = "step:7/4875 train_time:1.250s step_avg:178.57ms"
    assert [i.index for i in iterations(read("modded-nanogpt", f"{line}\n{line}"))] == [7]


def mutations(line, rng):
    """The line cut, with a character changed, with its numbers blown up, given three times."""
    at = rng.randrange(len(line) + 1)
    yield line[:at]
    yield line[:at] + rng.choice(string.printable) + line[at + 1 :]
    yield line.replace("1", "9" * 40)
    yield line.replace("0", "nan")
    yield line * 3


@every_example
def test_damaged_lines_break_nothing(log_format, one):
    rng = random.Random(7)
    parser = log_format.parser()
    for line in one.log.split("\n"):
        for damaged in (mutation for _ in range(5) for mutation in mutations(line, rng)):
            for event in parser.line(damaged, None):
                decode(encode(event))


def sections(file: str) -> dict[str, tuple[list[str], list[dict[str, object]]]]:
    """Below each line `# name`: lines of a log, each behind `> `, and events."""
    found: dict[str, tuple[list[str], list[dict[str, object]]]] = {}
    for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "#":
            log, events = found.setdefault(rest, ([], []))
        elif mark == ">":
            log.append(rest)
        else:
            events.append(json.loads(line))
    return found


def events_of(parser, log: list[str]) -> list[object]:
    """All that a log says, as JSON has it."""
    events = [event for line in log for event in parser.line(line, None)]
    events += held_back(parser)
    return [rounded(json.loads(encode(event))) for event in events]


def rounded(value: object) -> object:
    """Floats with nine digits; without times of day, as most logs do not name their time zone, and some no year."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    return {k: rounded(v) for k, v in value.items() if k != "at_s"} if isinstance(value, dict) else value


AS_EVENTS = sections("examples_as_events.txt")
MORE_LOGS = sections("more_logs_as_events.txt")


@pytest.mark.parametrize("name", AS_EVENTS)
def test_all_that_an_example_says_is_read(name):
    """More than an example's own list of iterations: settings, learning rates, what evaluations found."""
    log_format, one = dict(zip(IDS, EXAMPLES, strict=True))[name]
    assert events_of(log_format.parser(), one.log.strip("\n").split("\n")) == AS_EVENTS[name][1]


@pytest.mark.parametrize("name", MORE_LOGS)
def test_the_edges_of_a_format_are_read_as_they_are_meant(name):
    """Clocks of hours, times that step back, records that say nothing. `name` is the format, and what is shown."""
    log, events = MORE_LOGS[name]
    assert events_of(format_named(name.partition(" | ")[0]).parser(), log) == events


@pytest.mark.parametrize(
    ("name", "log", "scalars"),
    [
        ("key: value", "step 1 loss: 2.5 acc: 0.5 reward: -3", {"acc": 0.5, "reward": -3.0}),
        ("JSON Lines", '{"step": 1, "loss": 2.5, "metrics": {"mAP": 0.5}, "tag": "x"}', {"metrics/mAP": 0.5}),
        ("JSON Lines", r'{"step": 1, "loss": 2.5, "a\u001b[31m\nb": 0.5}', {"a b": 0.5}),
        ("CSV", "step,loss,mAP50,name\n1,2.5,0.5,x", {"mAP50": 0.5}),
        ("tqdm", "train: 10%|█ | 1/10 [00:02<00:18,  2.00s/it, loss=2.5, reward=1.5]", {"reward": 1.5}),
        (
            "Hugging Face Trainer",
            "{'loss': 2.5, 'rewards/margins': 0.5, 'epoch': 0.2}",
            {"epoch": 0.2, "rewards/margins": 0.5},
        ),
        (
            "monitor.csv of Gym",
            '#{"t_start": 1627071110.5}\nr,l,t\n-41.5,99,1.5',
            {"reward": -41.5, "length": 99.0},
        ),
        ("CleanRL", "global_step=1000, episodic_return=[13.]", {"episodic_return": 13.0}),
    ],
)
def test_the_other_numbers_of_a_line_are_its_scalars(name, log, scalars):
    assert [one.scalars for one in iterations(read(name, log))] == [scalars]


@every_example
def test_a_format_is_recognised_by_each_line_that_carries_an_iteration(log_format, one):
    """Blocks of several lines are carried by one of them, which need not be the last."""
    lines = one.log.strip("\n").split("\n")
    carrying = sum(log_format.matches(line) and log_format.is_iteration(line) for line in lines)
    last_epoch_has_no_heading = one.variant.startswith("pix2pix, CycleGAN without") or log_format.name.startswith(
        "pix2pix"
    )
    assert carrying >= len(one.iterations) - last_epoch_has_no_heading


LAST_WORDS = (
    "Hugging Face Trainer",
    "Hugging Face trainer_state.json",
    "Ray Tune",
    "RL progress.csv",
)
"""Of these, the second training's first row has something of the first one's end, or the other way round."""


ALONE = ("LLaMA-Factory trainer_log.jsonl", "torchtitan trace", "value alone")
"""Their files are written anew, or show by their clock what is new; or nothing counts their rows."""


def rows_of_runs(log_format, lines):
    """The rows of each run that the lines hold, up to the log's end."""
    parser = log_format.parser()
    events = [event for line in lines for event in parser.line(line, None)]
    events += held_back(parser)
    runs = [[]]
    for event in events:
        if isinstance(event, RunInfo):
            runs.append([])
        elif isinstance(event, Iteration):
            runs[-1].append((event.index, event.duration_s, event.averaged_over, event.loss))
    return [rows for rows in runs if rows]


@every_example
def test_a_log_with_the_same_training_twice_has_it_twice_with_all_its_times(log_format, one):
    lines = one.log.strip("\n").split("\n")
    (once,) = rows_of_runs(log_format, lines)
    if len(once) < 2 or log_format.name in ALONE:
        return  # a row alone may be written twice
    twice = rows_of_runs(log_format, lines * 2)
    assert [[row[0] for row in rows] for rows in twice] == [[row[0] for row in once]] * 2
    if log_format.name not in LAST_WORDS:
        assert twice == [once, once]
