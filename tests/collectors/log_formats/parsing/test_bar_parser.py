"""Bars over epochs, runs one after another, and evaluations between them."""

from itertools import pairwise

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.trainers.lightning import Lightning
from itermon.collectors.log_formats.frameworks.vision.ultralytics import Ultralytics
from itermon.collectors.log_formats.generic.tqdm import Tqdm
from itermon.collectors.logs.reader import LogReader
from itermon.events import DATA, EVALUATION, Iteration, RunInfo, SpanBegin, SpanEnd, expand


def frames(*drawn: tuple[int, int], title: str = "", postfix: str = "") -> str:
    """Frames of one bar after another, a second a step: steps done, and of how many."""
    return "\n".join(
        f"{title} {n}%|█ | {n}/{total} [{n // 60:02d}:{n % 60:02d}<00:30,  1.00s/it{postfix}]"
        for n, total in drawn
    )


def indices(*parts: str, name: str = "tqdm") -> list[int]:
    return [one.index for one in iterations(read(name, "\n".join(parts)))]


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ([(50, 100), (100, 100), (50, 100), (100, 100)], [50, 100, 150, 200]),  # epochs
        ([(50, 100), (98, 100), (1, 100)], [50, 98, 101]),  # whose last frames were not drawn
        ([(50, 100), (97, 100), (1, 100), (2, 100)], [50, 97, 1, 2]),  # another run
        ([(50, 100), (60, 100), (0, 100), (10, 100), (20, 100)], [50, 60, 10, 20]),
        ([(50, 100), (60, 100), (10, 100)], [50, 60]),  # perhaps
        ([(50, 100), (60, 100), (10, 100), (10, 100)], [50, 60]),  # it has to count on
        ([(50, 100), (60, 100), (59, 100), (61, 100), (60, 100), (62, 100)], [50, 60, 61, 62]),  # a rank lags
        (
            [(50, 100), (100, 100), (1, 90), (90, 90), (100, 100)],
            [50, 100],
        ),  # a bar of something else, the end once more
        ([(2, 4), (4, 4), (1, 400), (2, 400)], [2, 4, 1, 2]),  # a long one after something that prepared
    ],
)
def test_a_full_bar_of_the_same_length_was_an_epoch(drawn: list[tuple[int, int]], found: list[int]) -> None:
    assert indices(frames(*drawn)) == found


def of_epochs(*drawn: tuple[int, int, int]) -> list[int]:
    """Frames of bars of 100: of which epoch, steps done, and seconds."""
    told = (f"Epoch {e}/3: {n}%|█ | {n}/100 [00:{s:02d}<00:30,  2.00it/s, loss=2.5]" for e, n, s in drawn)
    return indices(*told)


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ([(1, 1, 1), (1, 3, 2), (1, 2, 2), (1, 5, 3), (1, 4, 3), (1, 6, 3)], [1, 3, 5, 6]),
        ([(1, 98, 49), (1, 100, 50), (2, 2, 1), (1, 98, 49), (1, 100, 50), (2, 4, 2)], [98, 100, 102, 104]),
        ([(1, 98, 49), (1, 100, 50), (1, 99, 49), (1, 100, 49), (2, 2, 1)], [98, 100, 102]),
        ([(1, 100, 50), (2, 10, 5), (1, 98, 49), (1, 100, 50), (2, 12, 6)], [100, 110, 112]),  # a tenth late
        ([(1, 100, 50), (2, 11, 6), (1, 98, 49), (1, 100, 50), (2, 12, 6)], [100, 111, 98, 100, 112]),  # and more
        ([(1, 100, 1), (1, 90, 2), (1, 95, 1)], [100]),
        ([(1, 50, 25), (1, 2, 1), (1, 51, 25), (1, 52, 26)], [50, 51, 52]),  # one frame of another bar
        ([(2, 40, 20), (2, 80, 40), (2, 40, 20)], [140, 180]),  # perhaps
        ([(2, 40, 20), (2, 80, 40), (2, 40, 20), (2, 60, 30)], [140, 180, 140, 160]),  # another run
        ([(1, 98, 49), (1, 100, 50), (1, 1, 1), (1, 3, 2)], [98, 100, 1, 3]),
        ([(1, 100, 51), (2, 100, 52), (1, 100, 51), (2, 100, 52)], [100, 200, 100, 200]),
        ([(1, 100, 51), (2, 1, 1), (1, 0, 0), (1, 100, 51), (2, 1, 1)], [100, 101, 100, 101]),
        ([(1, 100, 51), (2, 100, 51), (3, 1, 1), (1, 100, 51), (2, 100, 51)], [100, 200, 201, 100, 200]),
    ],
)
def test_bars_of_epochs_that_two_ranks_draw_are_one_run(
    drawn: list[tuple[int, int, int]], found: list[int]
) -> None:
    assert of_epochs(*drawn) == found


def test_a_rank_that_draws_the_end_of_a_bar_later_begins_no_epoch() -> None:
    drawn = frames((97, 100), (95, 100), (100, 100), (98, 100), (100, 100), (2, 100), (1, 100), (4, 100))
    assert indices(drawn) == [97, 100, 102, 104]


def test_the_first_frame_of_a_run_that_begins_again_has_its_time() -> None:
    """It was read with the clock of the run before: 40 steps in 20 s had none."""
    lines = [f"Epoch 2/3: {n}%|█ | {n}/100 [00:{n // 2}<00:30,  2.00it/s]" for n in (40, 60, 80, 40, 60, 80)]
    found = iterations(read("tqdm", "\n".join(lines)))
    assert [(one.duration_s, one.averaged_over) for one in found] == [(0.5, 40), (0.5, 20), (0.5, 20)] * 2


def test_a_bar_that_tells_of_a_loss_goes_before_one_that_tells_nothing() -> None:
    told = {"postfix": ", loss=2.5"}
    assert indices(frames((50, 60), **told), frames((300, 300)), frames((60, 60), **told)) == [50, 60]
    assert indices(frames((3, 60), **told), frames((5, 70), **told), name="tqdm") == [3, 5]
    assert indices(frames((5, 100)), frames((1, 50), (2, 50), **told)) == [5, 1, 2]
    assert indices(frames((50, 50), **told), frames((5, 100))) == [50]


def test_a_bar_of_epochs_holds_one_of_steps() -> None:
    outer, inner = {"title": "Epoch:"}, {"title": "Iteration:"}
    text = [frames((n, 3), **outer) + "\n" + frames((0, 50), (25, 50), (50, 50), **inner) for n in range(3)]
    assert indices(*text, frames((3, 3), **outer)) == [25, 50, 75, 100, 125, 150]
    assert indices(frames((0, 3), (1, 3), (2, 3), **outer)) == [1, 2]


def test_a_last_bar_is_no_step_of_epochs_that_were_counted_alone_and_no_longer_training_after_several() -> None:
    evaluation = frames((0, 500), (250, 500), (500, 500))
    assert indices(frames((1, 30), (2, 30), (3, 30), title="Epochs:"), evaluation) == [1, 2, 3]
    assert indices(frames((3, 3), title="Epochs:"), frames((25, 50), (50, 50), title="train")) == [3, 25, 50]
    epochs = frames(*[(n, 300) for n in (150, 300)] * 2)
    assert indices("training", epochs, evaluation) == [150, 300, 450, 600]


def test_a_bar_after_a_crash_is_another_process_of_any_length() -> None:
    crash = "Traceback (most recent call last):"
    assert indices(frames((50, 60)), crash, frames((0, 40), (1, 40), (2, 40))) == [50, 1, 2]
    assert indices(frames((50, 60)), crash, frames((0, 60), (1, 60))) == [50, 1]


def test_a_bar_without_a_length_counts_where_it_says_that_it_trains() -> None:
    lines = [f"Epoch {e}: {n}it [00:{n:02d},  1.00it/s]" for e in (0, 1) for n in (10, 20)]
    assert indices(*lines) == [10, 20, 30, 40]
    assert indices("10it [00:10,  1.00it/s]", "20it [00:20,  1.00it/s]") == []


def test_an_evaluation_drawn_at_its_end_alone_and_one_whose_end_was_not_drawn_are_evaluations() -> None:
    end, start = frames((10, 10), title="Evaluating:"), frames((7, 10), title="Validation:")
    events = read("tqdm", "\n".join([frames((50, 99)), end, end, frames((51, 99)), start, frames((52, 99))]))
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(51, 10.0), (52, 7.0)]


def test_an_evaluation_is_from_its_bars_first_frame_to_its_last() -> None:
    text = "\n".join(
        (
            frames((50, 100)),
            "Evaluating:  10%|█ | 1/10 [00:01<00:09,  1.00s/it]",
            "Evaluating:  50%|█ | 5/10 [00:05<00:05,  1.00s/it]",
            "Evaluating: 100%|█ | 10/10 [00:10<00:00,  1.00s/it]",
            frames((51, 100)),
        )
    )
    events = read("tqdm", text)
    assert [one.index for one in iterations(events)] == [50, 51]
    assert [(one.kind, one.iteration) for one in of(SpanBegin, events)] == [("evaluation", 51)]
    assert [(one.kind, one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [("evaluation", 51, 10.0)]


@pytest.mark.parametrize("first", ["--5", "-5", "+-3", "1e", "7", "nan", "-0"])
def test_an_odd_number_of_an_epoch_takes_no_later_epoch_with_it(first: str) -> None:
    bars = [f"Epoch {first}:   0%|          | 0/40 [00:00<?, ?it/s]"]
    bars += [f"Epoch {n}: 100%|██| 40/40 [00:20<00:00,  2.00it/s, loss={n}.5]" for n in range(3)]
    found = iterations(read("tqdm", "\n".join(bars)))
    assert [(one.index, one.loss) for one in found] == [(40, 0.5), (80, 1.5), (120, 2.5)]


@pytest.mark.parametrize("count", ["9" * 400, "9" * 13, "--5", "-5", "+-3", "1.2.3"])
def test_a_frame_with_an_odd_count_is_no_frame_and_takes_no_later_one_with_it(count: str) -> None:
    """As the last twelve of 400 digits it was a step far behind the run's end."""
    drawn = [f" 50%|█ | {n}/10 [00:0{n}<00:05,  1.00s/it, loss={n}.5]" for n in (1, 2, 3)]
    drawn[1] = drawn[1].replace("2/10", f"{count}/10")
    assert [(one.index, one.loss) for one in iterations(read("tqdm", "\n".join(drawn)))] == [(1, 1.5), (3, 3.5)]


def test_ranks_that_draw_at_nearly_the_same_time_are_no_restarts() -> None:
    drawn = [(50, 50), (51, 50), (52, 51), (50, 50), (51, 50), (53, 51), (51, 51), (52, 51)]  # steps, seconds
    text = "\n".join(f" {n}%|█ | {n}/900 [00:{s}<09:00,  1.00it/s, loss=2.5]" for n, s in drawn)
    events = read("tqdm", text)
    assert [one.index for one in iterations(events)] == [50, 51, 52, 53]
    assert len(of(RunInfo, events)) == 1


def test_an_epoch_longer_than_its_bar_said_is_as_long_as_it_was() -> None:
    def epoch(e: int) -> str:
        bar = "\n".join(f"Epoch {e}: {n}0%|█ | {n}/4 [00:0{n}<00:09,  1.00s/it, loss=2.5]" for n in (1, 4))
        return f"{bar}\nEpoch {e}: 5it [00:05,  1.00s/it, loss=2.5]\nEpoch {e}: 6it [00:06,  1.00s/it, loss=2.5]"

    events = read("tqdm", "\n".join(map(epoch, (1, 2, 3))))
    assert [one.index for one in iterations(events)] == [1, 4, 5, 6, 7, 10, 11, 12, 13, 16, 17, 18]
    assert len(of(RunInfo, events)) == 1


def test_a_bar_that_begins_after_lines_of_iterations_is_no_training_s_unless_it_says_so() -> None:
    row = "(epoch: 1, iters: {}, time: 0.500, data: 0.010) G_GAN: 1.5"
    rows = [row.format(n) for n in (100, 200, 300)]  # the newest waits
    name = "pix2pix, CycleGAN"
    assert indices(*rows, frames((20, 500), (40, 500)), name=name) == [100, 200]


def test_what_a_bar_says_is_left_is_that_of_the_run_only_where_it_has_all_its_steps() -> None:
    alone = iterations(read("tqdm", frames((1, 60), (2, 60))))
    assert [i.remaining_s for i in alone] == [30.0, 30.0]
    epochs = iterations(read("tqdm", frames((1, 60), (2, 60), title="Epoch 1/3:")))
    assert [i.remaining_s for i in epochs] == [None, None]


def test_a_bar_of_epochs_that_is_full_is_a_whole_training() -> None:
    """A grid of trainings, each with a bar through its epochs: one goes to the end, the next is another."""
    drawn = frames((150, 300), (298, 300), (1, 300), (2, 300), title="Epochs:")
    events = read("tqdm", drawn)
    assert [one.index for one in iterations(events)] == [150, 298, 1, 2]
    assert len(of(RunInfo, events)) == 2
    assert indices(drawn.replace("Epochs:", "")) == [150, 298, 301, 302]


@pytest.mark.parametrize("rate", ["1331.71it/s", "71528.40it/s", "2.50kit/s"])
def test_a_bar_that_counts_faster_than_a_step_can_be_is_no_training_s(rate: str) -> None:
    start = "  0%|          | 0/60000 [00:00<?, ?it/s]"
    scan = f" 50%|█████     | 30000/60000 [00:22<00:22, {rate}]"
    steps = [f" {n}0%|█   | {n}/10 [00:0{n}<00:09,  1.00it/s]" for n in (1, 2)]
    assert indices(start, scan) == []
    assert indices(start, scan, *steps) == [1, 2]
    assert indices(start, scan.replace("]", ", loss=2.5]")) == [30000], "it says that it trains"


def test_a_fast_frame_of_a_training_that_was_slower_is_its_own() -> None:
    """A loop may skip what it has done before: of the training's bar, all frames count."""
    steps = [f" {n}0%|█   | {n}0/100 [00:0{n}<00:09,  10.00it/s]" for n in (1, 2)]
    assert indices(*steps, " 90%|█   | 90/100 [00:02<00:00, 2500.00it/s]") == [10, 20, 90]


def two(first: range, second: range) -> list[str]:
    """Two processes' bars, frame by frame, the second often twice in a row."""
    lines = []
    for n, late in zip(first, second, strict=True):
        lines += [bar(n, n)]
        lines += [bar(late, late), bar(late + 1, late + 1)] if n % 4 == 2 else [bar(late, late)]
    return lines


def bar(n: int, second: int) -> str:
    return f"  0%|          | {n}/9000 [{second // 60:02d}:{second % 60:02d}<25:00,  1.00it/s]"


def test_of_two_processes_that_draw_at_once_one_is_read() -> None:
    lines = two(range(100, 180, 2), range(20, 100, 2))
    events = read("tqdm", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [*range(100, 180, 2)]
    assert len(of(RunInfo, events)) == 1


def test_a_run_that_begins_again_after_two_processes_is_a_restart() -> None:
    lines = two(range(100, 180, 2), range(20, 100, 2))
    events = read("tqdm", "\n".join([*lines, bar(0, 0), bar(5, 5), bar(6, 6)]))
    assert [one.index for one in iterations(events)][-2:] == [5, 6]
    assert len(of(RunInfo, events)) == 2


def test_a_row_of_a_table_before_a_bar_says_the_epoch() -> None:
    """Four batches an epoch, as fast in each: the bars differ by their row alone."""
    rows = [f"     {e}/9     4.583     3.153     11.44: 100% 4/4 [00:03<00:00,  1.02it/s]" for e in range(3)]
    between = "Inferencing model in val datasets.: 100% 2/2 [00:04<00:00,  2.00s/it]"
    events = read("tqdm", "\n".join([rows[0], rows[1], between, rows[2]]))
    assert [one.index for one in iterations(events)] == [4, 8, 12]
    assert len(of(SpanEnd, events)) == 1
    [info] = of(RunInfo, events)
    assert EVALUATION not in info.time_includes, "it stands between two bars, in no time of them"
    assert DATA in info.time_includes


def learnt(*drawn: tuple[int, int, int], title: str = "") -> list[int]:
    """Which iterations are read of frames (steps, length, seconds), once all of them were looked at."""
    lines = [
        f"{title} {n}%|█ | {n}/{total} [{s // 60:02d}:{s % 60:02d}<00:30,  1.00s/it]" for n, total, s in drawn
    ]
    parser = Tqdm()
    parser.learn(lines)
    events = [event for text in lines for event in parser.line(text, None)]
    return [event.index for event in events if isinstance(event, Iteration)]


TURN = [(50, 101, 40), (101, 101, 73), (800, 1568, 12), (1568, 1568, 24)]


def test_of_bars_that_take_turns_the_first_trains_if_it_takes_the_longest():
    assert learnt(*TURN, *TURN, (32, 101, 20)) == [50, 101, 151, 202, 234]


def test_a_long_bar_after_one_that_never_comes_again_trains():
    assert learnt(*TURN)[-1] == 1568


def test_where_the_first_takes_less_it_may_be_anything():
    turn = [(101, 101, 20), (1568, 1568, 240)]
    assert 1568 in learnt(*turn, *turn)


def test_titles_say_more_than_turns():
    assert learnt(*TURN, *TURN, title="train") == learnt(*TURN, *TURN, title="train loop")


@pytest.mark.parametrize("name", ["Lightning", "Ultralytics"])
def test_a_format_with_frames_of_another_form_learns_from_its_bars_alone(name: str) -> None:
    """Validation bars of Lightning have no fields, Ultralytics' new ones have others: no log of either is refused."""
    parser = {"Lightning": Lightning, "Ultralytics": Ultralytics}[name]()
    own = "Validation DataLoader 0:  40%|████      | 2/5 [00:00<00:00,  9.15it/s]"
    new = "      1/3     0.52G      1.264      4.318      1.234         23        640: 50% ━━━━━━────── 2/4 1.7it/s 2.2s<1.2s"
    parser.learn([own, new, frames((50, 100))])
    assert any(parser.match(text) is not None for text in (own, new))


HEAD = (
    "Using device: cuda\nBuilding the model of 12 layers\nLoaded 50000 training samples\nSeed everything with 42\n"
)


def bars(count: int, *, headed: bool = False) -> str:
    """Full bars without a title, one an epoch."""
    frames = "".join(f" {n}0%|█   | {n}/10 [00:0{n}<00:01,  1.00s/it, loss=2.5]\n" for n in range(1, 10))
    bar = frames + "100%|████| 10/10 [00:10<00:00,  1.00s/it, loss=2.5]\n"
    return "".join((HEAD if headed else "") + bar for _ in range(count))


@pytest.mark.parametrize(
    ("text", "runs", "last"),
    [
        (HEAD + bars(3) + HEAD + bars(2), 2, 20),  # another process
        (HEAD + bars(1) + HEAD + bars(1), 1, 20),  # it may be printed at each epoch
        (bars(3, headed=True), 1, 30),
        (HEAD + bars(5), 1, 50),
    ],
)
def test_first_lines_that_come_again_after_some_epochs_are_of_another_process(
    text: str, runs: int, last: int
) -> None:
    reader = LogReader()
    events = list(expand([*reader.feed(text.encode()), *reader.end(b"")]))
    rows = [one for one in events if isinstance(one, Iteration)]
    begins = sum(after.index <= before.index for before, after in pairwise(rows))
    assert (begins + 1, rows[-1].index) == (runs, last)


BEHIND = [(90, 50, [100]), (89, 50, [100, 189]), (90, 36, [100]), (90, 35, [100, 190]), (5, 50, [100, 105])]


@pytest.mark.parametrize(("n", "seconds", "found"), BEHIND)
def test_a_frame_behind_the_end_of_a_bar_is_another_ranks_if_it_is_a_tenth_or_a_moment_late(
    n: int, seconds: int, found: list[int]
) -> None:
    drawn = [(100, 40), (n, seconds)]
    assert indices(*(f"train: {n}%|█ | {n}/100 [00:{s:02d}<00:30,  2.00it/s]" for n, s in drawn)) == found


def test_bars_that_are_drawn_at_their_ends_alone_are_epochs_where_each_was_sooner_there() -> None:
    assert indices(*(f"100%|██| 100/100 [00:{s}<00:00,  2.00it/s]" for s in (42, 41, 40))) == [100, 200, 300]


def test_epochs_around_as_many_steps_are_not_taken_for_them() -> None:
    steps = frames(*((n, 4) for n in range(5)), title="Iteration:")
    assert indices(steps, frames((1, 4), title="Epoch:"), steps) == list(range(1, 9))
