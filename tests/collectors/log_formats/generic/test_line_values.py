"""The named values of a line, as a row."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.generic.line_values import places_of, spelled, values_of
from itermon.collectors.logs.reader import LogReader
from itermon.events import Message, SpanEnd


def test_lines_of_one_shape_have_their_own_names_and_values() -> None:
    for n in (1, 2):
        text = (
            f"Epoch {n}: loss is {n}.5, top{n}: 0.{n}, top{n + 5}: 0.{n + 5}, 1{n}.5k tok/s, 3.{n} it/s lr {n}e-05"
        )
        row = {"loss is": "", "loss": f"{n}.5", f"top{n}": f"0.{n}", f"top{n + 5}": f"0.{n + 5}", "lr": f"{n}e-05"}
        del row["loss is"]
        assert values_of(text) == row | {"tok/s": f"1{n}.5k", "it/s": f"3.{n}"}


def test_a_loss_and_a_time_may_have_a_word_before_them_and_no_mark_behind() -> None:
    assert values_of("batch=0/50; total_loss 4.5 (4.25)") == {"batch": "0", "total_loss": "4.5"}
    assert values_of("val loss 2.5 step_time 5s D Loss 4") == {"val loss": "2.5", "step_time": "5s", "D Loss": "4"}
    assert values_of("损失 = 4.5 | 损失 2.5") == {"损失": "4.5"}


def test_a_time_between_dashes_needs_no_name_unless_there_are_two() -> None:
    assert values_of("Epoch 1/500 - 0.21s - loss: 2.5") == {"loss": "2.5", "time": "0.21s"}
    assert values_of("Epoch 1 | loss: 2.5 | 12s") == {"loss": "2.5", "time": "12s"}
    assert values_of("Epoch 1 - 0.21s - 0.5s - loss: 2.5") == {"loss": "2.5"}
    assert values_of("read 20 - 3s of video - loss: 2.5") == {"loss": "2.5"}


def test_a_fraction_counts_nothing_beside_a_whole_number_or_behind_a_stroke() -> None:
    assert places_of("iter    10 | rew/step  3.8365") == {"iter": ("10", "")}
    assert places_of("[10/20] loss: 2.5, rew/step 3.8365") == {}
    assert places_of("train/step 3, loss 2.5") == {"step": ("3", "")}
    assert places_of("step 3.0 of epoch 0.25") == {"step": ("3", ""), "epoch": ("0", "")}


def test_digits_in_groups_of_three_are_one_number() -> None:
    assert places_of("[epoch: 2, iter:   8,250, lr: 0.25]") == {"epoch": ("2", ""), "iter": ("8,250", "")}
    assert places_of("Step 1,250/2,000,000 loss 0.5") == {"step": ("1,250", "2,000,000")}
    assert places_of("step 3,5, epoch 2,125,0.5") == {"step": ("3", ""), "epoch": ("2", "")}
    text = "\n".join(f"Step {n},500 of 40,000\nloss: 2.{n}\n" for n in range(1, 6))
    assert [one.index for one in iterations(read("key: value", text))] == [1500, 2500, 3500, 4500, 5500]
    text = "\n".join(f"[{n},500/40,000] loss: 2.{n}" for n in range(1, 6))
    assert [one.index for one in iterations(read("key: value", text))] == [1500, 2500, 3500, 4500, 5500]
    text = "\n".join(f"Epoch: 1 [{n},500/40,000] loss: 2.{n}" for n in range(1, 6))
    assert [one.index for one in iterations(read("key: value", text))] == [1500, 2500, 3500, 4500, 5500]


def test_the_best_epoch_and_the_last_that_may_come_are_no_places() -> None:
    assert places_of("Epoch 7/9, best epoch 3, max epoch 9") == {"epoch": ("7", "9")}
    assert places_of("best_step: 3") == {}


def test_a_number_before_the_name_of_a_rate_is_no_such_rate() -> None:
    assert values_of("lr: 0.25, tokens/s: 500") == {"lr": "0.25", "tokens/s": "500"}
    assert values_of("loss: 1.5 it/s: 3.25") == {"loss": "1.5", "it/s": "3.25"}
    assert values_of("loss 1.5, tokens/sec 500") == {"loss": "1.5", "tokens/sec": "500"}
    assert values_of("step 3 lr 0.25 tok/s 500") == {"lr": "0.25", "tok/s": "500"}
    assert values_of("lr 0.25 500 tok/s 45% mfu") == {"lr": "0.25", "tok/s": "500"}
    assert values_of("lr: 0.25 | 12,500 tok/s, 1.5k tok/s") == {"lr": "0.25", "tok/s": "12,500"}


@pytest.mark.parametrize(
    "value",
    [
        "tensor(0.54)",
        "tensor(0.54, device='cuda:0', grad_fn=<NllLossBackward0>)",
        "np.float64(0.54)",
        "DeviceArray(0.54, dtype=float32)",
        "array([0.54], dtype=float32)",
        "tf.Tensor(0.54, shape=(), dtype=float32)",
    ],
)
def test_a_number_may_be_shown_as_libraries_show_their_own(value: str) -> None:
    assert values_of(f"Epoch 3, loss: {value}, acc: 0.9") == {"loss": "0.54", "acc": "0.9"}


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("step 100: train 0.921 | val 1.532", {"train": "0.921", "val": "1.532"}),
        ("Epoch 3 train 0.5, test 0.75", {"train": "0.5", "test": "0.75"}),
        ("Epoch 3 train 12.5s, val 2.5s", {"training_time": "12.5s"}),
        ("Epoch 3 train 12.5 %, val 2.5 %", {}),
        ("Epoch 3 train 5000 val 1000", {}),
        ("Epoch 3 train 0.5", {}),
    ],
)
def test_of_a_training_and_of_its_evaluation_both_are_values_without_a_sign(
    text: str, row: dict[str, str]
) -> None:
    assert values_of(text) == row


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("loss -> tensor(0.54, grad_fn=<AddBackward0>)", {"loss": "0.54"}),
        ("train_loss tensor(0.54, device='cuda:0')", {"train_loss": "0.54"}),
        ("The running time is 40.75.", {"running time": "40.75"}),
        ("epoch time was 1.5 min", {"epoch time": "1.5 min"}),
        (
            "time:  1h 20min  3s 250ms, left: 2h  5min, loss: 0.5",
            {"time": "1h 20min  3s 250ms", "left": "2h  5min", "loss": "0.5"},
        ),
        ("The time is 10:30:15", {}),
        ("The downtime is 1.5", {}),
    ],
)
def test_a_value_stands_behind_an_arrow_or_in_a_sentence(text: str, row: dict[str, str]) -> None:
    assert values_of(text) == row


@pytest.mark.parametrize("quote", ["'", '"'])
def test_names_may_stand_between_quotes(quote: str) -> None:
    text = "{'train_loss': 0.54, 'epoch': 3}".replace("'", quote)
    assert values_of(text) == {"epoch": "3", "train_loss": "0.54"}
    assert places_of(text) == {"epoch": ("3", "")}


def test_what_stands_behind_a_time_of_day_names_no_value() -> None:
    assert values_of("Epoch 3 @ 10:27 PM : 0.75 loss, acc: 0.5") == {"acc": "0.5"}
    assert values_of("step 3, pm: 0.25, am: 0.5") == {"pm": "0.25", "am": "0.5"}


def test_a_name_may_begin_with_digits_and_a_number_with_its_unit_begins_none() -> None:
    assert values_of("step 3 | 5HT=0.75 | 3da: 0.5") == {"5HT": "0.75", "3da": "0.5"}
    assert "25ms" not in values_of("step 3 25ms: 0.5")


def test_an_epoch_may_be_a_letter_in_brackets() -> None:
    assert places_of("[E3] step 40 loss 0.5") == {"epoch": ("3", ""), "step": ("40", "")}
    assert places_of("[e12][T3] loss 0.5") == {"epoch": ("12", "")}
    assert places_of("E3 loss 0.5") == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("INFO:0-epoch (4/178): loss: 2.5", {"loss"}),
        ("2031-05-01 10:00:00,123 mynet INFO: [1/200], [25/288], loss: 2.5", {"loss"}),
        ("10:00:01 | INFO     | some.core.trainer:after_step:246 - epoch: 1/300, iter: 10/47", {"epoch", "iter"}),
        ("[some.core:after_step:246] loss: 2.5", {"loss"}),
        ("train:acc:5, loss: 2.5", {"acc", "loss"}),
        ("[RESULT]: VAL. Epoch: 0, summary_loss: 0.73", {"summary_loss"}),
        ("Current Step: 12 loss: 0.5", {"loss"}),
        ("Best Epoch: 12, Global Step: 40", {"Best Epoch", "Global Step"}),
    ],
)
def test_what_a_logger_or_the_rows_place_says_names_no_value(text: str, names: set[str]) -> None:
    assert values_of(text).keys() == names


def test_words_that_stand_under_each_other_belong_together_however_far_apart_they_are() -> None:
    assert values_of("Val   loss 0.25") == {"Val   loss": "0.25"}
    assert values_of("Train loss 0.5") == {"Train loss": "0.5"}


def test_whose_norm_it_is_stands_before_it() -> None:
    assert values_of("step 3 loss 2.5 weight norm 0.25") == {"loss": "2.5", "weight norm": "0.25"}
    assert values_of("step 3 loss 2.5 norm 0.25") == {"loss": "2.5", "norm": "0.25"}
    assert values_of("step 3 loss 2.5 and norm 0.25") == {"loss": "2.5", "norm": "0.25"}
    assert values_of("step 3 loss 2.5 grad norm 0.25") == {"loss": "2.5", "grad norm": "0.25"}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("loss=0.5 tp=~701.5 samples/s slow_events=3", {"loss": "0.5", "tp": "701.5", "slow_events": "3"}),
        ("rate: 512.5 img/sec data time=0.25", {"rate": "512.5", "data time": "0.25"}),
        ("time 3.25 sec acc=0.5", {"acc": "0.5", "time": "3.25 sec"}),
        ("mem 12.5 GiB free mem: 3.5", {"free mem": "3.5"}),
        ("Epoch 3 min loss: 0.5 G loss: 2.5", {"min loss": "0.5", "G loss": "2.5"}),
        ("Epoch 3 loss/step mean=0.5", {"loss/step mean": "0.5"}),
    ],
)
def test_the_unit_of_a_number_is_no_part_of_the_next_name(text: str, values: dict[str, str]) -> None:
    assert values_of(text) == values


def test_what_a_bracket_says_of_the_value_before_it_is_no_value_of_its_own() -> None:
    found = values_of("loss=0.5 (global=0.25) step_time=0.04 (min=0.03s, max=0.47) tp=500 max=2.5")
    assert found == {"loss": "0.5", "step_time": "0.04", "tp": "500", "max": "2.5"}


@pytest.mark.parametrize("of_how_many", ["/", " of ", " out of "])
def test_of_how_many_something_is_one_may_be_said_in_words(of_how_many: str) -> None:
    assert places_of(f"Epoch 3{of_how_many}9, loss: 2.5") == {"epoch": ("3", "9")}
    text = "\n".join(f"Epoch {epoch}{of_how_many}9\nTrain loss: {epoch}.5" for epoch in (1, 2, 3))
    assert [one.index for one in iterations(read("key: value", text))] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("step 3: ret%_env0: 1.5 ret%_env1: 2.5", {"ret%_env0": "1.5", "ret%_env1": "2.5"}),
        ("step 3, acc%: 85.2, hit%-rate=0.5", {"acc%": "85.2", "hit%-rate": "0.5"}),
        ("step 3, Acc (%): 85.2", {"Acc (%)": "85.2"}),
        ("step 3 at 50%: loss: 2.5", {"loss": "2.5"}),
        ("step 3 loss: 2.5%", {"loss": "2.5%"}),
    ],
)
def test_a_sign_within_a_name_does_not_cut_it(text: str, row: dict[str, str]) -> None:
    assert values_of(text) == row


def test_a_word_is_named_as_the_log_has_it() -> None:
    assert [spelled("episode", text) for text in ("INFO Episode 3 Step 4", "EPISODE 3", "轮 3")] == [
        "Episode", "EPISODE", "episode"
    ]  # fmt: skip
    rows = [f"Episode {e} Step {n} batch loss: 2.5\n" for e in (1, 2, 3) for n in range(3)]
    said = [one.text for one in LogReader().feed("".join(rows).encode()) if isinstance(one, Message)]
    assert "epoch = Episode" in said[0]


def test_a_hyphen_names_a_value_where_one_counts_in_front() -> None:
    text = "Epoch-3-Batch-15: Train: Loss-0.25, Accuracy-0.5"
    assert places_of(text) == {"batch": ("15", ""), "epoch": ("3", "")}
    assert {name: value for name, value in values_of(text).items() if "." in str(value)} == {
        "Loss": "0.25",
        "Accuracy": "0.5",
    }
    assert "loss" not in values_of("epoch-3-loss-0.25.pth was written")
    assert "loss" not in values_of("run: epoch-3-loss-0.25")


@pytest.mark.parametrize(
    "rest", ["", "  test_accuracy:27.5  acc:30.5", ", acc: 30.5%", " | val_acc = 0.5 | lr: 1e-3"]
)
def test_an_epoch_and_a_batch_in_a_bracket_may_have_values_behind_their_loss(rest: str) -> None:
    rows = [f"[{epoch}, {batch:5d}] loss: 1.835{rest}" for epoch in (1, 2, 3) for batch in range(50, 650, 50)]
    found = iterations(LogReader().feed("".join(f"{row}\n" for row in rows).encode()))
    assert [one.index for one in found] == [*range(50, 1850, 50)]
    assert {one.loss for one in found} == {1.835}
    assert all(bool(one.scalars) is bool(rest) for one in found)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[0500/3000]| Loss box:9.5e+01 mask:3.0e+00 total:1.5e+02", {"box", "mask", "total_loss"}),
        ("Iter 5/10 Losses: cls=0.5, box=-0.25, total=0.75", {"cls", "box", "total_loss"}),
        ("step 3 loss 2.5 total: 7", {"loss", "total"}),
        ("step 3 box:0.5 total:7", {"box", "total"}),
    ],
)
def test_a_word_in_front_of_several_values_says_that_they_are_losses(text: str, names: set[str]) -> None:
    assert values_of(text).keys() == names


@pytest.mark.parametrize(
    ("row", "epoch"),
    [
        ("Ep {n}/9 | loss: 2.5 | lr: 0.001", "Ep"),
        ("ep:{n} | loss: 2.5", "ep"),
        ("эпоха {n}/9 | loss: 2.5", "эпоха"),
        ("Epoch {n}/9 | loss: 2.5", "epoch"),
        ("step:{n}00 ep:4{n} epch:{n}.25 loss:2.5 grdn:0.5", "epch"),
        ("step:{n}00 ep:{n} epch:{n}.00 loss:2.5 grdn:0.5", "epch"),
    ],
)
def test_the_epoch_is_called_as_the_log_spells_it_and_beside_one_ep_counts_episodes(row: str, epoch: str) -> None:
    events = LogReader().feed("".join(f"{row.format(n=n)}\n" for n in range(1, 9)).encode())
    said = next(one.text for one in events if isinstance(one, Message) and one.text.startswith("columns guessed"))
    assert f"epoch = {epoch}," in said
    assert [one.index for one in iterations(events)] == [n * (100 if "step" in row else 1) for n in range(1, 9)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("epoch/iter: 4/999  loss: 2.5", {"epoch": ("4", ""), "iter": ("999", "")}),
        ("[Epoch/Step: 4/999] loss: 2.5", {"epoch": ("4", ""), "step": ("999", "")}),
        ("Epoch / Batch = [ 4 / 999 ] loss: 2.5", {"epoch": ("4", ""), "batch": ("999", "")}),
        ("step/epoch: 999/4 loss: 2.5", {"epoch": ("4", ""), "step": ("999", "")}),
        ("epoch: 4/9 iter: 5/999 loss: 2.5", {"epoch": ("4", "9"), "iter": ("5", "999")}),
    ],
)
def test_a_stroke_in_the_name_parts_two_numbers(text: str, places: dict[str, tuple[str, str]]) -> None:
    assert places_of(text) == places


def test_two_numbers_of_one_name_are_an_epoch_and_a_step_whose_time_is_of_one() -> None:
    rows = [(e, 100 * e + n, 0.25 + (e % 3) / 1000) for e in range(6) for n in (59, 99)]
    text = "\n".join(f"eta: 1:0{e}:00  epoch/iter: {e}/{n}  loss: {e}.5  time: {t}" for e, n, t in rows)
    found = iterations(LogReader().feed(text.encode() + b"\n"))
    assert [(one.index, one.loss, one.elapsed_s) for one in found] == [(n, e + 0.5, None) for e, n, _ in rows]


def test_the_newest_row_once_more_behind_an_evaluation_is_none_of_it() -> None:
    last = "iter: 30, loss: 0.75"
    text = f"iter: 10, loss: 2.5\niter: 20, loss: 1.5\n{last}\nEvaluation results on the test set:\n{last}"
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [10, 20, 30]
    assert not [one for one in events if isinstance(one, SpanEnd)]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("test loss : 2.5 -> 0.5 by 1 grad steps", {"test loss": "0.5"}),
        ("acc: 45.5% -> 50.5%, loss=2.5 → 1.5e-1", {"acc": "50.5%", "loss": "1.5e-1"}),
        ("loss: 2.5 --> nan, lr: 0.5 => None", {"loss": "nan"}),
        ("loss: 2.5 -> saved, acc -> 0.75", {"loss": "2.5", "acc": "0.75"}),
        ("epoch: 3 -> loss: 0.5", {"epoch": "3", "loss": "0.5"}),
    ],
)
def test_of_a_value_before_and_after_the_one_behind_the_arrow_is_the_newest(
    text: str, row: dict[str, object]
) -> None:
    assert values_of(text) == row


def test_what_counts_in_brackets_is_not_called_a_step() -> None:
    text = "\n".join(f"[{n}00/900] batch loss : {n}.5 | time : 4.5s" for n in (1, 2, 3))
    (said,) = (one.text for one in read("key: value", text) if isinstance(one, Message) and "guessed" in one.text)
    assert "iteration = the number in brackets" in said


@pytest.mark.parametrize(
    "front",
    [
        "train.py[line:123] - INFO: ",
        "/home/me/train.py line: 123 WARNING: ",
        "File: train.py, line: 123 - INFO: ",
        "(train.py, lineno=123) ",
        "pid: 4567 | INFO | ",
        "INFO - [pid: 4567] - ",
        "[thread: 12] [process: 3] [INFO] ",
        "main:123 - INFO - ",
    ],
)
def test_which_code_or_process_prints_a_line_is_no_value_of_it(front: str) -> None:
    assert values_of(f"2025-10-17 20:16:36,492 - {front}train loss: 0.5") == {"train loss": "0.5"}


def test_what_is_called_a_line_may_be_a_value() -> None:
    assert values_of("line: 12 loss: 0.5 process: 5") == {"line": "12", "loss": "0.5", "process": "5"}
    assert values_of("[INFO] line: 0.25 reward: 3") == {"line": "0.25", "reward": "3"}
    assert values_of("loss: 3 - INFO") == {"loss": "3"}


def test_the_name_of_a_logger_behind_its_level_is_no_value() -> None:
    assert values_of("INFO:root:[3,   20] loss: 2.5 masks: 69.5") == {"loss": "2.5", "masks": "69.5"}
    assert values_of("WARNING:mynet:12 steps, loss: 2.5") == {"loss": "2.5"}
    assert values_of("INFO:loss:2.5") == {"loss": "2.5"}
