"""Hugging Face Trainer and its relatives: bars and dictionaries on one line."""

from log_examples import format_named, iterations, of, read

from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, PrintedLoss, RunInfo, SpanEnd


def test_unsloths_banner_tells_the_length_and_the_batch():
    banner = """
   \\\\   /|    Num examples = 480 | Num Epochs = 2 | Total steps = 120
O^O/ \\_/ \\    Batch size per device = 2 | Gradient accumulation steps = 4
  1%|          | 1/120 [00:02<04:00,  2.00s/it]
{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.02}
"""
    configs = of(Config, read("Hugging Face Trainer", banner))
    assert [one.max_iterations for one in configs if one.max_iterations] == [120]
    assert [(one.micro_batch_size, one.gradient_accumulation) for one in configs if one.micro_batch_size] == [
        (2, 4)
    ]


def test_a_bar_of_diffusers_tells_its_loss():
    bar = "Steps:  10%|█         | 100/1000 [01:40<15:00,  1.00s/it, lr=1e-5, step_loss=0.125]"
    assert [i.loss for i in iterations(read("tqdm", bar))] == [0.125]


def test_a_long_dictionary_is_read_to_its_end():
    rewards = ", ".join(f"'rewards/a_function_with_a_name_{n}/mean': {n}.123456789" for n in range(70))
    line = f"{{'loss': 0.5, {rewards}, 'epoch': 0.5}}"
    assert 3000 < len(line) < 4000
    assert [i.loss for i in iterations(read("Hugging Face Trainer", line))] == [0.5]


def test_a_bar_that_ends_without_a_dictionary_loses_no_step():
    frames = ["[INFO|trainer.py:1] x", *(f"{n}0%|█ | {n}/3 [00:0{2 * n}<00:02,  2.00s/it]" for n in (1, 2, 3, 3))]
    assert [i.index for i in iterations(read("Hugging Face Trainer", "\n".join(frames)))] == [1, 2, 3]


def test_a_step_that_waits_for_its_dictionary_is_told_when_the_log_ends():
    reader = LogReader()
    reader.feed("***** Running training *****\n 20%|██ | 2/10 [00:04<00:16,  2.00s/it]\n".encode())
    assert [i.index for i in iterations(reader.end(b""))] == [2]


def test_a_dictionary_whose_frame_was_cut_off_keeps_its_place_by_its_epoch():
    text = """  Num Epochs = 10
  Total optimization steps = 100
 10%|█         | 10/100 [00:20<03:00,  2.00s/it]
{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 2.0}
 20%|██        | 20/1
{'loss': 2.0, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 3.0}
 30%|███       | 30/100 [00:60<02:00,  2.00s/it]
"""
    found = iterations(read("Hugging Face Trainer", text))
    assert [(i.index, i.loss) for i in found] == [(10, None), (20, 2.5), (30, 2.0)]


def test_trained_parameters_are_not_taken_for_all_of_them():
    banner = """trainable params: 20,975,617 || all params: 8,051,236,865 || trainable%: 0.2605
***** Running training *****
  Number of trainable parameters = 20,975,617
 20%|██ | 2/10 [00:04<00:16,  2.00s/it]
"""
    configs = of(Config, read("Hugging Face Trainer", banner))
    assert [one.parameters for one in configs if one.parameters] == [8_051_236_865]
    assert {one.trained_parameters for one in configs if one.trained_parameters} == {20_975_617}
    alone = of(Config, read("Hugging Face Trainer", "\n".join(banner.splitlines()[1:])))
    assert not any(one.parameters for one in alone)


def test_litgpt_tells_the_frozen_ones_on_a_line_of_their_own():
    log = "Number of trainable parameters: 12,226,560\nNumber of non-trainable parameters: 2,779,683,840\n"
    iteration = "Epoch 1 | iter 4 step 2 | loss train: 1.597, val: n/a | iter time: 595.27 ms (step)\n"
    last = of(Config, read("litgpt", log + iteration))[-1]
    assert (last.parameters, last.trained_parameters) == (2_791_910_400, 12_226_560)


def bar(*steps: int, total: int = 40) -> str:
    return "\n".join(f" 1%|  | {n}/{total} [{n // 60:02d}:{n % 60:02d}<00:40,  1.00s/it]" for n in steps)


def loss(epoch: float) -> str:
    return f"{{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': {epoch}}}"


DONE = "{'train_runtime': 60.0, 'train_loss': 2.5, 'epoch': 3.0}"


def test_the_bar_of_the_last_evaluation_is_no_new_training():
    between = [bar(20, 56, total=56), bar(20), loss(0.5), bar(21)]
    text = [bar(0, 10, 20), loss(0.5), *between, bar(39, 40), loss(1.0), bar(2, 50, 56, total=56), DONE, bar(40)]
    events = read("Hugging Face Trainer", "\n".join(text))
    assert [one.index for one in iterations(events)] == [10, 20, 21, 39, 40]
    assert len(of(RunInfo, events)) == 1


def test_trainings_one_after_another_are_several_also_where_their_bars_were_full():
    one = "\n".join([bar(0, 1, 2, total=2), loss(1.0), DONE])
    events = read("Hugging Face Trainer", f"{one}\n{one}")
    assert [one.index for one in iterations(events)] == [1, 2, 1, 2]
    assert len(of(RunInfo, events)) == 2


def test_a_second_training_of_another_length_is_known_by_its_loss():
    text = [
        bar(39, 40),
        loss(1.0),
        bar(2, 56, total=56),
        DONE,
        bar(0, 10, 20, total=90),
        loss(0.5),
        bar(30, 40, total=90),
    ]
    events = read("Hugging Face Trainer", "\n".join(text))
    assert [one.index for one in iterations(events)] == [39, 40, 10, 20, 30]
    assert len(of(RunInfo, events)) == 2


def test_steps_between_dictionaries_are_counted_where_an_epoch_has_a_fraction_of_one_more_than_is_said():
    each = 17.05
    head = "***** Running training *****\n  Num Epochs = 1,000\n  Total optimization steps = 17,000\n"
    lines = [loss(round(step / each, 2)) for step in range(5, 2106, 5)]
    assert [one.index for one in iterations(read("Hugging Face Trainer", head + "\n".join(lines)))] == [
        *range(5, 2106, 5)
    ]


def test_a_rounded_epoch_hides_no_interval_and_the_first_step_may_be_logged_besides():
    head = "***** Running training *****\n  Num Epochs = 2\n  Total optimization steps = 6250\n"
    steps = [1, *range(100, 6201, 100)]
    lines = [loss(round(step / 3125, 2)) for step in steps]
    assert [one.index for one in iterations(read("Hugging Face Trainer", head + "\n".join(lines)))] == steps


def test_a_bar_of_another_length_than_the_dictionaries_told_is_no_training():
    step = "{{'loss': 2.5, 'epoch': 0.{n}, 'global_step/max_steps': '{n}/40', 'elapsed_time': '{n}s', 'remaining_time': '1m'}}"
    text = [step.format(n=10), step.format(n=20), bar(1, 30, 56, total=56)]
    assert [one.index for one in iterations(read("Hugging Face Trainer", "\n".join(text)))] == [10, 20]


LOSSES = "".join(
    f"{{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': {epoch}}}\n" for epoch in (0.5, 1.0)
)
NO_TITLE = "".join(f"{n}%|█ | {n}/100 [00:{n // 2:02d}<00:10,  2.00it/s]\n" for n in (0, 50, 100))


def test_a_bar_without_a_title_after_losses_that_had_none_is_not_the_trainings():
    assert [i.index for i in iterations(read("Hugging Face Trainer", LOSSES + NO_TITLE))] == [1, 2]


def test_a_bar_without_a_title_after_the_trainings_end_is_another_ones():
    over = "100%|██████████| 16/16 [15:19<00:00, 57.45s/it]\n{'train_runtime': 919.0, 'epoch': 1.0}\n"
    assert [i.index for i in iterations(read("Hugging Face Trainer", over + NO_TITLE))] == [16]


def test_a_second_training_in_a_file_has_evaluations_of_its_own():
    def bar(*steps, of):
        return "".join(f"{n}%|█ | {n}/{of} [00:{n:02d}<00:10,  1.00it/s]\n" for n in steps)

    def loss(epoch):
        return f"{{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': {epoch}}}\n"

    evaluation = bar(0, 5, 9, of=9)
    parts = [bar(1, 10, of=30), evaluation, loss(1), bar(11, 20, of=30), evaluation, loss(2), bar(21, 30, of=30)]
    run = "".join([*parts, "{'train_runtime': 90.0, 'epoch': 3.0}\n"])
    found = [i.index for i in iterations(read("Hugging Face Trainer", run + run))]
    assert found == [1, 10, 11, 20, 21, 30] * 2


def _bar(n: int, total: int, each_s: float) -> str:
    took = int(n * each_s)
    rate = f"{each_s:.2f}s/it" if each_s >= 1 else f"{1 / each_s:.2f}it/s"
    return f"{100 * n // total:3d}%|█ | {n}/{total} [{took // 60:02d}:{took % 60:02d}<00:30, {rate}]"


_LOGGED = "{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.1}"


def test_a_bar_of_a_tokenizer_without_a_title_is_never_the_training() -> None:
    log = [
        f"  0%|  | 0/{n} [00:00<?, ?it/s]\n" + "\n".join(_bar(n * k // 4, n, 1e-4) for k in (1, 2, 3, 4))
        for n in (8000, 60000)
    ]
    log += [
        "  0%|  | 0/400 [00:00<?, ?it/s]",
        *(_bar(n, 400, 2.0) for n in (1, 2)),
        _LOGGED,
        _bar(3, 400, 2.0),
        _bar(4, 400, 2.0),
    ]
    events = read("Hugging Face Trainer", "\n".join(log))
    assert [one.index for one in iterations(events)] == [1, 2, 3]  # the newest waits for its dictionary
    assert len(of(RunInfo, events)) == 1
    assert [one.max_iterations for one in of(Config, events)] == [400]


def test_the_bar_on_which_a_loss_follows_is_the_training_also_after_a_longer_one() -> None:
    log = [_bar(n, 900, 0.02) for n in (300, 900)] + [_bar(n, 400, 2.0) for n in (1, 2)]
    log += [_LOGGED, *(_bar(n, 400, 2.0) for n in (3, 4, 5))]
    events = read("Hugging Face Trainer", "\n".join(log))
    assert [one.index for one in iterations(events)][-2:] == [3, 4]  # the newest waits for its dictionary
    assert of(Config, events)[-1].max_iterations == 400


LOGGED = "{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.25}"


def test_a_bar_below_another_is_an_evaluations_though_the_log_begins_in_it():
    inner = [f" {n}%|█ | {n}/56 [00:{n:02d}<00:40,  1.00s/it][A" for n in (20, 21, 22)]
    late = " 41%|█ | 23/56 [00:23<00:40,  1.00s/it]"  # drawn once more, as the only one
    outer = [f" {n}%|█ | {n}/300 [0{n // 30}:00<05:00,  2.00s/it]" for n in (150, 180, 181)]
    found = iterations(read("Hugging Face Trainer", "\n".join((*inner, late, *outer, LOGGED))))
    assert [i.index for i in found] == [150, 180]


def test_below_a_bar_of_folds_stands_the_trainings():
    folds = "Folds:  20%|█ | 1/5 [01:00<04:00, 60.00s/it]"
    inner = [f" {n}%|█ | {n}/56 [00:{n:02d}<00:40,  1.00s/it][A" for n in (20, 21, 22, 23)]
    found = iterations(read("Hugging Face Trainer", "\n".join((folds, *inner, LOGGED))))
    assert [i.index for i in found] == [20, 21, 22]


def test_a_dictionary_that_says_its_step_has_that_place():
    lines = "".join(f"{{'loss': 2.5, 'epoch': {n / 40:.2f}, 'step': {n}}}\n" for n in (20, 40, 60))
    assert [one.index for one in iterations(read("Hugging Face Trainer", lines))] == [20, 40, 60]
    others = "".join(f"{{'loss': 2.5, 'epoch': {n / 40:.2f}, 'global_step': {n}}}\n" for n in (20, 40))
    assert [one.index for one in iterations(read("Hugging Face Trainer", others))] == [20, 40]


def whole(text):
    reader = LogReader()
    return [*reader.feed(text.encode()), *reader.end(b"")]


HEAD_OF_2020 = "***** Running training *****\n  Num Epochs = 2\n  Total optimization steps = 4\n"


def test_until_2020_each_epoch_has_a_bar_of_its_own():
    frames = [f"Iteration: {n}0%|█ | {n}/2 [00:0{2 * n}<00:02,  2.00s/it]" for n in (1, 2)]
    epochs = [f"Epoch: {n}0%|█ | {n}/2 [00:0{4 * n}<00:04,  4.00s/it]" for n in (0, 1)]
    text = HEAD_OF_2020 + "\n".join([epochs[0], *frames, epochs[1], *frames])
    events = whole(text)
    rows = iterations(events)
    assert [(row.index, round(row.duration_s, 9)) for row in rows] == [(1, 2.0), (2, 2.0), (3, 2.0), (4, 2.0)]
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [4]


def test_a_bar_without_a_title_before_those_prepared_the_data():
    prepared = "\n".join(f" {n}0%|█ | {n}/4 [00:0{n}<00:02, 1.00it/s]" for n in (1, 2, 3, 4))
    frames = "\n".join(f"Iteration: {n}0%|█ | {n}/5 [00:0{2 * n}<00:02,  2.00s/it]" for n in (1, 2, 3))
    assert [row.index for row in iterations(whole(f"{prepared}\n{HEAD_OF_2020}{frames}\n"))] == [1, 2, 3]


def test_dictionaries_that_were_all_written_behind_the_end_of_the_bar_have_their_steps():
    """Standard output was a file, whose buffer came after the bar of standard error."""
    bar = [f"{n}%|█  | {n}/100 [00:{n // 2:02d}<00:10,  2.00it/s]" for n in range(1, 101)]
    logged = [
        f"{{'loss': {5 - n / 25}, 'learning_rate': 1e-0{n // 25}, 'epoch': {n / 50}}}" for n in (25, 50, 75, 100)
    ]
    said = "{'train_runtime': 50.5, 'train_loss': 2.5, 'epoch': 2.0}"
    for end in ([said], []):
        parser = format_named("Hugging Face Trainer").parser()
        events = [event for line in [*bar, *logged, *end] for event in parser.line(line, None)]
        events += [*parser.release(), *parser.end()]
        assert [(one.iteration, one.loss) for one in of(PrintedLoss, events)] == [
            (25, 4),
            (50, 3),
            (75, 2),
            (100, 1),
        ]
        assert of(PrintedLoss, events)[0].scalars == {"learning_rate": 0.1}
        assert len(iterations(events)) == 100


def test_one_dictionary_behind_the_end_of_a_bar_is_of_its_last_step():
    lines = [
        "100%|██| 9/9 [00:18<00:00,  2.00s/it]",
        "{'loss': 1.5, 'epoch': 1.0}",
        "100%|██| 9/9 [00:18<00:00,  2.00s/it]",
    ]
    events = read("Hugging Face Trainer", "\n".join(lines))
    assert ([one.loss for one in iterations(events)], of(PrintedLoss, events)) == ([1.5], [])


def test_a_frame_behind_dictionaries_at_the_end_takes_none_of_their_values() -> None:
    bar = [f"{n}%|█  | {n}/100 [00:{n // 2:02d}<00:10,  2.00it/s]" for n in (98, 99, 100)]
    logged = [f"{{'loss': {5 - n / 25}, 'epoch': {n / 50}}}" for n in (50, 100)]
    said = "{'train_runtime': 50.5, 'train_loss': 2.5, 'epoch': 2.0}"
    events = read("Hugging Face Trainer", "\n".join([*bar, *logged, bar[-1], said]))
    assert [one.index for one in iterations(events)][-1] == 100
    assert [(one.iteration, one.loss) for one in of(PrintedLoss, events)] == [(50, 3), (100, 1)]


def test_dictionaries_in_blocks_stand_at_their_own_steps_and_evaluations_where_their_bars_were():
    def frames(first, last):
        return [f"{n}%|█  | {n}/100 [00:{n // 2:02d}<00:10,  2.00it/s]" for n in range(first, last + 1)]

    inner = [f" 50%|█ | {n}/8 [00:{n * 2:02d}<00:04,  2.00s/it][A" for n in (2, 5, 8)]
    logged = [f"{{'loss': {5 - n / 25}, 'entropy': {n}.5, 'epoch': {n / 50}}}" for n in range(10, 101, 10)]
    evaluated = ["{'eval_loss': 0.5, 'eval_runtime': 16.5, 'epoch': 0.8}"]
    said = ["{'train_runtime': 50.5, 'train_loss': 2.5, 'epoch': 2.0}"]
    text = [*frames(1, 40), *inner, *frames(41, 60), *logged[:4], *evaluated, *logged[4:5], *frames(61, 100)]
    events = read("Hugging Face Trainer", "\n".join([*text, *logged[5:], *said]))
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(41, 16.0)]
    assert all(one.loss is None for one in iterations(events))
    printed = of(PrintedLoss, events)
    assert [one.iteration for one in printed if one.validation_loss is None] == [*range(10, 101, 10)]
    evaluations = [(one.iteration, one.evaluation_s) for one in printed if one.validation_loss]
    assert evaluations == [(40, 16.5)]


def test_an_evaluation_behind_a_full_bar_is_in_no_step_of_it() -> None:
    evaluated = "{{'eval_loss': {}, 'eval_runtime': 4.0, 'epoch': {}}}"
    text = [
        bar(0, 10, 20),
        evaluated.format(1.5, 0.5),
        loss(0.5),
        bar(21, 39, 40),
        evaluated.format(1.25, 1.0),
        DONE,
    ]
    found = of(SpanEnd, read("Hugging Face Trainer", "\n".join(text)))
    assert [(one.duration_s, one.apart) for one in found] == [(4.0, False), (4.0, True)]


def test_dictionaries_with_the_seconds_since_the_training_began_are_rows_that_have_their_time() -> None:
    rows = [f"{{'loss': 2.{n}, 'reward': 0.5, 'epoch': 0.{n}, 'train_runtime': {250.5 * n}}}" for n in range(1, 5)]
    last = "{'train_runtime': 1010.0, 'train_samples_per_second': 2.5, 'train_loss': 2.25, 'epoch': 0.5}"
    events = read("Hugging Face Trainer", "\n".join([*rows, last, rows[0]]))
    found = iterations(events)
    assert [(one.loss, one.duration_s) for one in found[:4]] == [
        (2.1, None), (2.2, 250.5), (2.3, 250.5), (2.4, 250.5),
    ]  # fmt: skip
    assert "train_runtime" not in dict(found[0].scalars)
    assert found[4].duration_s is None, "another training's"


def test_a_bar_that_leaps_to_its_checkpoint_has_not_done_the_steps_before_it() -> None:
    said = "resume_from_checkpoint: out/checkpoint-500"
    frames = ["  0%|          | 0/900 [00:00<?, ?it/s]", " 56%|█████▌    | 501/900 [00:06<00:04, 80.0it/s]"]
    frames += [f" 56%|█████▌    | {n}/900 [00:{(n - 500) * 6:02}<10:00, 6.00s/it]" for n in (502, 503, 504)]
    rows = iterations(read("Hugging Face Trainer", "\n".join([said, *frames])))
    assert (rows[0].index, rows[0].duration_s, rows[0].averaged_over) == (501, None, 1)
    assert [one.index for one in rows if one.averaged_over == 1] == [501, 502, 503], "the newest waits"
    rows = iterations(read("Hugging Face Trainer", "\n".join([said.replace("500", "300"), *frames[1:]])))
    assert rows[0].averaged_over == 501, "it leaps elsewhere, and was not seen at 0"
