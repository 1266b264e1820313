"""What the end of a Hugging Face training says of its steps, where no loss line names one."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from log_examples import format_named, of, read

from itermon.cli.main import main
from itermon.collectors.log_formats.base import held_back
from itermon.collectors.log_formats.families.by_lines import NO_STEPS
from itermon.events import Message, RunInfo, SpanEnd

NAME = "Hugging Face Trainer"
LOSSES = """{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.5}
{'loss': 1.5, 'learning_rate': 1e-05, 'epoch': 1.0}
"""
BAR = "100%|██████████| 1000/1000 [02:00<00:00,  8.30it/s]\n"


def over(rate: float, took_s: float = 120.5) -> str:
    return f"{{'train_runtime': {took_s}, 'train_steps_per_second': {rate}, 'train_loss': 2.0, 'epoch': 1.0}}\n"


RETURNED = "TrainOutput(global_step=1000, training_loss=2.0, metrics=" + over(8.299).strip() + ")\n"


def messages(text: str) -> list[str]:
    parser = format_named(NAME).parser()
    events = [event for line in text.splitlines() for event in parser.line(line, None)]
    return [one.text for one in of(Message, [*events, *held_back(parser)])]


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (over(8.299) + BAR, "the training had 1,000 steps: 120 ms a step"),
        (over(8.299) + RETURNED, "the training had 1,000 steps: 120 ms a step"),
        (over(8.299) + BAR + RETURNED, "the training had 1,000 steps: 120 ms a step"),
        (over(8.299), "the training had 1,000 steps: 120 ms a step"),  # no other number has this rate
        (over(88.299, 4000.0), "the training took 11.3 ms a step"),  # several have
        (
            over(88.299, 4000.0) + BAR,
            "the training took 11.3 ms a step",
        ),  # which is another's: it does not fit the rate
        (
            over(0.249) + "100%|██████████| 9/9 [00:01<00:00,  8.30it/s]\n",
            "the training had 30 steps: 4.02 s a step",
        ),
    ],
)
def test_the_end_of_a_training_tells_its_steps(end: str, said: str) -> None:
    assert messages(LOSSES + end) == [NO_STEPS, f"{said}, with its evaluations and checkpoints"]


def test_a_training_of_which_nothing_tells_the_steps_has_none() -> None:
    ended = "{'train_runtime': 120.5, 'train_loss': 2.0, 'epoch': 1.0}\n"
    assert messages(LOSSES + ended) == [NO_STEPS]


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
