"""A hooked run and what its trainer prints: losses find their iterations, settings and messages come along."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.text import LogText
from itermon.collectors.runs import hooks_with_log
from itermon.collectors.runs.hooks_with_log import HooksWithLogSource, NumberMatch
from itermon.collectors.source import Source
from itermon.events import EVALUATION, Batch, Config, Event, Iteration, Message, PrintedLoss, SourceState, SpanEnd

SETTINGS = Config(origin="log", max_iterations=600, evaluation_interval=100, block_size=64)


def reported(first_measured: int, printed: Sequence[int]) -> list[Event]:
    numbers = NumberMatch()
    numbers.measured([Iteration(first_measured)])
    return numbers.match([SETTINGS, *(Iteration(n, loss=n / 10) for n in printed)], last=True)


@pytest.mark.parametrize(
    ("first_measured", "printed", "iterations"),
    [
        pytest.param(0, [0, 10, 20], [0, 10, 20], id="counted from 0"),
        pytest.param(0, [10, 20, 30], [9, 19, 29], id="counted from 1, every tenth printed"),
        pytest.param(0, [1, 2, 3], [0, 1, 2], id="counted from 1"),
        pytest.param(0, [5003, 5004], [0, 1], id="resumed, all printed"),
        pytest.param(5003, [5010, 5020], [5010, 5020], id="resumed, and the hooks were given the number"),
        pytest.param(0, [5010, 5020], [], id="resumed, and not all printed"),
        pytest.param(3, [1, 2], [], id="a log that was there before"),
        pytest.param(0, [3, 13], [3, 13], id="its first line was to come later than the first iteration"),
        pytest.param(1, [2, 3], [1, 2], id="one ahead, all printed"),
        pytest.param(0, [15, 25], [], id="resumed by hooks that nobody told"),
        pytest.param(0, [4, 2], [], id="a log that counts down"),
        pytest.param(7, [7], [7], id="the first number is the same: one is enough"),
        pytest.param(0, [10, 10, 20], [9, 9, 19], id="a number twice is one step"),
    ],
)
def test_losses_find_their_iterations(first_measured: int, printed: list[int], iterations: list[int]) -> None:
    losses = [event for event in reported(first_measured, printed) if isinstance(event, PrintedLoss)]
    assert [event.iteration for event in losses] == iterations
    assert [event.loss for event in losses] == [n / 10 for n in printed][: len(iterations)]


@pytest.mark.parametrize(
    ("printed", "most"), [([0, 10], 600), ([1, 2], 600), ([5003, 5004], None), ([5010, 5020], None)]
)
def test_what_counts_iterations_is_taken_where_both_count_alike(printed: list[int], most: int | None) -> None:
    (config,) = [event for event in reported(0, printed) if isinstance(event, Config)]
    assert config.max_iterations == most
    assert (config.evaluation_interval is None) == (most is None)
    assert config.block_size == 64


def test_nothing_but_messages_is_told_before_the_numbers_are_known() -> None:
    numbers = NumberMatch()
    message = Message("Traceback")
    first = [
        SETTINGS,
        message,
        Iteration(10, loss=4.0),
        SpanEnd(EVALUATION, iteration=10, values={"val_loss": 4.5}),
    ]
    assert numbers.match(first) == [message]
    numbers.measured([Iteration(0)])
    assert numbers.match([]) == []
    assert numbers.match([Iteration(20, loss=3.0)]) == [
        SETTINGS,
        PrintedLoss(9, loss=4.0),
        PrintedLoss(9, validation_loss=4.5),
        PrintedLoss(19, loss=3.0),
    ]
    assert numbers.match([Iteration(30, bad_loss="nan"), Iteration(40)]) == [PrintedLoss(29, bad_loss="nan")]


class Hooks(Source):
    title = "hooks"

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Iteration(0, 0.1), Iteration(1, 0.1)], state=SourceState.LIVE)
        yield Batch([Iteration(2, 0.1)], state=SourceState.ENDED, note="over")


def test_a_run_ends_when_all_that_was_printed_has_been_told(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    lines = [f"iter {n}: loss {4 - n}.0000, time 100.00ms, mfu -100.00%\n" for n in range(3)]
    log.write_text("Overriding: max_iters = 3\n" + "".join(lines))
    source = HooksWithLogSource(Hooks(), LogSource(log, follow=False, secondary=True))
    batches = list(source.batches(threading.Event()))
    events = [event for batch in batches for event in batch.events]
    assert [e.index for e in events if isinstance(e, Iteration)] == [0, 1, 2]
    assert [(e.iteration, e.loss) for e in events if isinstance(e, PrintedLoss)] == [(0, 4.0), (1, 3.0), (2, 2.0)]
    assert [e.max_iterations for e in events if isinstance(e, Config)][:1] == [3]
    assert [batch.state for batch in batches].index(SourceState.ENDED) == len(batches) - 1
    assert batches[-1].note == "over"
    assert source.text.path == log


class Printing(Source):
    """Stands for a log that is followed: its last line comes when the hooks have ended."""

    title = "log"
    text = LogText()

    def __init__(self) -> None:
        self.hooks_ended = threading.Event()

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Iteration(0, loss=4.0)], state=SourceState.LIVE)
        self.hooks_ended.wait()
        yield Batch([Message("RuntimeError: CUDA error"), Iteration(1, loss=3.0)], state=SourceState.LIVE)
        stop.wait()


def test_what_is_printed_last_is_told_though_the_hooks_have_ended() -> None:
    printing = Printing()
    events: list[Event] = []
    for batch in HooksWithLogSource(Hooks(), printing).batches(threading.Event()):  # type: ignore[arg-type]
        events += batch.events
        if any(isinstance(event, Iteration) and event.index == 2 for event in batch.events):
            printing.hooks_ended.set()
    assert [e.text for e in events if isinstance(e, Message)] == ["RuntimeError: CUDA error"]
    assert [(e.iteration, e.loss) for e in events if isinstance(e, PrintedLoss)] == [(0, 4.0), (1, 3.0)]


class Quiet(Source):
    """Stands for a log that is followed and read to its end: nothing more comes."""

    title = "log"
    text = LogText()

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Iteration(0, loss=4.0)], state=SourceState.LIVE)
        stop.wait()


class Late(Source):
    """Stands for hooks that end when `over` is set."""

    title = "hooks"

    def __init__(self) -> None:
        self.over = threading.Event()

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Iteration(0, 0.1), Iteration(1, 0.1)], state=SourceState.LIVE)
        self.over.wait()
        yield Batch([Iteration(2, 0.1)], state=SourceState.ENDED)


class Impatient(threading.Event):
    """Gives up when it has been asked so many times since `asks` was set."""

    asks: int | None = None

    def is_set(self) -> bool:
        if self.asks is not None:
            self.asks -= 1
        return self.asks is not None and self.asks < 0


def test_a_log_that_was_read_to_its_end_before_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks_with_log, "_LAST_WORDS_S", 0.0)
    hooks, stop, states = Late(), Impatient(), []
    for batch in HooksWithLogSource(hooks, Quiet()).batches(stop):  # type: ignore[arg-type]
        states.append(batch.state)
        if any(isinstance(event, PrintedLoss) for event in batch.events):
            hooks.over.set()
        if any(isinstance(event, Iteration) and event.index == 2 for event in batch.events):
            stop.asks = 9
    assert states[-1] == SourceState.ENDED
    assert stop.asks is not None
    assert stop.asks >= 0


class ManyHooks(Source):
    title = "hooks"

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        for start in range(0, 30_000, 1000):
            yield Batch([Iteration(n, 0.1) for n in range(start, start + 1000)], state=SourceState.READING)
        yield Batch(state=SourceState.ENDED)


def test_a_long_history_of_losses_comes_with_its_iterations(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(f"iter {n}: loss {n % 10}.0000, time 100.00ms, mfu -100.00%\n" for n in range(30_000)))
    run = Run()
    for batch in HooksWithLogSource(ManyHooks(), LogSource(log, follow=False, secondary=True)).batches(
        threading.Event()
    ):
        run.apply(batch.events)
    assert list(run.columns.loss) == [n % 10 for n in range(30_000)]


def test_a_log_that_is_read_faster_than_the_hooks_waits_for_them() -> None:
    numbers = NumberMatch()
    numbers.measured([Iteration(7)])
    numbers.match([Iteration(5000), Iteration(5010)])
    assert not numbers.ahead
    numbers.match([Iteration(6_000)])
    assert not numbers.ahead
    numbers.match([Iteration(6_001)])
    assert numbers.ahead
    numbers.match([Iteration(n) for n in range(6_010, 7000, 10)])
    assert numbers.ahead
    numbers.measured([Iteration(n) for n in range(8, 1500)])
    assert not numbers.ahead


class SixHundred(Source):
    title = "hooks"

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Iteration(n, 0.1) for n in range(600)], state=SourceState.ENDED)


@pytest.mark.parametrize("first", [0, 1])
def test_the_lines_of_an_iteration_are_those_that_name_it(first: int, tmp_path: Path) -> None:
    """The script prints every tenth iteration and counts from `first`; the hooks count each from 0."""
    lines = ["tokens per iteration will be: 16,384"]
    for n in range(10 * first, 600, 10):
        lines += [f"step {n}: train loss 2.0, val loss 2.0"] if n % 50 == 0 else []
        lines.append(f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%")
    log = tmp_path / "train.log"
    log.write_text("".join(line + "\n" for line in lines))
    source = HooksWithLogSource(SixHundred(), LogSource(log, follow=False, secondary=True))
    list(source.batches(threading.Event()))
    number = source.text.line_of(50 - first)
    assert number is not None
    assert lines[number - 1] == "iter 50: loss 2.5000, time 100.00ms, mfu 40.00%"
    assert [line.text for line in source.text.lines_about(50 - first)] == ["step 50: train loss 2.0, val loss 2.0"]
    assert source.text.line_of(55) is None
    assert source.text.lines_about(55) == []


@pytest.mark.parametrize(("first", "measured"), [(0, None), (0, 0), (1, 1), (1, 0)])
def test_a_log_may_be_a_thousand_iterations_ahead(first: int, measured: int | None) -> None:
    numbers = NumberMatch()
    numbers.measured([] if measured is None else [Iteration(measured)])
    numbers.match([Iteration(first), Iteration(first + 1_000)])
    assert not numbers.ahead
    numbers.match([Iteration(first + 1_001)])
    assert numbers.ahead


def test_a_log_is_ahead_by_what_it_prints_from_its_first_number_on() -> None:
    numbers = NumberMatch()
    assert not numbers.ahead
    numbers.match([Iteration(3), Iteration(1_003)])
    assert not numbers.ahead
    numbers.match([Iteration(1_004)])
    assert numbers.ahead
    numbers.measured([Iteration(5), Iteration(6)])
    assert not numbers.ahead


def test_only_the_log_counts_where_it_has_given_two_numbers_and_the_hooks_none() -> None:
    numbers = NumberMatch()
    numbers.match([Iteration(10)])
    assert not numbers.only_printed
    numbers.match([Iteration(10)])
    assert not numbers.only_printed
    numbers.match([Iteration(20)])
    assert numbers.only_printed
    numbers.measured([Message("no iteration")])
    assert numbers.only_printed
    numbers.measured([Iteration(0)])
    assert not numbers.only_printed


def test_of_what_waits_for_a_number_some_is_held_and_messages_are_not_held_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hooks_with_log, "_MOST_HELD", 3)
    numbers = NumberMatch()
    assert numbers.match([Iteration(n, loss=1.0) for n in range(10, 60, 10)]) == []
    messages = [Message("one"), Message("two")]
    assert numbers.match(messages) == messages
    numbers.measured([Iteration(0)])
    assert [e.iteration for e in numbers.match([]) if isinstance(e, PrintedLoss)] == [9, 19, 29]


def test_a_learning_rate_without_a_loss_is_added_and_a_line_without_either_is_not() -> None:
    numbers = NumberMatch()
    numbers.measured([Iteration(0)])
    events = [Iteration(0, 0.1, learning_rate=0.5), Iteration(1, 0.1), SpanEnd(EVALUATION, iteration=1)]
    events += [
        SpanEnd("checkpoint", iteration=1, values={"val_loss": 1.0}),
        SpanEnd(EVALUATION, values={"val_loss": 1.0}),
    ]
    assert numbers.match(events) == [PrintedLoss(0, scalars={"learning_rate": 0.5})]


class Silent(Source):
    """Stands for hooks that find no iteration, until they end when `over` is set."""

    title = "hooks"

    def __init__(self, over: threading.Event) -> None:
        self.over = over

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Message("hooked")], state=SourceState.WAITING)
        self.over.wait(30)
        yield Batch(state=SourceState.ENDED, note="over")


class TwoLines(Source):
    """Stands for a log of two iterations."""

    title = "log"
    text = LogText()

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([Iteration(0, loss=4.0), Iteration(1, loss=3.0)], state=SourceState.LIVE)
        stop.wait()


@pytest.mark.parametrize("patience_s", [0.0, 1e9])
def test_hooks_that_count_nothing_beside_a_log_that_does_have_their_time(
    patience_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks_with_log, "_PATIENCE_S", patience_s)
    monkeypatch.setattr(hooks_with_log, "_LAST_WORDS_S", 0.0)
    over = threading.Event()
    source = HooksWithLogSource(Silent(over), TwoLines())  # type: ignore[arg-type]
    assert not source.only_log_counts
    if patience_s:
        over.set()
    batches = list(source.batches(threading.Event()))
    over.set()
    assert source.only_log_counts
    assert SourceState.ENDED not in [batch.state for batch in batches], "the log has more to say"
    source.leave(30)
    assert source._reading is not None
    assert not source._reading.is_alive()
