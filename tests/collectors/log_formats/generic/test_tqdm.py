"""tqdm's bars where no framework is known by its own lines."""

import pytest
from log_examples import iterations, of, read

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, Config, Iteration, PrintedLoss, RunInfo, SpanEnd


@pytest.mark.parametrize(
    ("title", "loss"),
    [
        ("L: 2.50, L_crf: 1.25, ", 2.5),
        ("L: 2.50, L_crf: 1.25: ", 2.5),
        ("g: 2.50, d: 1.25: ", None),  # two, and neither is the other's part
        ("G_adv: 2.50; D_real: 1.25: ", None),
    ],
)
def test_values_in_front_of_a_bar_tell_that_it_trains(title: str, loss: float | None) -> None:
    text = "".join(f"{title} {n}%|█ | {n}/90 [00:{n:02d}<00:80,  1.00s/it]\n" for n in range(1, 9))
    found = iterations(LogReader().feed(text.encode()))
    assert [one.index for one in found] == [*range(1, 9)]
    assert {one.loss for one in found} == {loss}


def bar(title: str, n: int, total: int = 40, rate: str = "10.00it/s") -> str:
    return f"{title}{100 * n // total}%|█ | {n}/{total} [00:0{n // 10}<00:09, {rate}]\n"


def epoch(head: str, said: str = "") -> str:
    return f"{head}\n" + "".join(bar("Training: ", n) for n in (10, 40)) + said


def told(text: str) -> list[object]:
    """Iterations, evaluations and losses in their order; `new` where a training begins, and how long it is to be."""
    shown: list[object] = []
    for event in read("tqdm", text):
        match event:
            case RunInfo():
                shown.append("new")
            case Config(max_iterations=int(most)):
                shown.append(f"of {most}")
            case Iteration():
                shown.append(event.index)
            case PrintedLoss():
                shown.append((event.iteration, event.loss, event.validation_loss))
            case SpanEnd():
                shown.append((event.kind, event.duration_s))
    return shown


def test_heads_above_the_bars_tell_how_many_epochs_there_are_and_that_a_training_is_another() -> None:
    text = "".join(epoch(f"Epoch {n}/5") for n in (1, 2, 3, 1, 2))
    one = ["new", "of 200", 10, 40, 50, 80]
    assert told(text) == [*one, 90, 120, *one]


def test_a_loss_behind_an_epochs_bar_is_its_and_an_evaluation_is_over_with_its_result() -> None:
    tested = bar("Eval: ", 12, 59, "15.00it/s") + bar("Eval: ", 58, 59, "15.00it/s")
    tested = tested.replace("[00:05", "[00:03")
    text = epoch("Epoch 1/5", tested + "train_loss=0.5  val_loss=0.625\n" * 2)
    over = pytest.approx(59 / 15)
    assert told(text)[4:] == [(40, 0.5, None), (EVALUATION, over), (40, None, 0.625)]


def test_a_result_without_a_bar_of_its_own_is_an_evaluation_and_stands_behind_a_frame() -> None:
    text = bar("Training: ", 20).strip() + "INFO - Train Loss: 0.5 \t Test Loss: 0.625\n" + bar("Training: ", 30)
    assert told(text)[2:] == [20, (20, 0.5, None), (EVALUATION, None), (20, None, 0.625), 30]


def test_a_step_that_trains_several_epochs_has_an_evaluation_of_each() -> None:
    text = "".join(
        f" - {s}s 2s/step - loss: 0.5 - val_loss: {v}\n" for s, v in ((593, 0.75), (17, 2.5), (17, 2.5))
    )
    losses = [
        found[2]
        for found in told(bar("Training: ", 20) + text + bar("Training: ", 30))
        if type(found) is tuple and len(found) == 3
    ]
    assert losses == [0.75, 2.5]


def test_a_loss_in_the_bar_is_no_epochs() -> None:
    text = bar("Training: ", 40, rate="10.00it/s, loss=0.25") + "Train Loss: 0.5\n"
    assert told(text)[2:] == [40]
    assert told(text.replace("loss=", "Batch_Loss="))[2:] == [40, (40, 0.5, None)], "a batch's is not taken for it"


@pytest.mark.parametrize(("each", "at"), [("20.00s/epoch", [1, 2, 3]), ("0.20s/it", [1, 1, 2])])
def test_what_is_said_of_an_epoch_comes_before_the_frame_that_counts_it(each: str, at: list[int]) -> None:
    lines = ["  0%|          | 0/3 [00:00<?, ?epoch/s]"]
    for n in (1, 2, 3):
        lines += [f"Epoch {n}: ", f"loss=2.{n}, acc=0.5", f"val_loss=1.{n}, val_acc=0.25"]
        lines += [f" 33%|###       | {n}/3 [00:{20 * n}<00:20, {each}, loss=2.{n}, val_loss=1.{n}]"]
    events = read("tqdm", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [1, 2, 3]
    found = [one.iteration for one in of(PrintedLoss, events) if one.validation_loss is not None]
    assert found == at


@pytest.mark.parametrize(
    ("title", "unit", "count"),
    [
        ("Point forecasts (range): ", "s/batch", 8),
        ("Point forecasts (range): ", "s/it", 0),
        ("Inference: ", "s/batch", 0),
        ("Embedding of the corpus: ", "s/batch", 0),
        ("Tokenizing: ", "s/batch", 0),
    ],
)
def test_a_bar_that_counts_batches_in_a_log_that_trains_needs_no_title_that_says_so(
    title: str, unit: str, count: int
) -> None:
    drawn = "".join(f"{title}{n}%|█ | {n}/90 [00:{n:02d}<00:80,  1.00{unit}]\n" for n in range(1, 9))
    found = iterations(LogReader().feed(("90 samples for training\n" + drawn).encode()))
    assert len(found) == count


def outer(n: int, title: str, loss: str = "") -> str:
    rate = "9.00s/it" if n else "?it/s"
    return f"{title} {30 * n}%|█ | {n}/3 [00:{9 * n:02d}<00:30, {rate}{loss}]\n"


def inner(n: int, title: str) -> str:
    rate = f"1.00s/it, loss={3 - n / 8}" if n else "?it/s"
    return f"{title} {10 * n}%|█ | {n}/8 [00:0{n}<00:08, {rate}]\n"


def around_epochs(around: str, within: str) -> str:
    text = outer(0, around)
    for n in (1, 2, 3):
        text += "".join(inner(step, within) for step in range(9)) + outer(n, around, f", loss=2.5, val_loss=2.{n}")
    return text


@pytest.mark.parametrize(("around", "within"), [("Epochs:", "Training:"), ("Epoch:", ""), ("Epoch:", "Batches:")])
def test_losses_make_a_bar_around_others_no_bar_of_steps(around: str, within: str) -> None:
    events = read("tqdm", around_epochs(around, within))
    found = iterations(events)
    assert [one.index for one in found] == [*range(1, 25)]
    assert {one.loss for one in found} == {3 - n / 8 for n in range(1, 9)}
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [24]


def test_a_bar_of_steps_may_have_the_title_of_one_of_epochs() -> None:
    text = "".join(inner(step, "Epoch:") for _ in range(2) for step in range(9))
    assert [one.index for one in iterations(read("tqdm", text))] == [*range(1, 17)]


def test_a_bar_of_epochs_alone_counts_them() -> None:
    text = outer(0, "Epochs:") + "".join(outer(n, "Epochs:", ", loss=2.5") for n in (1, 2, 3))
    assert [one.index for one in iterations(read("tqdm", text))] == [1, 2, 3]


@pytest.mark.parametrize(
    ("last", "found"),
    [
        (
            "40%|█ | 4/10 [50:00<60:00, 610.00s/it]\nEarly stopping\n",
            [(1, 600), (2, 600), (3, 600), (4, 600), (5, 600)],
        ),
        ("40%|█ | 4/10 [40:05<60:00, 601.25s/it]\n", [(1, 600), (2, 600), (3, 600), (4, 600), (5, None)]),
        ("50%|█ | 5/10 [50:00<50:00, 600.00s/it]\n", [(1, 600), (2, 600), (3, 600), (4, 600), (5, 600)]),
        ("", [(1, 600), (2, 600), (3, 600), (4, 600), (5, None)]),
    ],
)
def test_an_epoch_whose_losses_stand_behind_the_bar_counts_though_the_loop_was_left_before(last, found) -> None:
    row = "{0}0%|█ | {0}/10 [{0}0:00<60:00, {1}]Epoch {2}, Training loss: 0.{2}0, Validation loss: 0.{2}5\n"
    rows = "".join(row.format(n, "600.00s/it" if n else "?s/it", n + 1) for n in range(5))
    reader = LogReader()
    events = [*reader.feed((rows + last).encode()), *reader.end(b"")]
    assert [(one.index, one.duration_s and round(one.duration_s)) for one in iterations(events)] == found
    run = Run()
    run.apply(events)
    losses = run.findings().losses
    assert (losses.train, losses.validation, losses.validation_at) == (pytest.approx(0.5), 0.55, 5)


def test_a_bar_goes_on_past_its_total_which_it_leaves_out_then() -> None:
    text = "".join(
        f"dis: {-n}.5;gen: 2.5: {n * 25}%|█ | {n}/4 [00:{2 * n:02d}<00:08,  2.00s/it]\n" for n in range(1, 5)
    )
    past = "saving weights\ndis: 0.25;gen: 1.5: : 5it [02:10,  9.00s/it]\nrank: 0.5\ndis: 0.25;gen: 1.5: : 5it [03:00,  9.00s/it]\n"
    found = iterations(LogReader().feed(f"training\n{text}{past}".encode()))
    assert [one.index for one in found] == [1, 2, 3, 4, 5]
    assert (found[-1].elapsed_s, found[-1].scalars) == (130.0, {"dis": 0.25, "gen": 1.5})
    other = text + past.replace("dis: 0.25;gen: 1.5", "files")
    assert [one.index for one in iterations(LogReader().feed(f"training\n{other}".encode()))] == [1, 2, 3, 4]


def test_a_bar_without_a_total_is_read_from_its_beginning_where_it_says_a_loss() -> None:
    text = "".join(f"{10 * n}it [00:{n:02d}, 10.00it/s, loss=2.{n}]\n" for n in range(1, 9))
    found = iterations(LogReader().feed(text.encode()))
    assert [(one.index, one.loss) for one in found] == [(10 * n, float(f"2.{n}")) for n in range(1, 9)]


def test_a_result_printed_steps_after_its_evaluations_bar_is_that_evaluations() -> None:
    tested = bar("Eval: ", 12, 59, "15.00it/s") + bar("Eval: ", 59, 59, "15.00it/s")
    text = bar("Training: ", 10) + tested + bar("Training: ", 20) + "Val Loss: 0.625\n" + bar("Training: ", 30)
    assert told(text)[3:] == [(EVALUATION, 5.0), 20, (10, None, 0.625), 30]


def test_a_loss_without_a_name_below_a_validation_s_is_none_of_the_training() -> None:
    text = "\n".join(
        f" {n}0%|{n}   | {n}/10 [00:0{n}<00:09,  1.00s/it]Val loss:   0.62{n}25.   Best val loss: 0.25000 at epoch 0\n"
        f"loss: 0.62{n}\n\nEpoch {n}, lr: 0.5\nTrain loss: 0.5{n}125\nloss: 0.5{n}"
        for n in range(1, 7)
    )
    reader = LogReader()
    told = [one for one in [*reader.feed(text.encode()), *reader.end(b"")] if isinstance(one, PrintedLoss)]
    assert {one.loss for one in told if one.loss is not None} == {float(f"0.5{n}125") for n in range(1, 7)}
    assert [one.validation_loss for one in told if one.validation_loss is not None][-1] == 0.62625


def test_a_title_that_counts_within_its_epoch_is_read_once_a_step_with_its_loss_and_rate() -> None:
    text = ""
    for one in (1, 2):
        for step in range(8):
            loss = 4.0 - one - step / 8
            for n in (step, step + 1):
                speed = "?" if n == 0 else "2.00"
                text += f"epoch {one} iter {step}: train loss {loss:.5f}. lr {0.0005 * one:e}: {n}%|█ | {n}/8 [00:{n // 2:02d}<00:09, {speed}it/s]\r"
        text += "\n"
    found = iterations(LogReader().feed(text.encode()))
    assert [one.index for one in found] == [*range(1, 17)]
    assert (found[0].loss, found[7].loss, found[15].loss, found[15].learning_rate) == (3.0, 2.125, 1.125, 0.001)


def test_a_loss_below_an_evaluation_s_heading_is_none_of_the_bar_s() -> None:
    text = "".join(f"{epoch(f'Epoch {n}/2')}=== Dev results ===\n  loss: 0.{n}25\n" for n in (1, 2))
    assert [one for one in told(text) if isinstance(one, tuple) and isinstance(one[0], int)] == []
    assert (40, 0.125, None) in told(text.replace("=== Dev results ===", "Results"))


def test_a_log_may_say_in_capitals_that_it_trains() -> None:
    bars = "".join(bar("", n, rate="1.00s/it") for n in range(1, 10))
    found = iterations(LogReader().feed(f"The head is new: TRAIN it first.\n{bars}".encode()))
    assert [one.index for one in found] == [*range(1, 10)]
    assert iterations(LogReader().feed(f"The head is new: A CONSTRAINT.\n{bars}".encode())) == []


def test_of_epochs_whose_lines_waited_in_a_buffer_the_newest_is_the_newest() -> None:
    text = epoch("") * 3 + "".join(f"Epoch {n}: train loss {4 / n:.2f} val loss {5 / n:.2f}\n" for n in (1, 2, 3))
    run = Run()
    run.apply(read("tqdm", text))
    losses = run.findings().losses
    assert (losses.train, losses.validation) == (pytest.approx(4 / 3, abs=0.01), 1.67)


@pytest.mark.parametrize(
    ("title", "values", "is_read"), [("", "", False), ("Epoch 1: ", "", True), ("", ", loss=0.5", True)]
)
def test_a_bar_of_one_step_that_says_nothing_makes_no_log_of_a_training(
    title: str, values: str, *, is_read: bool
) -> None:
    """The parts of a data set, of which there is one."""
    bars = f"{title}  0%| | 0/1 [00:00<?, ?it/s]\n{title}100%|█| 1/1 [00:00<00:00, 500.00it/s{values}]\n"
    said = "train length: 1000\nepoch of 3: loss 0.5\n"
    assert bool(iterations(LogReader().feed((bars + said).encode()))) is is_read
