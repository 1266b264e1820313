"""Several files of one run: one run."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.merged import MergedSource, UndecidedSource, _Counts, _Places
from itermon.collectors.logs.text import LogText
from itermon.events import (
    Batch,
    Config,
    EndReason,
    Event,
    Iteration,
    Message,
    RunInfo,
    SourceState,
    SpanBegin,
    SpanEnd,
    expand,
)

OUT = "".join(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i in range(20))
ERROR = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"


def merged(folder: Path, *, follow: bool) -> MergedSource:
    main, other = (LogSource(folder / name, follow=follow, secondary=secondary, clock=lambda: 1000.0, poll_s=0.01)
                   for name, secondary in (("train.out", False), ("train.err", True)))  # fmt: skip
    return MergedSource(main, [other])


def events_of(batches: Iterator[Batch] | list[Batch]) -> list[Event]:
    return [event for batch in batches for event in expand(batch.events) if not batch.preview]


def test_iterations_come_from_the_log_and_messages_from_both(tmp_path: Path) -> None:
    (tmp_path / "train.out").write_text(OUT)
    (tmp_path / "train.err").write_text("hello\n" + ERROR)
    batches = list(merged(tmp_path, follow=False).batches(threading.Event()))
    assert batches[-1].state == SourceState.ENDED
    events = events_of(batches)
    assert [e.index for e in events if isinstance(e, Iteration)] == list(range(20))
    assert sum(isinstance(e, RunInfo) for e in events) == 1
    (message,) = [e for e in events if isinstance(e, Message)]
    assert (message.text.startswith("train.err: torch.OutOfMemoryError"), message.line) == (True, 2)


def test_an_evaluation_in_another_file_stands_before_its_iteration_and_no_iteration_counts_twice(
    tmp_path: Path,
) -> None:
    (tmp_path / "train.out").write_text(OUT.replace("iter 5", "a word\niter 5"))  # behind it they come in a block
    (tmp_path / "train.err").write_text(
        "step 10: train loss 2.4000, val loss 2.6000\n" + OUT.splitlines(keepends=True)[10]
    )
    events = events_of(merged(tmp_path, follow=False).batches(threading.Event()))
    place = next(n for n, e in enumerate(events) if isinstance(e, SpanEnd))
    after = events[place + 1]
    assert isinstance(after, Iteration)
    assert after.index == 10
    assert sum(isinstance(e, Iteration) for e in events) == 20


def test_messages_with_time_stamps_stand_where_they_belong(tmp_path: Path) -> None:
    stamped = [f"2024-05-01 12:00:{i:02d} {line}" for i, line in enumerate(OUT.splitlines(keepends=True))]
    (tmp_path / "train.out").write_text("".join(stamped))
    (tmp_path / "train.err").write_text("2024-05-01 12:00:07 NCCL WARN slow\n")
    events = events_of(merged(tmp_path, follow=False).batches(threading.Event()))
    place = next(n for n, e in enumerate(events) if isinstance(e, Message))
    assert [events[place - 1].index, events[place + 1].index] == [6, 7]  # type: ignore[attr-defined]


def test_what_another_file_counts_in_its_own_way_has_no_place_among_the_iterations(tmp_path: Path) -> None:
    """A bar of steps, and in the other file epochs with their validation: its epoch 2 is not step 2."""
    (tmp_path / "train.out").write_text(
        "".join(
            f"train {n}%|█ | {n}/100 [00:{n // 2:02d}<00:30,  2.00it/s, loss=2.5]\n" for n in range(10, 100, 10)
        )
    )
    (tmp_path / "train.err").write_text(
        "".join(f"Epoch {n}/3\nTrain Loss: {4.5 - n}\nValid Loss: {5.5 - n}\n" for n in (1, 2, 3))
    )
    events = events_of(merged(tmp_path, follow=False).batches(threading.Event()))
    assert [e.index for e in events if isinstance(e, Iteration)] == [*range(10, 100, 10)]
    assert not any(isinstance(e, SpanEnd) for e in events)
    assert {e.max_iterations for e in events if isinstance(e, Config)} == {None, 100}


BAR = "".join(f"train {n}%|█ | {n}/100 [00:{n // 2:02d}<00:30,  2.00it/s, loss=2.5]\n" for n in range(10, 100, 10))


def spans_of(folder: Path, kind: str) -> int:
    events = events_of(merged(folder, follow=False).batches(threading.Event()))
    return sum(isinstance(e, SpanBegin | SpanEnd) and e.kind == kind for e in events)


@pytest.mark.parametrize(("own", "others", "all_of_them"), [(1, 1, 1), (2, 1, 2), (0, 2, 2), (1, 3, 3)])
def test_what_both_files_tell_of_without_a_place_is_not_counted_twice(
    tmp_path: Path, own: int, others: int, all_of_them: int
) -> None:
    saves = "step 5: saving checkpoint to out\n" * own
    (tmp_path / "train.out").write_text("".join(OUT.splitlines(keepends=True)[:-5]) + saves)
    (tmp_path / "train.err").write_text("".join(f"Saving model checkpoint to out/{n}\n" for n in range(others)))
    assert spans_of(tmp_path, "checkpoint") == all_of_them


def test_two_files_of_one_format_with_totals_of_their_own_count_two_things() -> None:
    """Steps up to 400, and epochs up to 2: epoch 2 is not step 2."""
    steps, epochs, unknown = _Counts("a log", 400), _Counts("a log", 2), _Counts("a log")
    assert [epochs.differs(one) for one in (steps, epochs, unknown, _Counts("b log", 2), _Counts())] == [
        True, False, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(("loss", "shown"), [(5.5, False), (4.996, True)])
def test_a_validation_loss_of_a_bar_that_the_other_file_contradicts_is_withheld(
    tmp_path: Path, loss: float, shown: bool
) -> None:
    places = _Places([])
    places.losses = [loss]
    ends = [SpanEnd("evaluation", iteration=n, values={"val_loss": 4.99, "acc": 0.5}) for n in (1, 2)]
    found = places.put_in(ends)
    assert [set(e.values) for e in found if isinstance(e, SpanEnd)] == [
        {"acc"} | ({"val_loss"} if shown else set())
    ] * 2
    assert sum(isinstance(e, Message) for e in found) == (not shown)
    (tmp_path / "train.out").write_text(BAR)
    epochs = (f"Epoch {n}/3\nTrain Loss: {4.5 - n}\nValid Loss: {5.5 - n}\n" for n in (1, 2, 3))
    (tmp_path / "train.err").write_text("".join(epochs))
    source = merged(tmp_path, follow=False)
    events_of(source.batches(threading.Event()))
    assert [one.losses for one in source._others] == [[4.5, 3.5, 2.5]]


def test_what_begins_in_the_second_of_several_iterations_comes_after_them(tmp_path: Path) -> None:
    """Stamps of whole seconds: a checkpoint of 10:00:01 is not in the first iteration of that second."""
    stamps = ("10:00:00", "10:00:01", "10:00:01", "10:00:02")
    (tmp_path / "train.out").write_text(
        "".join(
            f"2024-03-09 {at} iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i, at in enumerate(stamps)
        )
    )
    (tmp_path / "train.err").write_text("2024-03-09 10:00:01 saving checkpoint to out\n")
    found = [e for e in events_of(merged(tmp_path, follow=False).batches(threading.Event()))
             if isinstance(e, Iteration | SpanBegin)]  # fmt: skip
    assert [e.index if isinstance(e, Iteration) else e.kind for e in found] == [0, 1, 2, "checkpoint", 3]


def test_both_files_are_followed_as_they_grow(tmp_path: Path) -> None:
    out, err = tmp_path / "train.out", tmp_path / "train.err"
    out.write_text(OUT)
    err.write_text("")
    stop = threading.Event()
    batches = merged(tmp_path, follow=True).batches(stop)
    while next(batches).state != SourceState.LIVE:
        pass
    with err.open("a") as file:
        file.write(ERROR)
    with out.open("a") as file:
        file.write("iter 20: loss 2.5000, time 100.00ms, mfu 40.00%\n")
    found: list[Event] = []
    while not ({Message, Iteration} <= set(map(type, found))):
        batch = next(batches)
        found += batch.events
        if any(isinstance(e, Message) for e in batch.events):
            assert batch.state is None
    stop.set()
    assert [e.index for e in found if isinstance(e, Iteration)] == [20]
    assert [e.at_s for e in found if isinstance(e, Message)] == [1000.0]
    assert list(batches) == []


def test_which_of_the_files_is_the_log_shows_when_it_is_there(tmp_path: Path) -> None:
    names = ("train.err", "train.out")
    for name in names:
        (tmp_path / name).write_text("hello\n")
    files = [tmp_path / name for name in names]

    def opened(log: Path, text: LogText) -> MergedSource:
        others = [LogSource(file, secondary=True, poll_s=0.01) for file in files if file != log]
        return MergedSource(LogSource(log, poll_s=0.01, text=text), others)

    source = UndecidedSource(files, opened, poll_s=0.01)
    batches = source.batches(threading.Event())
    first = next(batches)
    assert (first.state, first.events) == (SourceState.WAITING, [])
    assert "no line of a known log format so far" in first.note
    with (tmp_path / "train.err").open("a") as file:
        file.write(ERROR)
    (message,) = next(batches).events
    assert isinstance(message, Message)
    assert message.text.startswith("train.err: torch.OutOfMemoryError")
    with (tmp_path / "train.out").open("a") as file:
        file.write(OUT)
    assert next(batches).restart
    events: list[Event] = []
    while (batch := next(batches)).state != SourceState.LIVE:
        events += expand(batch.events)
    events += expand(batch.events)
    assert [e.index for e in events if isinstance(e, Iteration)] == list(range(20))
    assert sum(isinstance(e, Message) for e in events) == 1
    assert source.text.lines_from(2, 1) == [(2, OUT.splitlines()[0])]


def test_an_error_after_which_its_own_file_went_on_is_no_end(tmp_path: Path) -> None:
    (tmp_path / "train.out").write_text(OUT)
    error = "Traceback (most recent call last):\nValueError: of a first try\n"
    (tmp_path / "train.err").write_text(error + OUT + error.replace("first", "last"))
    events = events_of(merged(tmp_path, follow=False).batches(threading.Event()))
    found = {e.text[-9:]: e.ending for e in events if isinstance(e, Message)}
    assert found == {"first try": None, " last try": EndReason.FAILED}


def test_what_is_read_anew_as_another_format_has_all_of_the_other_files(tmp_path: Path) -> None:
    bars = "".join(f" {n}%|█ | {n}/40 [00:{2 * n:02d}<01:00,  2.00s/it]\n" for n in range(1, 9))
    logged = "{'loss': 1.5, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.25}"
    (tmp_path / "train.out").write_text("training begins\n" + bars + logged)
    (tmp_path / "train.err").write_text(ERROR)
    batches = [*merged(tmp_path, follow=False).batches(threading.Event())]
    assert batches[-1].restart
    assert [type(e) for e in events_of(batches[-1:]) if isinstance(e, Message)] == [Message]
