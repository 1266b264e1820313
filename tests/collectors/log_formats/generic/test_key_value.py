"""Lines of scripts that nobody knows: what is training, what validates, and where a run begins again."""

import pytest
from log_examples import format_named, iterations, of, read

from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.events import Config, Iteration, RunInfo, SpanBegin, SpanEnd


def indices(text: str) -> list[int]:
    return [one.index for one in iterations(read("key: value", text))]


@pytest.mark.parametrize(
    ("train", "evaluation"),
    [
        (
            "- Train | Epoch {e} | 3/3 | 0.5 it/sec | Loss 2.5",
            "- Valid | Epoch {e} | 2/2 | 0.5 it/sec | Loss 2.25",
        ),
        ("INFO:root:Epoch {e} - Average Loss: 2.5", "INFO:root:Evaluation Epoch {e} - Average Loss: 2.25"),
        ("epoch: {e}, loss: 2.5", "val: epoch: {e}, loss: 2.25"),
        ("step {e} loss 2.5", "[eval] step {e} loss 2.25"),
        ("[train] step {e}/9 loss 2.5", "Test: [10/10] step 10 loss 2.25"),
        ("epoch:{e}, trainLoss:2.5", "epoch:{e}, testLoss:2.25"),
        ("Epoch {e}, avg loss so far is 2.5", "Epoch {e}, val loss is 2.25, val mse is 0.5."),
        ("Training epoch: {e}\nmean_loss: 2.5", "Eval epoch: {e}\nmean_loss: 2.25"),
        ("Epoch: {e}, loss is: 2.5", "testing in eval mode...\nEpoch: {e}, loss is: 2.25\nNow continue training"),
    ],
)
def test_what_validates_is_an_evaluation_and_no_iteration(train: str, evaluation: str) -> None:
    events = read("key: value", "\n".join(f"{train}\n{evaluation}".format(e=e) for e in (1, 2, 3)))
    assert [one.loss for one in iterations(events)] == [2.5] * 3
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 2.25}] * 3
    assert len(of(RunInfo, events)) == 1


def test_an_evaluation_announced_whose_lines_look_like_the_training_is_one() -> None:
    events = read(
        "key: value",
        """
Epoch 1/2
step 10/20 - loss: 2.5
step 20/20 - loss: 2.5
Eval begin...
step 5/10 - loss: 2.25
step 10/10 - loss: 2.25
Epoch 2/2
step 10/20 - loss: 2.0
""",
    )
    assert [one.index for one in iterations(events)] == [10, 20, 30]
    assert [one.iteration for one in of(SpanBegin, events)] == [21]
    assert [one.max_iterations for one in of(Config, events)] == [40]


def test_an_evaluation_announced_at_the_end_of_a_run_is_over_when_the_next_one_begins() -> None:
    """... in the same file: all its rows were taken for the evaluation's, as its epochs had been there."""
    run = "Epoch 1/2\nstep 10/20 - loss: 2.5\nstep 20/20 - loss: 2.5\nEval begin...\nsaved at out/final\n"
    assert indices(run + run) == [10, 20] * 2


def test_padded_numbers_are_read() -> None:
    assert indices("Training epoch:       1\nmean_loss:       2.5\nTraining epoch:      2\nmean_loss: 2.5") == [
        1,
        2,
    ]


def test_several_runs_in_one_file_are_several() -> None:
    run = "\n".join(f"Epoch {e}/9\nTrain Loss: 2.5\nVal Loss: 2.5" for e in (1, 2))
    assert indices(f"{run}\n{run}\nEpoch 1/9\nTrain Loss: 2.5") == [1, 2, 1, 2, 1]
    assert len(of(RunInfo, read("key: value", f"{run}\n{run}"))) == 2
    assert indices("\n".join(f"epoch: {e}, loss: 2.5" for e in (0, 1, 2, 0, 1))) == [0, 1, 2, 0, 1]


@pytest.mark.parametrize(
    "stray", ["step 3: downloading, time=3s", "Downloading batch 5000, time: 3 s", "step 7 loss scale, time=3s"]
)
def test_a_line_of_another_library_is_no_iteration(stray: str) -> None:
    rows = [f"step {n} | loss 2.5 | time 0.5s" for n in range(100, 112)]
    assert indices("\n".join([*rows[:9], stray, *rows[9:]])) == list(range(100, 112))


def test_samples_are_steps_of_batches_where_the_batch_size_is_known() -> None:
    lines = [f"Train Epoch: 1 [{n}/6000 (9%)]\tLoss: 2.5" for n in (0, 640, 1280)]
    assert indices("\n".join(["Namespace(batch_size=64)", *lines])) == [0, 10, 20]
    assert indices("\n".join(lines)) == [0, 1, 2]


def test_an_epochs_mean_between_counted_rows_is_none_of_them() -> None:
    batches = "Epoch {e} - Batch loss: 2.5\nEpoch {e} - Batch loss: 2.25\nEpoch {e} - Average Train Loss: 2.375"
    found = iterations(read("key: value", "\n".join(batches.format(e=e) for e in (1, 2))))
    assert [one.loss for one in found] == [2.5, 2.25] * 2


def test_a_step_on_a_line_of_its_own_is_that_of_the_loss_below_it() -> None:
    text = "\n".join(f"Step {n} of 30\nloss: 2.5" for n in (10, 20, 30))
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [10, 20, 30]
    assert [one.max_iterations for one in of(Config, events)] == [30]
    batches = "**** EPOCH {e} ****\n---- batch: 010 ----\nmean loss: 2.5\n---- batch: 020 ----\nmean loss: 2.5\n"
    evaluation = "---- EPOCH {e} EVALUATION ----\nmean loss: 2.25\n"
    events = read("key: value", "".join((batches + evaluation).format(e=e) for e in ("000", "001")))
    assert [one.index for one in iterations(events)] == [10, 20, 30, 40]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 2.25}] * 2


def test_a_counter_may_stand_directly_behind_a_clock() -> None:
    events = read(
        "key: value", "".join(f"2019-11-08 23:3{n}:35iters: {n}0, loss:2.5, accuracy:0.5\n" for n in (1, 2, 3))
    )
    assert [(one.index, one.loss, one.duration_s) for one in iterations(events)] == [
        (10, 2.5, None),
        (20, 2.5, 6.0),
        (30, 2.5, 6.0),
    ]


@pytest.mark.parametrize("place", ["[epoch{}]", "epoch{}:", "step{},"])
def test_a_number_may_be_glued_to_its_word(place: str) -> None:
    assert indices("\n".join(f"{place.format(n)} train_loss=2.5" for n in range(3))) == [0, 1, 2]


def test_a_number_in_the_name_of_a_file_is_no_place() -> None:
    assert indices("\n".join(f"saved epoch{n}.pth with loss=2.5" for n in range(9))) == []


def test_a_padded_total_is_one() -> None:
    text = "\n".join(f"Step   {n:3} of   30:\nTrain loss: 2.5" for n in (0, 10, 20))
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [0, 10, 20]
    assert [one.max_iterations for one in of(Config, events)] == [30]


def test_a_clock_in_brackets_is_read() -> None:
    rows = [f"Elapsed [0:{n:02}:00], Iteration [{n * 100}/9000], G/loss: 2.5" for n in range(1, 12)]
    found = iterations(read("key: value", "\n".join(rows)))
    assert [one.duration_s for one in found[-2:]] == [0.6, 0.6]
    assert [one.averaged_over for one in found[-2:]] == [100, 100]


def test_a_row_of_a_later_epoch_is_not_of_the_evaluation_before_it() -> None:
    epochs = "".join(
        f"Epoch {e}[1/20]: loss: 2.5\nEpoch {e}[11/20]: loss: 2.5\nTest on Epoch {e}\n" for e in (1, 2, 3)
    )
    assert indices(epochs) == [1, 11, 21, 31, 41, 51]


def test_a_step_with_a_suffix_is_a_rounded_number() -> None:
    steps = ("400", "600", "800", "1K", "1K", "1K", "2K")
    events = read("key: value", "\n".join(f"step:{s} smpl:104K ep:9 loss:2.{n}" for n, s in enumerate(steps)))
    assert [one.index for one in iterations(events)] == [400, 600, 800, 1000, 1200, 1400, 1600]
    events = read("key: value", "\n".join(f"step 1{n}K/2M loss 2.5" for n in range(3)))
    assert [one.index for one in iterations(events)] == [10_000, 11_000, 12_000]
    assert {one.max_iterations for one in of(Config, events)} == {2_000_000}


def test_a_length_may_stand_behind_a_line_in_brackets() -> None:
    rows = "\n".join(f"Epoch:[ {e} | 9 ]  Batch:[ {n} | 300 ]  loss: 2.5" for e in (0, 1) for n in (0, 100, 200))
    assert indices(rows) == [0, 100, 200, 300, 400, 500]
    assert not of(Config, read("key: value", rows))  # nine epochs, or is it the last one's number?
    assert indices("step 5 | 7.5 s | loss 2.5\nstep 6 | 7.5 s | loss 2.5") == [5, 6]


def test_of_several_losses_the_total_one_counts_and_of_parts_none() -> None:
    rows = "\n".join(
        f"Train step:{n}/9,Box Loss: 0.5,Class Loss: 1.5,Tot Loss: 1.0\nValidation: Box Loss: 0.25,Tot Loss: 0.75"
        for n in (1, 2)
    )
    events = read("key: value", rows)
    assert {one.loss for one in iterations(events)} == {1.0}
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 0.75}] * 2
    parts = "\n".join(f"Iters: {n}/9 || Task Loss: 2.5 || Distill Loss: 0.5" for n in (1, 2))
    found = [(one.loss, one.scalars) for one in iterations(read("key: value", parts))]
    assert found == [(None, {"Task Loss": 2.5, "Distill Loss": 0.5})] * 2


def test_of_two_rows_of_a_step_the_one_without_a_learning_rate_tests() -> None:
    def step(n: int) -> str:
        tested = f"   Iteration {n} loss = 2.25\n" if n % 20 == 0 else ""
        return f"{tested}Iteration {n}  learning_rate = 0.5 loss = 2.5"

    lines = "\n".join(map(step, range(0, 60, 10))).split("\n")
    parser = KeyValue()
    parser.learn(lines)
    events = [event for line in lines for event in parser.line(line, None)]
    assert [(one.index, one.loss) for one in iterations(events)] == [(n, 2.5) for n in range(0, 60, 10)]
    assert [one.values for one in of(SpanEnd, events)] == [{"val_loss": 2.25}] * 3
    plain = "\n".join(f"Iteration {n} loss = 2.5" for n in (10, 20, 20, 30))
    summed = "\n".join(f"Iteration {n} loss = 2.5" for n in range(5)) + "\nIteration 4 lr = 0.5 loss = 2.5\n"
    assert indices(summed + "\n".join(f"Iteration {n} loss = 2.5" for n in (5, 6))) == [0, 1, 2, 3, 4, 5, 6]
    assert indices(plain) == [10, 20, 30]


def test_rows_of_an_evaluation_that_a_line_announces_are_no_run_of_their_own() -> None:
    trained = "[train] step: {n}, time: 4.5, speed: 2.0 steps/s\n\tlm_loss: 2.5, loss: 2.5\n"
    evaluated = "=====\nEvaluation:\n" + "".join(
        f"\tstep {n}: lm_loss: 2.25, loss: 2.25\n" for n in (10, 20, 30, 40, 50)
    )
    text = (
        "".join(trained.format(n=n) for n in (10, 20))
        + evaluated
        + "=====\n"
        + trained.format(n=30)
        + trained.format(n=40)
    )
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [10, 20, 30, 40]
    assert len(of(RunInfo, events)) == 1
    again = "step 10 loss 2.5\nstep 20 loss 2.5\nEvaluating ...\nstep 1 loss 2.5\nstep 2 loss 2.5\n"
    assert indices(again) == [10, 20, 1, 2]  # as the training's: the run began again


def test_a_length_that_is_the_whole_runs_is_not_taken_once_an_epoch() -> None:
    """The steps go on through the epochs' ends: what they are of is no epoch's length."""
    rows = [(1, 10), (1, 40), (2, 50), (2, 80), (3, 90)]
    events = read("key: value", "\n".join(f"Epochs: {e}/3 || Iters: {n}/120 || Loss: 2.5" for e, n in rows))
    assert [one.index for one in iterations(events)] == [10, 40, 50, 80, 90]
    assert [one.max_iterations for one in of(Config, events)][-1] == 120


def test_what_is_one_of_so_many_stands_inside_what_is_counted_without_an_end() -> None:
    """A hundred steps lie between two lines; the `iteration` is an epoch of 29."""
    lines = (
        "iteration:4 step:13/29, loss: 2.5",
        "iteration:7 step:26/29, loss:2.25",
        "iteration:11 step:10/29, loss: 2.0",
    )
    assert indices("\n".join(lines)) == [100, 200, 300]
    assert not [one for one in of(Config, read("key: value", "\n".join(lines))) if one.max_iterations]
    assert indices("step 400 iter 4/9 loss 2.5\nstep 500 iter 5/9 loss 2.5") == [400, 500], "of the whole run"


@pytest.mark.parametrize("other", ["Epoch: {e}, Best Loss: 0.25 saved", "Epoch: {e} True Loss: 9.5"])
def test_another_loss_of_an_epoch_that_has_its_row_is_none_of_the_training_s(other: str) -> None:
    lines = [f"Epoch: {e}, train loss: 2.5, took: 3.5\n{other.format(e=e)}" for e in (1, 2, 3)]
    found = iterations(read("key: value", "\n".join(lines)))
    assert [(one.index, one.loss) for one in found] == [(1, 2.5), (2, 2.5), (3, 2.5)]


def test_a_place_in_front_of_so_many_is_the_step_and_a_batch_behind_a_setting() -> None:
    lines = [f"[{n:06d}/50000] data  | loss 2.5 | 2.00 it/s | batch 16" for n in (0, 500, 1000)]
    events = read("key: value", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [0, 500, 1000]
    assert [one.max_iterations for one in of(Config, events)][-1] == 50_000
    rows = "[5/9] epoch 1 batch {} loss 2.5"
    assert indices("\n".join(rows.format(n) for n in (1, 2))) == [1, 2], "with an epoch, a batch is one"


def test_a_time_for_each_iteration_is_no_iteration() -> None:
    row = "Epoch {} Batch {}/20  loss 3.5  time/iter 1.046s\n"
    text = "".join(row.format(epoch, batch) for epoch in (1, 2) for batch in (10, 20))
    assert indices(text) == [10, 20, 30, 40]
    assert {one.duration_s for one in iterations(read("key: value", text))} == {1.046}


def test_stamps_that_are_finer_than_a_printed_clock_are_the_times() -> None:
    row = "2024-05-01 08:00:{:06.3f} step: {} loss: 2.5 elapsed time 0:00:{:02d}\n"
    text = "".join(row.format(12.516 + 0.25 * n, n, int(12.516 + 0.25 * n)) for n in range(12))
    rows = iterations(read("key: value", text))
    assert [row.witness for row in rows[1:]] == ["stamps"] * 11
    assert {row.elapsed_s for row in rows[1:]} == {None}


def test_an_episode_is_counted_and_the_steps_that_it_took_are_none() -> None:
    lengths = (174, 498, 37, 239)
    rows = [f"Episode {20 * n}/500 | Steps: {s} | Reward: 1.5 | Loss: 2.5" for n, s in enumerate(lengths)]
    assert indices("\n".join(rows)) == [0, 20, 40, 60]
    total = [row.replace("Steps: ", "Total steps: ") for row in rows[:2]]
    assert indices("\n".join(total)) == [174, 498]  # these are counted on


def test_a_loss_of_any_name_behind_validation_ends_the_evaluation() -> None:
    events = read("key: value", "step 1 loss: 2.5\nValidation: val_loss=2.25 - accuracy: 0.5\nstep 2 loss: 2.5")
    assert [one.values["val_loss"] for one in of(SpanEnd, events)] == [2.25]


def test_rows_at_the_beginning_of_each_epoch_are_rows_where_they_say_of_how_many() -> None:
    rows = [f"Epoch {n}/3 Batch 0/7 | loss {4 - n}.5\nEpoch {n} done, average loss: {4 - n}.25" for n in (1, 2, 3)]
    assert indices("\n".join(rows)) == [0, 7, 14]


def test_a_word_that_counts_something_else_here_is_no_place() -> None:
    """`updates : 242.6` is a loss before them. Once the column is known to count nothing, the line has no place."""
    lines = [f"mean loss before inner updates : {loss}" for loss in (242.5, 120.5, 260.5, 90.5, 30.5, 70.5)]
    parser = KeyValue()
    parser.learn(lines)
    assert [event for line in lines for event in parser.line(line, None)] == []


def test_a_place_in_brackets_is_that_of_the_losses_under_it() -> None:
    lines = []
    for epoch in (4, 8, 12):
        lines += [
            f"Display training progress at (epoch {epoch}, total_steps {320 * epoch})",
            f"loss: 0.{epoch:02d}5",
        ]
        lines += [f"saving the latest model (epoch {epoch}, total_steps {320 * epoch})"]
        lines += [f"Display validation results at (epoch {epoch}, total_steps {320 * epoch})"]
        lines += [f"validation loss is: 0.{epoch:02d}25"]
    events = read("key: value", "\n".join(lines))
    steps = [1280, 2560, 3840]
    assert [one.index for one in events if isinstance(one, Iteration)] == steps
    assert [(one.iteration, one.values) for one in events if isinstance(one, SpanEnd)] == [
        (step, {"val_loss": loss}) for step, loss in zip(steps, (0.0425, 0.0825, 0.1225), strict=True)
    ]


def test_a_frame_of_a_bar_is_no_row() -> None:
    """tqdm draws one iteration twice where a loss is set before the count goes on."""
    bars = [
        "Training Epoch 16:   4%|x   | 1/28 [00:04<00:56,  2.11s/it, Batch_Loss=0.105]",
        "Training Epoch 16:   7%|x   | 2/28 [00:04<00:54,  2.12s/it, Batch_Loss=0.105]",
    ]
    events = read("key: value", "\n".join([*bars, "Epoch 16/30, Train Loss: 0.0951, Val Loss: 0.1035"]))
    assert [(one.index, one.loss) for one in iterations(events)] == [(16, 0.0951)]
    assert not any(format_named("key: value").is_iteration(bar) for bar in bars)


def test_it_counts_iterations() -> None:
    events = read("key: value", "\n".join(f"==>>> it: {n}, avg. loss: 3.{n}" for n in (1, 101, 201)))
    assert [one.index for one in iterations(events)] == [1, 101, 201]


@pytest.mark.parametrize(
    ("line", "is_evaluation"),
    [
        ("Validation set: 581 images", False),
        ("Eval dataset loaded", False),
        ("Test label distribution -> 1:61, 2:79", False),
        ("Evaluating on 500 samples", True),
        ("Test results on 500 images", True),
    ],
)
def test_what_a_head_says_of_data_announces_no_evaluation(line: str, is_evaluation: bool) -> None:
    text = f"{line}\n" + "\n".join(f"Epoch {n}/3 | loss: 2.5 | time: 9.5s" for n in (1, 2, 3))
    assert indices(text) == ([2, 3] if is_evaluation else [1, 2, 3])


def test_a_share_before_a_rule_of_a_table_is_no_bar() -> None:
    assert indices("step 3 | acc 50%| loss 2.5\nstep 4 | acc 60%| loss 2.25") == [3, 4]
    assert indices("step 3 loss 2.5: 50%|█    | 5/10 [00:05<00:05, 1.00s/it]") == []


def test_losses_under_an_epoch_that_is_told_in_words_are_counted() -> None:
    log = [
        line for n in (1, 2) for line in (f"Epoch {n} out of 2", *(f"Train loss: {9 - m}.25" for m in range(3)))
    ]
    assert [one.loss for one in iterations(read("key: value", "\n".join(log)))] == [9.25, 8.25, 7.25] * 2
