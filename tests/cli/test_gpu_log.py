"""`--gpu-log`, from what was typed to the report."""

import json
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from itermon.cli import exits
from itermon.cli.commands.gpus import write_samples
from itermon.cli.exits import NoInputError
from itermon.cli.main import main
from itermon.collectors.gpu_logs.tables import TableReader
from itermon.events import Event, GpuSample, Message

BEGIN = time.mktime((2026, 2, 15, 6, 0, 0, 0, 0, -1))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)
    when = [time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(BEGIN + n)) for n in range(100)]
    Path("train.log").write_text(
        "".join(f"{at} iter {n}: loss 2.5, time 1000.00ms, mfu 40.00%\n" for n, at in enumerate(when))
    )
    Path("gpu.csv").write_text(
        "timestamp, index, utilization.gpu [%], power.draw [W]\n"
        + "".join(f"{at.replace('-', '/')}.100, 0, 97 %, 300.00 W\n" for at in when)
    )
    return tmp_path


def test_a_report_has_the_gpus_of_the_recording() -> None:
    assert json.loads(run("report", "train.log", "--json").output)["gpus"] == []
    found = json.loads(run("report", "train.log", "--gpu-log", "gpu.csv", "--json").output)
    assert (found["gpus"][0]["power_w"], found["load"]["utilization"]) == (300, 0.97)


def test_two_runs_have_one_recording_or_two() -> None:
    for logs in (["gpu.csv"], ["gpu.csv", "gpu.csv"]):
        options = [part for log in logs for part in ("--gpu-log", log)]
        assert run("compare", "train.log", "train.log", *options).exit_code == 0
    assert run("compare", "train.log", "train.log", *["--gpu-log", "gpu.csv"] * 3).exit_code == 2


def test_a_recording_alone_is_named_and_told_where_it_belongs() -> None:
    found = run("report", "gpu.csv")
    assert (found.exit_code, "--gpu-log gpu.csv" in found.stderr) == (exits.NOT_A_LOG, True)


def test_what_is_no_recording_is_said_at_once() -> None:
    found = run("report", "train.log", "--gpu-log", "train.log")
    assert (found.exit_code, "no recording of GPUs" in found.stderr) == (exits.NOT_A_LOG, True)


@pytest.mark.parametrize(
    ("text", "code"), [("2h", 0), ("-30m", 0), ("+5h30m", 0), ("90", 0), ("soon", 2), ("99h", 2), ("", 2)]
)
def test_shifts_of_a_clock(text: str, code: int) -> None:
    assert run("report", "train.log", "--gpu-log", "gpu.csv", "--gpu-log-offset", text).exit_code == code


def test_a_shift_needs_a_recording() -> None:
    assert run("report", "train.log", "--gpu-log-offset", "2h").exit_code == 2


class Twice:
    """A sampler that is left after two passes."""

    def __init__(self, *events: Event) -> None:
        self.events = events
        self.closed = False

    def sample(self) -> Sequence[Event]:
        return self.events

    def hung(self, longer_than_s: float) -> Sequence[Event]:
        return ()

    def close(self) -> None:
        self.closed = True


def test_gpus_are_watched_into_a_file_that_is_a_recording() -> None:
    passes = iter([None, None])

    def sleep(_seconds: float) -> None:
        if next(passes, "left") == "left":
            raise KeyboardInterrupt

    sampler, file = (
        Twice(GpuSample(1771135968.0, 0, utilization=0.5), GpuSample(1771135968.0, 1, power_w=9.0)),
        StringIO(),
    )
    assert write_samples(sampler, file, 1.0, sleep) == 6
    assert sampler.closed
    assert [s.gpu for s in TableReader().read(file.getvalue().splitlines())] == [0, 1] * 3


def test_where_there_is_no_gpu_nothing_is_written() -> None:
    file = StringIO()
    with pytest.raises(NoInputError, match="no driver"):
        write_samples(Twice(Message("no driver", about="gpu")), file, 1.0)
    assert not file.getvalue()


def test_what_belongs_to_watching_is_said() -> None:
    assert run("gpus", "-o", "new.csv").exit_code == run("gpus", "--watch", "--json").exit_code == 2
