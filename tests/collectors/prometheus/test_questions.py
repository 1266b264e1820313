"""What is asked of the server: the windows and the bounds in the questions."""

from __future__ import annotations

import pytest

from itermon.collectors.prometheus.questions import OfRun, of_dcgm, together

RUN = OfRun('a"b')


def test_several_questions_are_one_and_each_series_says_of_which_it_is() -> None:
    assert together({"a": "x", "b": "y"}) == (
        'label_replace(x, "part", "a", "", "") or label_replace(y, "part", "b", "", "")'
    )


@pytest.mark.parametrize(("seconds", "window"), [(0.2, "[1s]"), (1.4, "[1s]"), (1.6, "[2s]"), (90.0, "[90s]")])
def test_a_window_is_of_whole_seconds_and_of_one_at_least(seconds: float, window: str) -> None:
    for asked in (RUN.lost(seconds), RUN.lanes(seconds), RUN.summary(seconds), RUN.troubles(seconds, 15.0, 1.0)):
        assert window in asked
        assert "[0s]" not in asked


def test_what_is_not_scraped_for_two_and_a_half_intervals_is_named() -> None:
    assert "> 37.500" in RUN.troubles(60.0, 15.0, 3.0)
    assert "> 3.0)" in RUN.troubles(60.0, 15.0, 3.0)


def test_every_question_is_about_the_one_run_whatever_it_is_called() -> None:
    for asked in (RUN.members(), RUN.latest(), RUN.column(), RUN.lost(60.0), RUN.gpus(["0", "7"])):
        assert r'run="a\"b"' in asked


def test_gpus_are_asked_for_by_their_ranks_and_ids() -> None:
    assert "rank=~" in RUN.gpus(["0", "7"])
    assert "UUID=~" in of_dcgm(["GPU-1"])
    assert "GPU-1" in of_dcgm(["GPU-1"])


def test_clocks_that_are_more_than_two_and_a_half_minutes_apart_are_named() -> None:
    assert " > 150)" in RUN.troubles(60.0, 15.0, 3.0)
