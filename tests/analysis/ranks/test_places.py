"""In which collective a stack stands."""

from __future__ import annotations

import pytest

from itermon.analysis.ranks.places import NOT, PERHAPS, SURE, place_of
from itermon.events import Stack

C10D = "torch/distributed/distributed_c10d.py:2810"


@pytest.mark.parametrize(
    ("frames", "waits_in", "surely"),
    [
        (
            (f"{C10D} all_reduce", "torch/distributed/c10d_logger.py:83 wrapper", "train.py:48 step"),
            "all_reduce",
            SURE,
        ),
        ((f"{C10D} barrier", "train.py:48 step"), "barrier", SURE),
        (("torch/nn/parallel/distributed.py:2178 _sync_buffers", "train.py:48 step"), "buffer sync", SURE),
        (("torch/autograd/graph.py:824 _engine_run_backward", "train.py:48 step"), "gradient sync", PERHAPS),
        (("torch/distributed/fsdp/_runtime_utils.py:5 _unshard", "train.py:48 step"), "FSDP's exchange", PERHAPS),
        (("train.py:48 step",), "", NOT),
        (("barrier.py:3 barrier", "train.py:48 step"), "", NOT),  # of the user's own
        (("odd", "train.py:48 step"), "", NOT),
        (("odd", f"{C10D} barrier", "train.py:48 step"), "barrier", SURE),
    ],
)
def test_the_innermost_frame_of_a_collective_tells(frames: tuple[str, ...], waits_in: str, surely: int) -> None:
    place = place_of(Stack(1.0, frames=frames, user_frame=len(frames) - 1))
    assert (place.own, place.waits_in, place.surely) == ("train.py:48 step", waits_in, surely)


def test_without_a_frame_of_its_own_the_innermost_one_is_told() -> None:
    assert place_of(Stack(1.0, frames=("threading.py:1 wait",))).own == "threading.py:1 wait"
