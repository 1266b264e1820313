"""Bars that are no training's, of two processes at once, and of epochs in a table."""

import pytest
from log_examples import iterations, of, read

from itermon.events import DATA, EVALUATION, RunInfo, SpanEnd


def indices(*lines: str) -> list[int]:
    return [one.index for one in iterations(read("tqdm", "\n".join(lines)))]


@pytest.mark.parametrize("rate", ["1331.71it/s", "71528.40it/s", "2.50kit/s"])
def test_a_bar_that_counts_faster_than_a_step_can_be_is_no_training_s(rate: str) -> None:
    start = "  0%|          | 0/60000 [00:00<?, ?it/s]"
    scan = f" 50%|█████     | 30000/60000 [00:22<00:22, {rate}]"
    steps = [f" {n}0%|█   | {n}/10 [00:0{n}<00:09,  1.00it/s]" for n in (1, 2)]
    assert indices(start, scan) == []
    assert indices(start, scan, *steps) == [1, 2]
    assert indices(start, scan.replace("]", ", loss=2.5]")) == [30000], "it says that it trains"


def test_a_fast_frame_of_a_training_that_was_slower_is_its_own() -> None:
    """A loop may skip what it has done before: of the training's bar, all frames count."""
    steps = [f" {n}0%|█   | {n}0/100 [00:0{n}<00:09,  10.00it/s]" for n in (1, 2)]
    assert indices(*steps, " 90%|█   | 90/100 [00:02<00:00, 2500.00it/s]") == [10, 20, 90]


def two(first: range, second: range) -> list[str]:
    """Two processes' bars, frame by frame, the second often twice in a row."""
    lines = []
    for n, late in zip(first, second, strict=True):
        lines += [bar(n, n)]
        lines += [bar(late, late), bar(late + 1, late + 1)] if n % 4 == 2 else [bar(late, late)]
    return lines


def bar(n: int, second: int) -> str:
    return f"  0%|          | {n}/9000 [{second // 60:02d}:{second % 60:02d}<25:00,  1.00it/s]"


def test_of_two_processes_that_draw_at_once_one_is_read() -> None:
    lines = two(range(100, 180, 2), range(20, 100, 2))
    events = read("tqdm", "\n".join(lines))
    assert [one.index for one in iterations(events)] == [*range(100, 180, 2)]
    assert len(of(RunInfo, events)) == 1


def test_a_run_that_begins_again_after_two_processes_is_a_restart() -> None:
    lines = two(range(100, 180, 2), range(20, 100, 2))
    events = read("tqdm", "\n".join([*lines, bar(0, 0), bar(5, 5), bar(6, 6)]))
    assert [one.index for one in iterations(events)][-2:] == [5, 6]
    assert len(of(RunInfo, events)) == 2


def test_a_row_of_a_table_before_a_bar_says_the_epoch() -> None:
    """Four batches an epoch, as fast in each: the bars differ by their row alone."""
    rows = [f"     {e}/9     4.583     3.153     11.44: 100% 4/4 [00:03<00:00,  1.02it/s]" for e in range(3)]
    between = "Inferencing model in val datasets.: 100% 2/2 [00:04<00:00,  2.00s/it]"
    events = read("tqdm", "\n".join([rows[0], rows[1], between, rows[2]]))
    assert [one.index for one in iterations(events)] == [4, 8, 12]
    assert len(of(SpanEnd, events)) == 1
    [info] = of(RunInfo, events)
    assert EVALUATION not in info.time_includes, "it stands between two bars, in no time of them"
    assert DATA in info.time_includes
