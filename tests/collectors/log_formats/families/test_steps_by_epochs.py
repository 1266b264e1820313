"""Steps from rounded epochs."""

import json
from math import nan
from pathlib import Path

import pytest
from click.testing import CliRunner
from log_examples import of, read

from itermon.cli.main import main
from itermon.collectors.log_formats.families.steps_by_epochs import (
    NO_STEPS,
    StepsByEpochs,
    Told,
    roundest,
    same_evaluation,
)
from itermon.collectors.logs.reader import LogReader
from itermon.events import Counted, Iteration, Message, RunInfo, SpanEnd, Total, expand

BANNER = """***** Running training *****
  Num examples = {:,}
  Num Epochs = {:,}
  Instantaneous batch size per device = 8
  Total train batch size (w. parallel, distributed & accumulation) = 16
  Gradient Accumulation steps = 2
  Total optimization steps = {:,}
"""


@pytest.mark.parametrize(
    ("examples", "epochs", "steps", "logged"),
    [
        (4_800, 2, 450, [(0.33, 100), (0.67, 200), (1.0, 300), (1.33, 400)]),  # one and a half
        (4_800, 1, 200, [(0.33, 100), (0.67, 200)]),  # `max_steps`
        (4_800, 3, 900, [(1.0, 300), (2.0, 600), (3.0, 900)]),
        (
            4_800,
            3,
            1_800,
            [(1.0, 600), (2.0, 1_200)],
        ),  # shared by the GPUs of a sequence: more steps than by its batch
        (32_000, 9_223_372_036_854_775_807, 2_000, [(0.25, 500), (0.5, 1_000)]),  # streamed
    ],
)
def test_a_banner_rounds_the_epochs_up_that_its_steps_fill(
    examples: int, epochs: int, steps: int, logged: list[tuple[float, int]]
) -> None:
    lines = [f"{{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': {epoch}}}" for epoch, _ in logged]
    evaluation = "***** Running Evaluation *****\n  Num examples = 90\n  Batch size = 8"
    log = BANNER.format(examples, epochs, steps) + "\n".join([lines[0], evaluation, *lines[1:]])
    found = [one.index for one in of(Iteration, read("Hugging Face Trainer", log))]
    assert found == [step for _, step in logged]


def test_a_banner_may_say_how_many_steps_an_epoch_has() -> None:
    log = BANNER.format(9_000, 1, 60).replace("  Instant", "  Num update steps per epoch = 400\n  Instant")
    log += (
        "{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.05}\n{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.1}"
    )
    assert [one.index for one in of(Iteration, read("Hugging Face Trainer", log))] == [20, 40]


@pytest.mark.parametrize(
    ("each", "said", "steps"),
    [
        (17.05, 17.0, [*range(5, 2106, 5)]),
        (3125, 3125, [1, *range(100, 6201, 100)]),
        (40, 40, [10, 20, 40, 60]),
        (7, 7, [7, 14, 21]),
    ],
)
def test_steps_are_found_again(each: float, said: float, steps: list[int]) -> None:
    one, found = StepsByEpochs(), [0]
    for step in steps:
        found.append(one.step(round(step / each, 2), said, found[-1]))
    assert found[1:] == steps


@pytest.mark.parametrize(("epoch", "step"), [(0.21, 200), (0.2105, 200), (0.211, 210), (0.19, 200), (0.189, 190)])
def test_an_interval_stays_as_long_as_two_rounded_epochs_allow_it(epoch: float, step: int) -> None:
    """Of 1,000 steps an epoch's second digit is ten: the difference of two is off by as much, and by half a step."""
    one = StepsByEpochs()
    assert one.step(0.1, 1000, 0) == 100
    assert one.step(epoch, 1000, 100) == step


def test_the_roundest_number_is_an_interval_as_people_choose_it() -> None:
    assert [roundest(78, 109), roundest(4.3, 5.6), roundest(6.6, 7.4)] == [100, 5, None]
    assert [roundest(900, 1_100), roundest(460, 540), roundest(190, 210), roundest(48, 52)] == [1000, 500, 200, 50]
    assert [roundest(240, 260), roundest(18, 22), roundest(24, 26), roundest(9, 11)] == [250, 20, 25, 10]
    assert [roundest(100, 100), roundest(101, 104), roundest(0, 2)] == [100, None, None]


@pytest.mark.parametrize(
    ("first", "second", "again"),
    [
        ({"loss": 2.5, "epoch": 0.5}, {"loss": 2.5, "epoch": 0.505}, True),
        ({"loss": 2.5, "epoch": 0.5}, {"loss": 2.5, "epoch": 0.52}, False),
        (
            {"loss": 0.0, "grad_norm": float("nan"), "epoch": 0.2},
            {"loss": 0.0, "grad_norm": float("nan"), "epoch": 0.2},
            True,
        ),
        (
            {"loss": 0.0, "learning_rate": 2e-5, "epoch": 0.2},
            {"loss": 0.0, "learning_rate": 2.05e-5, "epoch": 0.2},
            False,
        ),
        ({"loss": 0.0, "epoch": 0.2}, {"loss": 0.0, "epoch": 0.2, "step": 5}, False),
        ({"loss": 0.0}, {"loss": 0.0}, False),
    ],
)
def test_a_dictionary_that_says_the_same_is_the_one_before(first, second, again):
    """A loss of 0.0 is that of all of them, where the model is broken: its learning rate is the newest all the same."""
    told = Told()
    assert not told.again(first)
    assert told.again(second) is again


@pytest.mark.parametrize(
    ("loss", "epoch", "same"),
    [(0.5, 0.19, True), (nan, 0.19, False), (0.5, 0.2, False), (0.25, 0.19, False), (None, 0.19, False)],
)
def test_an_evaluation_that_a_callback_prints_again_is_the_same(
    loss: float | None, epoch: float, *, same: bool
) -> None:
    read = {"epoch": epoch} if loss is None else {"eval_loss": loss, "epoch": epoch}
    assert same_evaluation(read, {"eval_loss": 0.5, "epoch": 0.191667}) is same
    assert same_evaluation({"eval_loss": nan, "epoch": epoch}, {"eval_loss": nan, "epoch": epoch})
    assert not same_evaluation(read, {})


NAME = "Hugging Face Trainer"
LOSSES = """{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.5}
{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 1.0}
"""
BAR = "100%|██████████| 1000/1000 [02:00<00:00,  8.30it/s]\n"


def over(rate: float) -> str:
    return f"{{'train_runtime': 120.5, 'train_steps_per_second': {rate}, 'train_loss': 2.0, 'epoch': 1.0}}\n"


RETURNED = "TrainOutput(global_step=1000, training_loss=2.0, metrics=" + over(8.299).strip() + ")\n"


def messages(text: str) -> list[str]:
    return [one.text for one in of(Message, read(NAME, text))]


def test_loss_lines_that_name_no_step_are_rows_at_their_epochs() -> None:
    reader = LogReader()
    events = [*reader.feed((LOSSES * 9).encode()), *reader.end(b"")]
    assert any(one.rows for one in of(Counted, events)), "nobody took each for an iteration"
    assert of(Iteration, expand(events))[1].scalars["epoch"] == 1.0
    reader = LogReader()
    named = "".join(f"{{'loss': 2.5, 'epoch': 0.{n}, 'step': {n}00}}\n" for n in range(1, 9))
    assert not any(one.rows for one in of(Counted, [*reader.feed(named.encode()), *reader.end(b"")]))


@pytest.mark.parametrize("end", [BAR, RETURNED, BAR + RETURNED])
def test_the_end_of_a_training_tells_its_steps(end: str) -> None:
    said = "the training had 1,000 steps: 120 ms a step, with its evaluations and checkpoints"
    assert messages(LOSSES + over(8.299) + end) == [NO_STEPS, said]


@pytest.mark.parametrize(
    "end",
    [
        "",
        BAR.replace("02:00", "00:12"),  # another one's, by its clock
        BAR.replace("1000", "990"),  # ... by the rate
        BAR.replace("1000/", "900/"),  # which went on
        "Evaluating: " + BAR,
    ],
)
def test_a_rate_alone_tells_no_steps_for_it_counts_those_to_which_an_early_stop_did_not_come(end: str) -> None:
    assert messages(LOSSES + over(8.299) + end) == [NO_STEPS]


def test_a_training_that_went_on_from_a_checkpoint_has_steps_that_took_none_of_its_time() -> None:
    later = LOSSES.replace("1.0}", "8.5}").replace("0.5}", "8.0}")
    assert messages(later + over(8.299).replace("1.0}", "9.0}") + BAR) == [
        NO_STEPS,
        "the training had 1,000 steps",
    ]


def test_an_early_stop_took_its_time_for_the_steps_it_came_to() -> None:
    stopped = RETURNED.replace("1000", "500")
    assert messages(LOSSES + over(8.299) + stopped)[1].startswith("the training had 500 steps: 241 ms a step")


def evaluated(epoch: float, loss: float) -> str:
    return f"{{'eval_loss': {loss}, 'eval_runtime': 4.0, 'epoch': {epoch}}}\n"


SECOND = (
    evaluated(0.25, 1.875)
    + evaluated(0.5, 1.75)
    + "{'loss': 1.25, 'learning_rate': 1e-05, 'epoch': 0.75}\n"
    + evaluated(0.8, 1.375)
    + evaluated(1.0, 1.5)
)
TWO_TRAININGS = LOSSES + evaluated(1.0, 2.25) + over(8.299) + evaluated(1.1, 0.5) + SECOND + over(8.299)


def test_an_evaluation_of_an_earlier_epoch_begins_another_training() -> None:
    events = read(NAME, TWO_TRAININGS)
    begun = [n for n, event in enumerate(events) if isinstance(event, RunInfo)]
    before = of(SpanEnd, events[: begun[-1]])
    assert (len(begun), [one.values["val_loss"] for one in before]) == (2, [2.25, 0.5])


def test_each_evaluation_counts_in_number_seconds_and_values(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(TWO_TRAININGS)
    found = json.loads(CliRunner().invoke(main, ["report", "--json", str(log)]).stdout)
    values = next(one for one in found["scalars"] if one["name"] == "val_loss")
    spent_s = next(one["seconds"] for one in found["ledger"] if one["cause"] == "evaluation")
    assert (found["progress"]["evaluations"], spent_s) == (6, 24.0)
    assert (values["values"], values["least"], values["most"]) == (4, 1.375, 1.875)
    assert (found["losses"]["best_validation"], found["losses"]["validation"]) == (1.375, 1.5)


def test_the_same_loss_at_another_epoch_is_another_evaluation() -> None:
    twice = LOSSES + evaluated(1.0, 2.25) + evaluated(1.0, 2.25) + evaluated(2.0, 2.25)
    assert len(of(SpanEnd, read(NAME, twice))) == 2


def test_an_interval_is_counted_from_the_beginning_where_the_first_step_is_logged_besides() -> None:
    for interval in (1, 5, 10, 25):
        steps, before = StepsByEpochs(), 0
        for step in (1, *range(interval, 101, interval)):
            if step > before:
                before = steps.step(round(step / 50, 2), 50.0, before)
                assert before == step


def test_the_mean_rate_of_all_steps_stands_beside_the_printed_total() -> None:
    losses = "".join(f"{{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': {n / 2}}}\n" for n in range(1, 5))
    for said, rate in (("'train_steps_per_second': 0.05, ", 0.05), ("", None)):
        closing = f"{{'train_runtime': 80.0, {said}'train_loss': 2.5, 'epoch': 2.0}}"
        (total,) = of(Total, read("Hugging Face Trainer", losses + closing))
        assert (total.duration_s, total.iterations_per_s) == (80.0, rate)
