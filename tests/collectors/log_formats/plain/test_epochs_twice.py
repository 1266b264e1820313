"""An epoch that its line numbers twice is no batch of it; a number that goes on by itself is."""

import pytest

from itermon.collectors.log_formats.generic.counted_lines import counts_of
from itermon.collectors.log_formats.plain.epochs_twice import Echoes


def counted(*texts: str) -> list[list[tuple[str, float, float | None]]]:
    echoes = Echoes()
    return [[(one.word, one.n, one.of) for one in echoes.left_out(counts_of(text))] for text in texts]


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_number_that_goes_on_with_the_epoch_is_the_epochs(ahead: int) -> None:
    first, *then = counted(*(f"Epoch {n} ({n + ahead}/40):" for n in range(1, 4)))
    assert first == [("batch", 1 + ahead, 40), ("epoch", 1, None)]  # it may be either
    assert then == [[("epoch", 2, 40)], [("epoch", 3, 40)]]


@pytest.mark.parametrize(
    "places",
    [[(1, 1), (1, 2), (2, 2), (3, 3)], [(1, 10), (2, 10), (3, 10)], [(1, 1), (2, 3), (3, 3)]],
)
def test_one_that_goes_on_alone_counts_batches(places: list[tuple[int, int]]) -> None:
    found = counted(*(f"Epoch {epoch} [{n}/40] loss: 0.5" for epoch, n in places))
    assert [one[0] for one in found] == [("batch", n, 40) for _, n in places]
