"""The hooks of a loop written by hand: odd values and bad surroundings cost a warning, never the training."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from viewers import recorded
from waiting import eventually

from itermon.events import (
    Config,
    End,
    Event,
    Iteration,
    Message,
    Output,
    Phases,
    RunInfo,
    SpanBegin,
    SpanEnd,
    decode,
)
from itermon.trainer_hooks import Hooks
from itermon.trainer_hooks import hooks as hooks_module


def test_odd_values_of_a_loop_neither_raise_nor_lose_the_others(hooks: Hooks) -> None:
    class Nasty:
        def __float__(self) -> float:
            raise RuntimeError("no")

        __int__ = __index__ = __str__ = __float__  # type: ignore[assignment]

    hooks.iteration("nine", loss=Nasty())  # type: ignore[arg-type]
    hooks.iteration(-1)
    hooks.iteration(1 << 60)
    hooks.iteration(1, loss=Nasty(), tokens="many", mfu=object())  # type: ignore[arg-type]
    hooks.micro_step("x")  # type: ignore[arg-type]
    with hooks.evaluation() as found:
        found["val_loss"] = Nasty()  # type: ignore[assignment]
    hooks.iteration(2, loss=2)
    hooks.close()
    lines = recorded(hooks)
    assert b'"index":2' in lines
    assert lines.count(b"was no use") == sum(isinstance(decode(line), Message) for line in lines.splitlines())


def test_odd_settings_and_paths_neither_raise_nor_lose_the_run(run_folders: Path) -> None:
    class Mute:
        def __str__(self) -> str:
            raise RuntimeError("no")

    name = os.fsdecode(b"caf\xe9")
    with Hooks(name, dataset=name, colour=Mute(), seed=10**6000, block_size=64) as hooks:
        hooks.message(name, level=name)
        with hooks.checkpoint(run_folders / name):  # type: ignore[arg-type]
            pass
        hooks.config(colour=Mute())
    info, config, *rest = map(decode, recorded(hooks).splitlines())
    assert isinstance(info, RunInfo)
    assert info.name == "caf?"
    assert isinstance(config, Config)
    assert (config.dataset, config.block_size, sorted(config.extra)) == ("caf?", 64, ["colour", "seed"])
    assert [type(event) for event in rest] == [Message, SpanBegin, SpanEnd, Config, End]


def test_a_value_on_a_gpu_of_any_maker_is_not_waited_for(hooks: Hooks) -> None:
    class OnGpu:
        is_cuda = is_cpu = False

        def item(self) -> float:
            raise AssertionError("read: that would wait for the GPU")

    hooks.iteration(0, loss=OnGpu())
    hooks.close()
    assert b'"loss"' not in recorded(hooks)


def test_no_home_and_no_descriptors_left_cost_the_trainer_nothing(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none() -> tuple[int, int]:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    for variable in ("ITERMON_RUNS_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as for a container's user
    monkeypatch.setattr(os, "pipe", none)
    with Hooks("poor") as hooks:
        hooks.iteration(0)
    assert hooks.recording is not None
    assert hooks.recording.parent == run_folders / "sockets" / "runs"
    assert b'"index":0' in recorded(hooks)


def test_two_runs_of_one_name_within_a_second_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1e9)
    with Hooks("twin") as first, Hooks("twin") as second:
        first.iteration(3)
        second.iteration(7)
    assert b'"index":7' not in recorded(first)
    assert b'"index":3' not in recorded(second)


@pytest.mark.parametrize(
    ("code", "reason"), [(None, "finished"), (0, "finished"), (1, "failed"), ("no", "failed")]
)
def test_an_exit_inside_the_block_has_failed_if_its_code_says_so(code: object, reason: str) -> None:
    with pytest.raises(SystemExit), Hooks("leaving") as hooks:
        sys.exit(code)  # type: ignore[arg-type]
    end = decode(recorded(hooks).splitlines()[-1])
    assert isinstance(end, End)
    assert end.reason == reason


def test_ranks_that_are_not_asked_do_nothing(monkeypatch: pytest.MonkeyPatch, run_folders: Path) -> None:
    monkeypatch.setenv("RANK", "3")
    threads = threading.active_count()
    with Hooks("quiet") as hooks:
        hooks.iteration(0)
        assert threading.active_count() == threads
    assert not (run_folders / "runs").exists()
    monkeypatch.setenv("ITERMON_RANKS", "0,3")
    with Hooks("asked") as hooks:
        hooks.iteration(0)
    assert b'"rank":3' in recorded(hooks)


def test_a_setting_of_a_wrong_type_or_an_unknown_name_is_kept_as_text() -> None:
    settings = {"block_size": "many", "precision": "bf16", "bias": None, "colour": "blue", "extra": 3}
    extra = {"block_size": "many", "colour": "blue", "extra": "3"}
    assert hooks_module.as_config(settings) == Config(origin="hook", precision="bf16", extra=extra)


def test_a_setting_that_looks_like_another_is_named_and_one_of_a_wrong_type_too(
    capsys: pytest.CaptureFixture[str], run_folders: Path
) -> None:
    said = hooks_module.odd_settings({
        "batch_size": 16, "max_iters": 100, "blocksize": 64, "lr": 3e-4, "block_size": "many", "bias": None,
    })  # fmt: skip
    assert said == [
        "batch_size is kept as text only: did you mean micro_batch_size?",
        "max_iters is kept as text only: did you mean max_iterations?",
        "blocksize is kept as text only: did you mean block_size?",
        "block_size='many' has no effect: it is of another type, or out of range",
    ]
    with Hooks("near", batch_size=16) as hooks:
        pass
    assert b"did you mean micro_batch_size?" in recorded(hooks)
    assert capsys.readouterr().err == "itermon: batch_size is kept as text only: did you mean micro_batch_size?\n"


def test_each_block_is_a_span_of_its_kind(hooks: Hooks) -> None:
    with hooks.evaluation("validation"), hooks.checkpoint("model.pt"), hooks.sampling("a poem"):
        pass
    hooks.close()
    events = [decode(line) for line in recorded(hooks).splitlines()]
    begun = [(event.kind, event.detail) for event in events if isinstance(event, SpanBegin)]
    assert begun == [("evaluation", "validation"), ("checkpoint", "model.pt"), ("sampling", "a poem")]


@pytest.mark.parametrize(("record", "serve"), [(False, False), (True, False), (False, True)])
def test_what_is_not_asked_for_is_not_made(record: bool, serve: bool) -> None:
    with Hooks("partly", record=record, serve=serve) as hooks:
        assert (hooks.recording is not None, hooks.address is not None) == (record, serve)
        assert hooks.alive is (record or serve)


def test_waiting_for_data_is_a_block_of_its_own(hooks: Hooks) -> None:
    with hooks.data():
        pass
    hooks.iteration(0)
    hooks.close()
    (iteration,) = [event for line in recorded(hooks).splitlines() if isinstance(event := decode(line), Iteration)]
    assert iteration.data_wait_s is not None


@pytest.mark.parametrize(("settings", "size"), [({}, 4), ({"world_size": 2}, 2)])
def test_all_ranks_that_the_launcher_started_are_counted_unless_the_script_knows_better(
    settings: dict[str, int], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "4")
    with Hooks("ranks", **settings) as hooks:
        hooks.config(colour="blue")
        assert hooks.given == {*settings, "colour"}
    assert hooks.recording is not None
    _, config, *_ = map(decode, hooks.recording.read_bytes().splitlines())
    assert isinstance(config, Config)
    assert config.world_size == size


PRINTING = """
import os, sys, logging
import itermon
logging.basicConfig(level=logging.INFO, format="%(message)s")  # holds stderr before anybody reads it
hooks = itermon.watch("printing")
for i in range(25):
    hooks.iteration(i)
    print(f"iter {i}: loss {4 - i / 10:.4f}, time 100.00ms, mfu -100.00%")
logging.info("saving")
if not os.fork():
    print("of a child")
    sys.stdout.flush()
    os._exit(0)
os.wait()
assert type(sys.stdout.write).__name__ == "function"
sys.stdout.write("unfinished")
raise ValueError("no more data")
"""


def printing(folder: Path, **environment: str) -> tuple[subprocess.CompletedProcess[bytes], list[Event]]:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING],
        env={**os.environ, **environment}, cwd=folder, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    (path,) = (folder / "runs").iterdir()
    return done, [decode(line) for line in path.read_bytes().splitlines()]


def test_what_a_script_prints_stays_as_it_is_and_is_in_its_run(run_folders: Path) -> None:
    done, events = printing(run_folders)
    lines = [f"iter {i}: loss {4 - i / 10:.4f}, time 100.00ms, mfu -100.00%" for i in range(25)]
    assert done.stdout.decode().splitlines() == [*lines, "of a child", "unfinished"]
    printed = [line for event in events if isinstance(event, Output) for line in event.lines]
    assert [line for line in printed if line.startswith("iter")] == lines
    assert {"saving", "ValueError: no more data", "unfinished"} <= {*printed}
    assert "of a child" not in printed
    newest = -1
    for event in events:
        newest = event.index if isinstance(event, Iteration) else newest
        if isinstance(event, Output) and event.lines[0].startswith("iter"):
            assert event.lines[0].startswith(f"iter {newest}:"), "a line stands behind its iteration"
    errors = done.stderr.decode()
    assert errors.index("saving") < errors.index("Traceback")
    assert errors.rstrip().endswith("ValueError: no more data")


def test_where_somebody_keeps_the_output_already_nothing_is_read_nor_said(run_folders: Path) -> None:
    done, events = printing(run_folders, ITERMON_OUTPUT="run.20260101-120000.1")
    assert not any(isinstance(event, Output) for event in events)
    assert b"itermon: watching" not in done.stderr


def test_who_reads_its_output_says_once_what_was_found_unless_told_to_be_quiet(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for quiet, said in (("1", 0), ("", 1)):
        monkeypatch.setenv("ITERMON_QUIET", quiet)
        monkeypatch.setattr(sys, "stderr", open(2, "w", buffering=1, closefd=False))  # noqa: SIM115 - the test's own
        with Hooks("loop", block_size=8) as hooks:
            hooks.read_output()
            for i in range(25):
                hooks.iteration(i, loss=2.0)
            tap = vars(sys.stderr)["write"]
            hooks.read_output()
            assert vars(sys.stderr)["write"] is tap, "once is enough"
            eventually(lambda: b'"index":24' in recorded_so_far(hooks))
            hooks.iteration(25)
            eventually(lambda: b'"index":25' in recorded_so_far(hooks))
        assert capfd.readouterr().err.count("itermon: watching loop: iterations, loss; not found: tokens") == said


def recorded_so_far(hooks: Hooks) -> bytes:
    assert hooks.recording is not None
    return hooks.recording.read_bytes()


def test_a_phase_that_there_is_not_is_named_and_the_loop_goes_on(hooks: Hooks) -> None:
    with hooks.phase("lunch"):
        hooks.iteration(0)
    with hooks.phase("logging"):
        pass
    hooks.iteration(1)
    hooks.close()
    events = [decode(line) for line in recorded(hooks).splitlines()]
    (warning,) = [event for event in events if isinstance(event, Message)]
    assert warning.text.startswith("phase 'lunch' is none of data, host to device")
    assert [event.phases.keys() for event in events if isinstance(event, Phases)] == [{"logging"}]
