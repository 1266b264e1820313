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
