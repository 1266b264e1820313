"""Images of an epoch, by the distances of a run's lines."""

import pytest

from itermon.collectors.log_formats.families.epoch_length import EpochLength


@pytest.mark.parametrize(
    ("rows", "images"),
    [
        ([(1, 100), (1, 200), (2, 60)], 240),
        ([(1, 100), (2, 100), (3, 100)], None),  # a line an epoch
        ([(3, 568), (6, 420)], 716),  # from the training's beginning
        ([(50, 100), (50, 200), (50, 300)], None),  # nobody knows what is before them
        ([(1, 100), (1, 200), (2, 300)], 0),  # they run on
        ([(1, 100), (1, 200), (1, 450), (2, 500)], None),  # ... or lines are missing
        ([(1, 100), (1, 200), (2, 60), (1, 100)], None),
    ],
)
def test_lines_at_equal_distances_tell_how_many_images_an_epoch_has(
    rows: list[tuple[int, int]], images: int | None
) -> None:
    lengths = EpochLength()
    for epoch, place in rows:
        lengths.row(epoch, place, anew=False)
    assert lengths.images == images
