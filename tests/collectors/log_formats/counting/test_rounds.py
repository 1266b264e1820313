"""Which epochs begin again in each round of something that counts on."""

from collections.abc import Sequence

import pytest

from itermon.collectors.log_formats.counting.rounds import Rounds


def places(lines: Sequence[str | int]) -> list[float | str | None]:
    """The places of rows, of which there are only the epochs here; where the rounds fell, that is said."""
    rounds, found = Rounds(), []
    for line in lines:
        if isinstance(line, str):
            rounds.hear(line)
            continue
        place = rounds.place(line)
        found += ["fell", place] if rounds.fell else [place]
    return found


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Round 1", 0, 1, "Round 2", 0, 1, "Round 3", 0], [0, 1, None, None, None]),
        (["G-Step 0", 0, "G-Step 1", 0, "G-Step 2", 0], [0, None, None]),
        (["[INFO] ==== Iteration 10/40 ====", 1, 2, "[INFO] ==== Iteration 20/40 ====", 1], [1, 2, None]),
        (["Round 0", "Step 0", 0, 1, "Step 1", 0, "Round 1", "Step 0", 0, "Step 1", 0], [0, 1, None, None, None]),
        (["Round 1", 1, "Round 2", 2, "Round 3", 3], [1, 2, 3]),  # each round is an epoch
        (["Round 1", 0, 1, "Round 1", 0, 1], [0, 1, 0, 1]),  # another start
        (["Round 1", 0, "Round 2", 0, 1, "Round 1", 0, 1], [0, None, None, "fell", 0, 1]),
        (["Round 0", "Step 0", 0, "Step 1", 0, "Round 1", "Step 0", 0, "Round 0", "Step 0", 0],
         [0, None, None, "fell", 0]),
        (["Fold 1", 0, 1, "Fold 2", 0, 1], [0, 1, 0, 1]),
        (["Round 1 of the data: 20 images were left", 0, "Round 2 of the data: 10 images were left", 0], [0, 0]),
    ],
)  # fmt: skip
def test_epochs_begin_again_below_a_heading_that_counts_on(
    lines: Sequence[str | int], expected: list[float | str | None]
) -> None:
    assert places(lines) == expected


def test_what_no_row_follows_is_not_kept() -> None:
    rounds = Rounds()
    for n in range(1_000):
        rounds.hear(f"Step {n}")
    assert rounds.place(None) is None
    assert not rounds.nest
