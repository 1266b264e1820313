"""A stack: where the training was."""

import pytest

from itermon.events import Stack

FRAMES = ("numpy/core/memmap.py:230 __new__", "data.py:48 read_shard", "train.py:12 <module>")


@pytest.mark.parametrize(("user_frame", "place"), [(1, FRAMES[1]), (2, FRAMES[2]), (None, ""), (3, ""), (99, "")])
def test_the_users_own_place_is_a_frame_or_nothing(user_frame: int | None, place: str) -> None:
    assert Stack(1.0, frames=FRAMES, user_frame=user_frame).user_place == place


def test_the_innermost_of_all() -> None:
    assert Stack(1.0, frames=FRAMES).innermost == FRAMES[0]
    assert Stack(1.0).innermost == ""
