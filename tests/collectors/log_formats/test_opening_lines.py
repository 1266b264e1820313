"""Does the beginning of a log come again? Then another process writes."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.opening_lines import OpeningLines, Starts
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, RunInfo, expand

HEAD = ("Logging arguments", "model_name: small", "data_dir: ./data", "learning rate: 0.1", "Start of it all")


def told(*lines: str | None) -> list[str]:
    """The lines by which another process is known; `None` stands for an iteration."""
    opening, found = OpeningLines(), []
    for line in lines:
        if line is None:
            opening.iteration()
        elif opening.again(line):
            found.append(line)
    return found


def test_most_of_the_first_lines_tell_and_once() -> None:
    assert told(*HEAD, None, None, *HEAD, *HEAD, None, *HEAD) == ["data_dir: ./data"] * 2


def test_printed_arguments_alone_tell_and_once_a_process() -> None:
    arguments = "10:00:00 - INFO - Arguments: Namespace(lr=0.1)"
    assert told(arguments, "Start of it all", None, arguments, arguments, None, arguments) == [arguments] * 2
    assert told(arguments, arguments) == []


def test_settings_may_have_other_values_and_lines_another_clock() -> None:
    other = ("Logging arguments", "model_name: small", "data_dir: ./elsewhere", "learning rate: 5e-05")
    assert told(*HEAD, None, *other) == ["learning rate: 5e-05"]
    first = [f"2024-05-01 10:00:00,123 - INFO - {line}" for line in HEAD]
    later = [f"2025-06-01 11:30:00,456 - INFO - {line}" for line in HEAD]
    assert told(*first, None, *later) == [later[2]]


@pytest.mark.parametrize(
    "lines",
    [
        (*HEAD, None, *HEAD[:2], None, *HEAD[2:4]),  # too few at once
        ("Loading data", "Begin", None, "Loading data", "Begin"),  # too few at all
        ("Epoch 1/9", "Rate of this epoch: 0.1", "Train", None, "Epoch 2/9", "Rate of this epoch: 0.2", "Train"),
        (*HEAD, None, *(line + " again" for line in HEAD)),
        (*HEAD, None, HEAD[3], HEAD[2], HEAD[4], *HEAD[:2], None),  # a library's warnings, in another order
        ("----", "====", "1 2 3", None, "----", "====", "1 2 3"),
    ],
)
def test_what_comes_with_each_epoch_or_by_chance_tells_nothing(lines: tuple[str | None, ...]) -> None:
    assert told(*lines) == []


def runs(*parts: list[str]) -> list[list[int]]:
    """The iterations of each process."""
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for part in parts for line in part).encode()), *reader.end(b"")]
    found: list[list[int]] = []
    for event in expand(events):
        if isinstance(event, RunInfo):
            found.append([])
        elif isinstance(event, Iteration):
            found[-1].append(event.index)
    return [run for run in found if run]


def rows(*epochs: int) -> list[str]:
    return [f"Epoch: {n} | Train_loss: 0.{90 - n}" for n in epochs]


def test_a_process_of_one_row_is_one_where_it_says_its_arguments() -> None:
    head = [*HEAD]
    logs = [head + rows(*range(8)), head + rows(5), head + rows(5, 6, 7, 8), head + rows(9, 10)]
    assert runs(*logs) == [[*range(8)], [5], [5, 6, 7, 8, 9, 10]]


def test_a_second_run_of_another_length_is_no_other_bar() -> None:
    def batches(length: int, *places: int) -> list[str]:
        return [f"  Batch {n}/{length} | Batch Energy: 1.{n} | Perplexity: 9{n}.5" for n in places]

    head = [*HEAD]
    first, second = batches(5000, 10, 20), batches(100, *range(10, 110, 10), 10, 20)
    assert runs(head + first, head + second) == [[10, 20], [*range(10, 130, 10)]]
    more = batches(5000, *range(10, 90, 10))
    assert runs(head + more, head + second) == [[*range(10, 90, 10)], [*range(10, 130, 10)]]


def losses(*values: float, at: str) -> list[str]:
    """Rows that nothing counts."""
    return [f"2024-05-{at}:{n:02} | INFO | loss: {value}" for n, value in enumerate(values, 5)]


FALLS = 2.5125, 1.5125, 1.2125, 0.9125, 0.8125, 0.7125, 0.6125, 0.5125


@pytest.mark.parametrize("said", ["Settings: Namespace(lr=0.1)", "===== Seed: 7 ====="])
def test_rows_that_nothing_counts_begin_anew_behind_what_each_process_says_once(said: str) -> None:
    head, between = [f"2024-05-01 10:00:00 | INFO | {said}"], ["2024-05-01 10:01:59 | INFO | a word between rows"]
    first, second = losses(*FALLS, at="01 10:01"), losses(*FALLS[:3], at="03 11:00")
    assert runs(head + first + between, head + second) == [[*range(8)], [0, 1, 2]]


def test_the_first_line_of_attempts_that_came_to_nothing_opens_each_training_even_of_one_row() -> None:
    def start(at: str) -> list[str]:
        return [f"2024-05-{at}:00 | INFO | let all run"]

    early = [start("01 10:00"), start("01 10:05"), start("01 10:07")]
    first = start("01 10:08") + losses(2.6125, at="01 10:08")
    second, third = losses(*FALLS, at="01 10:10"), losses(2.7125, 1.6125, at="04 11:00")
    logs = [*early, first, start("01 10:10") + second, start("04 11:00") + third, start("05 12:00")]
    assert runs(*logs) == [[0], [*range(8)], [0, 1]]


@pytest.mark.parametrize("early", [["let all run"], ["files read: 10", "files read: 90"] * 2, ["let all run"] * 2])
def test_the_same_line_between_rows_alone_opens_nothing(early: list[str]) -> None:
    """Nor what tells of progress, nor what has come but twice."""
    head = [f"2024-05-01 1{n}:00:00 | INFO | {line}" for n, line in enumerate(early)]
    assert runs(head + losses(*FALLS, at="01 19:01"), head[:1] + losses(0.4125, at="01 19:03")) == [[*range(9)]]


PARTS = (
    "===== Fold 2/5 =====",
    "[2024-05-01 08:46:35][train.py][line:61][INFO] ===== Fold 2/5 =====",
    "[05/01 08:46:35 d2.engine]: Fold 2/5",
    "Trial 3:",
    "Starting run 2 of 10",
    "[INFO] Seed: 42",
    "--- Training on split no. 4 ---",
)


@pytest.mark.parametrize("line", PARTS)
def test_a_line_that_says_which_of_several_trainings_begins_tells_and_once(line: str) -> None:
    assert told(line, None, None, line, line) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "[Epoch 3] Fold 2/5",
        "Fold 2 best loss 0.5",
        "run 2 iterations",
        "seeds",
        "Fold",
        "Split the data 2 times",
        "=" * 120 + " Run 2",
    ],
)
def test_a_line_that_says_more_than_which_part_it_is_tells_nothing(line: str) -> None:
    assert told(None, line) == []


def test_an_evaluation_that_a_process_announced_ends_with_it() -> None:
    """Its row of an epoch that there was is the next process's first, and no evaluation's."""
    rows = ["Epoch: 0 Train Loss: 3.5", "Evaluating ..."]
    assert runs([*HEAD, *rows], [*HEAD, *rows, "Epoch: 1 Train Loss: 2.5", "Epoch: 2 Train Loss: 2.5"]) == [
        [0],
        [0, 1, 2],
    ]


def test_each_fold_is_a_run_of_its_own() -> None:
    rows = [f"Iteration {n} / 30 - loss: 2.5" for n in (10, 20, 30)]
    assert runs(["Fold 1/2", *rows], ["Fold 2/2", *rows]) == [[10, 20, 30], [10, 20, 30]]
    assert runs(rows, rows) == [[10, 20, 30, 40, 50, 60]]  # epochs that nobody names


WORDS = [
    f"the {word} of it"
    for word in [
        "abcd",
        "efgh",
        "ijkl",
        "mnop",
        "qrst",
        "uvwx",
        "yzab",
        "cdef",
        "ghij",
        "klmn",
        "opqr",
        "stuv",
        "wxyz",
        "zyxw",
    ]
]


@pytest.mark.parametrize(
    ("lines", "come_again"), [(3, 3), (5, 3), (6, 3), (7, 4), (8, 4), (11, 6), (12, 6), (14, 6)]
)
def test_half_of_the_first_twelve_lines_have_to_come_again_and_three_at_least(lines: int, come_again: int) -> None:
    head = WORDS[:lines]
    assert told(*head, None, *head) == [head[come_again - 1]]


def test_what_comes_after_the_twelfth_line_is_none_of_the_first() -> None:
    assert told(*WORDS, None, *WORDS[12:]) == []
    assert told(*WORDS[:12], *WORDS[12:], None, *WORDS[12:], *WORDS[:5]) == []


def test_lines_that_stand_between_iterations_are_none_of_the_first() -> None:
    assert told(*HEAD[:2], None, *WORDS, None, *WORDS) == []


def test_a_process_that_died_before_its_first_iteration_began_too() -> None:
    assert told(*HEAD, *HEAD, *HEAD, None, *HEAD) == ["data_dir: ./data"] * 2


@pytest.mark.parametrize(
    ("first", "later"),
    [("rate 0.1", "rate 5e-05"), ("rate 5%", "rate 12%"), ("rate 5, 6", "rate 7, 89")],
)
def test_a_line_comes_again_with_other_numbers(first: str, later: str) -> None:
    assert told(*HEAD[:2], first, None, *HEAD[:2], later) == [later]


def test_a_line_comes_again_with_the_same_words_at_its_end_alone() -> None:
    assert told(*HEAD[:2], "loaded data", None, *HEAD[:2], "loaded code") == []


@pytest.mark.parametrize(("length", "found"), [(300, True), (301, False)])
def test_a_first_line_has_three_hundred_characters_at_most(length: int, found: bool) -> None:
    long = "arguments ".ljust(length, ".")
    assert bool(told(*HEAD[:2], long, None, *HEAD[:2], long)) is found


@pytest.mark.parametrize(("rate", "found"), [("0.1", True), ("0.2", False)])
def test_a_dictionary_of_settings_opens_another_process_where_it_comes_again_to_the_last_digit(
    rate: str, found: bool
) -> None:
    line = "{'a': 1, 'b': 2, 'c': 'x', 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'rate': RATE}"
    again = line.replace("RATE", rate)
    assert told(line.replace("RATE", "0.1"), None, again) == [again] * found
    assert told("{'loss': 1.5, 'rate': 0.1}", None, "{'loss': 1.5, 'rate': 0.1}") == []


@pytest.mark.parametrize(("length", "found"), [(120, True), (121, False)])
def test_a_line_that_names_a_part_has_a_hundred_and_twenty_at_most(length: int, found: bool) -> None:
    line = f"2024-05-01 10:00:00,123 - {'my.' + 'm' * 20} - INFO - Run 2 ".ljust(length, "=")
    assert bool(told(None, line)) is found


def test_which_of_the_first_lines_comes_again_is_known_whatever_its_clock_and_device() -> None:
    opening = OpeningLines()
    places = []
    for line in (
        *HEAD,
        "Works on cpu now",
        "Plan: epoch 0",
        "[24.03.25|16:36:35] Plan: epoch 0",
        "Works on cuda:3 now",
        "Odd",
    ):
        opening.again(line)
        places.append(opening.place)
    assert places == [None] * 7 + [6, 5, None]


def test_what_each_rank_says_with_its_number_is_no_opening() -> None:
    opening = OpeningLines()
    for line in ("rank 3 is ready", "[2] is ready", *HEAD):
        opening.again(line)
    assert len(opening) == len(HEAD)


SHORT = ["Using device: cuda", "Loading the images ..."]


def of_runs(*lines: str) -> list[list[int]]:
    """The iterations of each training."""
    reader = LogReader()
    found: list[list[int]] = []
    for event in expand([*reader.feed("\n".join([*lines, ""]).encode()), *reader.end(b"")]):
        if isinstance(event, RunInfo):
            found.append([])
        elif isinstance(event, Iteration):
            found[-1].append(event.index)
    return [one for one in found if one]


@pytest.mark.parametrize("head", [SHORT[:1], SHORT])
def test_behind_a_head_of_a_line_or_two_the_very_place_again_is_another_process_s(head: list[str]) -> None:
    rows = [f"Epoch {n} | loss 2.5 | acc 0.5" for n in (1, 2, 3)]
    assert of_runs(*head, rows[0], *head, *rows) == [[1], [1, 2, 3]]
    assert of_runs(*head, rows[0], *rows) == [[1, 2, 3, 4]], "nothing shows that it began again"
    assert of_runs(*head, rows[0], *head, rows[1], *head, rows[2]) == [[1, 2, 3]], "it is said at each epoch"
    assert of_runs(*head, "step 0 loss: 2.5", *head, *(f"step {n}00 loss: 2.5" for n in (0, 1))) == [[0], [0, 100]]
    if len(head) > 1:
        assert of_runs(*head, rows[0], head[0], *rows) == [[1, 2, 3, 4]], "only half of it came again"


def test_batches_of_an_epoch_that_nobody_names_begin_again_behind_a_line_that_is_said_each_time() -> None:
    batches = [f"[{n}00/300] loss: 2.5" for n in (1, 2, 3)]
    assert of_runs("Training ...", *batches, "Training ...", *batches) == of_runs(*batches, *batches)


def opened(*lines: str | None) -> tuple[int | None, int]:
    opening = OpeningLines()
    for line in lines:
        opening.iteration() if line is None else opening.again(line)
    return opening.times, opening.parts


def test_how_often_most_of_the_first_lines_came_is_counted() -> None:
    assert opened(*HEAD, None) == (1, 0)
    assert opened(*HEAD, None, *HEAD, None, *HEAD) == (3, 0)
    assert opened(*HEAD, None, None, HEAD[0], *HEAD[1:], None, HEAD[0]) == (2, 0)  # one of them once more
    assert opened(*HEAD, None, *HEAD[:2], None, *HEAD[:2]) == (1, 0)
    assert opened(*HEAD, None, *HEAD[:2], None)[0] == 1
    assert opened(*HEAD, None, HEAD[3], HEAD[2], HEAD[4], *HEAD[:2], None) == (1, 0), "in another order"
    assert opened(*HEAD[:4], None, *HEAD[:2], None)[0] is None, "half of them say so, and half do not"
    assert opened(*HEAD[:2], None) == (None, 0), "too few"
    assert opened("Fold 1/3", None, "Fold 2/3", None, "===== Fold 3/3 =====") == (None, 3)


START = "@rank0 Start tiny training for 9 epochs. <2025-03-01 10:00:00>"


@pytest.mark.parametrize("start", [START, "Starting training...", "Launching training", "INFO: Training started"])
@pytest.mark.parametrize("other", ["Building the model", "Epoch 1 begins", "Start evaluating"])
def test_behind_a_line_that_a_training_starts_its_first_epoch_is_another_one_s(start: str, other: str) -> None:
    rows = [f"Epoch {n} | loss 2.5 | acc 0.5" for n in (1, 2, 3)]
    again = start.replace("9 ep", "12 ep").replace("10:00", "11:00")
    assert of_runs("reading", other, start, rows[0], again, rows[0], again, *rows) == [[1], [1], [1, 2, 3]]
    assert of_runs("reading", start, *rows[:2], again, *rows) == [[1, 2], [1, 2, 3]]


def test_a_start_that_is_said_at_each_epoch_or_first_behind_a_row_begins_nothing() -> None:
    starts = Starts()
    assert not starts.again("Start training", begun=False)
    for anew in (False, False):
        assert starts.again("Start training", begun=True)
        starts.row(anew=anew)
    assert not starts.again("Start training", begun=True), "rows counted on behind it"
    assert not Starts().again("Start training", begun=True), "none was said before"
    for line in (
        "Start training epoch 3",
        "@rank1 Start training",
        "Restart trainer",
        "x" * 400 + "Start training",
    ):
        starts = Starts()
        starts.again(line, begun=False)
        assert not starts.again(line, begun=True), line
