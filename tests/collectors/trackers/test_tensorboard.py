import itertools
import json
import os
import struct
import sys
import threading

import pytest
from click.testing import CliRunner

from itermon.cli.main import main
from itermon.collectors.log_formats.registry import formats_with_columns
from itermon.collectors.trackers.tensorboard import TensorBoardSource, is_event_file, newest_run
from itermon.collectors.trackers.tensorboard import event_files as event_files_of
from itermon.events import Iteration, RunInfo, SourceState, SpanEnd

from . import event_files

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True, params=["stand-in", "tensorboard"])
def written(request, monkeypatch):
    """`written(folder, rows)` is an event file with `rows` of (step, time, tag, value)."""
    if request.param == "tensorboard":
        pytest.importorskip("tensorboard", reason="an extra")
        return event_files.write_theirs
    for name, module in event_files.stand_in().items():
        monkeypatch.setitem(sys.modules, name, module)
    return event_files.write


def read(path):
    batches = list(TensorBoardSource(path, follow=False).batches(threading.Event()))
    assert batches[-1].state == SourceState.ENDED
    return [event for batch in batches for event in batch.events]


def test_the_values_of_a_step_are_one_iteration_and_times_are_those_of_writing(tmp_path, written):
    path = written(
        tmp_path,
        [
            (10, 1000.0, "train/loss", 2.5),
            (10, 1000.1, "train/learning_rate", 0.5),
            (20, 1015.0, "train/loss", 2.25),
            (20, 1016.0, "eval/loss", 2.0),
            (30, 1031.0, "train/loss", struct.pack("<f", 1.75)),
        ],
    )
    assert is_event_file(path)
    events = read(path)
    assert isinstance(events[0], RunInfo)
    assert events[0].clock == "log"
    assert [(e.index, e.duration_s, e.averaged_over, e.loss) for e in events if isinstance(e, Iteration)] == [
        (10, None, 1, 2.5),
        (20, 1.5, 10, 2.25),
        (30, 1.6, 10, 1.75),
    ]
    assert [(e.iteration, e.values) for e in events if isinstance(e, SpanEnd)] == [(20, {"val_loss": 2.0})]


def restarted(written, folder):
    """A run that was started twice, the second time from step 20 on."""
    written(folder, [(n, 1000.0 + n, "train/loss", 3.0) for n in (10, 20, 30)])
    written(folder, [(n, 2000.0 + n, "train/loss", 2.0) for n in (20, 30, 40)])


def test_the_files_of_a_folder_are_one_run_in_the_order_of_their_times(tmp_path, written):
    restarted(written, tmp_path)
    events = read(tmp_path)
    assert [(e.index, e.loss) for e in events if isinstance(e, Iteration)] == [
        (10, 3.0), (20, 3.0), (30, 3.0), (20, 2.0), (30, 2.0), (40, 2.0)
    ]  # fmt: skip
    assert len([e for e in events if isinstance(e, RunInfo)]) == 2


def test_a_file_that_comes_later_is_read_too(tmp_path, written):
    written(tmp_path, [(n, 1000.0 + n, "train/loss", 3.0) for n in (10, 20)])
    stop = threading.Event()
    batches = TensorBoardSource(tmp_path, poll_s=0.0).batches(stop)
    assert [e.index for e in next(batches).events if isinstance(e, Iteration)] == [10]
    assert [e.index for e in next(batches).events if isinstance(e, Iteration)] == [20]
    written(tmp_path, [(n, 2000.0 + n, "train/loss", 2.0) for n in (30, 40)])
    found = [e.index for _ in range(2) for e in next(batches).events if isinstance(e, Iteration)]
    assert found == [30, 40]
    stop.set()


def test_keras_two_folders_are_one_run(tmp_path, written):
    written(tmp_path / "train", [(n, 1000.0 + 10 * n, "epoch_loss", 3.0 - n) for n in range(3)])
    written(tmp_path / "validation", [(n, 1005.0 + 10 * n, "epoch_loss", 3.5 - n) for n in range(3)])
    assert newest_run(tmp_path) == tmp_path / "train"
    events = read(tmp_path / "train")
    assert [(e.index, e.loss) for e in events if isinstance(e, Iteration)] == [(0, 3.0), (1, 2.0), (2, 1.0)]
    assert [(e.iteration, e.values["val_loss"]) for e in events if isinstance(e, SpanEnd)] == [
        (0, 3.5), (1, 2.5), (2, 1.5)
    ]  # fmt: skip


def test_of_several_runs_in_a_directory_the_newest_is_meant(tmp_path, written):
    for name, at_s in (("runs/b", 2000), ("runs/a", 1000)):
        path = written(tmp_path / name, [(n, float(at_s + n), "loss", 3.0) for n in range(3)])
        os.utime(path, (at_s, at_s))
    assert newest_run(tmp_path) == tmp_path / "runs" / "b"
    assert newest_run(tmp_path / "runs" / "a") == tmp_path / "runs" / "a"
    (tmp_path / "empty").mkdir()
    assert newest_run(tmp_path / "empty") is None


def test_a_person_says_which_tag_is_what(tmp_path, written):
    path = written(tmp_path, [(n, 1000.0 + n, "my/objective", 3.0) for n in range(3)])
    for columns, loss in ((), None), (("loss=my/objective",), 3.0):
        source = TensorBoardSource(path, follow=False, formats=formats_with_columns(columns))
        events = [event for batch in source.batches(threading.Event()) for event in batch.events]
        assert [e.loss for e in events if isinstance(e, Iteration)] == [loss] * 3


def test_report_takes_the_directory_above(tmp_path, written):
    restarted(written, tmp_path / "runs" / "a")
    done = CliRunner().invoke(main, ["report", "--json", str(tmp_path)])
    assert json.loads(done.stdout)["source_format"] == "TensorBoard event files", done.output


def test_without_the_package_one_line_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard.backend.event_processing", None)
    path = tmp_path / "events"
    path.write_bytes(b"H" + bytes(23) + b"brain.Event:2")
    assert is_event_file(path)
    (batch,) = TensorBoardSource(path).batches(threading.Event())
    assert batch.state == SourceState.FAILED
    assert "pip install 'itermon[tensorboard]'" in batch.note


def test_a_log_is_no_event_file(tmp_path):
    log = tmp_path / "events.out.tfevents.1.log"
    log.write_text("iter 1: loss 2.0, time 5.00ms, mfu 1.00%\n")
    assert not is_event_file(log)


@pytest.mark.parametrize("name", ["validation", "val", "valid", "eval", "test"])
def test_a_validation_beside_train_is_known_by_the_names_that_people_give_it(tmp_path, written, name):
    train = written(tmp_path / "train", [(n, 1000.0 + 10 * n, "epoch_loss", 3.0 - n) for n in range(2)])
    beside = written(tmp_path / name, [(n, 1005.0 + 10 * n, "epoch_loss", 3.5 - n) for n in range(2)])
    assert event_files_of(tmp_path / "train") == [train, beside]
    assert event_files_of(tmp_path / name) == [beside]
    assert newest_run(tmp_path / name) == tmp_path / "train"


def test_a_validation_without_a_train_beside_it_is_a_run_of_its_own(tmp_path, written):
    written(tmp_path / "validation", [(0, 1000.0, "epoch_loss", 3.0)])
    assert newest_run(tmp_path) == tmp_path / "validation"


def test_runs_are_looked_for_three_levels_down(tmp_path, written):
    written(tmp_path / "a" / "b" / "c", [(0, 1000.0, "loss", 3.0)])
    assert newest_run(tmp_path) == tmp_path / "a" / "b" / "c"
    written(tmp_path / "1" / "2" / "3" / "4", [(0, 2000.0, "loss", 3.0)])
    assert newest_run(tmp_path) == tmp_path / "a" / "b" / "c"


def test_a_file_is_an_event_file_by_its_beginning_and_a_run_by_its_name_too(tmp_path):
    assert not is_event_file(tmp_path / "missing")
    path = tmp_path / "anything"
    path.write_bytes(event_files.HEAD)
    assert is_event_file(path)
    assert event_files_of(tmp_path) == [path]
    assert newest_run(tmp_path) is None
    path.rename(tmp_path / "x.tfevents.y")
    assert newest_run(tmp_path) == tmp_path
    assert event_files_of(tmp_path / "missing") == []


def stand_in_only(request):
    if "tensorboard" in request.node.name.partition("[")[2]:
        pytest.skip("made with the stand-in")


TENSORS = {
    "simple": (2.5, 2.5),
    "its bytes": (struct.pack("<f", 2.5), 2.5),
    "a value": ({"floats": [2.5, 9.0]}, 2.5),
    "bytes of another length": (bytes(8), None),
    "no bytes": (b"", None),
    "another type": ({"dtype": 2, "floats": [2.5]}, None),
    "a row of values": ({"dim": [1], "floats": [2.5]}, None),
    "a picture": (None, None),
}


@pytest.mark.parametrize("kind", TENSORS)
def test_only_scalars_are_read(request, tmp_path, kind):
    stand_in_only(request)
    value, loss = TENSORS[kind]
    path = event_files.write(tmp_path, [(n, 1000.0 + n, "loss", value) for n in range(2)])
    expected = [] if loss is None else [(0, loss), (1, loss)]
    assert [(e.index, e.loss) for e in read(path) if isinstance(e, Iteration)] == expected


def states(path, ticks, *, grow=lambda: None):
    """The states and iterations of so many batches of a file that is watched."""
    source, stop = TensorBoardSource(path, poll_s=0.0), threading.Event()
    found = []
    for batch in itertools.islice(source.batches(stop), ticks):
        found.append((batch.state, [e.index for e in batch.events if isinstance(e, Iteration)]))
        grow()
    return found


def test_a_file_without_a_value_is_waited_for_and_what_comes_is_read_once(request, tmp_path):
    stand_in_only(request)
    path = event_files.write(tmp_path, [])
    more = [(n, 1000.0 + n, "loss", 3.0) for n in range(2)]
    grown = []

    def grow():
        if not grown:
            grown.append(event_files.append(path, more))

    assert states(path, 4, grow=grow) == [
        (SourceState.WAITING, []), (SourceState.READING, [0]), (SourceState.LIVE, [1]), (SourceState.LIVE, []),
    ]  # fmt: skip


def test_a_long_file_is_read_in_batches_and_who_has_seen_enough_stops(request, tmp_path):
    stand_in_only(request)
    path = event_files.write(tmp_path, [(n, 1000.0 + n, "loss", 3.0) for n in range(5000)])
    batches = list(TensorBoardSource(path, follow=False).batches(threading.Event()))
    assert [batch.state for batch in batches] == [SourceState.READING, SourceState.READING, SourceState.ENDED]
    assert len(batches[0].events) == 4096
    assert [e.index for batch in batches for e in batch.events if isinstance(e, Iteration)] == list(range(5000))
    stop = threading.Event()
    stop.set()
    assert list(TensorBoardSource(path).batches(stop)) == []


def test_a_run_is_named_after_its_folder_and_its_rows_after_the_time_of_their_first_value(tmp_path, written):
    written(tmp_path / "my run", [(0, 1000.0, "loss", 3.0), (0, 1009.0, "lr", 0.5), (2, 1030.0, "loss", 2.0)])
    run, *found = read(tmp_path / "my run")
    assert (run.name, run.source_format) == ("my run", "TensorBoard event files")
    assert [(e.at_s, e.duration_s) for e in found if isinstance(e, Iteration)] == [(1000.0, None), (1030.0, 15.0)]
    assert len([e for e in found if isinstance(e, RunInfo)]) == 0
