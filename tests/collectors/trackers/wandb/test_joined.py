import pytest
from campaigns import wandb_writer as w

from itermon.collectors.logs.text import LogText
from itermon.collectors.trackers.wandb import joined
from itermon.collectors.trackers.wandb.joined import Joined, Main
from itermon.collectors.trackers.wandb.records import Records
from itermon.events import (
    CHECKPOINT,
    Config,
    End,
    EndReason,
    GpuSample,
    Iteration,
    Message,
    PrintedLoss,
    RunInfo,
    SpanBegin,
    SpanEnd,
    expand,
)

from .runs import START_S, gpu, logged, nanogpt


def read(records, each=None):
    """The events of records, taken all at the end or after `each` of them; and what has the iterations."""
    run = Joined(None, LogText())
    reader = Records(run.gauges.wanted)
    events = []
    for number, record in enumerate(records, 1):
        if (said := reader.read(record)) is not None:
            run.add(said)
        if each and number % each == 0:
            events += run.take(now=True)
    return list(expand([*events, *run.end()])), run.main


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def test_what_was_printed_has_the_iterations_where_its_format_is_known_and_there_are_more():
    events, main = read(nanogpt())
    found = of(Iteration, events)
    assert main is Main.PRINTED
    assert [event.index for event in found] == list(range(60))
    assert {event.duration_s for event in found} == {2.0}
    assert found[3].at_s == pytest.approx(START_S + 18)
    assert of(RunInfo, events)[0].source_format == "W&B run, nanoGPT log"
    assert not of(SpanEnd, events), "what was logged of evaluations is no evaluation once more"


def test_what_was_logged_adds_figures_and_no_loss_that_was_printed():
    (first, last) = of(PrintedLoss, read(nanogpt())[0])
    assert (first.iteration, last.iteration) == (0, 50)
    assert first.scalars["learning_rate"] == 6e-4
    assert last.loss is None


def test_what_was_logged_has_the_iterations_where_nothing_was_printed_of_them():
    events, main = read(logged())
    assert main is Main.LOGGED
    assert [event.index for event in of(Iteration, events)] == list(range(0, 600, 10))
    assert {event.duration_s for event in of(Iteration, events)[1:]} == {0.05}
    (info,) = of(RunInfo, events)
    assert (info.name, info.host, info.started_at_s) == ("mine", "gpu-box", START_S)
    assert info.source_format == "W&B history"


def test_lines_of_epochs_do_not_win_against_each_step_that_was_logged():
    records = logged()
    for number in range(3):
        line = f"Epoch {number} | loss: {2 - number / 10:.3f} | step: {number * 200}\n"
        records.insert(20 * number + 20, w.printed(line, START_S + 10 * number))
    events, main = read(records)
    assert main is Main.LOGGED
    assert len(of(Iteration, events)) == 60


def test_checkpoints_and_errors_that_were_printed_are_of_the_run_that_was_logged():
    lines = ("iter 0: loss 2.5, time 9.00ms, mfu 1.00%", "step 250: train loss 1.5, val loss 2.5",
             "saving checkpoint to out", "iter 250: loss 2.5, time 9.00ms, mfu 1.00%")  # fmt: skip
    records = [*logged(), *(w.printed(f"{line}\n", START_S + 15) for line in lines)]
    records.append(w.printed("RuntimeError: CUDA out of memory.\n", START_S + 40, error=True))
    events, main = read(records)
    assert main is Main.LOGGED
    assert any("out of memory" in message.text for message in of(Message, events))
    spans = [event for event in events if isinstance(event, SpanBegin | SpanEnd)]
    assert {(span.kind, span.iteration) for span in spans} == {(CHECKPOINT, None)}, "no evaluation: it was logged"


def test_the_config_comes_before_the_iterations_and_once():
    for records in (nanogpt(), logged()):
        events, _ = read(records)
        kinds = [type(event) for event in events]
        assert kinds.index(RunInfo) < kinds.index(Config) < kinds.index(Iteration)
        assert [config.origin for config in of(Config, events)].count("W&B config") == 1


def test_settings_that_come_later_are_given_again():
    records = logged()
    records.insert(40, w.config({"lr": 0.5}))
    assert [config.extra["lr"] for config in of(Config, read(records)[0])][-1] == "0.5"


def test_samples_stand_between_the_iterations_of_their_time():
    events = read(nanogpt())[0]
    first = next(place for place, event in enumerate(events) if isinstance(event, GpuSample))
    assert of(Iteration, events[:first])[-1].index == 14
    assert len(of(GpuSample, events)) == 4


@pytest.mark.parametrize(
    ("code", "printed", "reason", "detail"),
    [
        (0, "", EndReason.FINISHED, ""),
        (1, "Traceback (most recent call last):\nValueError: no\n", EndReason.FAILED, "ValueError: no"),
        (255, "", EndReason.INTERRUPTED, ""),
        (1, "Traceback (most recent call last):\nKeyboardInterrupt\n", EndReason.INTERRUPTED, "KeyboardInterrupt"),
        (2**31 - 1, "", EndReason.FAILED, ""),
        (-1, "", EndReason.FAILED, ""),
        (0, "KeyboardInterrupt\n", EndReason.FINISHED, ""),
    ],
)
def test_the_end_has_its_code_and_the_last_words(code, printed, reason, detail):
    records = [*nanogpt(), w.printed(printed, START_S + 900), w.exited(code, 900)]
    (end,) = of(End, read(records)[0])
    assert (end.reason, end.detail, end.at_s) == (reason, detail, START_S + 900)
    assert end.exit_code == (code if code < 256 else None)


@pytest.mark.parametrize("each", [1, 7, 50])
@pytest.mark.parametrize("records", [nanogpt(), logged()], ids=["printed", "logged"])
def test_in_portions_nothing_is_missing_and_nothing_comes_twice(records, each):
    whole, parts = read(records)[0], read(records, each)[0]
    assert [event.index for event in of(Iteration, parts)] == [event.index for event in of(Iteration, whole)]
    assert of(GpuSample, parts) == of(GpuSample, whole)


def test_nothing_is_decided_before_there_is_something(monkeypatch):
    run = Joined(None, LogText())
    assert run.take(now=True) == []
    assert run.main is None
    monkeypatch.setattr(joined, "SURE_ITERATIONS", 50)
    reader = Records(run.gauges.wanted)
    taken = []
    for record in logged(100):
        if (said := reader.read(record)) is not None:
            run.add(said)
        taken.append(len(run.take()))
    assert taken.index(next(filter(None, taken))) >= 50, "a history is taken whole, not decided at its first row"


def test_gpus_that_come_later_than_the_run_are_named_in_it():
    records = logged()
    records.insert(1, w.machine([("NVIDIA H100", 80 << 30)]))
    records.append(w.stats(START_S + 60, gpu(0, 700.0)))
    events, _ = read(records)
    assert of(RunInfo, events)[0].gpu_names == ("NVIDIA H100",)
    assert of(GpuSample, events)[0].name == "NVIDIA H100"


class ReadsAnew:
    """Stands in for `PrintedOutput`: its fourth portion speaks for another format, and all is read once more."""

    format, is_anew = None, False

    def __init__(self, first, formats, text):
        self.seen = 0

    def add(self, portions):
        found, self.is_anew = [], False
        for _ in portions:
            self.seen += 1
            is_fourth = self.seen == 4
            found = [*range(4)] if is_fourth else [*found, 10 * self.seen]
            self.is_anew = self.is_anew or is_fourth
        return [Iteration(number) for number in found]

    def settle(self):
        self.is_anew = False
        return []

    def show(self):
        pass

    end = settle


PORTIONS = [w.printed("steps\n", START_S + number) for number in range(6)]


def test_lines_that_another_format_reads_once_more_count_once(monkeypatch):
    """A bar's frames were read as named values first, then as a bar: 78 steps were 157 in two trainings."""
    monkeypatch.setattr(joined, "PrintedOutput", ReadsAnew)
    measured = [w.stats(START_S + number, {"cpu": 1.0}) for number in range(6)]
    apart = [record for pair in zip(PORTIONS, measured, strict=True) for record in pair]
    for records in (PORTIONS, apart):
        events, main = read([w.begun("sft", START_S, {}), *records])
        assert main is Main.PRINTED
        assert [event.index for event in of(Iteration, events)] == [0, 1, 2, 3, 50, 60]


def test_where_they_were_given_before_all_begins_anew(monkeypatch):
    monkeypatch.setattr(joined, "PrintedOutput", ReadsAnew)
    run, reader = Joined(None, LogText()), Records(lambda _: None)
    void = []
    for portion in PORTIONS:
        run.add(reader.read(portion))
        run.take(now=True)
        void.append(run.is_void)
    assert void == [False, False, False, True, True, True]


def rows(*values):
    ours = ({"_step": number, "_timestamp": START_S + number, "loss": 2.0} for number in range(len(values)))
    return [w.row(mine | theirs) for mine, theirs in zip(ours, values, strict=True)]


def totals(records):
    return {event.max_iterations for event in of(Config, read(records)[0])}


def test_a_total_holds_only_for_what_it_counts():
    """Rows of two kinds for each of 20 epochs: W&B's count of its calls went to 199 of 20."""
    begun = w.begun("x", START_S, {"max_steps": 20, "lr": 0.1})
    assert totals([begun, *rows({"epoch": 1}, {}, {"epoch": 2})]) == {None}
    assert totals([begun, *rows({"global_step": 1}, {"global_step": 2})]) == {20}


def test_the_total_of_printed_lines_is_not_that_of_logged_rows():
    """A bar of 8,155 files was the end of a training of 80 steps."""
    bars = [w.printed(f"\rloading: {n}%|#| {n}/8155 [00:01<02:00,  1.00s/it]\n", START_S) for n in range(1, 4)]
    steps = rows(*({"global_step": n} for n in range(80)))
    assert totals([w.begun("x", START_S, {"lr": 0.1}), *bars, *steps]) == {None}


@pytest.mark.parametrize(
    ("printed", "rows", "main"),
    [(60, 0, Main.PRINTED), (60, 120, Main.PRINTED), (60, 121, Main.LOGGED), (0, 5, Main.LOGGED)],
)
def test_lines_of_a_known_framework_win_with_half_as_many_iterations(printed, rows, main):
    """nanoGPT prints each tenth; of a log whose format is a guess twice as many are asked for, see below."""
    lines = [w.printed(f"iter {n}: loss 2.5, time 9.00ms, mfu 1.00%\n", START_S + n) for n in range(printed)]
    steps = [w.row({"global_step": n, "loss": 2.0, "_step": n, "_timestamp": START_S + n}) for n in range(rows)]
    assert read([w.begun("x", START_S, {}), *lines, *steps])[1] is main


@pytest.mark.parametrize(("rows", "main"), [(30, Main.PRINTED), (31, Main.LOGGED)])
def test_lines_of_a_guessed_format_win_with_twice_as_many_iterations(rows, main):
    lines = [w.printed(f"step {n} loss 2.5\n", START_S + n) for n in range(60)]
    steps = [w.row({"global_step": n, "loss": 2.0, "_step": n, "_timestamp": START_S + n}) for n in range(rows)]
    assert read([w.begun("x", START_S, {}), *lines, *steps])[1] is main


def test_what_is_known_of_the_run_stands_in_its_first_event():
    begun = w.begun("a\x1b[2Jb", START_S, {}, host="box\x1b[1m", resumed=True)
    for records, framework in ((nanogpt(), "nanoGPT"), (logged(), "")):
        (info,) = of(RunInfo, read([begun, w.machine([("H\x1b[1m100", 1)]), *records[1:]])[0])
        assert (info.host, info.gpu_names, info.resumed) == ("box", ("H100",), True)
        assert "\x1b" not in info.name
        assert bool(info.framework) == bool(framework)


def test_the_newest_time_is_the_latest_that_any_record_has():
    run, reader = Joined(None, LogText()), Records(lambda name: name)
    assert run.newest_s is None
    times = []
    for record in (w.begun("x", START_S, {}), w.printed("a\n", START_S + 9), w.stats(START_S + 5, {"cpu": 1.0}),
                   w.row({"a": 1, "_timestamp": START_S + 20}), w.row({"a": 1})):  # fmt: skip
        run.add(reader.read(record))
        run.take(now=True)
        times.append(run.newest_s - START_S)
    assert times == [0, 9, 9, 20, 20]


def test_a_message_is_given_once():
    words = [w.printed("RuntimeError: CUDA out of memory.\n", START_S + n, error=True) for n in range(3)]
    events, _ = read([*logged(), *words])
    assert len([message for message in of(Message, events) if "out of memory" in message.text]) == 1


def test_ten_thousand_messages_of_one_run_are_shown_once_each():
    run = Joined(None, LogText())
    shown = [n for n in (*range(10_003), 5) if run._message(Message(f"warning {n}"))]
    assert shown == [*range(10_001)]


@pytest.mark.parametrize(("rows", "main"), [(3, Main.PRINTED), (4, Main.LOGGED)])
def test_of_lines_that_are_read_once_more_those_read_last_are_counted(monkeypatch, rows, main):
    """Six: a guessed format's, which win against half as many rows."""
    monkeypatch.setattr(joined, "PrintedOutput", ReadsAnew)
    steps = [w.row({"global_step": n, "loss": 2.0, "_step": n, "_timestamp": START_S + n}) for n in range(rows)]
    apart = [record for n, one in enumerate(PORTIONS) for record in (one, w.stats(START_S + n, {"cpu": 1.0}))]
    assert read([w.begun("x", START_S, {}), *apart, *steps])[1] is main


def test_what_nobody_says_of_a_run_is_not_that_it_was_resumed():
    for resumed, said in ((False, None), (True, True)):
        (info,) = of(RunInfo, read([w.begun("x", START_S, {}, resumed=resumed), *nanogpt()[1:]])[0])
        assert info.resumed is said
