"""Bars over epochs, runs one after another, and evaluations between them."""

import pytest
from log_examples import iterations, of, read

from itermon.events import SpanBegin, SpanEnd


def frames(*drawn: tuple[int, int]) -> str:
    """Frames of one bar after another: steps done, and of how many."""
    return "\n".join(f" {n}%|█ | {n}/{total} [00:{n % 60:02d}<00:30,  1.00s/it]" for n, total in drawn)


@pytest.mark.parametrize(
    ("drawn", "indices"),
    [
        ([(50, 100), (100, 100), (50, 100), (100, 100)], [50, 100, 150, 200]),  # epochs
        ([(50, 100), (98, 100), (1, 100)], [50, 98, 101]),  # whose last frames were not drawn
        ([(50, 100), (97, 100), (1, 100)], [50, 97, 1]),  # another run
        ([(50, 100), (100, 100), (1, 90)], [50, 100, 1]),
        ([(50, 100), (60, 100), (10, 100)], [50, 60, 10]),
    ],
)
def test_a_full_bar_of_the_same_length_was_an_epoch(drawn: list[tuple[int, int]], indices: list[int]) -> None:
    assert [one.index for one in iterations(read("tqdm", frames(*drawn)))] == indices


def test_an_evaluation_is_from_its_bars_first_frame_to_its_last() -> None:
    text = "\n".join(
        (
            frames((50, 100)),
            "Evaluating:  10%|█ | 1/10 [00:01<00:09,  1.00s/it]",
            "Evaluating:  50%|█ | 5/10 [00:05<00:05,  1.00s/it]",
            "Evaluating: 100%|█ | 10/10 [00:10<00:00,  1.00s/it]",
            frames((51, 100)),
        )
    )
    events = read("tqdm", text)
    assert [one.index for one in iterations(events)] == [50, 51]
    assert [(one.kind, one.iteration) for one in of(SpanBegin, events)] == [("evaluation", 51)]
    assert [(one.kind, one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [("evaluation", 51, 10.0)]


@pytest.mark.parametrize("first", ["--5", "-5", "+-3", "1e", "7", "nan", "-0"])
def test_an_odd_number_of_an_epoch_takes_no_later_epoch_with_it(first: str) -> None:
    bars = [f"Epoch {first}:   0%|          | 0/40 [00:00<?, ?it/s]"]
    bars += [f"Epoch {n}: 100%|██| 40/40 [00:20<00:00,  2.00it/s, loss={n}.5]" for n in range(3)]
    found = iterations(read("tqdm", "\n".join(bars)))
    assert [(one.index, one.loss) for one in found] == [(40, 0.5), (80, 1.5), (120, 2.5)]


@pytest.mark.parametrize("count", ["9" * 400, "9" * 13, "--5", "-5", "+-3", "1.2.3"])
def test_a_frame_with_an_odd_count_is_no_frame_and_takes_no_later_one_with_it(count: str) -> None:
    """As the last twelve of 400 digits it was a step far behind the run's end."""
    drawn = [f" 50%|█ | {n}/10 [00:0{n}<00:05,  1.00s/it, loss={n}.5]" for n in (1, 2, 3)]
    drawn[1] = drawn[1].replace("2/10", f"{count}/10")
    assert [(one.index, one.loss) for one in iterations(read("tqdm", "\n".join(drawn)))] == [(1, 1.5), (3, 3.5)]
