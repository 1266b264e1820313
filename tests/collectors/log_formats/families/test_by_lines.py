"""What the end of a Hugging Face training says of its steps, where no loss line names one."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from log_examples import of, read

from itermon.cli.main import main
from itermon.collectors.log_formats.families.by_lines import NO_STEPS
from itermon.events import Message, RunInfo, SpanEnd

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
