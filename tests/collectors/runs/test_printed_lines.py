"""What a hooked trainer printed becomes losses at their iterations, settings, totals and messages."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from itermon.analysis.run import Run
from itermon.collectors.logs import text as log_text
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.text import LogText
from itermon.collectors.runs import printed_lines
from itermon.collectors.runs.event_reader import EventReader
from itermon.collectors.runs.printed_lines import PrintedLines, RunReader
from itermon.collectors.runs.recording import RecordingSource
from itermon.collectors.settings import ConfiguredSource
from itermon.events import (
    NO_ITERATION,
    ClockKind,
    Config,
    End,
    EndReason,
    Event,
    Iteration,
    Iterations,
    Message,
    Output,
    PrintedLoss,
    Progress,
    RunInfo,
    encode_all,
)

Kind = TypeVar("Kind", bound=Event)


def of(kind: type[Kind], events: Sequence[Event]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def total(events: Sequence[Event]) -> int | None:
    return next((c.max_iterations for c in reversed(of(Config, events)) if c.max_iterations is not None), None)


def trained(count: int, line: Callable[[int], str | None], *, first: int = 0, before: bool = False) -> list[Event]:
    """`count` iterations from number `first` on, each with its line behind it (or `before` its end)."""
    events: list[Event] = []
    for n in range(first, first + count):
        text = line(n)
        output = [Output((text,), 100.0 + n)] if text is not None else []
        iteration = Iteration(n, 0.1, at_s=100.0 + n)
        events += [*output, iteration] if before else [iteration, *output]
    return events


def nanogpt(n: int) -> str | None:
    return f"iter {n}: loss {n / 8:.4f}, time 100.00ms, mfu -100.00%" if n % 2 == 0 else None


def losses(events: Sequence[Event]) -> dict[int, float | None]:
    return {event.iteration: event.loss for event in of(PrintedLoss, PrintedLines().read(events))}


def test_a_loss_belongs_to_the_iteration_that_its_line_came_after() -> None:
    assert losses(trained(10, nanogpt)) == {0: 0.0, 2: 0.25, 4: 0.5, 6: 0.75, 8: 1.0}


def test_a_line_that_counts_from_1_is_no_iteration_late() -> None:
    assert losses(trained(6, lambda n: f"step {n + 1}/6 | loss {n / 4}")) == {n: n / 4 for n in range(6)}


def test_a_loss_that_is_printed_before_the_step_belongs_to_it() -> None:
    assert losses(trained(6, lambda n: f"step {n} loss {n / 4}", before=True)) == {n: n / 4 for n in range(6)}


def test_resumed_hooks_that_count_from_0_have_the_losses_too() -> None:
    assert list(losses(trained(8, lambda n: f"step {n + 5001}/9000 | loss {n / 4}"))) == list(range(8))


def test_lines_read_late_for_nobody_knew_their_format_stand_where_they_were_printed() -> None:
    lines = {0: "[1,    1] loss: 2.5", 3: "[1,    4] loss: 2.0", 6: "[1,    7] loss: 1.5"}
    assert losses(trained(9, lines.get)) == {0: 2.5, 3: 2.0, 6: 1.5}


def test_the_same_whether_events_come_one_by_one_or_all_at_once() -> None:
    events = [*trained(40, nanogpt), End()]
    lines = PrintedLines()
    one_by_one = [told for event in events for told in lines.read([event])]
    assert one_by_one == list(PrintedLines().read(events))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(lambda n: f"step {n + 1}/600 | loss 2.5", 600, id="iterations"),
        pytest.param(lambda n: f"Epoch {n // 5 + 1}/6: loss 0.5" if n % 5 == 4 else None, 30, id="epochs of five"),
        pytest.param(lambda n: f"step {n - n % 3}/600 | loss 2.5" if n > 8 else None, 600, id="a bar, late"),
        pytest.param(lambda n: f"step {n * 4 + 4}/600 | loss 2.5", None, id="micro-steps"),
        pytest.param(lambda n: f"step {n + 5001}/9000 | loss 2.5", None, id="resumed, hooks count from 0"),
        pytest.param(
            lambda n: f"Epoch {int(n**0.5)}/6: loss 0.5" if n in (1, 4, 9, 16) else None, None, id="uneven"
        ),
    ],
)
def test_a_total_is_taken_where_its_unit_is_seen(line: Callable[[int], str | None], expected: int | None) -> None:
    assert total(PrintedLines().read(trained(20, line))) == expected


def test_settings_and_validation_losses_are_told() -> None:
    head = [Output(("tokens per iteration will be: 16,384", "number of parameters: 10.65M"), 99.0)]
    events = [
        *head,
        *trained(4, nanogpt),
        Output(("step 4: train loss 2.0000, val loss 2.5000",)),
        Iteration(4, 0.1),
    ]
    told = PrintedLines().read(events)
    assert [c.tokens_per_iteration for c in of(Config, told) if c.tokens_per_iteration] == [16384]
    assert PrintedLoss(4, validation_loss=2.5, scalars={"train_loss": 2.0}) in told
    assert of(Output, told) == []


def test_the_words_of_an_error_come_before_the_end() -> None:
    traceback = (
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in <module>',
        "ValueError: no more",
    )
    events = [*trained(4, nanogpt), Output(traceback, 105.0), End(EndReason.FAILED, detail="ValueError")]
    run = Run()
    run.apply(PrintedLines().read(events))
    (message,) = of(Message, PrintedLines().read(events))
    assert (message.text, message.iteration, message.line, message.at_s) == ("ValueError: no more", 3, None, 105.0)
    assert "ValueError: no more" in " ".join(run.findings().verdict.evidence)


def test_the_error_of_a_script_without_a_loss_is_told_as_well() -> None:
    events = [
        Iteration(0, 0.1),
        Output(("Traceback (most recent call last):", "  here", "RuntimeError: odd"), 1.0),
    ]
    assert [m.text for m in of(Message, PrintedLines().read([*events, End()]))] == ["RuntimeError: odd"]


def test_hostile_lines_stay_text() -> None:
    lines = ("\x1b]0;title\x07\x1b[31mValueError: red\x1b[0m\x00", "\ud800", "a\rb\nc", "\u202e" * 5, "")
    reader = EventReader()
    told = PrintedLines().read(reader.feed(encode_all([Iteration(0, 0.1), Output(lines, 1.0), Output(), End()])))
    assert [type(event) for event in told] == [Iteration, Message, End]
    assert "\x1b" not in of(Message, told)[0].text


def test_a_stream_in_pieces_of_any_size_says_the_same() -> None:
    data = encode_all([*trained(12, nanogpt), End()])
    reader = RunReader()
    told = [event for start in range(0, len(data), 7) for event in reader.feed(data[start : start + 7])]
    assert told == RunReader().feed(data)
    assert [e.iteration for e in of(PrintedLoss, told)] == [0, 2, 4, 6, 8, 10]


def test_a_recording_that_is_read_as_a_log_says_it_as_well(tmp_path: Path) -> None:
    path = tmp_path / "copy.jsonl"
    path.write_bytes(encode_all([RunInfo(source_format="hooks"), *trained(12, nanogpt), End()]))
    for source in (RecordingSource(path), ConfiguredSource(LogSource(path, follow=False), ())):
        events = [event for batch in source.batches(threading.Event()) for event in batch.events]
        assert [e.iteration for e in of(PrintedLoss, events)] == [0, 2, 4, 6, 8, 10]


def test_events_without_lines_are_handed_on_as_they_are() -> None:
    events = [Iteration(0, 0.1)]
    assert PrintedLines().read(events) is events


def test_no_guess_about_columns_is_told_of_a_run_that_has_hooks() -> None:
    events = PrintedLines().read(trained(40, lambda n: f"step {n} | loss {2.5 - n / 100:.4f} | lr 1e-3"))
    assert len(of(PrintedLoss, events)) > 30
    assert of(Message, events) == []


def test_the_lines_are_shown_at_the_iteration_that_they_came_after() -> None:
    text = LogText(why_none="none")
    assert (text.lines, text.gone) == (0, "none")
    lines = [f"iter {n * 10}: loss 2.0000, time 100.00ms, mfu 40.00%" for n in range(40)]
    events = [*trained(40, lambda n: lines[n]), Output(("step 400: train loss 2.0, val loss 2.5",)), Iteration(40)]
    events += [Output(("a", "b")), End()]
    reader = PrintedLines(text)
    for begin in range(0, len(events), 7):
        reader.read(events[begin : begin + 7])
    assert [line.text for line in text.lines_from(1, 100)] == [
        *lines,
        "step 400: train loss 2.0, val loss 2.5",
        "a",
        "b",
    ]
    assert [text.line_of(n) for n in (0, 17, 39, 40, 41)] == [1, 18, 40, 42, None]
    assert [line.number for line in text.lines_about(40)] == [41]
    assert text.search("TRAIN LOSS") == 41
    assert text.gone == ""
    PrintedLines(text)
    assert text.lines == 0, "it is read anew"


def test_of_a_long_run_the_newest_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_text, "KEPT_BYTES", 20_000)
    monkeypatch.setattr(log_text, "MARK_BYTES", 1_000)
    text = LogText()
    reader = PrintedLines(text)
    for begin in range(0, 3_000, 100):
        reader.read(trained(100, lambda n: f"iter {n}: loss 2.5, time 100.00ms, mfu 40.00%", first=begin))
    assert text.lines == 3_000
    assert text.gone.startswith("not kept: the first ")
    assert (text.line_of(2_999), text.line_of(5)) == (3_000, None)


def test_what_else_a_line_says_in_numbers_belongs_to_the_same_iteration() -> None:
    events: list[Event] = [RunInfo(clock="hook")]
    for n in range(40):
        events += [Iteration(n, 0.1), Output((f"step {n} loss: {4 - n / 100} lr: 0.5 reward: {n / 4}",))]
    run = Run()
    run.apply(PrintedLines().read(events))
    assert run.scalars_at(20) == {"learning_rate": 0.5, "reward": 5.0}
    assert run.chart(20, 20, 1)[0].loss == pytest.approx(3.8)


def own_optimizer(lines: int, *, after: int = 0) -> list[Event]:
    """What `watch()` records of a loop in whose optimizer it finds no step; it says so after some lines."""
    info = RunInfo("own", "hooks", time_includes=("evaluation",), clock=ClockKind.HOOK)
    events: list[Event] = [info]
    for n in range(lines):
        line = f"iter {n}: loss {n / 8:.4f}, time 100.00ms, mfu -100.00%"
        events += [Output((line,), 100.0 + n / 10), Progress(0, micro_step=n + 1)]
    return [*events[: 2 * after + 1], Message(f"{NO_ITERATION}: no step"), *events[2 * after + 1 :]]


@pytest.mark.parametrize("after", [0, 5, 40])
@pytest.mark.parametrize("at_once", [True, False])
def test_where_the_hooks_find_no_iteration_the_lines_have_them(after: int, at_once: bool) -> None:
    lines, events = PrintedLines(), own_optimizer(40, after=after)
    read = lines.read(events) if at_once else [e for event in events for e in lines.read([event])]
    run = Run()
    run.apply(list(read))
    assert list(run.columns.index) == list(range(40))
    assert list(run.columns.loss) == pytest.approx([n / 8 for n in range(40)])
    level = run.findings().level
    assert (level.clean_s, level.witnesses[0]) == (0.1, "printed")
    assert (run.findings().progress.restarts, run.findings().now.micro_step) == (0, None)


def test_an_evaluation_among_these_lines_stands_at_its_iteration_and_a_total_is_taken() -> None:
    events = own_optimizer(4)
    lines = ("step 4: train loss 2.0000, val loss 2.5000", "max_iters = 600", "iter 4: loss 0.5000, time 100.00ms")
    found = PrintedLines().read([*events, Output(lines, 101.0)])
    assert [(e.iteration, e.validation_loss) for e in of(PrintedLoss, found) if e.validation_loss] == [(4, 2.5)]


def test_the_hooks_iterations_are_the_runs_again_when_they_come() -> None:
    lines = PrintedLines()
    lines.read(own_optimizer(8))
    found = lines.read([Iteration(0, 0.1), Output(("iter 8: loss 1.0000, time 100.00ms, mfu -100.00%",), 101.0)])
    assert [event.index for event in of(Iteration, found)] == [0]
    assert of(PrintedLoss, found)
    assert of(Iteration, PrintedLines().read([Iteration(0, 0.1), *own_optimizer(8)])) == [Iteration(0, 0.1)]


def noted(places: dict[int, int]) -> Callable[[int], str | None]:
    """A line of 600 behind some iterations: which number it gives behind which."""
    return lambda n: f"step {places[n]}/600 | loss 2.5" if n in places else None


@pytest.mark.parametrize(
    ("first", "ahead", "expected"),
    [(0, 2, 600), (0, 3, None), (9, -2, 600), (9, -3, None), (100, 10, 600), (100, 11, None), (100, -10, 600)],
)
def test_lines_count_iterations_where_they_begin_at_about_the_same_number(
    first: int, ahead: int, expected: int | None
) -> None:
    events = trained(20, lambda n: f"step {n + ahead}/600 | loss 2.5", first=first)
    assert total(PrintedLines().read(events)) == expected


@pytest.mark.parametrize(("count", "expected"), [(1, None), (4, None), (5, 600)])
def test_five_iterations_show_in_what_unit_lines_count(count: int, expected: int | None) -> None:
    assert total(PrintedLines().read(trained(count, lambda n: f"step {n}/600 | loss 2.5"))) == expected


@pytest.mark.parametrize(("count", "expected"), [(10, None), (15, 30)])
def test_three_epochs_of_equal_length_show_that_lines_count_epochs(count: int, expected: int | None) -> None:
    events = trained(count, lambda n: f"Epoch {n // 5 + 1}/6: loss 0.5" if n % 5 == 4 else None)
    assert total(PrintedLines().read(events)) == expected


@pytest.mark.parametrize(("last", "expected"), [(18, 600), (22, 600), (17, None), (23, None)])
def test_a_bar_may_be_a_tenth_late_and_no_more(last: int, expected: int | None) -> None:
    assert total(PrintedLines().read(trained(21, noted({0: 0, 1: 0, 20: last})))) == expected


def test_epochs_may_count_from_0() -> None:
    events = trained(20, lambda n: f"Epoch {n // 5}/6: loss 0.5" if n % 5 == 4 else None)
    assert total(PrintedLines().read(events)) == 30


def test_where_both_count_iterations_all_that_counts_them_is_taken_and_of_epochs_the_total_alone() -> None:
    settings = ("Overriding: max_iters = 6", "Overriding: eval_interval = 2", "tokens per iteration will be: 9")
    head = [Output(settings, 99.0)]
    for line, expected in (
        (nanogpt, (6, 2)),
        (lambda n: f"iter {n // 5 + 1}: loss 2.5000, time 9.00ms, mfu 1.00%" if n % 5 == 4 else None, (30, None)),
    ):
        configs = of(Config, PrintedLines().read([*head, *trained(20, line)]))
        assert (configs[-1].max_iterations, configs[-1].evaluation_interval) == expected
        assert configs[0].max_iterations is None, "not before it is known what counts"


def test_lines_in_blocks_of_iterations_belong_to_the_newest() -> None:
    zeros = array("d", [0.1] * 3)
    for newest in (Iterations(array("q", [4, 5, 6]), zeros, zeros, zeros), Iteration(6, 0.1)):
        events = [newest, Output(("step 6 loss 2.5",), 1.0), *trained(5, lambda n: f"step {n} loss 2.5", first=7)]
        assert next(iter(losses(events))) == 6
        lines = PrintedLines()
        lines.read([newest])
        assert next(iter(of(PrintedLoss, lines.read(events[1:])))).iteration == 6


def test_of_many_lines_before_it_is_known_that_hooks_find_nothing_the_newest_are_kept() -> None:
    lines = PrintedLines()
    *before, no_step = own_optimizer(10_004, after=10_004)
    assert of(Iteration, lines.read(before)) == []
    found = of(Iteration, lines.read([no_step]))
    assert (len(found), found[-1].index) == (10_000, 10_003)


def test_lines_whose_places_are_forgotten_do_not_move_those_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = losses(trained(60, nanogpt))
    monkeypatch.setattr(printed_lines, "_MOST_PLACES", 5)
    lines = PrintedLines()
    found = [event for each in trained(60, nanogpt) for event in lines.read([each])]
    assert {event.iteration: event.loss for event in of(PrintedLoss, found)} == whole
    assert len(lines._begins) <= 10


def test_what_is_evaluated_before_any_iteration_stands_at_the_first() -> None:
    lines = ("step 0: train loss 4.0000, val loss 4.5000", "iter 0: loss 4.0000, time 9.00ms, mfu 1.00%")
    found = PrintedLines().read([Output(lines, 1.0), *trained(9, nanogpt)])
    assert [e.iteration for e in of(PrintedLoss, found) if e.validation_loss == 4.5] == [0]
