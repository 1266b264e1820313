"""What lives here and does not record: real logs, and a real trainer whose recording is off."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from metric_recordings import BEGAN_S, Recorder, head, trained
from waiting import eventually

from itermon.cli.cluster.living import SILENT_S, Living
from itermon.cli.home.found import Place, log_place
from itermon.collectors.host import writer
from itermon.metrics.exporter import Exporter
from itermon.metrics.names import ITERATIONS, LOSS
from itermon.trainer_hooks import Hooks

NOW_S = 1_000_000.0


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))


def lines(first: int, count: int) -> str:
    return "".join(f"iter {i}: loss 3.0000, time 200.00ms, mfu 20.00%\n" for i in range(first, first + count))


def a_log(path: Path, *, alive: bool = True, silent_s: float = 1.0, name: str = "") -> Place:
    path.parent.mkdir(exist_ok=True)
    path.write_text(lines(0, 60))
    os.utime(path, (NOW_S - silent_s, NOW_S - silent_s))
    return log_place(path, NOW_S, name=name, alive=alive)


def found(*places: Place) -> list[tuple[str, bool]]:
    return [(live.name, live.begins) for live in Living(lambda _: places, lambda: NOW_S)()]


def test_a_log_is_called_as_its_job_or_as_its_folder_and_itself(tmp_path: Path) -> None:
    plain = a_log(tmp_path / "exp1" / "train.log")
    assert found(plain, a_log(tmp_path / "slurm-7.out", name="gpt (7)")) == [
        ("exp1/train", True),
        ("gpt (7)", True),
    ]


def test_one_that_is_silent_is_not_begun_with_but_gone_on_with_for_a_while(tmp_path: Path) -> None:
    silent = a_log(tmp_path / "a" / "a.log", alive=False, silent_s=SILENT_S - 1)
    old = a_log(tmp_path / "a" / "b.log", alive=False, silent_s=SILENT_S + 1)
    assert found(silent, old) == [("a/a", False)]


def test_what_a_trainer_that_records_prints_is_no_second_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder(tmp_path / "runs")
    recorder.begin("gpt2", 77, *head("gpt2"), *trained(0, 5, BEGAN_S))
    log = a_log(tmp_path / "exp1" / "train.log")
    monkeypatch.setattr(writer, "outputs_of", lambda pid: [str(log.files[0])] if pid == 77 else [])
    assert found(log) == []
    recorder.close()


def told(exporter: Exporter) -> dict[tuple[str, ...], float]:
    while not exporter.refresh():
        pass
    return {each.labels: each.value for each in exporter.series() if each.metric is ITERATIONS}


def test_a_log_that_grows_is_exported_and_a_new_exporter_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "exp1" / "train.log"
    place = a_log(path)

    def exporter() -> Exporter:
        return Exporter(gpus=False, live=Living(lambda _: [place]))

    os.utime(path)
    place = log_place(path, time.time(), alive=True)
    first = exporter()
    assert told(first) == {("exp1/train", "0"): 60}
    with path.open("a") as file:
        file.write(lines(60, 5))
    eventually(lambda: told(first) == {("exp1/train", "0"): 65})
    assert told(exporter()) == {("exp1/train", "0"): 65}
    assert {each.value for each in first.series() if each.metric is LOSS} == {3.0}
    first.close()


def test_a_trainer_whose_recording_is_off_is_exported_by_its_socket() -> None:
    hooks = Hooks(name="quiet", record=False)
    exporter = Exporter(gpus=False, live=Living(lambda _: ()))
    try:
        for number in range(5):
            hooks.iteration(number)
        eventually(lambda: hooks.address is not None and hooks.address.exists())
        eventually(lambda: told(exporter) == {("quiet", "0"): 5})
        hooks.close()
        eventually(lambda: not exporter.refresh() or all(rank.is_over for rank in exporter._ranks.values()))
    finally:
        hooks.close()
        exporter.close()
