"""Validation losses: each evaluation once, and the best."""

from itermon.analysis.record.evaluations import Evaluations, ToldOnce
from itermon.analysis.record.spans import Spans
from itermon.events import CHECKPOINT, EVALUATION, SpanBegin, SpanEnd, Strength


def test_the_lowest_loss_is_the_best_and_of_equals_the_first() -> None:
    evaluations = Evaluations()
    for iteration, loss in ((0, 4.0), (10, 3.0), (20, None), (30, 3.0), (40, 3.5)):
        evaluations.add(iteration, loss)
    assert evaluations.losses == [(0, 4.0), (10, 3.0), (30, 3.0), (40, 3.5)]
    assert evaluations.best == (10, 3.0)


def test_a_printed_loss_counts_unless_a_hook_reported_it() -> None:
    evaluations = Evaluations()
    evaluations.add_printed(10, 4.0)
    evaluations.add(20, 3.0)
    evaluations.add_printed(20, 3.01)
    evaluations.add_printed(30, 2.0)
    assert evaluations.losses == [(10, 4.0), (20, 3.0), (30, 2.0)]


def test_a_training_s_loss_between_two_printed_ones_takes_none_of_them_away() -> None:
    evaluations = Evaluations()
    for loss in (4.0, None, 3.0):
        evaluations.add_printed(10, loss)
    assert evaluations.losses == [(10, 4.0), (10, 3.0)]


def test_two_printed_losses_of_one_iteration_are_two_evaluations_and_one_printed_twice_is_one() -> None:
    evaluations = Evaluations()
    for loss in (0.75, 0.75, 2.5):
        evaluations.add_printed(10, loss)
    assert evaluations.losses == [(10, 0.75), (10, 2.5)]


def test_only_an_evaluation_of_a_known_iteration_counts() -> None:
    evaluations = Evaluations()
    for kind, iteration in ((CHECKPOINT, 1), (EVALUATION, None), (EVALUATION, 0)):
        evaluations.add_span(SpanEnd(kind, iteration=iteration, values={"val_loss": 3.0, "train_loss": 2.0}))
    assert evaluations.losses == [(0, 3.0)]


def test_how_far_it_came_begins_anew_with_a_process() -> None:
    evaluations = Evaluations()
    reached = [evaluations.reached]
    evaluations.add(20, 3.0)
    reached.append(evaluations.reached)
    evaluations.begin()
    assert [*reached, evaluations.reached] == [0, 20, 0]
    evaluations.add(30, 3.0)
    evaluations.add_printed(20, 2.0)
    evaluations.add_printed(20, 2.0)
    assert evaluations.losses == [(20, 3.0), (30, 3.0), (20, 2.0)]


def test_a_best_of_an_earlier_process_is_told_from_one_of_the_newest() -> None:
    evaluations = Evaluations()
    for iteration, loss in ((10, 0.1), (20, 0.3)):
        evaluations.add(iteration, loss)
    earlier = [evaluations.best_is_earlier]
    evaluations.begin()
    earlier.append(evaluations.best_is_earlier)
    for iteration, loss in ((20, 0.4), (30, 0.05)):
        evaluations.add(iteration, loss)
        earlier.append(evaluations.best_is_earlier)
    assert earlier == [False, False, True, False]


def test_another_training_has_a_best_of_its_own() -> None:
    evaluations = Evaluations()
    for iteration, loss in ((10, 0.1), (20, 0.3)):
        evaluations.add(iteration, loss)
    evaluations.begin_training(index=1, last=25)
    assert (evaluations.best, evaluations.of_training) == (None, [])
    evaluations.add(10, 0.5)
    assert (evaluations.best, evaluations.of_training) == ((10, 0.5), [(10, 0.5)])
    assert len(evaluations.losses) == 3


def test_the_evaluation_that_a_line_tells_before_its_iteration_is_of_the_training_that_begins_with_it() -> None:
    evaluations = Evaluations()
    for iteration, loss in ((10, 0.1), (1, 0.8)):
        evaluations.add(iteration, loss)
    evaluations.begin_training(index=1, last=10)
    assert (evaluations.best, evaluations.of_training) == ((1, 0.8), [(1, 0.8)])
    evaluations.begin_training(index=1, last=1)
    assert evaluations.of_training == []


def test_what_is_told_while_a_process_begins_waits_for_its_first_iteration() -> None:
    evaluations = Evaluations()
    evaluations.add(10, 0.1)
    assert not evaluations.add_span(SpanEnd(EVALUATION, iteration=0, values={"val_loss": 5.0}), begins=True)
    evaluations.begin_training(index=0, last=10)
    (waited,) = evaluations.before_first(0)
    assert evaluations.add_span(waited)
    assert (evaluations.best, evaluations.of_training) == ((0, 5.0), [(0, 5.0)])
    assert evaluations.before_first(1) == []


def saves_in(*files: tuple[float | None, str]) -> int:
    counted = ToldOnce()
    for at_s, detail in files:
        counted.once(SpanBegin(CHECKPOINT, at_s=at_s, iteration=11, detail=detail), rows=3)
    return counted.told[CHECKPOINT]


def test_files_that_are_written_together_are_one_checkpoint_however_they_are_called() -> None:
    assert saves_in((5.0, "orig.npz"), (6.0, "iter40.npz"), (6.0, "last.npz")) == 1
    assert saves_in((5.0, "orig.npz"), (9.0, "iter40.npz")) == 2
    assert saves_in((None, "a_10.pt"), (None, "b_10.pt"), (None, "a_20.pt")) == 2


def test_the_same_file_written_later_is_another_checkpoint_without_a_row_in_between() -> None:
    assert saves_in((5.0, "out/last.pt"), (95.0, "out/last.pt"), (185.0, "out/last.pt")) == 3


def test_a_save_behind_the_evaluation_of_another_place_is_another() -> None:
    counted = ToldOnce()
    for place, at_s in ((10, 5.0), (10, 40.0), (20, 90.0)):
        counted.once(SpanEnd(EVALUATION, at_s, place, values={"loss": 0.5}), rows=3)
        counted.once(SpanEnd(CHECKPOINT, at_s + 10, 21, detail=f"{'ab'[at_s > 5]}.pt"), rows=3)
    assert counted.told == {EVALUATION: 2, CHECKPOINT: 2}


def test_many_words_on_saves_without_a_row_between_them_may_be_of_one_or_of_many() -> None:
    counted = ToldOnce()
    for n in range(12):
        counted.once(SpanEnd(CHECKPOINT, 1.5 * n, 11, detail="Saving the model."), rows=3)
        assert counted.unsure == ((CHECKPOINT,) if n >= 4 else ())


def evaluations_in(*ends: tuple[float | None, float, str]) -> int:
    counted = ToldOnce()
    for at_s, took_s, title in ends:
        counted.once(SpanEnd(EVALUATION, at_s, 41, duration_s=took_s, detail=title), rows=3)
    return counted.told[EVALUATION]


def test_an_evaluation_that_begins_a_while_behind_one_of_its_name_is_another() -> None:
    assert evaluations_in((100.0, 5.0, "17 Validating"), (109.0, 5.0, "18 Validating")) == 2
    assert evaluations_in((100.0, 5.0, "17 Validating"), (106.0, 5.0, "18 Validating")) == 1
    assert evaluations_in((100.0, 5.0, "Validating set A"), (120.0, 5.0, "Validating set B")) == 1
    assert evaluations_in((None, 5.0, "Validating"), (None, 5.0, "Validating")) == 1


def test_those_since_the_counter_last_went_back_are_known_apart() -> None:
    evaluations = Evaluations()
    evaluations.add(10, 0.5)
    evaluations.begin()
    assert evaluations.of_process == []
    evaluations.add(10, 2.5)
    assert (evaluations.of_process, evaluations.best) == ([(10, 2.5)], (10, 0.5))


def test_other_values_of_the_same_names_before_one_row_may_be_of_another_evaluation() -> None:
    for second, unsure in (({"mIoU": 0.75}, True), ({"mIoU": 0.5}, False), ({"test_mIoU": 0.75}, False)):
        counted = ToldOnce()
        for at_s, values in ((10.0, {"mIoU": 0.5}), (20.0, second)):
            counted.once(SpanEnd(EVALUATION, at_s, 21, values=values), 3)
        assert (EVALUATION in counted.unsure) is unsure


def test_a_save_before_an_evaluation_and_one_behind_it_may_be_two_of_one_model() -> None:
    counted = ToldOnce()
    counted.once(SpanEnd(EVALUATION, 5.0, 31), 2)
    begun = SpanBegin(CHECKPOINT, 10.0, 41, strength=Strength.LOG, detail="4 rounds")
    counted.once(begun, 3)
    assert counted.has(begun)
    counted.once(SpanEnd(EVALUATION, 40.0, 41), 3)
    assert not counted.has(begun)
    assert counted.has(SpanBegin(EVALUATION, strength=Strength.LOG))
    counted.once(SpanEnd(CHECKPOINT, 50.0, 41, detail="best of round 4"), 3)
    assert (counted.told[CHECKPOINT], counted.unsure) == (1, (CHECKPOINT,))


def test_an_evaluation_in_other_words_than_the_formats_may_be_several() -> None:
    counted = ToldOnce()
    counted.guess(EVALUATION)
    assert (counted.told[EVALUATION], counted.unsure) == (1, ())  # all are told of in such words
    counted.once(SpanEnd(EVALUATION, 5.0, 31), 2)
    counted.guess(EVALUATION)
    assert (counted.told[EVALUATION], counted.unsure) == (3, (EVALUATION,))


def test_files_of_two_places_that_were_written_within_a_second_may_be_two_checkpoints() -> None:
    counted = ToldOnce()
    for detail in ("iter_50", "iter_52"):
        counted.once(SpanEnd(CHECKPOINT, 10.0, 51, detail=detail), 3)
    assert counted.unsure == (CHECKPOINT,)


def test_a_line_that_only_speaks_of_the_evaluation_whose_time_was_just_told_is_no_second_one() -> None:
    spans = Spans()
    spans.end(SpanEnd(EVALUATION, iteration=101, duration_s=8.0, told=True))
    spans.end(SpanEnd(EVALUATION, iteration=51, told=True))
    spans.end(SpanEnd(EVALUATION, iteration=51, values={"test_loss": 0.5}, told=True))
    spans.join([101], 0, (EVALUATION,), lambda _: 50)
    assert [note.duration_s for note in spans.by_position[0]] == [8.0, None], "another set's is one"
