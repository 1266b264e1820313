"""What a figure rests on, in sentences."""

from itermon.analysis.findings import Ending, Findings, Losses
from itermon.reports import evidence, sentences


def test_the_newest_row_is_shown_word_for_word_with_its_line() -> None:
    found = Findings(ending=Ending(row="epoch 3   loss 0.5", row_line=1200))
    assert evidence.newest_row(found) == ["line 1,200: epoch 3 loss 0.5"]
    assert evidence.newest_row(Findings(ending=Ending())) == evidence.newest_row(Findings()) == []


def test_a_row_of_any_length_takes_three_lines() -> None:
    (said,) = evidence.newest_row(Findings(ending=Ending(row="loss 0.5 " * 99, row_line=1)))
    assert len(said) < 240
    assert said.endswith("…")


def test_a_loss_of_an_unknown_set_is_not_called_the_trainings() -> None:
    assert sentences.loss(Findings(losses=Losses(train=0.5, called="loss"))) == ["loss 0.5000"]
