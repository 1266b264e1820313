"""Rows that are proven by counting on; and texts that are none, however many steps they name."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.base import held_back
from itermon.collectors.log_formats.generic.counted_rows import CountedRows
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Iteration, Message, RunInfo, SpanEnd


def events_of(text: str):
    reader = LogReader()
    return [*reader.feed(f"{text}\n".encode()), *reader.end(b"")]


def rows(text: str) -> list[tuple[int, float | None]]:
    return [(one.index, one.loss) for one in iterations(events_of(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n".join(f"TIMESTEP {n} / STATE train / REWARD 0.5" for n in (7, 8, 9)), [(7, None), (8, None), (9, None)]),
        ("\n".join(f"REPORT\n  Batch = {n}00\n  Correct = {n}4.5%\n" for n in (1, 2, 3)), [(100, None), (200, None), (300, None)]),
        (
            "('Epoch: ', 1)\n('Epoch: ', 2)\n" + "\n".join(f"('after epoch: ', {n})\n('my Loss: ', [array(0.5, dtype=float32)])" for n in (5, 10, 15)),
            [(5, 0.5), (10, 0.5), (15, 0.5)],
        ),
        ("\n".join(f"{n}/9 in 0 epoch finished, Loss is 2.5 Acc is 0.5" for n in (1, 2, 3)), [(1, 2.5), (2, 2.5), (3, 2.5)]),
        (
            "batch i:1, len:9\n" + "\n".join(f"batch i:{n}, len:9\nkl:0.5,loss:2.5,entropy:4.5" for n in (2, 3, 4)) + "\nbatch i:5, len:9",
            [(2, 2.5), (3, 2.5), (4, 2.5)],  # a head without values is a start, and no row
        ),
        ("\n".join(f"2021-08-11 17:0{n}:26,498 - Iterations completed: {n}0" for n in (1, 2, 3)), [(10, None), (20, None), (30, None)]),
        (
            "\n".join(f"[2023-03-2{n} 01:13:44 {'AP'[n % 2]}M-Train{n // 4}.py-INFO:epoch: {n}, dice: 0.5]" for n in range(1, 6)),
            [(n, None) for n in range(1, 6)],
        ),
        (
            "\n".join(f"#{n}: episode_reward:0.5 acc: 0.75\nbest reward: 0.5" for n in range(4)),
            [(n, None) for n in range(4)],
        ),
        (  # a clock goes from minutes to hours
            "\n".join(f"After training {n}.55 {'mins' if n < 5 else 'hours'}, episode: {n}00.0, average reward: 1.5" for n in range(1, 9)),
            [(100 * n, None) for n in range(1, 9)],
        ),
        ("\n".join(f"epoch: {n / 2}, reward: 0.5" for n in range(1, 9)), []),  # a fraction, of which every second is whole
        (
            "\n".join(f"Date: 2023-10-29, Time_Cost: 98s, Epoch: [{n}/3],Val_PSNR: 28.5" for n in (1, 2, 3, 1, 2, 3)),
            [(1, None), (2, None), (3, None)] * 2,
        ),
    ],
)  # fmt: skip
def test_rows_are_told_once_they_have_counted_on(text: str, expected: list[tuple[int, float | None]]) -> None:
    assert rows(text) == expected


def test_the_steps_of_an_environment_are_no_rows_beside_its_episodes() -> None:
    text = "\n".join(
        f"Episode {n}/9, Steps: 17{9 - n}, Score: 5\nStep 1: Action = Down, Reward = 0\nStep 2: Action = Up, Reward = 4"
        for n in range(1, 6)
    )
    assert [index for index, _ in rows(text)] == [1, 2, 3, 4, 5]


def test_a_number_that_begins_again_and_counts_on_is_another_run() -> None:
    text = "\n".join(f"(Iter {n}0) Batch {n}0/90 (Epoch 1) d_real:0.5, btime: 0.25 s" for n in (1, 2, 3, 4, 1, 2))
    events = events_of(text)
    assert [one.index for one in iterations(events)] == [10, 20, 30, 40, 10, 20]
    assert [one.duration_s for one in iterations(events)] == [0.25] * 6
    assert len(of(RunInfo, events)) == 3  # the file, the first and the second run


def test_a_clock_written_as_hours_minutes_and_seconds_is_no_number_of_seconds() -> None:
    text = "\n".join(
        f" Iteration:        {n}  Time: 1200{50 + n}.500\n  MAE:   1.5 over 10 points" for n in range(1, 20)
    )
    assert {one.duration_s for one in iterations(events_of(text))} == {None}


@pytest.mark.parametrize(
    ("behind", "last"),
    [("", 4), ("saving the model\n", 4), ("validation acc: 0.5\n", 5), ("score: 0.5\n", 5), ("epoch: 6/9\n", 4)],
)
def test_a_heading_without_its_values_has_begun_and_is_done_with_its_values(behind: str, last: int) -> None:
    blocks = "".join(f"----\nepoch: {n}/9\nscore: 0.{n}\nsaving the model\n" for n in range(1, 5))
    assert rows(blocks + "epoch: 5/9\n" + behind)[-1][0] == last


def test_what_had_begun_when_its_process_ended_is_none_of_the_next_ones() -> None:
    parser = CountedRows()
    for n in range(1, 5):
        parser.line(f"epoch: {n}/9", None)
        parser.line(f"score: 0.{n}", None)
    assert [*parser.line("epoch: 5/9", None), *held_back(parser)] == []
    assert parser.line("epoch: 1/9", None) == []


def test_the_values_of_a_bar_below_a_heading_are_of_its_steps_and_the_heading_counts() -> None:
    frames = "".join(f"[Fitting] {n}/8 [{'=' * n:.<8}] - ETA: 0:0{9 - n}  [ loss={n}.5 ]\r" for n in range(1, 9))
    assert rows("\n".join(f"Epoch: {n}/50\n{frames}" for n in range(5))) == [(n, None) for n in range(5)]


def test_an_evaluation_that_counts_is_no_training() -> None:
    assert rows("\n".join(f"Evaluating batch {n}: score 0.5" for n in range(9))) == []


def test_evaluations_tell_of_the_epochs_where_the_training_has_no_lines_of_its_own() -> None:
    told = "\n".join(f"[Val Info] epoch: {n}, dice: 0.5" for n in range(1, 5))
    assert rows(told) == [(n, None) for n in range(1, 5)]
    assert rows(f"Training epoch 1 score: 0.5\n{told}") == []


OTHER_TEXTS = {
    "a Dockerfile's build": "\n".join(f"Step {n}/9 : RUN make target{n}\n ---> Running in abc{n}" for n in range(1, 10)),
    "a recipe": "Step 1: heat 200 g of butter.\nStep 2: add 3 eggs.\nStep 3: stir for 5 minutes.\nStep 4: bake.",
    "a manual page": "EXIT STATUS\n  0  no error, 1  usage\n  The step 1 of the -n option returns 5.\n  Iteration 3 is the last.",
    "source code": "for step in range(100):\n    loss = 0.5 * step\n    if step % 10 == 0: print(loss)\n    lr = 0.1",
    "apt": "\n".join(f"Get:{n} http://deb.example stable/main amd64 pkg{n} [{n}0 kB]\nSetting up pkg{n} (1.{n})" for n in range(1, 9)),
    "a web server": "\n".join(f'10.0.0.{n} - - [22/Nov/2026:08:0{n}:00 +0000] "GET /step/{n} HTTP/1.1" 200 {n}12' for n in range(1, 9)),
    "a worker": "\n".join(f"2026-11-22 08:00:0{n} INFO batch {n} of 9: 100 records, 0 errors, 2.5 s" for n in range(1, 9)),
    "git log": "\n".join(f"abc{n}def Step {n}: fix the reader\n{n} files changed, 3 insertions(+)" for n in range(1, 9)),
    "pip": "\n".join(f"Collecting pkg{n}>=1.{n}\n  Downloading pkg{n}-1.{n}-py3-none-any.whl (1{n} kB)" for n in range(1, 9)),
    "pytest": "\n".join(f"tests/test_step_{n}.py::test_batch_{n} PASSED [ {n}0%]" for n in range(1, 10)) + "\n9 passed in 1.25s",
    "a game": "\n".join(f"Round {n}: the score is {n}:0" for n in range(1, 9)),
    "make": "\n".join(f"[{n}0%] Building C object src/iteration_{n}.o" for n in range(1, 9)),
    "a database": "\n".join(f"LOG:  checkpoint complete: wrote {n}00 buffers (2.5%); batch {n}; write=1.5 s" for n in range(1, 9)),
    "a list of numbers": "\n".join(f"{n} {n}.5 0.25" for n in range(1, 30)),
    "numbers with commas": "\n".join(f"{n}, 0.5, 49.75" for n in range(1, 30)),
    "a table of files": "\n".join(["name  step  size", *(f"file{n}  {n}  {n}00" for n in range(1, 20))]),
    "Kaldi": "\n".join(f"LOG (gmm-acc-stats-ali[5.5]:main():a.cc:105) Processed {n}0 utterances; avg. like is -100.5 over 436 frames." for n in range(1, 20)),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_what_is_no_training_has_no_iteration(name: str) -> None:
    assert iterations(events_of(OTHER_TEXTS[name])) == []


def test_a_number_behind_an_epoch_and_an_iteration_of_so_many_is_a_trainings() -> None:
    lines = [f"[epoch: {e}/200, iter: {i}/640] total: 1.14{i}" for e in (1, 2) for i in range(160, 641, 160)]
    reader = LogReader()
    events = reader.feed("".join(f"{line}\n" for line in lines).encode()) + reader.end(b"")
    assert [one.index for one in events if isinstance(one, Iteration)] == [*range(160, 1281, 160)]


def test_what_is_counted_of_the_run_ends_it() -> None:
    lines = [f"Epoch  {e}/1000 | train: -{e}.5 (-2.9 bpd) | val: -{e}.25 | lr: 0.0001" for e in range(1, 30)]
    reader = LogReader()
    events = reader.feed("".join(f"{line}\n" for line in lines).encode()) + reader.end(b"")
    assert [one.index for one in events if isinstance(one, Iteration)] == [*range(1, 30)]
    assert {one.max_iterations for one in events if isinstance(one, Config)} == {1000}


def test_steps_that_begin_again_in_each_episode_are_of_one_training() -> None:
    text = "\n".join(f"Episode {e}, Step {n}: Reward: 0.5" for e in (1, 2, 3) for n in range(5))
    assert [index for index, _ in rows(text)] == [*range(15)]


@pytest.mark.parametrize("before", [(1, 2), (2, 3), (1, 3)])
def test_blocks_without_values_in_front_are_no_rows(before: tuple[int, ...]) -> None:
    empty = "".join(f"batch i:{n}0, len:90\n" for n in before)
    blocks = "\n".join(f"batch i:{n}0, len:90\nkl:0.5,loss:2.5,entropy:4.5" for n in (4, 5, 6))
    assert rows(empty + blocks) == [(40, 2.5), (50, 2.5), (60, 2.5)]


def test_heads_of_attempts_that_came_to_nothing_are_no_epochs_even_with_the_next_ones_settings_below_them() -> (
    None
):
    settings = "    - batch_size: 16\n    - learning_rate: 0.001\n"
    attempts = f"{settings}10:00:01 Epoch 1/1\n" * 9
    training = "".join(f"10:1{n}:00 Epoch {n}/4\n10:1{n}:40 - Train: loss: 0.{n}\n" for n in range(1, 5))
    broken = settings + training[: training.index("10:13:40")]
    told = [(1, 0.1), (2, 0.2), (1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)]
    assert rows(attempts + broken + settings + training) == told


def test_rows_with_many_lines_between_them_are_held_until_it_is_known_what_counts() -> None:
    """Lines that count something else, without values: an environment's steps in each episode."""
    text = "".join(
        f"{f'[Episode {e}, Step {n}] tasks' if n else f'Episode {e:04d} reward: {e}.5'}\n"
        for e in range(1, 6)
        for n in range(99)
    )
    events = events_of(text)
    assert [one.index for one in iterations(events)] == [1, 2, 3, 4, 5]


def test_what_is_counted_is_called_as_the_log_calls_it() -> None:
    events = events_of("\n".join(f"Epoch: {n}, Epsilon: 0.5, Avg Reward: 2.5" for n in range(1, 5)))
    assert "iteration = epoch;" in of(Message, events)[0].text


def test_rows_with_a_value_more_now_and_then_are_rows_like_the_others_and_an_announced_end_is_none() -> None:
    text = "\n".join(f"Epoch {n:02} | train 2.5 | val 2.25{' | BLEU 20.5' * (n % 3 == 0)}" for n in range(1, 11))
    assert [index for index, _ in rows(f"{text}\nEarly stopping at epoch 11")] == [*range(1, 11)]


def test_rows_of_a_benchmark_have_a_rate_and_no_loss_behind_the_rank_that_horovod_puts_in_front() -> None:
    text = "\n".join(f"[0]<stdout>:Iter #{n}: 42{n}.5 img/sec per GPU" for n in range(5))
    assert rows(f"[0]<stdout>:Model: a\n[0]<stdout>:Batch size: 32\n{text}") == [(n, None) for n in range(5)]
    assert rows("\n".join(f"Iter #{n}: 42{n}.5 img/sec" for n in range(5))) == []


def test_a_value_that_many_lines_under_one_heading_have_is_none_of_it() -> None:
    bars = "\n".join(f"[Training] {n}/9 [===>...] - ETA: 3:0{n}  [ loss={9 - n / 2:.4f} ]" for n in range(1, 10))
    alone = "\n".join(f"Epoch: {n}/50\n{bars}" for n in range(6))
    assert iterations(read("counted lines", alone)) == []
    text = "\n".join(f"Epoch: {n}/50\n{bars}\nMean reward: {n}.5" for n in range(6))
    found = iterations(read("counted lines", text))
    assert [(one.index, one.loss) for one in found] == [(n, None) for n in range(6)]


def rows_in_epochs(epoch: int) -> str:
    told = f"2024-05-01 12:0{epoch}"
    return (
        "".join(f"[{told}:{n}0] [INFO] Epoch {epoch} [{n}0/40] total={n}.5 pose={n}.25\n" for n in range(1, 4))
        + f"[{told}:40] [INFO] [Train] Epoch {epoch}: total=1.5\n[{told}:55] [INFO] [Val] Epoch {epoch}: total=2.5 pose=1.5\n"
    )


def test_rows_that_count_in_an_epoch_need_no_loss_and_none_of_their_values_is_called_one() -> None:
    events = events_of("".join(map(rows_in_epochs, (1, 2, 3))))
    found = iterations(events)
    assert [one.index for one in found] == [10, 20, 30, 50, 60, 70, 90, 100, 110]
    assert (found[-1].loss, found[-1].scalars) == (None, {"total": 3.5, "pose": 3.25})
    spans = [one for one in of(SpanEnd, events) if one.kind == "evaluation"]
    assert [(one.duration_s, one.values) for one in spans] == [(15.0, {"total": 2.5, "pose": 1.5})] * 3


def test_rows_in_epochs_of_no_known_length_have_no_time() -> None:
    text = "\n".join(
        f"2024-05-01 12:{e:02}:{n:02} - [Epoch {e}][Batch {n}], Speed: 0.5 samples/sec, CrossEntropy=9.23e-0{e}, SmoothL1=0.25"
        for e in range(4)
        for n in (0, 50)
    )
    found = iterations(events_of(text))
    assert [(one.index, one.duration_s, one.loss) for one in found[:3]] == [
        (0, None, None),
        (50, None, None),
        (51, None, None),
    ]
    assert found[-1].scalars is not None
    assert found[-1].scalars["CrossEntropy"] == pytest.approx(9.23e-3)
    one_value = text.replace(", SmoothL1=0.25", "").replace("Speed: 0.5 samples/sec, ", "")
    assert iterations(events_of(one_value)) == []


def test_a_block_is_over_when_its_values_come() -> None:
    text = "".join(
        f"[2024-05-01 10:0{n}:00] epoch: {n}/9\n[2024-05-01 10:0{n}:{n}0] score: 0.{n}\n" for n in range(1, 5)
    )
    assert [one.duration_s for one in iterations(events_of(text))] == [None, 70.0, 70.0, 70.0]


def test_a_row_that_has_fewer_values_than_others_is_one_too() -> None:
    """Some are printed each fifth epoch. What has other values, or none, is no row."""
    more = "  val=0.25  F1=0.75"
    rows = [
        f"12:{n:02}:00  Epoch {n}/20  train=0.{n}{more if n in (1, 5, 10, 15) else ''}\n" for n in range(1, 18)
    ]
    text = "".join(rows) + "12:19:00  Epoch 18/20  drawn=0.5\n12:19:30  Epoch 19/20\n"
    assert [one.index for one in iterations(events_of(text))] == [*range(1, 18)]
    assert [one.index for one in iterations(events_of("".join(rows)))] == [*range(1, 18)], "the last, too"


def test_what_an_evaluation_finds_behind_a_block_is_the_newest_rows_and_took_the_time_since_it() -> None:
    text = "".join(
        f"[2024-05-01 10:0{n}:00] epoch: {n}/9\n[2024-05-01 10:0{n}:20] - Train metrics: loss: 2.{n}, acc: 0.5\n"
        f"[2024-05-01 10:0{n}:50] - Eval metrics: loss: 1.{n}, acc: 0.5\n"
        for n in range(1, 6)
    )
    events = events_of(text)
    assert [one.index for one in iterations(events)] == [1, 2, 3, 4, 5]
    spans = [(one.after, one.duration_s, one.values) for one in of(SpanEnd, events) if one.kind == "evaluation"]
    assert spans[-2:] == [(4, 30.0, {"val_loss": 1.4}), (5, 30.0, {"val_loss": 1.5})]


def test_tasks_of_so_many_are_rows_where_nothing_finer_counts() -> None:
    line = "[2024-05-11 17:0{0}:03] Task [{0}/90], Train Loss: 2.5, Train Accuracy: 0.5"
    assert rows("\n".join(map(line.format, (1, 2, 3, 4)))) == [(1, 2.5), (2, 2.5), (3, 2.5), (4, 2.5)]
    inside = [f"Task [{t}/9] | Epoch [{e}/3] => score: 0.5" for t in (1, 2) for e in (1, 2, 3)]
    assert [index for index, _ in rows("\n".join(inside))][:3] == [1, 2, 3]
    assert rows("\n".join(f"Task [{n}/90] has been sent, loss: none" for n in (1, 2, 3, 4))) == []


def test_a_clock_whose_name_stands_behind_it_times_the_rows() -> None:
    line = "  step {:5} | train 2.{} | val 2.5 | {}s elapsed"
    found = iterations(events_of("\n".join(line.format(n * 100, 9 - n, 3 + 25 * n) for n in range(1, 8))))
    assert [one.index for one in found] == [100 * n for n in range(1, 8)]
    assert {one.duration_s for one in found[1:]} <= {None, 0.25}
    assert found[-1].duration_s == 0.25


def test_epochs_of_which_only_their_evaluations_are_told_are_counted() -> None:
    events = events_of(
        "\n".join(f"Epoch {n} metrics: valid/loss=0.{9 - n}  valid/F1=0.5  valid/MAE=2.5" for n in range(4))
    )
    assert [(one.index, one.loss) for one in iterations(events)] == [(0, None), (1, None), (2, None), (3, None)]
    assert [one.values["val_loss"] for one in of(SpanEnd, events)] == [0.9, 0.8, 0.7, 0.6]


def test_an_error_that_counts_on_is_a_loss_and_tests_that_are_loaded_are_no_evaluation() -> None:
    text = "Number of tests: 25\n\nTests loaded\n" + "\n".join(
        f"Iteration: {n}00\tError: 0.{9 - n}5" for n in range(1, 6)
    )
    assert rows(text) == [(100 * n, float(f"0.{9 - n}5")) for n in range(1, 6)]
    assert not [one for one in events_of(text.replace("Error", "Loss")) if isinstance(one, SpanEnd)]


def _epochs(data: str, ns: range) -> list[str]:
    return [f"epoch: {n}, set: {data}, dice: 0.{n}5" for n in ns]


@pytest.mark.parametrize(
    ("lines", "expected", "found"),
    [
        # A script with a test set alone writes to the file in which others' rows stand.
        ([*_epochs("polyps", range(1, 5)), *_epochs("test", range(1, 5)) * 2], [1, 2, 3, 4] * 3, 0),
        ([*_epochs("polyps", range(1, 5)), *_epochs("test", range(1, 5)), *_epochs("lesions", range(1, 4))],
         [1, 2, 3, 4] * 2 + [1, 2, 3], 0),
        ([*_epochs("polyps", range(1, 4)), *_epochs("test", range(1, 6))], [1, 2, 3, 1, 2, 3, 4, 5], 0),
        ([*(line for n in range(1, 7) for of in ("polyps", "test") for line in _epochs(of, range(n, n + 1))), *_epochs("test", range(1, 6))],
         [1, 2, 3, 4, 5, 6], 9),
        # What is evaluated of each epoch, or at the end, is no row.
        ([line for n in range(1, 6) for of in ("polyps", "test") for line in _epochs(of, range(n, n + 1))], [1, 2, 3, 4, 5], 3),  # not before the rows are proven
        ([*_epochs("polyps", range(1, 5)), *_epochs("test", range(2, 3))], [1, 2, 3, 4], 1),
        ([*_epochs("polyps", range(1, 5)), *(f"Test epoch: {n}, set: polyps, dice: 0.5" for n in range(1, 5))], [1, 2, 3, 4], 4),
        ([*_epochs("train", range(1, 5)), *_epochs("test", range(1, 5))], [1, 2, 3, 4], 4),
        ([*_epochs("polyps", range(1, 5)), *(f"epoch: {n}, set: test, auc: 0.5" for n in range(1, 5))], [1, 2, 3, 4], 4),
    ],
)  # fmt: skip
def test_evaluations_that_count_on_without_a_row_between_them_are_the_rows(
    lines: list[str], expected: list[int], found: int
) -> None:
    events = events_of("\n".join(lines))
    assert [one.index for one in iterations(events)] == expected
    assert len(of(SpanEnd, events)) == found


@pytest.mark.parametrize(("word", "place"), [("Global-step", "place"), ("Epoch", "epoch")])
def test_rows_of_one_place_are_counted_once_and_that_is_said(word: str, place: str) -> None:
    text = "\n".join(f"{word} {n} accepted, kl: 0.{k}5, old: 0.5" for n in range(1, 9) for k in range(3))
    events = events_of(text)
    assert [one.index for one in iterations(events)] == [*range(1, 9)]
    said = f"at least 16 more rows stand at the {place} of the one before: each {place} is counted once"
    assert said in [one.text for one in events if isinstance(one, Message)]
