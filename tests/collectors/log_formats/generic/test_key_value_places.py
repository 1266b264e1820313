"""Where a line says of which iteration it is: in an episode, in front and without a word; and what its rate is."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Message, RunInfo, SpanEnd


def indices(text: str) -> list[int]:
    return [one.index for one in iterations(read("key: value", text))]


def test_steps_begin_again_in_an_episode_that_has_several_lines() -> None:
    assert indices("\n".join(f"Episode {e}, Step {n}: loss: 2.5" for e in (1, 2, 3) for n in range(3))) == [
        *range(9)
    ]
    assert indices("\n".join(f"Episode {e}, step {e}00: loss: 2.5" for e in (1, 2, 3))) == [100, 200, 300]


def test_a_place_in_front_needs_no_word() -> None:
    text = "\n".join(
        f"[{n}000/9000] Train loss: {n}.5, Valid loss: 2.25, Elapsed_time: {n}00.5" for n in (1, 2, 3)
    )
    events = read("key: value", text)
    assert [(one.index, one.loss, one.duration_s) for one in iterations(events)] == [
        (1000, 1.5, None), (2000, 2.5, 0.1), (3000, 3.5, 0.1)
    ]  # fmt: skip
    assert {one.max_iterations for one in of(Config, events)} == {9000}
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 2.25}] * 3


def test_an_epoch_in_brackets_has_the_whole_of_its_losses_and_the_stamp_in_front() -> None:
    text = "\n".join(
        f"2025_06_25_13_0{n}_17 [Epoch] 00{n} [Loss] loss_box 0.5 loss_overall {n}.5" for n in (1, 2, 3)
    )
    read_of = iterations(read("key: value", text))
    assert [(one.index, one.loss) for one in read_of] == [(1, 1.5), (2, 2.5), (3, 3.5)]
    assert [one.duration_s for one in read_of] == [None, 60.0, 60.0]


def test_a_rate_with_a_unit_of_time_is_a_time() -> None:
    text = "\n".join(f"[Epoch: 1] [{n}0/90] [tps: {n}.25s] loss = 2.5" for n in (3, 4, 5))
    events = read("key: value", text)
    assert [(one.duration_s, one.tokens_per_s) for one in iterations(events)] == [
        (3.25, None),
        (4.25, None),
        (5.25, None),
    ]
    rates = read("key: value", "\n".join(f"step: {n}, tps: {n}25.5, loss: 2.5" for n in (3, 4, 5)))
    assert [one.tokens_per_s for one in iterations(rates)] == [325.5, 425.5, 525.5]


def test_what_was_saved_or_was_the_best_is_no_row() -> None:
    text = "\n".join(
        f"[2026-03-22 22:1{n}:00][train][INFO] - {line}"
        for n in (1, 2, 3)
        for line in (
            f"Checkpoint saved -> best.pt  (epoch {n}50, loss 9.5)",
            f"epoch  {n}00 | loss 2.5 | lr 4.63e-05",
            f"New best model at epoch {n}00, loss 9.5",
        )
    )
    assert [(one.index, one.loss) for one in iterations(read("key: value", text))] == [
        (100, 2.5),
        (200, 2.5),
        (300, 2.5),
    ]


def test_a_place_in_brackets_may_say_that_it_trains_and_a_dictionary_may_follow() -> None:
    text = "\n".join(f"[Train {n}0/1882] {{'grads_finite': 1.0, 'train_loss': {n}.5}}" for n in (1, 2, 3))
    assert [(one.index, one.loss) for one in iterations(read("key: value", text))] == [
        (10, 1.5),
        (20, 2.5),
        (30, 3.5),
    ]


def test_the_losses_of_a_game_are_metrics_and_none_is_the_loss() -> None:
    games = ("D_loss", "G_loss"), ("Loss_D", "Loss_G"), ("disc loss", "gen loss"), ("netD loss", "netG loss")
    for d, g in (*games, ("Loss Critic", "Loss Generator")):
        text = "\n".join(f"Epoch {n}/9 | {d}={n}.25 | {g}={n}.75" for n in (1, 2))
        events = read("key: value", text)
        rows = iterations(events)
        assert [(row.index, row.loss, row.scalars) for row in rows] == [
            (n, None, {d: n + 0.25, g: n + 0.75}) for n in (1, 2)
        ]
        assert not any("loss =" in message.text for message in of(Message, events))


def test_what_validates_behind_a_row_without_a_place_is_shown_at_that_row() -> None:
    text = "\n".join(f"Epoch {n}/3 Train Loss: {n}.5\nValidation: Val Loss: {n}.25" for n in (1, 2, 3))
    assert [one.shown_at for one in of(SpanEnd, read("key: value", text))] == [1, 2, 3]


def test_where_an_epochs_row_names_the_training_loss_that_of_other_rows_is_a_metric() -> None:
    """The message says `loss = Train Loss`: nothing else is shown as it."""
    epoch = "Epoch {}: Train Loss: {}.5"
    steps = [f"Epoch 1: iter {n}0 exact loss {n}.25" for n in range(1, 9)]
    events = read("key: value", "\n".join([epoch.format(0, 9), *steps]))
    assert [row.loss for row in iterations(events)] == [9.5] + [None] * 8
    assert [row.scalars for row in iterations(events)][1:] == [{"exact loss": n + 0.25} for n in range(1, 9)]


def test_a_part_of_a_loss_stands_for_it_where_it_is_alone() -> None:
    text = "\n".join(f"Epoch {n}/9 | loss_box={n}.25" for n in (1, 2))
    assert [row.loss for row in iterations(read("key: value", text))] == [1.25, 2.25]
    broken = "Epoch 1/9 | D_loss=0.25 | G_loss=0.75\nEpoch 2/9 | D_loss=nan | G_loss=0.75"
    assert [row.bad_loss for row in iterations(read("key: value", broken))] == ["", "nan"]


def test_below_evaluating_epoch_what_names_the_training_is_of_the_training() -> None:
    text = "\n".join(
        f"[*] Epoch {n}...\n[*] Evaluating epoch {n}...\n--- Training loss: {n}.5\n--- Validation loss: {n}.25"
        for n in (1, 2, 3)
    )
    events = read("key: value", text)
    assert [(one.index, one.loss) for one in iterations(events)] == [(1, 1.5), (2, 2.5), (3, 3.5)]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": n + 0.25} for n in (1, 2, 3)]


def test_a_place_may_be_joined_to_its_word_and_to_what_follows() -> None:
    assert indices("\n".join(f"Epoch1-train_step{n}-loss=30.5" for n in (7, 8, 9))) == [7, 8, 9]


def test_a_place_in_brackets_may_have_a_colon_unless_it_may_be_a_clock() -> None:
    text = "\n".join(f"[Epoch {e}/9][ {n:3}:391]  Loss: 0.0{e}" for e in (1, 2) for n in (0, 100, 200))
    assert indices(text) == [0, 100, 200, 391, 491, 591]
    assert indices("\n".join(f"Epoch {e}/9 [{e}:39] loss: 2.5" for e in (1, 2, 3))) == [1, 2, 3]


def test_an_epoch_may_be_called_by_one_letter_or_two() -> None:
    for form in ("E {:2}/500 | Loss:4.25", "E{}/500 | Loss:4.25", "Ep {:03} | Loss 4.25", "Ep{}: loss=4.25"):
        assert indices("\n".join(form.format(n) for n in (98, 99, 100))) == [98, 99, 100]
    assert not indices("\n".join(f"EP={n} TP 8 loss=4.25" for n in (98, 99, 100)))


def test_beside_a_reward_it_is_an_episode() -> None:
    agents = read("key: value", "\n".join(f"Ep {n} | reward {n}.5 | loss 2.5" for n in (1, 2, 3)))
    assert any("iteration = Ep" in one.text for one in of(Message, agents))  # as the log spells it


def test_a_counter_may_stand_some_blanks_behind_its_name() -> None:
    assert indices("\n".join(f"#it:    {n}       loss:   31{n}.5" for n in (1, 2, 3))) == [1, 2, 3]


def test_steps_in_an_epoch_may_be_called_by_two_letters_too() -> None:
    text = "\n".join(f"Ep {e}/9 It {n}/50  Loss=2.5  Time: 1.5s" for e in (1, 2) for n in (10, 30, 50))
    assert indices(text) == [10, 30, 50, 60, 80, 100]


def test_a_message_that_begins_with_a_newline_has_the_stamp_of_the_line_before() -> None:
    text = "\n".join(f"2025-11-08 15:3{n}:41,100 - train - INFO - \nEpoch {n} loss 0.5\nsaved" for n in (1, 2, 3))
    assert [one.duration_s for one in iterations(read("key: value", text))] == [None, 60.0, 60.0]
    later = text.replace("\nEpoch", "\nsome words\nEpoch")
    assert [one.duration_s for one in iterations(read("key: value", later))] == [None, None, None]


def test_a_counting_word_may_say_itself_what_it_trains() -> None:
    text = "\n".join(
        f"Epoch train: [{e}/5], Step train: [{n}/4], Loss train: {n}.5" for e in (0, 1, 2) for n in (1, 2, 3, 4)
    )
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [*range(1, 13)]
    assert {one.max_iterations for one in of(Config, events)} == {20}
    assert not iterations(read("key: value", text.replace("train", "val")))


def test_the_batches_of_epochs_in_brackets_are_counted_and_that_epochs_may_be_longer_is_said() -> None:
    """PyTorch's tutorial: 12,500 batches an epoch, of which every 2,000th has a line."""
    text = "\n".join(f"[{e}, {n:5d}] loss: 2.125" for e in (1, 2) for n in range(2000, 14_000, 2000))
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [*range(2000, 26_000, 2000)]
    guessed, unknown = (one.text for one in of(Message, events))
    assert "iteration = the second in brackets, epoch = the first in brackets" in guessed
    assert "at least as many iterations" in unknown


def test_the_mean_of_an_epochs_last_line_is_the_trainings_and_the_loss_under_evaluation_results_is_none() -> None:
    events = read(
        "key: value",
        "\n".join(
            f"Epoch {e} | Step {n}/21 | Loss: 0.5\n"
            + (
                ""
                if n < 20
                else f"Evaluation results:\n  Loss: 0.{e + 2}5\nEpoch {e} completed in 40s | Avg Loss: 0.75"
            )
            for e in (0, 1)
            for n in (0, 10, 20)
        ),
    )
    assert [one.index for one in iterations(events)] == [0, 10, 20, 21, 31, 41]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 0.25}, {"val_loss": 0.35}]


def test_trainings_of_one_row_are_trainings_where_epochs_have_one_each() -> None:
    """... which the rows that come later show."""
    epochs = [0, 0, 1, 0, *range(1, 12)]
    reader = LogReader()
    events = [*reader.feed("".join(f"model a, EP{e}, avg_loss=0.25\n" for e in epochs).encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == epochs
    assert len(of(RunInfo, events)) == 1 + 3  # the first tells of the log


def test_what_is_one_of_so_many_is_counted_within_what_has_no_end() -> None:
    for line, found in (
        ("episode: {} batch: {}/29 loss: 2.5", [10, 20, 29, 39, 49, 58]),
        ("iteration: {} global_step: {}/29 loss: 2.5", [10, 20, 29, 39, 49, 58]),
        ("batch: {} step: {}/29 loss: 2.5", [10, 20, 29, 39, 49, 58]),
        ("step: {} batch: {}/29 loss: 2.5", [1, 2]),
    ):
        assert indices("\n".join(line.format(outer, inner) for outer in (1, 2) for inner in (10, 20, 29))) == found


CLOSED = """2025-03-01 10:0{}:00 | epoch={} step={} train_loss=0.5 val_loss=0.{}5"""


@pytest.mark.parametrize("behind", ["\n", ""])
@pytest.mark.parametrize("name", ["epoch_end={}", "Epoch {} done:"])
def test_a_row_without_a_step_between_such_that_have_one_is_an_evaluation_there(name: str, behind: str) -> None:
    """The line before it has its stamp alone where its message begins with a new line."""
    rows = [CLOSED.format(n, 1 + n // 3, 100 * n, n) for n in range(1, 6)]
    closes = f"2025-03-01 10:02:30 | {behind}{name.format(1)} train_loss=0.375 val_loss=0.125"
    events = read("key: value", "\n".join([*rows[:2], closes, *rows[2:]]))
    assert [one.index for one in iterations(events)] == [100, 200, 300, 400, 500]
    (found,) = [one for one in of(SpanEnd, events) if one.values == {"val_loss": 0.125}]
    assert (found.iteration, found.after, found.duration_s) == (201, 200, None)
    assert found.at_s - iterations(events)[1].at_s == 30.0


def test_an_evaluation_that_was_told_is_not_told_once_more_by_the_row_that_closes_its_epoch() -> None:
    rows = [f"epoch 1 step {n} loss=0.5" for n in (10, 20)]
    events = read(
        "key: value",
        "\n".join(
            [*rows, "val loss: 0.1254", "Epoch 1 train_loss=0.5 val_loss=0.125", "epoch 2 step 30 loss=0.5"]
        ),
    )
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 0.1254}]


@pytest.mark.parametrize(("every", "places"), [(1, [2, 5, 8, 11]), (2, [5, 11])])
def test_where_rows_are_counted_below_the_heading_of_an_epoch_an_evaluation_is_of_the_newest_row(
    every: int, places: list[int]
) -> None:
    lines = [
        line
        for epoch in range(4)
        for line in (
            f"**** EPOCH {epoch:03d} ****",
            *(f"mean loss: {9 - epoch}.{part}" for part in range(3)),
            *(() if (epoch + 1) % every else (f"eval mean loss: {9 - epoch}.5",)),
        )
    ]
    events = read("key: value", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [*range(12)]
    assert [one.after for one in of(SpanEnd, events)] == places


def test_rows_of_epochs_that_begin_again_in_each_round_are_counted_with_their_evaluations() -> None:
    lines = [
        line
        for n in range(4)
        for line in (
            f"Iteration {n}",
            *(f"Epoch {epoch}, train loss: {9 - n}.{5 - epoch}" for epoch in range(3)),
            f"eval loss: {9 - n}.75",
        )
    ]
    events = read("key: value", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [*range(12)]
    assert [one.after for one in of(SpanEnd, events)] == [2, 5, 8, 11]
    assert len(of(RunInfo, events)) == 1


@pytest.mark.parametrize(
    "line", ["gen eval loss: 2.5, dis eval loss: 0.25, dis eval acc: 0.75", "G test loss=2.5 | D test loss=0.25"]
)
def test_what_is_evaluated_of_two_players_is_an_evaluation_and_none_of_their_losses_is_the_one(line: str) -> None:
    events = read("key: value", "\n".join(f"Epoch {n}, train loss: 0.5\n{line}" for n in range(4)))
    found = of(SpanEnd, events)
    assert [one.after for one in found] == [0, 1, 2, 3]
    assert "val_loss" not in found[0].values
    assert [*found[0].values.values()][:2] == [2.5, 0.25]


def test_the_best_loss_of_an_evaluation_is_none() -> None:
    events = read("key: value", "\n".join(f"Epoch {n}, train loss: 0.5\nbest eval loss: 2.5" for n in range(4)))
    assert not of(SpanEnd, events)


def test_where_rows_are_counted_an_epoch_that_is_as_high_as_the_newest_rows_number_is_not_that_row() -> None:
    lines = [f"2025-03-02 10:0{n}:00 epoch: {1 + n // 3}, loss: 2.5" for n in range(4)]
    events = read("key: value", "\n".join([*lines, "2025-03-02 10:30:00 Test epoch: 4, loss: 2.75"]))
    assert [one.index for one in iterations(events)] == [1, 2, 3, 4]
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(5, None)]


def test_a_training_whose_rows_drop_the_training_s_loss_is_one_and_no_evaluation_of_the_one_before() -> None:
    text = "\n".join(
        [
            *(f"Iter: {n}00 | Train Loss: 0.5 | Dev Loss: 0.75 | F1: 0.5" for n in range(1, 5)),
            *(f"Iter: {n}00 | Dev Loss: 0.{n}25 | F1: 0.5" for n in range(1, 8)),
        ]
    )
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [100, 200, 300, 400, *range(100, 800, 100)]
    assert [one.values for one in of(SpanEnd, events)][-2:] == [{"val_loss": 0.625}, {"val_loss": 0.725}]
    best = [*text.splitlines()[:4], "Iter: 200 | Dev Loss: 0.75 | F1: 0.5"]
    assert [one.index for one in iterations(read("key: value", "\n".join(best)))] == [100, 200, 300, 400]


def test_losses_under_a_heading_need_no_colon() -> None:
    text = "\n".join(
        f"Epoch {n}/3\ntrain loss 0.{n}5 acc 0.5\nval loss 0.{n}75 acc 0.5\nepoch time: 12.5s" for n in (1, 2, 3)
    )
    events = read("key: value", text)
    assert [(one.index, one.loss) for one in iterations(events)] == [(1, 0.15), (2, 0.25), (3, 0.35)]
    assert {one.duration_s for one in iterations(events)[1:]} == {12.5}
    assert next(one.values for one in of(SpanEnd, events)) == {"val_loss": 0.175}
    assert iterations(read("key: value", "Epoch 1/3\ntrain loss 2 of 3")) == []


@pytest.mark.parametrize(
    "line",
    [
        "Test loss: 0.95",
        "Epoch 3: test loss 0.95",
        "Test  | Epoch 3 | Loss 0.95",
        "Evaluation on test set: loss 0.95",
    ],
)
@pytest.mark.parametrize(
    "row", ["Epoch {n}: train loss 0.5, val loss 0.75", "Epoch {n} Train Loss: 0.5\nVal Loss: 0.75"]
)
def test_a_test_behind_validations_is_none_of_them(row: str, line: str) -> None:
    events = read("key: value", "\n".join([*(row.format(n=n) for n in (1, 2, 3)), line]))
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 0.75}] * 3 + [{"test_loss": 0.95}]
    alone = read("key: value", "Epoch 1 train loss: 0.5\nEpoch 1 test loss: 0.75")
    assert [one.values for one in of(SpanEnd, alone)] == [{"val_loss": 0.75}]


def test_of_two_brackets_the_first_is_the_epoch() -> None:
    assert indices("\n".join(f"Iter: [{n // 4}][{n % 4}/4] Loss 0.5" for n in range(9))) == [*range(9)]
