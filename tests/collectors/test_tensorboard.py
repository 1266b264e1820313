import struct
import sys
import threading

import pytest

from itermon.collectors.tensorboard import TensorBoardSource, is_event_file
from itermon.events import ENDED, FAILED, Iteration, RunInfo, SpanEnd

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
    (path,) = folder.iterdir()
    return path


def read(path):
    batches = list(TensorBoardSource(path, follow=False).batches(threading.Event()))
    assert batches[-1].state == ENDED
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


def test_without_the_package_one_line_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard.backend.event_processing", None)
    path = tmp_path / "events"
    path.write_bytes(b"H" + bytes(23) + b"brain.Event:2")
    assert is_event_file(path)
    (batch,) = TensorBoardSource(path).batches(threading.Event())
    assert batch.state == FAILED
    assert "pip install 'itermon[tensorboard]'" in batch.note


def test_a_log_is_no_event_file(tmp_path):
    log = tmp_path / "events.out.tfevents.1.log"
    log.write_text("iter 1: loss 2.0, time 5.00ms, mfu 1.00%\n")
    assert not is_event_file(log)
