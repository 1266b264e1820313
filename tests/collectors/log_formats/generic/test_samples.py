"""Samples to steps, as far as the log says what a batch is."""

from itermon.collectors.log_formats.generic.samples import Samples


def test_with_a_batch_size_in_the_head_they_are_steps() -> None:
    samples = Samples()
    samples.head("Namespace(test_batch_size=1000, batch_size=64, lr=0.5)")
    assert [samples.steps(n, 60_000, percent=True) for n in (0, 640, 1280)] == [(0, 60_000), (10, 938), (20, 938)]
    assert samples.unknown is None


def test_without_one_a_line_is_a_step_and_that_is_told() -> None:
    samples = Samples()
    assert [samples.steps(n, 60_000, percent=True)[0] for n in (0, 640, 1280)] == [0, 1, 2]
    assert samples.unknown == 640


def test_batches_and_what_has_no_share_behind_it_stay_what_they_are() -> None:
    assert Samples().steps(10, 938, percent=True) == (10, 938)
    assert Samples().steps(640, 60_000, percent=False) == (640, 60_000)
