import threading
from itertools import pairwise

import pytest
from campaigns import wandb_writer as w
from click.testing import CliRunner
from real_logs import CORPUS

from itermon.analysis.run import Run
from itermon.cli.main import main
from itermon.collectors.trackers.wandb import growing, source
from itermon.collectors.trackers.wandb.source import WandbSource
from itermon.events import (
    Batch,
    Config,
    End,
    EndOfFile,
    EndReason,
    GpuSample,
    Iteration,
    Message,
    SourceState,
    expand,
)

from .runs import START_S, logged, nanogpt

REAL = CORPUS / "gpu"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run-x.wandb"


def read(path):
    batches = list(WandbSource(path, follow=False, clock=lambda: START_S + 1e6).batches(threading.Event()))
    return [event for batch in batches for event in expand(batch.events)], batches[-1]


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def test_a_whole_run(file):
    file.write_bytes(w.file_of([*nanogpt(), w.exited(0, 140)]))
    events, last = read(file)
    assert len(of(Iteration, events)) == 60
    assert of(End, events)[0].exit_code == 0
    assert (last.state, last.note) == (SourceState.ENDED, "")
    assert not of(EndOfFile, events)


def test_a_run_without_an_end_ends_with_its_newest_record(file):
    file.write_bytes(w.file_of(nanogpt()))
    (end,) = of(EndOfFile, read(file)[0])
    assert (end.at_s, end.read_at_s) == (pytest.approx(START_S + 130), START_S + 1e6)
    assert end.tail[-1].startswith("iter 59")


def test_a_torn_run_is_read_as_far_as_it_is_whole(file):
    file.write_bytes(w.file_of(nanogpt())[:-5])
    events, last = read(file)
    assert last.state is SourceState.ENDED
    told = "no whole record: its writer was cut off, or still writes"
    assert any(told in message.text for message in of(Message, events))
    assert len(of(Iteration, events)) in (59, 60)


def test_damage_is_told_in_one_line_and_nothing_is_invented(file):
    whole = w.file_of(nanogpt(2_000))
    damaged = bytearray(whole)
    damaged[40_000] ^= 1
    file.write_bytes(bytes(damaged))
    events, last = read(file)
    assert last.state is SourceState.FAILED
    assert last.note == f"{file}: 1 block with a wrong checksum: what was written there is left out"
    numbers = [event.index for event in of(Iteration, events)]
    assert numbers == sorted(set(numbers))
    assert set(numbers) < set(range(2_000))
    assert numbers[-1] == 1_999


def test_a_run_without_an_iteration_says_so(file):
    file.write_bytes(w.file_of([w.begun("x", START_S, {}), w.exited(1, 5)]))
    assert read(file)[1].note == f"{file}: no iteration in it, neither printed nor logged"


def test_a_file_that_is_not_there(file):
    assert read(file)[1] == Batch(state=SourceState.FAILED, note=f"{file}: No such file or directory")


def follow(monkeypatch, file, portions):
    """What comes of a run that is followed, while each wait brings one more of `portions`."""
    waiting, stop, states = iter(portions), threading.Event(), []

    class Writer:
        def __init__(self, _path):
            pass

        def wait(self, _seconds):
            portion = next(waiting, None)
            if portion is None:
                stop.set()
            elif callable(portion):
                portion()
            else:
                with file.open("ab") as more:
                    more.write(portion)

        def close(self):
            pass

    monkeypatch.setattr(source, "Watch", Writer)
    events = []
    for batch in WandbSource(file, clock=lambda: START_S).batches(stop):
        if batch.restart:
            events.clear()
        events += expand(batch.events)
        states.append(batch.state)
    return events, states


@pytest.mark.parametrize("each", [1, 97, 5_000])
@pytest.mark.parametrize("records", [nanogpt(20), logged(20)], ids=["printed", "logged"])
def test_a_run_that_grows_gives_each_iteration_once(file, monkeypatch, records, each):
    data = w.file_of([*records, w.exited(0, 140)])
    events, states = follow(monkeypatch, file, [data[at : at + each] for at in range(0, len(data), each)])
    whole = read(file)[0]
    for kind in (Iteration, GpuSample, End):
        assert of(kind, events) == of(kind, whole), kind
    assert states[0] is SourceState.WAITING
    assert states[-1] is SourceState.ENDED


def test_where_the_other_turns_out_to_count_better_all_is_read_once_more(file, monkeypatch):
    """A script prints its warm-up, and logs each step of the training."""
    warm_up = [w.printed(f"iter {n}: loss 3.0, time 10.00ms, mfu 1.00%\n", START_S + n) for n in range(3)]
    records = [w.begun("x", START_S, {}), *warm_up, *logged()[1:], w.exited(0, 140)]
    first, data = w.file_of(records[:4]), w.file_of(records)
    events, states = follow(monkeypatch, file, [first, data[len(first) : -80], data[-80:]])
    assert SourceState.LIVE in states
    assert [event.index for event in of(Iteration, events)] == list(range(0, 600, 10))


def test_what_has_the_iterations_changes_once_and_no_more(file, monkeypatch):
    """Its warm-up, then what it logs, then more lines than it has logged steps."""
    lines = [w.printed(f"iter {n}: loss 3.0, time 10.00ms, mfu 1.00%\n", START_S + n) for n in range(200)]
    head, *rows = logged()[1:]
    parts = [[w.begun("x", START_S, {}), *lines[:3]], [head, *rows], lines[3:], [w.exited(0, 140)]]
    written = [w.file_of([record for part in parts[:count] for record in part]) for count in range(5)]
    portions = [after[len(before) if before != w.file_of([]) else 0 :] for before, after in pairwise(written)]
    events, _ = follow(monkeypatch, file, portions)
    assert [event.index for event in of(Iteration, events)] == list(range(0, 600, 10))


def test_a_file_that_is_written_anew_is_read_anew(file, monkeypatch):
    data = w.file_of([*logged(20), w.exited(0, 1)])
    events, _ = follow(monkeypatch, file, [w.file_of(nanogpt()), lambda: file.write_bytes(data)])
    assert len(of(Iteration, events)) == 20


def test_stop_ends_it(file, monkeypatch):
    events, states = follow(monkeypatch, file, [w.file_of(nanogpt())])
    assert len(of(Iteration, events)) == 60
    assert states[-1] is SourceState.LIVE


def test_the_commands_take_a_file_a_folder_and_the_folder_of_all(tmp_path):
    folder = tmp_path / "wandb" / "run-20240102_000000-x"
    folder.mkdir(parents=True)
    (folder / "run-x.wandb").write_bytes(w.file_of([*nanogpt(), w.exited(0, 140)]))
    (tmp_path / "wandb" / "debug.log").write_text("a log of W&B's own\n")
    for path in (folder / "run-x.wandb", folder, tmp_path / "wandb", tmp_path):
        done = CliRunner().invoke(main, ["report", str(path)])
        assert done.exit_code == 0, done.output
        assert "60 iterations seen" in done.output


@pytest.mark.skipif(not REAL.is_dir(), reason="the recordings of real machines are not at hand")
def test_twelve_hours_of_a_real_gpu():
    """INDEX.md says what is true of it."""
    events, last = read(REAL / "nanogpt-rtx3090-12h" / "run.wandb")
    iterations, samples = of(Iteration, events), of(GpuSample, events)
    assert (last.state, len(iterations), len(samples)) == (SourceState.ENDED, 505, 1_483)
    run = Run()
    run.apply([Config(gpu_name="NVIDIA GeForce RTX 3090"), *events, Config(gpu_name="NVIDIA GeForce RTX 3090")])
    found = run.findings(spikes=None)
    stops = [spike for spike in found.spikes if spike.causes[0].kind == "evaluation + checkpoint"]
    assert [spike.index for spike in stops] == [1_000, 2_000, 3_000, 4_000, 5_000]
    assert all(37 < spike.duration_s < 41 and spike.alongside.power_w > 300 for spike in stops)
    assert found.level.clean_s == pytest.approx(8.79, abs=0.02)
    assert 0.60 < found.audit.mfu < 0.70
    assert of(End, events)[0].reason is EndReason.INTERRUPTED


@pytest.mark.skipif(not REAL.is_dir(), reason="the recordings of real machines are not at hand")
@pytest.mark.parametrize(
    ("folder", "iterations", "samples"),
    [
        ("alpaca-8xA100-hf-trainer", 1_218, 8 * 383),
        ("bagoftricks-attnres-10b-4xH100-not-capped", None, 4 * 272),
        ("bagoftricks-partialkey-20min-4xH100-deep-throttle", None, 4 * 86),
        ("cs336-apple-m3pro-evals", None, None),
    ],
)
def test_other_real_runs(folder, iterations, samples):
    events, last = read(REAL / folder / "run.wandb")
    assert last.state is SourceState.ENDED
    assert iterations is None or len(of(Iteration, events)) == iterations
    assert samples is None or len(of(GpuSample, events)) == samples


def test_how_much_of_a_long_history_was_read_is_said(file, monkeypatch):
    monkeypatch.setattr(growing, "CHUNK_BYTES", 100_000)
    file.write_bytes(w.file_of([*nanogpt(6_000), w.exited(0, 140)]))
    batches = list(WandbSource(file, follow=False).batches(threading.Event()))
    shares = [batch.history for batch in batches if batch.history is not None]
    assert shares == sorted(shares)
    assert 0 < shares[0] <= shares[-1] <= 1.0
