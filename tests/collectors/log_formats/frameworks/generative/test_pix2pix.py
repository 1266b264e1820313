"""pix2pix: images to batches, and an epoch's time as the clock."""

from log_examples import example, iterations, of, read

from itermon.events import Config


def test_an_epochs_time_is_the_clock_and_a_loss_that_is_nan_is_told():
    events = read("pix2pix, CycleGAN", example("pix2pix, CycleGAN"))
    found = iterations(events)
    assert [(i.index, i.elapsed_s) for i in found] == [(50, None), (100, 90.0), (150, None), (200, 170.0)]
    assert [i.bad_loss for i in found] == ["", "nan", "", ""]
    assert [one.max_iterations for one in of(Config, events) if one.max_iterations] == [20_000]
    assert [one.micro_batch_size for one in of(Config, events) if one.micro_batch_size] == [4]


def test_an_epoch_that_is_left_out_ends_the_clock_for_nobody_knows_how_long_it_took():
    log = example("pix2pix, CycleGAN").replace("End of epoch 2 /", "End of epoch 9 /")
    assert [i.elapsed_s for i in iterations(read("pix2pix, CycleGAN", log))] == [None, 90.0, None, None]


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
