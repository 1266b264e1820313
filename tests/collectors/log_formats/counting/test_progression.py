"""Which numbers count on."""

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.counting.progression import Alone, Episodes, Progression


@pytest.mark.parametrize(
    ("numbers", "proven"),
    [
        ([1, 2, 3], True),
        ([100, 200, 300], True),
        ([1, 5, 10, 15], True),
        ([1, 1, 2, 2, 3], True),
        ([1, 2], False),
        ([1, 2, 4, 7, 11, 16], False),
        ([1, 2, 4, 7, 11, 16, 22], True),
        ([5, 5, 5, 5], False),
        ([1, 2, 1, 2, 1, 2], False),
        ([3, 2, 1, 0], False),
        ([174, 114, 135, 157, 141, 216], False),
    ],
)
def test_numbers_are_proven_to_count(numbers: list[float], proven: bool) -> None:
    progression = Progression()
    assert [progression.see(number) for number in numbers][-1] is proven


def test_an_episode_has_steps_where_two_lines_that_follow_each_other_are_of_it() -> None:
    lengths, nested, pupil = Episodes(), Episodes(), Episodes()
    assert [lengths.hold_steps(n) for n in (1, 2, 3, 1)] == [False] * 4
    assert [nested.hold_steps(n) for n in (1, 1, 2)] == [False, True, True]
    pupil.learn(nested)
    assert pupil.hold_steps(7)
    nested.learn(lengths)
    assert nested.hold_steps(9)


def test_a_number_that_begins_anew_in_an_outer_one_that_has_gone_on_counts_and_else_not() -> None:
    inner, alone, same = Progression(), Progression(), Progression()
    pairs = [(n, e) for e in range(4) for n in (0, 50)]
    assert [inner.see(n, e) for n, e in pairs] == [False] * 3 + [True] * 5
    assert not any(alone.see(n) for n, _ in pairs)
    assert not any(same.see(n, 1) for n, _ in pairs)


def test_rows_wait_until_they_have_counted_on_and_what_does_not_is_handed_back() -> None:
    alone = Alone[str]()
    assert [alone.hold("a", 3), alone.proven()] == [[], []]
    assert alone.hold("b", 1) == ["a"]
    assert [alone.hold("c", 2), alone.proven(), alone.hold("d", 3)] == [[], [], []]
    assert alone.proven() == ["b", "c", "d"]
    assert alone.hold("e", 7) == alone.proven() == []
    assert alone.waits
    assert alone.over() == ["e"]
    assert not alone.waits


def test_steps_below_a_line_that_names_their_episode_are_of_it() -> None:
    episodes = Episodes()
    for text in ("Test episode 19", "episode 3, epoch 7", "epoch 3", "episode 3: reward 2.5"):
        episodes.hear(text)
    assert episodes.of_steps(None) is None
    episodes.hear("2024-05-01 10:00:00 INFO === Episode 12/500 ===")
    assert [episodes.of_steps(None), episodes.of_steps(7), episodes.of_steps(7)] == [12, None, 7]


def test_episodes_below_their_numbers_are_one_training() -> None:
    lines = [
        line for n in (498, 499) for line in (f"episode  {n}", *(f"step {k}, reward=0.5{k}" for k in range(9)))
    ]
    log = "".join(f"{line}\n" for line in lines)
    assert [one.index for one in iterations(read("counted lines", log))] == [*range(18)]
