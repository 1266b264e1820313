"""What counts on a line, and which words are a training's."""

from collections.abc import Iterable

import pytest
from log_examples import iterations, of

from itermon.collectors.log_formats.generic.counted_lines import (
    Heads,
    counts_of,
    is_value,
    training_words,
    words_at,
)
from itermon.collectors.log_formats.generic.line_values import values_of
from itermon.collectors.log_formats.parsing.columns import Columns
from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Iteration, PrintedLoss, RunInfo, SpanEnd


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Episode 12/500, Steps: 174, Score: 1704", [("step", 174, None), ("episode", 12, 500)]),
        ("2025-06-04 19:53:31, batch i:7, episode_len:28", [("batch", 7, None)]),
        ("current step: 3th step", [("step", 3, None)]),
        (" Iteration:           24  Time: 120128.376", [("iteration", 24, None)]),
        ("('after epoch: ', 5)", [("epoch", 5, None)]),
        ("7/100 in 2 epoch finished", [("batch", 7, 100)]),
        ("epoch: 2, 11/125 8.8%, 2.92s per iter", [("batch", 11, 125), ("epoch", 2, None)]),
        ("epoch/iter: 2/999", [("iter", 999, None), ("epoch", 2, None)]),
        ("(Iter 50) Batch 50/625 (Epoch 1)", [("iter", 50, None), ("batch", 50, 625), ("epoch", 1, None)]),
        ("Global-step 12", [("global step", 12, None)]),
        ("fit window=7, hidden=16, epochs=30, opt=sgd", []),  # how many there will be
        ("epochs: 30, hidden=16", [("epoch", 30, None)]),
        ("INFO - \tepochs: 30", []),  # a setting on its own line
        ("iter:   8,250, lr:(1.000e-04,)", [("iter", 8250, None)]),
        ("Iteration 1,250/2,000,000", [("iteration", 1250, 2000000)]),
        ("Epoch 2 [1,250/4,000]", [("batch", 1250, 4000), ("epoch", 2, None)]),
        ("Epoch 1,250/4,000", [("epoch", 1250, 4000)]),
        ("step 3,5 step", [("step", 3, None)]),  # not three digits: a number of their own
        ("step 3,125,0.5", [("step", 3, None)]),
        ("50/1000 batch error is : 0.75", [("step", 50, 1000)]),
        ("50/1000 batch files", []),
        ("epoch: 3.0, episode: 300.0", [("episode", 300, None)]),  # an epoch among others that are fractions
        ("steps per second 12, num_episodes=30, step 0.5, epoch 50%, step 12:30:00", []),
    ],
)
def test_what_counts_on_a_line(text: str, found: list[tuple[str, float, float | None]]) -> None:
    assert [(one.word, one.n, one.of) for one in counts_of(text)] == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("batch loss:3.8", {"loss"}),
        ("REWARD 0.1 / SCORE 0", {"reward", "score"}),
        ("length 250 cur_rew 12.5 avg_rew -3.0", {"rew"}),
        ("('dcgan Loss: ', [array(0.95, dtype=float32)", {"loss"}),
        ("d_real:0.1, g_l1: nan", {"d_real", "g_l1"}),
        ("acc 0.5, NMI 0.25, ARI: 0.125, mAP=0.5", {"acc", "nmi", "ari", "map"}),
        ("Epoch: [ 5/90], Square Error on noise 0.5 is 0.125", {"square error on noise 0.5"}),
        ("map 3 of 5, precision fp16, recall 2", set()),
        ("Episode 7 finished after 23 timesteps", {"finished after"}),
        ("the job finished after 23 minutes", set()),
        ("return code 0, 3 errors, loss of signal", set()),
    ],
)
def test_values_of_a_training_by_their_words(text: str, words: set[str]) -> None:
    assert training_words(text) == words


def test_a_number_in_front_of_a_loss_counts() -> None:
    (count,) = counts_of("12 Image loss: 0.8056 Fake loss: 9.3293")
    assert (count.word, count.n) == ("step", 12)
    assert counts_of("12 images lost: 0.8") == []
    (place,) = counts_of("[012/100] D: 0.6426 | G: 0.8379 | g_lr=0.0002")
    assert (place.word, place.n, place.of) == ("step", 12, 100)
    (fraction,) = counts_of("12/500 - loss 0.5 - 0.25s")
    assert (fraction.word, fraction.n, fraction.of) == ("step", 12, 500)
    (letter,) = counts_of("12Q :acc 0.8125 , nmi 0.5 , ari 0.25")
    assert (letter.word, letter.n, letter.of) == ("step", 12, None)
    for two in ("003  02112 |Loss: 0.5", "[3][2112] train loss = 0.5", "3,      2112: loss: 0.5"):
        assert [(one.word, one.n) for one in counts_of(two)] == [("step", 2112), ("epoch", 3)]
    assert counts_of("2024-05-01 loss: 0.5") == counts_of("3 2112 losses: 0.5") == []
    assert counts_of("12/05 - loss of signal") == counts_of("12: accounts") == []


def test_ep_is_an_episode_beside_what_an_agent_has() -> None:
    assert [one.word for one in counts_of("Ep 3 mean score 23.5")] == ["episode"]
    assert [one.word for one in counts_of("ep: 3, acc 0.5")] == ["epoch"]
    assert counts_of("ep.score 0.5") == []


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("score", "-59", True),
        ("Total Reward", "12", True),
        ("memory length", "41", False),
        ("entropy", "0.5", True),
    ],
)
def test_a_whole_number_is_a_value_where_it_is_a_score(name: str, value: str, *, shown: bool) -> None:
    assert is_value(name, value) is shown


def test_a_clock_at_a_whole_place_of_a_training_is_a_row_s() -> None:
    def words(text: str) -> set[str]:
        return {*words_at(counts_of(text), text)}

    row = "time elapsed = 16.5 [s] | epoch=1 | batch= [51/640]"
    assert len(words(f"GAN training: {row}")) == 1
    assert words(row) == words("Training: elapsed: 16.5 s, batch 51/640") == set()
    assert words("Training data: elapsed: 16.5 s, epoch 1, batch 51/640") == set()


def told(text: str) -> list[Iteration]:
    reader = LogReader()
    return iterations([*reader.feed(f"{text}\n".encode()), *reader.end(b"")])


@pytest.mark.parametrize("row", ["{e:03d}  {n:05d} |Loss: {v} | Accuracy: 9.5%", "[{e}][{n}] train loss = {v}"])
def test_two_numbers_in_front_are_the_epoch_and_the_step(row: str) -> None:
    goes_on = "\n".join(row.format(e=1 + n // 6, n=n + 1, v=2.5 - n / 64) for n in range(18))
    assert [(one.index, one.loss) for one in told(goes_on)] == [(n + 1, 2.5 - n / 64) for n in range(18)]
    begins = "\n".join(row.format(e=1 + n // 6, n=n % 6 + 1, v=2.5 - n / 64) for n in range(18))
    assert [one.index for one in told(begins)] == [*range(1, 19)]


def test_a_single_number_in_brackets_is_a_value() -> None:
    rows = [f"Epoch: [{n}][300/320]   Loss [ 0.{90 - n}] Avg Loss [ 0.5]" for n in range(9)]
    assert [(one.index, one.loss) for one in told("\n".join(rows))] == [(n, (90 - n) / 100) for n in range(9)]


def test_rows_of_a_training_that_shows_its_clock_alone() -> None:
    lines = [
        f"GAN training: time elapsed = {16.5 * n} [s] | epoch=1 | batch= [{50 * n + 1}/640]" for n in range(12)
    ]
    found = told("\n".join(lines))
    assert [one.index for one in found] == [50 * n + 1 for n in range(12)]
    assert [one.duration_s for one in found[1:]] == [0.33] * 11


def events_of(text: str) -> list[Event]:
    reader = LogReader()
    return [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]


def _psnr(n: int, of: int, values: Iterable[float]) -> list[str]:
    return [f"EPOCH[{n}/{of}] metrics PSNR={value}" for value in values]


def test_of_several_rows_of_an_epoch_the_newest_has_its_metrics() -> None:
    text = "\n".join(line for n in range(4) for line in _psnr(n, 9, (n + 0.25, n + 0.5, n + 0.75)))
    events = events_of(text)
    assert [one.index for one in iterations(events)] == [0, 1, 2, 3]
    assert [(one.iteration, one.scalars) for one in of(PrintedLoss, events)][-2:] == [
        (3, {"metrics PSNR": 3.5}),
        (3, {"metrics PSNR": 3.75}),
    ]
    other_rank = "\n".join(f"[rank{r}]: EPOCH[{n}/9] metrics PSNR={n}.{r}5" for n in range(4) for r in (0, 1))
    assert not of(PrintedLoss, events_of(other_rank))


@pytest.mark.parametrize(
    ("rest", "trainings"),
    [
        ([(0, 90), (0, 90), (0, 90), (1, 90)], [[0, 1, 2, 3], [0, 1]]),  # a run of another length
        ([(0, 90)], [[0, 1, 2, 3], [0]]),
        ([(4, 90), (5, 90)], [[0, 1, 2, 3, 4, 5]]),  # it goes on for longer
        ([(0, 9), (4, 9)], [[0, 1, 2, 3, 4]]),  # a line that is late
        ([(0, 9), (0, 9), (0, 90), (1, 90)], [[0, 1, 2, 3], [0], [0, 1]]),  # twice is no line that is late
    ],
)
def test_a_first_epoch_of_another_total_or_told_of_twice_begins_a_training(
    rest: list[tuple[int, int]], trainings: list[list[int]]
) -> None:
    lines = [line for n in range(4) for line in _psnr(n, 9, (n + 0.25, n + 0.5))]
    events = events_of("\n".join([*lines, *(line for n, of_all in rest for line in _psnr(n, of_all, (0.5,)))]))
    found: list[list[int]] = []
    for one in events:
        if isinstance(one, RunInfo):
            found.append([])
        elif isinstance(one, Iteration):
            found[-1].append(one.index)
    assert [one for one in found if one] == trainings


def test_a_heading_that_starts_the_first_row_once_more_begins_another_training() -> None:
    lines = []
    for n in (1, 1, 1, 2, 3, 4):
        lines += [
            f"Starting training iteration {n}.",
            f"Rewards obtained: [-{40 - n}], Length: 41",
            "some warning",
        ]
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    assert [one.index for one in iterations(events)] == [1, 1, 1, 2, 3, 4]
    first = next(n for n, event in enumerate(events) if isinstance(event, Iteration))
    assert len(of(RunInfo, events[first:])) == 2


EVALUATED = "2025-04-30 13:{n:02}:00,250 INFO [Eval] Step {n}000: TrainGain {n}.875, ValGain -0.{n}, Ratio 1.25"


def test_evaluations_of_both_sets_by_step_are_the_rows_of_a_script_whose_training_prints_nothing() -> None:
    rows = [EVALUATED.format(n=n) for n in (5, 10, 15)]
    inner = [f"2025-04-30 13:04:0{n},250 INFO [Eval] train ep {n}: gain {n}.5, buys 40, holds 15" for n in (0, 1)]
    log = "\n".join(line for row in rows for line in (*inner, row))
    found = events_of(log)
    assert [(one.index, one.duration_s) for one in of(Iteration, found)] == [
        (5000, None), (10_000, pytest.approx(0.06)), (15_000, pytest.approx(0.06))
    ]  # fmt: skip
    assert of(Iteration, found)[-1].scalars == {"TrainGain": 15.875, "ValGain": -0.15, "Ratio": 1.25}


@pytest.mark.parametrize(
    "line",
    [
        "[Eval] step {n}/100: train_gain 0.5, val_gain 0.25",  # of so many: inside of an evaluation
        "[Eval] Step {n}: ValGain 0.5, Ratio 0.25",  # nothing of a training
        "[Eval] Step {n}: TrainTime 0.5, ValTime 0.25",
        "[Eval] Step {n}: train: 0.5s, val: 0.25s",
    ],
)
def test_other_evaluations_by_step_are_no_rows(line: str) -> None:
    assert of(Iteration, events_of("\n".join(line.format(n=n) for n in (10, 20, 30, 40)))) == []


@pytest.mark.parametrize(
    "said",
    [
        "Epoch    {}: reducing learning rate of group 0 to 1.0000e-04.",
        "Epoch {}: best model saved to out.pt",
        "Epoch {} - early stopping counter is 2 out of 5",
        "2025-06-04 19:53:31 INFO Epoch {}: val_loss did not improve",
    ],
)
def test_what_a_callback_says_of_an_epoch_begins_no_record(said: str) -> None:
    rows = [[f"Epoch {n}", f"Training: {4.5 - n / 8}", f"Validation: {4.25 - n / 8}"] for n in range(12)]
    rows[5].insert(2, said.format(6))
    rows[8].insert(1, said.format(9))
    text = "\n".join(line for row in rows for line in row) + "\n"
    events = LogReader().feed((text + "Epoch 12\n").encode())
    assert [(one.index, one.loss) for one in iterations(events)] == [(n, 4.5 - n / 8) for n in range(12)]
    evaluated = [one.values["val_loss"] for one in of(SpanEnd, events) if one.values]
    assert evaluated[-8:] == [4.25 - n / 8 for n in range(4, 12)]


def test_a_heading_with_words_of_its_own_begins_one() -> None:
    heads = Heads()
    assert not heads.tell_apart("Epoch 3: reducing learning rate")
    heads.see("Epoch 3", frozenset())
    told = ["Epoch 4: reducing learning rate", "Epoch 4: training on 5 files", "Epoch 4: loss 0.5", "Epoch 4 of 9"]
    assert [heads.tell_apart(text) for text in told] == [True, False, False, False]
    heads.see(told[0], frozenset())
    assert not heads.tell_apart(told[0].replace("4", "5"))


def test_a_block_may_have_more_lines_than_the_one_before() -> None:
    rows = [[f"Epoch {n}", f"Reward: {n}.5", *[f"Entropy: {n}.25"] * (n % 4 != 3)] for n in range(12)]
    text = "\n".join(line for row in rows for line in row) + "\n"
    events = LogReader().feed((text + "Epoch 12\n").encode())
    found = {one.index: one.scalars for one in iterations(events)}
    assert found[11] == {"Reward": 11.5}
    assert all(found[n] == {"Reward": n + 0.5, "Entropy": n + 0.25} for n in (4, 5, 6, 8, 9, 10))


def test_a_number_may_stick_to_the_word_that_counts_where_a_place_in_brackets_follows() -> None:
    line = "[2020-01-02 10:{:02}:00 run.py:17] INFO  Epoch{} [{}/400] Part 0 = {}.5({}.25)\tPart 1 = 0.5(0.75)"
    text = "\n".join(line.format(e * 4 + n // 100, e, n, 9 - e, 9 - e) for e in (0, 1) for n in range(0, 400, 100))
    reader = LogReader()
    rows = iterations([*reader.feed(f"{text}\n".encode()), *reader.end(b"")])
    assert [row.index for row in rows] == [400 * e + n for e in (0, 1) for n in range(0, 400, 100)]
    assert rows[-1].scalars == {"Part_0": 8.5, "Part_1": 0.5}


def test_the_loss_of_a_set_that_is_measured_is_not_the_trainings() -> None:
    text = "\n".join(
        f"Train Ep: {n}00 lr0.01 Loss Classification: {n}.5 Loss T 0.25 Method A\n\n"
        f"Labelled target set: Average loss: 0.125, Accuracy: 5/8 (60%)\nTest set: Average loss: {n}.75, Accuracy: 4/8"
        for n in range(5)
    )
    assert [(one.index, one.loss) for one in iterations(events_of(text))] == [(100 * n, n + 0.5) for n in range(5)]
    found = [one.values for one in events_of(text) if isinstance(one, SpanEnd)]
    assert found == [{"val_loss": n + 0.75} for n in (2, 3, 4)]  # those before are of rows that nobody knew yet


@pytest.mark.parametrize("line", ["Train {}, loss: 2.5, train acc: 0.5", "INFO:search:{}/20 |  Reward: -2.5 "])
def test_a_number_in_front_counts_where_values_follow(line: str) -> None:
    assert [one.index for one in iterations(events_of("\n".join(line.format(n) for n in range(4))))] == [*range(4)]


def test_a_name_does_not_begin_within_a_word_that_has_an_apostrophe() -> None:
    assert values_of("at 2.5s, tree's best error=0.25, tree's last error=0.5") == {
        "best error": "0.25",
        "last error": "0.5",
    }


def test_of_two_losses_the_one_that_is_named_train_is_the_training_s() -> None:
    """The other may be of all that it is measured on."""
    fields, others = Columns().read_all([("loss", "0.5"), ("loss_train", "0.25"), ("loss_e0", "0.75")])
    assert fields["loss"] == 0.25
    assert others["loss"] == 0.5


@pytest.mark.parametrize(
    "line",
    [
        "{} [D loss: 0.5, acc.: 52.25%] [G loss: 2.5]",
        "#{} total reward: -2.5 | length: 90",
        "[{}/20] score=2.5, avg = 1.25, best = -inf, steps = 1000",
        "Epoch: {:04d} cost= 0.125",
    ],
)
def test_what_counts_in_front_of_values_of_two_players_or_of_an_episode(line: str) -> None:
    assert [one.index for one in iterations(events_of("\n".join(line.format(n) for n in range(4))))] == [*range(4)]


def test_two_numbers_in_brackets_with_a_colon_are_the_part_and_the_step() -> None:
    text = "\n".join(f"[{part} : {n:6d}] loss G : 2.5 loss D : -0.5" for part in (0, 1) for n in (100, 200, 300))
    rows = iterations(events_of(text))
    assert [one.index for one in rows][:3] == [100, 200, 300]
    assert len(rows) == 6
    assert iterations(events_of("\n".join(f"[10 : {n}0] lasted" for n in range(5)))) == []


def test_tabs_may_part_a_value_from_its_name() -> None:
    text = "\n".join(
        f"Epoch {n} of 9 took 1{n}.5s\n  training loss:\t\t{n}.5\n  validation loss:\t\t{n}.75"
        for n in (1, 2, 3, 4)
    )
    assert [(one.index, one.loss) for one in iterations(events_of(text))] == [(n, n + 0.5) for n in (1, 2, 3, 4)]


def test_what_is_said_at_the_best_epochs_alone_makes_no_rows() -> None:
    assert not training_words("Metric val_iou improved by 0.5 >= min_delta = 0.1. New best score: 0.75")
    assert training_words("Epoch 5 loss: 0.75, new best score: 0.5")
