"""Which epochs begin again in each round of something that counts on."""

from collections.abc import Sequence

import pytest
from log_examples import iterations

from itermon.collectors.log_formats.counting.rounds import Rounds
from itermon.collectors.logs.reader import LogReader
from itermon.events import Message


def places(lines: Sequence[str | int | None]) -> list[float | str | None]:
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
        ([1, 2, "Episode 1/9 finished, total reward: -2.5", 1, 2, "Episode 2/9 finished, total reward: 3.5", 1],
         [1, 2, None, None, None]),
        ([1, 2, "INFO - Cycle 1 is done", 1, 2, "INFO - Cycle 2 is done", 1], [1, 2, None, None, None]),
        ([1, 2, "Iter 0 Done. | lr: 0.5", 1, 2, "Iter 0 Done. | lr: 0.5", 1], [1, 2, 1, 2, 1]),
        ([1, 2, "Game 1 done, loss: 0.5", 1, 2], [1, 2, 1, 2]),
        ([1, 2, "Episode 1: reward 2.5", 1, 2, "Episode 2: reward 2.5", 1], [1, 2, 1, 2, 1]),  # it closes nothing
        ([1, "Round 1 finished", 2, "Round 2 finished", 3], [1, 2, 3]),
        (["Round 1/2", None, "Round 2/2", None, "Round 1/2", None], [None, None, "fell", None]),
        (["Round 1/3", None, "Round 2/3", None, "Round 1/3", None], [None, None, None]),  # it has not come to its end
        (["Round 1 of the data: 20 images were left", 0, "Round 2 of the data: 10 images were left", 0], [0, 0]),
    ],
)  # fmt: skip
def test_epochs_begin_again_below_a_heading_that_counts_on(
    lines: Sequence[str | int | None], expected: list[float | str | None]
) -> None:
    assert places(lines) == expected


def test_a_process_begins_with_its_first_line_as_long_as_the_count_of_the_rounds_begins_again_behind_it() -> None:
    closes, rounds, found = "Episode {} finished", Rounds(), []
    for n in (1, 2, 1, 2, 3, 3):
        place = rounds.place(1, started=n == 1 and bool(found)), rounds.fell
        found += [place, rounds.place(2)]
        rounds.hear(closes.format(n))
    assert found == [
        (1, False),
        2,
        (None, False),
        None,
        (1, True),
        2,
        (None, False),
        None,
        *[(None, False), None] * 2,
    ]
    each = Rounds()
    fell = []
    for n in range(1, 5):
        each.place(1, started=True)
        fell.append(each.fell)
        each.place(2)
        each.hear(closes.format(n))
    assert fell == [False, False, True, False], "it stands in each round"


def test_what_rounds_an_agent_learns_in_is_known_before_the_first_row() -> None:
    for closing, expected in (("Episode 1 finished", True), ("Round 1 finished", False)):
        pupil, rounds, late = Rounds(), Rounds(), Rounds()
        for _ in range(2):
            pupil.place(1)
            pupil.hear(closing)
        late.place(1)
        rounds.learn(pupil)
        late.learn(pupil)
        assert (rounds.nests, rounds.of_episodes, late.of_episodes) == (True, expected, False)


def test_what_no_row_follows_is_not_kept() -> None:
    rounds = Rounds()
    for n in range(1_000):
        rounds.hear(f"Step {n}")
    assert rounds.place(None) is None
    assert not rounds.nest


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ([f"Local epoch {n % 3 + 1}/3\nBatch: 0, Loss: {9 / (n + 1):.4f}" for n in range(40)], True),
        ([f"| epoch 1 | 700/ 750 batches | loss {9 / (n + 1):.4f}" for n in range(40)], True),
        ([f"Epoch {n + 1}/40\nBatch: 0, Loss: {9 / (n + 1):.4f}" for n in range(40)], False),  # epochs count
        ([f"| epoch {n % 5 + 1} | 700/ 750 batches | loss {9 / (n + 1):.4f}" for n in range(40)], False),  # five of each training
        ([f"Batch: {n}, Loss: {9 / (n + 1):.4f}" for n in range(40)], False),
    ],
)  # fmt: skip
def test_a_number_that_stands_still_counts_nothing_and_each_row_is_one(text: list[str], known: bool) -> None:
    events = LogReader().feed("\n".join([*text, ""]).encode())
    said = [one.text for one in events if isinstance(one, Message) and "stands still" in one.text]
    assert len(said) == known
    if known:
        assert [one.index for one in iterations(events)] == [*range(40)]
        assert not any("iteration = " in one.text for one in events if isinstance(one, Message))


def _of_actors(each: list[int]) -> list[str]:
    """A learner's rows, so many of them with each number of an actor's episodes."""
    rows = [3 * n + 40 for n, many in enumerate(each) for _ in range(many)]
    return [
        f"12:00:{k // 20:02} learner value loss: {9 / (k + 1):.5f}, entropy: {0.5 + k / 999:.4f}, episode: {n}"
        for k, n in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("each", "known"),
    [
        ([1, 2, 1, 4, 3, 1, 6, 2] * 10, True),
        ([1] * 20 + [7, 4, 1, 2, 3, 1] * 9, True),
        ([2] * 80, False),  # two ranks tell of each place
        ([3] * 80, False),
        ([1, 2, 1, 3, 1, 2, 1, 4] * 10, False),  # one is said again now and then
    ],
)
def test_a_number_that_another_process_counts_is_no_row_s_own(each: list[int], known: bool) -> None:
    text = _of_actors(each)
    events = LogReader().feed("\n".join([*text, ""]).encode())
    said = [one.text for one in events if isinstance(one, Message) and "stands still" in one.text]
    assert len(said) == known
    if known:
        assert [one.index for one in iterations(events)] == [*range(len(text))]
        assert not any("iteration = " in one.text for one in events if isinstance(one, Message))
