"""What a buffer wrote behind the bar."""

import pytest

from itermon.collectors.log_formats.families import behind_a_flush
from itermon.collectors.log_formats.families.behind_a_flush import Blocks, InnerBar, result
from itermon.collectors.log_formats.parsing.bars import Bar
from itermon.collectors.logs.reader import LogReader
from itermon.events import PrintedLoss


def logged(loss: float) -> dict[str, object]:
    return {"loss": loss, "learning_rate": None, "gradient_norm": 0.5, "scalars": {"entropy": loss / 2}}


def filled(epochs: list[float]) -> Blocks:
    blocks = Blocks()
    for epoch in epochs:
        blocks.add(epoch, logged(epoch))
    return blocks


def test_each_dictionary_stands_at_the_step_of_its_epoch_with_all_its_values() -> None:
    found = filled([0.02, 0.03, 0.05, 2.99]).placed(3.0, 1755, 1755)
    assert [one.iteration for one in found] == [10, 20, 30, 1750]
    assert [one.loss for one in found] == [0.02, 0.03, 0.05, 2.99]
    assert found[0].scalars == {"gradient_norm": 0.5, "entropy": 0.01}


def test_an_evaluation_stands_where_the_dictionary_of_its_step_does() -> None:
    blocks = filled([0.33, 0.34])
    blocks.add_evaluation(0.34, {"val_loss": 1.5, "eval_runtime": 3.0}, 3.0)
    blocks.add(0.36, logged(2.0))
    found = blocks.placed(3.0, 1755, 1755)
    assert found[2].iteration == found[1].iteration
    assert (found[2].validation_loss, found[2].scalars) == (1.5, {"val_loss": 1.5, "eval_runtime": 3.0})
    assert found[3].iteration > found[2].iteration
    assert [one.evaluation_s for one in found] == [None, None, 3.0, None]


@pytest.mark.parametrize(
    ("epochs", "total", "count"),
    [(None, 100, 0), (2.0, None, 0), (1.0, 100, 0), (2.0, 100, 3), (1.5, 75, 3)],
)
def test_without_the_length_of_an_epoch_nothing_has_a_place(
    epochs: float | None, total: int | None, count: int
) -> None:
    assert len(filled([0.5, 1.0, 1.5]).placed(epochs, total, total)) == count


def test_the_last_step_of_a_full_bar_ends_a_whole_epoch() -> None:
    assert [one.iteration for one in filled([1.0, 2.0]).placed(None, 100, 100)] == [50, 100]


def test_what_has_no_place_yet_waits_and_what_has_one_is_told_once() -> None:
    blocks = filled([0.5])
    assert blocks.placed(None, 100, 100) == []
    assert len(blocks.placed(1.0, 100, 100)) == 1
    assert blocks.placed(1.0, 100, 100) == []


def test_what_has_no_epoch_has_no_place_nor_has_a_training_that_another_follows() -> None:
    blocks = filled([0.5, 2.5, 0.5, 1.0])
    blocks.add(None, logged(1.0))
    assert [one.iteration for one in blocks.placed(1.0, 10, 10)] == [5, 10]


def test_of_what_waits_without_end_the_newest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behind_a_flush, "MOST", 3)
    blocks = Blocks()
    for n in range(1, 11):
        blocks.add(n / 10, {"loss": float(n), "scalars": None})
    assert [row.loss for row in blocks.placed(1.0, 100, 100)] == [8.0, 9.0, 10.0]


def test_a_result_has_the_values_that_are_numbers() -> None:
    found = result(7, {"val_loss": float("nan"), "eval_accuracy": 0.5})
    assert (found.iteration, found.validation_loss, found.scalars) == (7, None, {"eval_accuracy": 0.5})


def drawn(blocks: Blocks, *steps: int, total: int = 100) -> list[int]:
    """Each of `steps` is drawn: twice where it stands there twice. The steps of what was placed by it."""
    return [row.iteration for step in steps for row in blocks.drawn(step, full=step >= total)]


def test_a_dictionary_is_of_the_step_at_which_the_bar_was_drawn_again() -> None:
    blocks = Blocks()
    drawn(blocks, 9, 10, 10, 11, 20, 20, 30, 30, 31)
    blocks.found = True
    for epoch in (0.25, 0.5, 0.75):
        blocks.add(epoch, logged(epoch))
    assert drawn(blocks, 32) == [10, 20, 30]
    drawn(blocks, 40, 40, 40)  # of an evaluation, too, which comes in the next block
    blocks.add(1.0, logged(1.0))
    assert drawn(blocks, 41) == [40]
    blocks.add_evaluation(1.0, {"val_loss": 1.5})
    blocks.add(1.25, logged(1.25))
    drawn(blocks, 50, 50)
    assert [(row.iteration, row.validation_loss) for row in blocks.by_drawings()] == [(40, 1.5), (50, None)]


def test_of_dictionaries_that_are_fewer_than_drawings_or_do_not_fit_them_no_step_is_known() -> None:
    for again, epochs in (((10, 20, 30), (0.1, 0.2)), ((10, 20), (0.1, 0.9)), ((20, 10), (0.1, 0.2))):
        blocks = Blocks()
        drawn(blocks, *(step for one in again for step in (one, one)), 31)
        blocks.found = True
        for epoch in epochs:
            blocks.add(epoch, logged(epoch))
        assert drawn(blocks, 32, 33) == []
        assert blocks.by_drawings() == []
        assert [row.iteration for row in blocks.placed(1.0, 100, 31)]  # their epochs tell, where one has a length


def test_a_full_bar_is_drawn_again_as_it_is_closed_with_a_dictionary_or_without() -> None:
    for epochs, steps in (((0.5, 1.0), [50, 100]), ((0.5,), [50])):
        blocks = Blocks()
        drawn(blocks, 50, 50, 100, 100, 100)
        for epoch in epochs:
            blocks.add(epoch, logged(epoch))
        assert [row.iteration for row in blocks.by_drawings()] == steps


def test_the_last_block_comes_when_the_bar_is_full_and_the_evaluation_before_it_has_drawn_a_step_again() -> None:
    blocks = filled([0.2])
    blocks.found = True
    assert drawn(blocks, 20, 20, 20, 40) == [20]
    drawn(blocks, 40, 60, 60, 100, 100, 100)
    blocks.add_evaluation(0.2, {"val_loss": 1.5})
    blocks.add(0.4, logged(0.4))
    blocks.add(0.6, logged(0.6))
    assert [row.iteration for row in blocks.placed(1.0, 100, 100) or blocks.by_drawings()] == [20, 40, 60]


def test_where_drawings_told_of_some_and_not_of_the_rest_nothing_else_is_guessed() -> None:
    blocks = filled([0.1])
    blocks.found = True
    assert drawn(blocks, 10, 10, 11) == [10]
    blocks.add(0.9, logged(1.0))
    assert blocks.placed(1.0, 100, 90) == []


def frame(n: int, of: int = 4, inner: bool = True) -> Bar:
    return Bar("", n, of, 2.0 * n, 2.0, "", inner=inner)


def test_a_full_bar_that_is_drawn_again_is_no_second_evaluation() -> None:
    inner = InnerBar()
    for n in (1, 3, 4, 4):
        inner.see(frame(n))
    inner.see(frame(4)._replace(elapsed_s=11.0))  # what came behind its last step
    assert inner.is_full
    assert (newest := inner.over()) is not None
    assert newest.elapsed_s == 11.0
    assert not inner.is_full
    inner.see(frame(4, inner=False))
    assert inner.over() is None
    inner.see(frame(1, inner=False))
    assert inner.over() is not None, "the next one, of the same length"


def test_a_bar_that_stands_below_none_is_no_evaluation_s_nor_is_one_of_another_length() -> None:
    inner = InnerBar()
    inner.see(frame(1, inner=False))
    assert inner.over() is None
    inner.see(frame(1))
    inner.see(frame(3, of=9))
    assert (newest := inner.over()) is not None
    assert newest.total == 4


def test_an_evaluation_that_draws_several_bars_of_one_length_took_what_they_all_did() -> None:
    inner = InnerBar()
    for n in (1, 4, 4, 1, 4, 4, 1, 4):
        inner.see(frame(n))
    assert (newest := inner.over()) is not None
    assert newest.spent_s == 24.0
    for n in (1, 4):
        inner.see(frame(n))
    assert (newest := inner.over()) is not None
    assert newest.spent_s == 8.0, "the next evaluation begins anew"


def test_a_dictionary_behind_the_last_frame_is_of_the_newest_step() -> None:
    lines = [f" 10%|#         | {n}/90 [00:{2 * n:02d}<02:00,  2.00s/it]\n" for n in range(1, 8)]
    lines.insert(3, "{'loss': 3.0, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.3}\n")
    lines.append("{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': 0.8}\n")
    reader = LogReader()
    events = [*reader.feed("".join(lines).encode()), *reader.end(b"")]
    printed = [event for event in events if isinstance(event, PrintedLoss)]
    assert [(event.iteration, event.loss) for event in printed] == [(7, 2.5)]


def test_a_dictionary_that_no_frame_follows_takes_the_place_of_the_one_of_the_newest_step() -> None:
    (one,) = Blocks().left(logged(2.5), 40)
    assert (one.iteration, one.loss, one.newer) == (40, 2.5, True)
    assert Blocks().left({}, 40) == Blocks().left(logged(2.5), None) == []


def test_what_only_says_where_an_evaluation_stands_is_no_result() -> None:
    read = {"eval_loss": 0.5, "eval_acc": 0.25, "epoch": 1.0, "step": 40.0, "max_steps": 900.0}
    assert behind_a_flush.results_in(read) == {"val_loss": 0.5, "eval_acc": 0.25}
