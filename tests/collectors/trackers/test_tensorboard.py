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
from itermon.events import Iteration, RunInfo, SourceState, SpanEnd

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def written(folder, rows):
    """An event file with `rows` of (step, time, tag, value)."""
    pytest.importorskip("tensorboard", reason="an extra")
    from tensorboard.compat.proto.event_pb2 import Event  # noqa: PLC0415 - an extra
    from tensorboard.compat.proto.summary_pb2 import Summary  # noqa: PLC0415
    from tensorboard.summary.writer.event_file_writer import EventFileWriter  # noqa: PLC0415

    writer = EventFileWriter(str(folder))
    for step, at_s, tag, value in rows:
        one = Summary.Value(tag=tag)
        if isinstance(value, float):
            one.simple_value = value
        else:
            one.tensor.dtype, one.tensor.tensor_content = 1, value
        writer.add_event(Event(wall_time=at_s, step=step, summary=Summary(value=[one])))
    writer.close()
    return max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)


def read(path):
    batches = list(TensorBoardSource(path, follow=False).batches(threading.Event()))
    assert batches[-1].state == SourceState.ENDED
    return [event for batch in batches for event in batch.events]


def test_the_values_of_a_step_are_one_iteration_and_times_are_those_of_writing(tmp_path):
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


def restarted(folder):
    """A run that was started twice, the second time from step 20 on."""
    written(folder, [(n, 1000.0 + n, "train/loss", 3.0) for n in (10, 20, 30)])
    written(folder, [(n, 2000.0 + n, "train/loss", 2.0) for n in (20, 30, 40)])


def test_the_files_of_a_folder_are_one_run_in_the_order_of_their_times(tmp_path):
    restarted(tmp_path)
    events = read(tmp_path)
    assert [(e.index, e.loss) for e in events if isinstance(e, Iteration)] == [
        (10, 3.0), (20, 3.0), (30, 3.0), (20, 2.0), (30, 2.0), (40, 2.0)
    ]  # fmt: skip
    assert len([e for e in events if isinstance(e, RunInfo)]) == 2


def test_a_file_that_comes_later_is_read_too(tmp_path):
    written(tmp_path, [(n, 1000.0 + n, "train/loss", 3.0) for n in (10, 20)])
    stop = threading.Event()
    batches = TensorBoardSource(tmp_path, poll_s=0.0).batches(stop)
    assert [e.index for e in next(batches).events if isinstance(e, Iteration)] == [10]
    assert [e.index for e in next(batches).events if isinstance(e, Iteration)] == [20]
    written(tmp_path, [(n, 2000.0 + n, "train/loss", 2.0) for n in (30, 40)])
    found = [e.index for _ in range(2) for e in next(batches).events if isinstance(e, Iteration)]
    assert found == [30, 40]
    stop.set()


def test_keras_two_folders_are_one_run(tmp_path):
    written(tmp_path / "train", [(n, 1000.0 + 10 * n, "epoch_loss", 3.0 - n) for n in range(3)])
    written(tmp_path / "validation", [(n, 1005.0 + 10 * n, "epoch_loss", 3.5 - n) for n in range(3)])
    assert newest_run(tmp_path) == tmp_path / "train"
    events = read(tmp_path / "train")
    assert [(e.index, e.loss) for e in events if isinstance(e, Iteration)] == [(0, 3.0), (1, 2.0), (2, 1.0)]
    assert [(e.iteration, e.values["val_loss"]) for e in events if isinstance(e, SpanEnd)] == [
        (0, 3.5), (1, 2.5), (2, 1.5)
    ]  # fmt: skip


def test_of_several_runs_in_a_directory_the_newest_is_meant(tmp_path):
    for name, at_s in (("runs/b", 2000), ("runs/a", 1000)):
        path = written(tmp_path / name, [(n, float(at_s + n), "loss", 3.0) for n in range(3)])
        os.utime(path, (at_s, at_s))
    assert newest_run(tmp_path) == tmp_path / "runs" / "b"
    assert newest_run(tmp_path / "runs" / "a") == tmp_path / "runs" / "a"
    (tmp_path / "empty").mkdir()
    assert newest_run(tmp_path / "empty") is None


def test_a_person_says_which_tag_is_what(tmp_path):
    path = written(tmp_path, [(n, 1000.0 + n, "my/objective", 3.0) for n in range(3)])
    for columns, loss in ((), None), (("loss=my/objective",), 3.0):
        source = TensorBoardSource(path, follow=False, formats=formats_with_columns(columns))
        events = [event for batch in source.batches(threading.Event()) for event in batch.events]
        assert [e.loss for e in events if isinstance(e, Iteration)] == [loss] * 3


def test_report_takes_the_directory_above(tmp_path):
    restarted(tmp_path / "runs" / "a")
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
