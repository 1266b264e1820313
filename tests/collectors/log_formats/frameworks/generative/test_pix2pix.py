"""pix2pix: images to batches, and an epoch's time as the clock."""

import pytest
from log_examples import example, iterations, of, read

from itermon.events import Config, Launch, RunInfo


def test_an_epochs_time_is_the_clock_and_a_loss_that_is_nan_is_told():
    events = read("pix2pix, CycleGAN", example("pix2pix, CycleGAN"))
    found = iterations(events)
    assert [(i.index, i.elapsed_s) for i in found] == [(50, None), (100, 90.5), (150, None), (200, 171.0)]
    assert [i.bad_loss for i in found] == ["", "nan", "", ""]
    assert found[0].scalars == {"G_GAN": 0.5, "D_real": 0.25}, "there is no single loss"
    assert found[1].scalars == {"D_real": 0.25}
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [20_000]
    assert [one.micro_batch_size for one in of(Config, events) if one.micro_batch_size] == [4]


def test_an_epoch_that_is_left_out_ends_the_clock_for_nobody_knows_how_long_it_took():
    log = example("pix2pix, CycleGAN").replace("End of epoch 2 /", "End of epoch 9 /")
    assert [i.elapsed_s for i in iterations(read("pix2pix, CycleGAN", log))] == [None, 90.5, None, None]


def lines_of(length: int, apart: int, *epochs: int) -> str:
    """The lines of these epochs of so many images: one each `apart` images of the run."""
    places = [(n // length + 1, n % length or length) for n in range(apart, length * max(epochs) + 1, apart)]
    return "\n".join(
        f"(epoch: {epoch}, iters: {images}, time: 0.125, data: 0.002) G_GAN: 0.500 D_real: 0.250"
        for epoch, images in places
        if epoch in epochs
    )


def test_the_lines_distances_tell_how_many_images_an_epoch_has():
    found = iterations(read("pix2pix, CycleGAN", lines_of(348, 100, 1, 2, 3, 4)))
    assert [i.index for i in found] == list(range(100, 1300, 100))


def test_so_they_do_where_an_epoch_is_shorter_than_their_distance():
    found = iterations(read("pix2pix, CycleGAN", lines_of(716, 2000, *range(1, 40))))
    assert [i.index for i in found][4:-1] == list(range(10_000, 24_000, 2000))


def test_another_training_has_its_own_epochs():
    log = lines_of(4320, 2000, 1, 2, 3) + "\n" + lines_of(348, 100, 1, 2)
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", log))][-2:] == [400, 500]


ROW = "(epoch: {}, iters: {}, time: 0.125, data: 0.002) G_GAN: 0.500 D_real: 0.250\n"


def test_images_that_are_counted_on_through_the_epochs_are_no_epochs_of_their_own():
    log = "".join(ROW.format(epoch, 250 * epoch) for epoch in (1, 2, 3, 4))
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", log))] == [250, 500, 750]
    log = "The number of training images = 250\n   batch_size: 1\n" + log
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", log))] == [250, 500, 750]


def test_they_begin_again_with_an_epoch_where_they_are_seen_to_fall():
    log = "".join(
        ROW.format(*place) for place in ((1, 90), (2, 60), (3, 70), (1, 40), (2, 80), (3, 120), (3, 130))
    )
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", log))] == [90, 150, 220, 40, 80, 120]


def test_an_epoch_0_begins_at_its_first_batch():
    log = example("pix2pix, CycleGAN").replace("poch 1 ", "poch 0 ").replace("epoch: 1", "epoch: 0")
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", log))][:2] == [50, 100]


@pytest.mark.parametrize(
    ("rows", "time_s", "each_s"),
    [
        ([(1, 400), (2, 400), (3, 400)], 0.25, 0.25),
        ([(1, 400), (2, 400), (3, 400)], 20.0, None),  # the epoch's, perhaps
        ([(1, 200), (1, 400), (2, 200)], 20.0, 20.0),
        ([(1, 200), (1, 400), (2, 200)], 1_200.0, None),  # no image takes so long
    ],
)
def test_where_a_line_is_printed_for_each_epoch_nobody_knows_whose_time_it_has(
    rows: list[tuple[int, int]], time_s: float, each_s: float | None
):
    log = "".join(ROW.format(*row).replace("0.125", str(time_s)) for row in rows)
    assert [i.duration_s for i in iterations(read("pix2pix, CycleGAN", log))] == [each_s] * 2


@pytest.mark.parametrize(
    ("rows", "indices", "resumed"),
    [
        ([(1, 100), None, (1, 500), (1, 600)], [100, 500], [None, False]),  # though the count rises
        ([(1, 100), (2, 100), None, (1, 100), (2, 100)], [100, 200, 100], [None, False]),
        ([(1, 100), (2, 100), None, (2, 100), (3, 100)], [100, 200, 200], [None, None]),
        ([None, None, (1, 100), (1, 200)], [100], [None]),
    ],
)
def test_each_start_writes_a_head_and_one_that_counts_from_its_beginning_is_another_training(
    rows: list[tuple[int, int] | None], indices: list[int], resumed: list[bool | None]
):
    head = "================ Training Loss (Fri May 28 16:18:59 2021) ================\n"
    events = read("pix2pix, CycleGAN", "".join(ROW.format(*row) if row else head for row in rows))
    assert [i.index for i in iterations(events)] == indices
    assert [one.resumed for one in of(RunInfo, events)] == resumed


def test_each_start_is_a_launch_at_the_date_of_its_heading() -> None:
    head = "================ Training Loss (Sat Mar  1 {}:00:00 2025) ================"
    row = "(epoch: 1, iters: {}, time: 0.125, data: 0.250) G_GAN: 0.500 D_real: 0.250"
    lines = [head.format(10), head.format(11), row.format(100), row.format(200), head.format(12), row.format(100)]
    found = [one for one in read("pix2pix, CycleGAN", "\n".join(lines)) if isinstance(one, Launch)]
    assert [(one.at_s, one.after_none) for one in found] == [(1_740_826_800.0, True), (1_740_830_400.0, False)]


def test_images_that_do_not_begin_at_0_with_their_epoch_are_counted_by_the_lines_distance() -> None:
    # 404 images of an epoch, in batches of four, but 401 are taken off for each epoch before; and only half of them
    for taken_off in (401, 202, 0):
        places = [((n - 1) // 404 + 1, n) for n in range(100, 404 * 12, 100)]
        log = "".join(ROW.format(epoch, n - (epoch - 1) * taken_off) for epoch, n in places)
        found = iterations(read("pix2pix, CycleGAN", log))
        assert [i.index for i in found] == list(range(100, 4800, 100)), taken_off


def test_so_they_are_where_the_options_told_a_batchs_images_and_an_epochs() -> None:
    places = [((n - 1) // 404 + 1, n) for n in range(100, 404 * 12, 100)]
    log = "The number of training images = 401\n   batch_size: 4\n"
    log += "".join(ROW.format(epoch, n - (epoch - 1) * 401) for epoch, n in places)
    found = [i.index for i in iterations(read("pix2pix, CycleGAN", log))]
    assert found == sorted(set(found))
    assert found[-1] == 1175


def test_a_first_line_behind_the_first_epoch_lies_as_far_from_the_beginning_as_lines_lie_apart() -> None:
    rows = [(3, 568), (6, 420), (9, 272), (12, 124)]  # 716 images, a line each 2000
    log = "".join(ROW.format(*row) for row in rows)
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", log))] == [2000, 4000, 6000]
    after = lines_of(4320, 2000, 1, 2, 3, 4) + "\n" + log  # of another training, which had more
    assert [i.index for i in iterations(read("pix2pix, CycleGAN", after))][-3:] == [2000, 4000, 6000]


def test_a_training_that_goes_on_has_the_length_of_its_epochs_from_before() -> None:
    rows = [(50, 100), (50, 200), (50, 300), (51, 52), (51, 152)]
    head = "================ Training Loss (Fri May 28 16:18:59 2021) ================\n"
    log = lines_of(348, 100, *range(1, 52)) + "\n" + head + "".join(ROW.format(*row) for row in rows)
    found = [i.index for i in iterations(read("pix2pix, CycleGAN", log))]
    assert found[-4:] == [49 * 348 + 100, 49 * 348 + 200, 49 * 348 + 300, 50 * 348 + 52]


def test_a_batch_that_waits_for_its_data_takes_longer_than_its_computing_and_that_alone_is_no_time_of_it():
    rows = [
        f"(epoch: 1, iters: {100 * n}, time: 0.125, data: {wait}) G_GAN: 0.500 D_real: 0.250"
        for n, wait in ((1, "0.750"), (2, "0.002"), (3, "0.050"), (4, "0.000"))
    ]
    found = iterations(read("pix2pix, CycleGAN", "\n".join(["batch_size: 1", *rows, ""])))
    assert [one.duration_s for one in found] == [None, 0.125, None], "the newest is held back"


def test_a_fork_may_set_commas_between_its_losses() -> None:
    text = "".join(f"(epoch: 1, iters: {n}, time: 0.1) , D_A: 0.5, G_A: 0.25, idt: 2.5\n" for n in (20, 40))
    found = iterations(read("pix2pix, CycleGAN", text))
    assert found[0].scalars == {"D_A": 0.5, "G_A": 0.25, "idt": 2.5}
