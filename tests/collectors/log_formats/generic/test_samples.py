"""Samples to steps, as far as the log says what a batch is."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.generic.key_value import KeyValue
from itermon.collectors.log_formats.generic.line_values import epoch_first, values_of
from itermon.collectors.log_formats.generic.samples import IN_EPOCH, Samples
from itermon.collectors.logs.reader import LogReader
from itermon.events import Config, Counted, Iteration


def test_with_a_batch_size_in_the_head_they_are_steps() -> None:
    samples = Samples()
    samples.head("Namespace(test_batch_size=1000, batch_size=64, lr=0.5)")
    assert [samples.steps(n, 60_000, percent=True) for n in (0, 640, 1280)] == [(0, 938), (10, 938), (20, 938)]
    assert samples.unknown is None


def test_without_one_a_line_is_a_step_and_that_is_told() -> None:
    samples = Samples()
    assert [samples.steps(n, 60_000, percent=True)[0] for n in (0, 640, 1280)] == [0, 1, 2]
    assert samples.unknown == 640


@pytest.mark.parametrize(
    ("apart", "said"), [(500, "samples or batches"), (640, "samples"), (150, "samples or batches")]
)
def test_a_round_number_from_line_to_line_is_no_count_of_iterations(apart: int, said: str) -> None:
    """`[500/9500 (5%)]` may be the 500th batch or the 500th sample, and no batch size decides."""
    samples = Samples()
    assert [samples.steps(n * apart, 19 * apart, percent=True) for n in (0, 1, 2, 18)][1:] == [
        (1, 19),
        (2, 19),
        (18, 19),
    ]
    assert samples.word() == (
        f"the log counts {said}, {apart} between its first lines, and no batch size: an iteration is a line here"
    )


def test_a_batch_that_does_not_divide_the_places_says_that_they_are_batches() -> None:
    samples = Samples()
    samples.head("batch_size=64")
    assert [samples.steps(n, 938, percent=True)[0] for n in (0, 100, 200)] == [0, 100, 200]


@pytest.mark.parametrize(("head", "rows"), [("", True), ("Namespace(batch_size=64)\n", False)])
def test_lines_of_unknown_batches_are_called_rows(head: str, rows: bool) -> None:
    lines = [f"Train Epoch: {e} [{640 * n}/60000 ({n}%)]\tLoss: 2.50\n" for e in (1, 2) for n in range(90)]
    events = [*(reader := LogReader()).feed((head + "".join(lines)).encode()), *reader.end(b"")]
    assert any(one.rows for one in of(Counted, events)) is rows


@pytest.mark.parametrize(("share", "places"), [(100, [*range(10)]), (78, [*range(9), 7])])
def test_an_epochs_last_batch_that_is_shorter_stands_behind_the_others(share: int, places: list[int]) -> None:
    """Its place is made of its own size: 9 x 48 of 624, all of them; where its share agrees it is what it says."""
    rows = [f"Train Epoch: 1 [{64 * n}/624 ({100 * n // 10}%)] Loss: 2.50" for n in range(9)]
    rows += [f"Train Epoch: 1 [{432 if share == 100 else 488}/624 ({share}%)] Loss: 2.25"]
    samples = Samples()
    samples.head("batch_size=64")
    found = [IN_EPOCH.search(row) for row in rows]
    assert [samples.place(one)[0] for one in found if one] == places


def test_batches_and_what_has_no_share_behind_it_stay_what_they_are() -> None:
    assert Samples().steps(10, 938, percent=True) == (10, 938)
    assert Samples().steps(640, 60_000, percent=False) == (640, 60_000)


def learnt(*numbers: int) -> tuple[float, float]:
    pupil, samples = Samples(), Samples()
    for n in numbers:
        pupil.steps(n, 5_011, percent=False)
    samples.learn(pupil)
    return samples.steps(numbers[-1], 5_011, percent=False)


def test_distances_that_are_many_times_the_first_number_tell_the_batch() -> None:
    assert learnt(16, 1_616, 3_216) == (201, 314)
    assert learnt(4_816, 16, 1_616, 3_216) == (201, 314)
    for others in ((100, 200, 300), (1, 101, 201), (10, 60, 110), (16, 1_616, 3_000), (16, 1_616)):
        assert learnt(*others) == (others[-1], 5_011)


def test_little_data_is_told_from_batches_too() -> None:
    """`[16/112 (14%)]` may be a batch of samples: a line is a step, whichever it is."""
    assert Samples().steps(16, 112, percent=True) == (1, 7)
    assert Samples().steps(24, 112, percent=True) == (1, 5)
    assert Samples().steps(20, 112, percent=True) == (1, 6)
    assert Samples().steps(8, 112, percent=True) == (8, 112)
    assert Samples().steps(3, 60_000, percent=True) == (1, 20_000), "of so many, all of them whole"
    assert Samples().steps(3, 60_001, percent=True) == (3, 60_001)
    assert Samples().steps(0, 112, percent=True) == (0, 112)


@pytest.mark.parametrize(
    ("numbers", "batch"),
    [
        ((8, 88, 168), 8),
        ((7, 77, 147), 1),  # fewer than any batch
        ((16, 176, 336), 16),
        ((16, 160, 304), 1),  # nine times the first
        ((16, 177, 338), 1),  # no multiple
    ],
)
def test_a_batch_of_eight_at_least_and_ten_times_between_two_lines(numbers: tuple[int, ...], batch: int) -> None:
    assert learnt(*numbers) == (numbers[-1] // batch, -(-5_011 // batch))


@pytest.mark.parametrize(("word", "indices"), [("Sample", [*range(1, 16)]), ("Patience", None)])
def test_samples_within_an_epoch_are_steps_of_so_many_as_all_epochs_have(
    word: str, indices: list[int] | None
) -> None:
    text = "\n".join(f"Epoch [{e}/3], {word} [{n}/5], Loss: 2.5" for e in (1, 2, 3) for n in range(1, 6))
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == indices or indices is None
    assert (15 in {one.max_iterations for one in of(Config, events)}) is (indices is not None)


OF_SEVERAL = "world_size: 4\nbatch_size: 64\n"


def rows_of(head: str, rates: str) -> list:
    lines = [f"Train Epoch: 0 [{1024 * n}/65536 ({n}%)] {rates}LR: 0.5 Loss: 2.5000\n" for n in range(9)]
    events = [*(reader := LogReader()).feed((head + "".join(lines)).encode()), *reader.end(b"")]
    return [one.index for one in iterations(events)]


def test_the_batch_of_one_process_counts_no_steps_of_all() -> None:
    assert rows_of("batch_size: 64\n", "") == [16 * n for n in range(9)]
    assert rows_of(OF_SEVERAL, "") == [*range(9)]  # a line is a step: nobody knows whose the batch is
    assert rows_of("[rank3]: ready\nbatch_size: 64\n", "") == [*range(9)]


def test_the_rates_of_all_and_of_one_say_how_many_processes_there_are() -> None:
    assert rows_of(OF_SEVERAL, "900.5/s, 225.125/s/gpu ") == [4 * n for n in range(9)]
    assert rows_of(OF_SEVERAL, "900.5/s, 371.0/s/gpu ") == [*range(9)]


def test_a_unit_with_two_strokes_behind_a_number_is_no_part_of_the_next_name() -> None:
    assert values_of("900.5/s, 225.125/s/gpu LR: 0.5") == {"LR": "0.5"}


def test_commas_part_groups_of_three_digits_or_several_numbers() -> None:
    assert values_of("run_seeds=1,2,3 tokens=1,234,567 rate=0.5,loss=2.5") == {
        "tokens": "1,234,567",
        "rate": "0.5",
        "loss": "2.5",
    }


def test_a_word_that_is_a_value_is_no_part_of_the_next_name() -> None:
    assert values_of("data=cars lags=336 set=val loss=0.5") == {"lags": "336", "val loss": "0.5"}


def test_another_stream_s_line_in_the_midst_of_a_row_has_none_of_its_values() -> None:
    glued = "Step: 400 loss: 1.2024-01-02 03:04:05.678901: I device.cc:97] Creating (/gpu:0) -> (device: 0, id: 7)"
    assert epoch_first(glued) == "Step: 400 loss: 1."
    assert epoch_first("2024-01-02 03:04:05 loss: 1.5") == "2024-01-02 03:04:05 loss: 1.5"


@pytest.mark.parametrize("between", ["", " "])
def test_of_two_places_in_brackets_the_first_is_the_epoch(between: str) -> None:
    line = "[{}/5]{}[{}/500] Loss_D: 0.5 Loss_G: 2.5 D(x): 0.25 D(G(z)): 0.75 / 0.5"
    text = "\n".join(line.format(epoch, between, batch) for epoch in (0, 1, 2) for batch in (0, 200, 400))
    events = read("key: value", text)
    assert [one.index for one in iterations(events)] == [0, 200, 400, 500, 700, 900, 1000, 1200, 1400]
    assert {one.max_iterations for one in of(Config, events)} == {2500}


def test_a_place_in_front_of_the_fraction_of_an_epoch_is_the_step() -> None:
    text = "\n".join(f"{n}/900 (epoch {n / 90:.3f}), train_loss = 2.5, time/batch = 0.5s" for n in (10, 20, 30))
    events = read("key: value", text)
    assert [(one.index, one.duration_s) for one in iterations(events)] == [(10, 0.5), (20, 0.5), (30, 0.5)]
    assert {one.max_iterations for one in of(Config, events)} == {900}


def in_front(*places: tuple[int, int]) -> list[int]:
    text = "\n".join(f"[{first}][{batch}/50] loss: 0.5, lr: 0.25" for first, batch in places)
    parser = KeyValue()
    parser.learn(text.splitlines())
    return [
        one.index for line in text.splitlines() for one in parser.line(line, None) if isinstance(one, Iteration)
    ]


def test_a_number_that_grows_as_the_step_behind_it_begins_again_is_the_epoch() -> None:
    assert in_front(*((epoch, batch) for epoch in (1, 2, 3) for batch in (0, 1, 2))) == [
        *(0, 1, 2, 50, 51, 52, 100, 101, 102),
    ]


def test_a_number_beside_which_the_step_begins_again_is_a_process_s_or_a_fold_s() -> None:
    once = in_front(*((epoch, batch) for epoch in (1, 2) for batch in (0, 1, 2)))
    assert 50 not in once, "by chance one number grows as another one falls"
    folds = in_front(*((fold, batch) for fold in (1, 2, 3) for _ in "ab" for batch in (0, 20, 40)))
    ranks = in_front(*((rank, batch) for batch in (0, 20, 40, 0, 20, 40) for rank in (0, 1)))
    assert max(folds) == 40, "as before: nobody says what is an epoch"
    assert max(ranks) <= 90


@pytest.mark.parametrize(
    ("place", "total"),
    [("[{}/3] #{}", None), ("[{}/3]  # {}", None), ("[{}/3] {}/50", 150), ("[{}/3] #{}/50", 150)],
)
def test_a_number_behind_an_epoch_in_brackets_is_the_step_within_it(place: str, total: int | None) -> None:
    lines = (
        place.format(epoch, step) + f" box_loss: 0.5, total_loss: {3 - epoch / 2 - step / 100:.3f}"
        for epoch in (1, 2, 3)
        for step in (10, 20, 30, 40, 50)
    )
    events = read("key: value", "\n".join(lines))
    placed = [one.index for one in iterations(events)]
    assert len(placed) == 15
    assert placed == sorted({*placed})
    assert placed[-1] >= 150
    assert {one.max_iterations for one in of(Config, events)} - {None} == ({total} if total else set())


def test_a_word_says_that_samples_are_counted_as_a_share_in_percent_does() -> None:
    lines = [
        f"Epoch: {epoch}, Samples: {n}/6400, Loss: {2.5 - epoch / 4 - n / 9000:.4f}"
        for epoch in (1, 2)
        for n in range(640, 6401, 640)
    ]
    assert [one.index for one in iterations(read("key: value", "\n".join(lines)))][-1] < 32
    batches = "\n".join(lines).replace("Samples", "Batch")
    assert [one.index for one in iterations(read("key: value", batches))][-1] > 6400
