"""PaddleOCR: sums that are called means."""

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.frameworks.trainers.paddleocr import PaddleOcr
from itermon.events import Config


def row(step: int, cost: float, epoch: int = 1, reader: float = 0.25) -> str:
    values = f"lr: 0.5, acc: 0.{step:04d}, loss: {step}.5"
    costs = f"avg_reader_cost: {reader} s, avg_batch_cost: {cost} s, avg_samples: 8.0, ips: 8.0 samples/s, eta: 0:10:00"
    return f"[2024/05/01 12:00:10] ppocr INFO: epoch: [{epoch}/9], global_step: {step}, {values}, {costs}"


SET = "[2024/05/01 12:00:00] ppocr INFO:     print_batch_step : 10"


def test_a_short_row_shows_a_part_of_the_time_and_of_the_wait_of_each_of_its_iterations() -> None:
    rows = iterations(
        read("PaddleOCR", "\n".join([SET, row(10, 1.0), row(12, 0.25, reader=0.2), row(20, 0.5, 2)]))
    )
    assert [(one.duration_s, one.averaged_over, one.data_wait_s) for one in rows] == [
        (1.0, 10, 0.25),
        (1.25, 2, 1.0),
        (0.625, 8, 0.3125),
    ]
    assert rows[0].scalars == {"acc": 0.001}


@pytest.mark.parametrize(("steps", "known"), [((10, 20, 30, 32, 40, 50), True), ((10, 20, 25), False)])
def test_without_the_settings_the_rows_themselves_tell_the_interval_or_there_is_no_time(
    steps: tuple[int, ...], known: bool
) -> None:
    text = [row(step, 1.0) for step in steps]
    parser = PaddleOcr()
    parser.learn(text)
    found = iterations([event for line in text for event in parser.line(line, None)])
    assert [one.duration_s is not None for one in found] == [known] * len(steps)


def test_a_log_that_begins_in_the_middle_and_lines_that_are_missing_have_no_time() -> None:
    found = iterations(read("PaddleOCR", "\n".join([SET, row(510, 1.0), row(520, 1.0), row(550, 1.0)])))
    assert [one.duration_s for one in found] == [None, 1.0, None]


def test_the_loader_and_the_epochs_tell_the_length_of_the_run() -> None:
    loader = "[2024/05/01 12:00:00] ppocr INFO: train dataloader has 12 iters"
    found = of(Config, read("PaddleOCR", "\n".join([loader, row(10, 1.0)])))
    assert [one.iterations_per_epoch for one in found if one.iterations_per_epoch] == [12]
    assert [one.max_iterations for one in found if one.max_iterations] == [108]


@pytest.mark.parametrize(
    ("step", "epoch", "total"),
    [(10, 5, 60), (12, 1, 108), (13, 2, 108), (14, 6, 60), (30, 1, None)],
    ids=["goes on at epoch 5", "epoch's last", "next one's first", "goes on, later", "another length"],
)
def test_a_launch_that_goes_on_counts_its_own_steps_and_is_to_make_the_epochs_that_are_left(
    step: int, epoch: int, total: int | None
) -> None:
    loader = "[2024/05/01 12:00:00] ppocr INFO: train dataloader has 12 iters"
    found = of(Config, read("PaddleOCR", "\n".join([loader, row(step, 1.0, epoch)])))
    assert [one.max_iterations for one in found if one.max_iterations] == ([total] if total else [])


def totals(*lines: str) -> list[float | None]:
    """What each row says that the run is to make."""
    parser = PaddleOcr()
    parser.learn(lines)
    events = [event for line in lines for event in parser.line(line, None)]
    return [one.max_iterations for one in of(Config, events) if one.max_iterations]


LOADER = "[2024/05/01 12:00:00] ppocr INFO: train dataloader has 12 iters"


def test_on_windows_an_epoch_leaves_out_the_last_batch() -> None:
    """By its second epoch, which begins a step too early for the loader's length."""
    assert totals(LOADER, row(10, 1.0), row(12, 1.0, 2), row(20, 1.0, 2)) == [108, 99]
    windows = "[2024/05/01 12:00:00] ppocr INFO:     data_dir : D:/scans/train"
    assert totals(windows, LOADER, row(10, 1.0)) == [99]
    assert totals(windows, LOADER, row(10, 1.0), row(12, 1.0, 1)) == [99, 108]  # it counts all after all


def test_what_one_launch_showed_of_the_length_of_an_epoch_holds_for_the_next() -> None:
    again = [row(10, 1.0), row(12, 1.0, 2), LOADER, row(10, 1.0)]
    assert totals(LOADER, *again)[-1] == 99


def test_rows_that_no_length_fits_have_no_total() -> None:
    assert totals(LOADER, row(30, 1.0)) == []
