"""The emitter with real sockets, files and processes: the trainer comes first, and viewers get it all."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import eventually

from itermon import run_files
from itermon.events import (
    Config,
    End,
    Event,
    Iteration,
    Message,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
    decode,
)
from itermon.trainer_hooks import (
    Hooks,
    emitter,
    guard,
    mark_queue,
    server,
)

from .conftest import Viewer

Attach = Callable[[Path | None], Viewer]


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    hooks = Hooks("test", micro_batch_size=4, colour="blue")
    yield hooks
    hooks.close()


@pytest.fixture
def go_on(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The hooks' thread stands still until this is set: meanwhile `_deliver` is the test's."""
    busy, go_on = threading.Event(), threading.Event()

    def hang(until_s: float) -> None:
        busy.set()
        go_on.wait()

    monkeypatch.setattr(hooks._emitter.delivery.server, "wait", hang)
    busy.wait()
    yield go_on
    go_on.set()


def indices(viewer: Viewer) -> list[int]:
    return [event.index for event in viewer.events if isinstance(event, Iteration)]


def has(count: int) -> Callable[[Viewer], bool]:
    return lambda viewer: viewer.got.count(b'"iteration","index"') >= count and viewer.got.endswith(b"\n")


def ended(viewer: Viewer) -> bool:
    return viewer.ended


def recorded(hooks: Hooks) -> bytes:
    assert hooks.recording is not None
    return hooks.recording.read_bytes()


def test_a_viewer_gets_the_run_so_far_and_then_follows(hooks: Hooks, attach: Attach) -> None:
    for index in range(1000):
        hooks.iteration(index, loss=1.0)
    viewer = attach(hooks.address).read(has(1000))
    for index in range(1000, 1500):
        hooks.iteration(index, loss=1.0)
    viewer.read(has(1500))
    hooks.close()
    viewer.read(ended)
    info, config, *_, end = viewer.events
    assert isinstance(info, RunInfo)
    assert (info.name, info.pid, info.clock) == ("test", os.getpid(), "hook")
    assert config == Config(origin="hook", micro_batch_size=4, extra={"colour": "blue"})
    assert isinstance(end, End)
    assert end.reason == "finished"
    assert indices(viewer) == list(range(1500))
    assert viewer.got == recorded(hooks)


def test_nothing_is_missing_and_nothing_comes_twice_wherever_the_seam_lies(hooks: Hooks, attach: Attach) -> None:
    viewers: list[Viewer] = []
    for index in range(20_000):
        hooks.iteration(index)
        if index % 1000 == 500:
            viewers.append(attach(hooks.address))
    for viewer in viewers:
        viewer.read(has(20_000))
        assert indices(viewer) == list(range(20_000))


def test_a_hundred_viewers_are_served(hooks: Hooks, attach: Attach) -> None:
    viewers = [attach(hooks.address) for _ in range(100)]
    for index in range(10):
        hooks.iteration(index)
    for viewer in viewers:
        assert indices(viewer.read(has(10))) == list(range(10))


def test_one_viewer_too_many_is_told_so(hooks: Hooks, attach: Attach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_VIEWERS", 1)
    attach(hooks.address).read(lambda viewer: b"run" in viewer.got)
    assert b"viewers already" in attach(hooks.address).read(ended).got


def test_another_users_viewer_gets_nothing(hooks: Hooks, attach: Attach, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.run_files, "peer_uid", lambda _: os.geteuid() + 1)
    got = attach(hooks.address).read(ended).got
    assert b"another user" in got
    assert b'"run"' not in got


def test_what_a_viewer_sends_is_never_received(hooks: Hooks, attach: Attach) -> None:
    viewer = attach(hooks.address).read(lambda viewer: b"run" in viewer.got)
    with pytest.raises(BrokenPipeError):
        viewer.connection.sendall(b"x" * (1 << 23))
    hooks.iteration(0)
    assert indices(attach(hooks.address).read(has(1))) == [0]


def test_viewers_that_do_not_read_cost_nothing_and_miss_nothing(hooks: Hooks, attach: Attach) -> None:
    stopped, bytewise = attach(hooks.address), attach(hooks.address)
    for index in range(20_000):
        hooks.iteration(index, loss=1.0)
    bytewise.read(lambda viewer: len(viewer.got) > 50, at_once=1)
    assert indices(attach(hooks.address).read(has(20_000))) == list(range(20_000))
    for viewer in (stopped, bytewise):
        assert indices(viewer.read(has(20_000))) == list(range(20_000))


def test_the_socket_and_its_directory_are_private(hooks: Hooks) -> None:
    assert hooks.address is not None
    eventually(hooks.address.exists)
    assert hooks.address.stat().st_mode & 0o777 == 0o600
    assert hooks.address.parent.stat().st_mode & 0o777 == 0o700
    hooks.close()
    assert not hooks.address.exists()


def test_two_trainers_of_one_name_and_a_path_that_is_too_long_all_work(
    run_folders: Path, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = run_folders / ("x" * 100) / ("y" * 100)
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(long))
    with (
        Hooks("twin") as ours,
        subprocess.Popen(
            [sys.executable, "-c", "import itermon; h = itermon.Hooks('twin'); h.iteration(7); input()"],
            stdin=subprocess.PIPE,
        ) as theirs,
    ):
        ours.iteration(3)
        eventually(lambda: len(list(long.glob("twin.*.sock"))) == 2)
        (other,) = [path for path in long.glob("*.sock") if path != ours.address]
        assert indices(attach(ours.address).read(has(1))) == [3]
        assert indices(attach(other).read(has(1))) == [7]
        theirs.communicate(b"\n")
    assert theirs.returncode == 0
    assert list(long.iterdir()) == []


def test_a_directory_of_sockets_that_is_not_ours_is_not_used(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_folders / "elsewhere").mkdir()
    (run_folders / "sockets").symlink_to(run_folders / "elsewhere")
    with Hooks("wary") as hooks:
        hooks.iteration(0)
    assert list((run_folders / "elsewhere").iterdir()) == []
    assert b'"index":0' in recorded(hooks)


def test_a_swept_directory_is_made_again(
    hooks: Hooks, run_folders: Path, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "_CHECK_S", 0.0)
    address = hooks.address
    assert address is not None
    eventually(address.exists)
    address.unlink()
    address.parent.rmdir()
    eventually(address.exists)
    hooks.iteration(5)
    assert indices(attach(address).read(has(1))) == [5]


def test_a_recording_that_is_cut_short_lets_its_viewers_go_and_nobody_waits_for_ever(
    hooks: Hooks, attach: Attach, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter, "_CHECK_S", 0.0)
    hooks.iteration(0)
    viewer = attach(hooks.address).read(has(1))
    assert hooks.recording is not None
    os.truncate(hooks.recording, 0)
    hooks.iteration(1)
    assert b"cut the recording short" in viewer.read(ended).got
    eventually(lambda: b"was deleted or cut short" in recorded(hooks))


def test_what_is_too_much_is_dropped_and_counted(hooks: Hooks, go_on: threading.Event) -> None:
    for index in range(mark_queue.MOST_MARKS + 500):
        hooks.iteration(index)
    go_on.set()
    hooks.close()
    lines = recorded(hooks)
    assert lines.count(b'"index"') == mark_queue.MOST_MARKS
    assert b'"type":"dropped","count":500' in lines


def delivered(hooks: Hooks) -> list[Event]:
    """What one tick adds to the recording."""
    before = len(recorded(hooks))
    hooks._emitter._deliver()
    return [decode(line) for line in recorded(hooks)[before:].splitlines()]


@pytest.mark.usefixtures("go_on")
def test_of_the_micro_steps_since_the_last_tick_the_newest_is_told(hooks: Hooks) -> None:
    for index in range(2):
        hooks.micro_step(1, 4)
        hooks.micro_step(2, 4)
        *_, progress = delivered(hooks)
        assert isinstance(progress, Progress)
        assert (progress.iteration, progress.micro_step, progress.micro_steps) == (index, 2, 4)
        assert delivered(hooks) == [], "reported before"
        hooks.micro_step(4, 4)
        hooks.iteration(index)
        (iteration,) = delivered(hooks)
        assert isinstance(iteration, Iteration), "the micro-step is over with it"
        assert iteration.duration_s is not None, "the first micro-step started the clock"


@pytest.mark.usefixtures("go_on")
def test_a_long_wait_for_data_is_told_while_it_lasts_and_when_it_is_over(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 10**9
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns)
    with hooks.data():
        assert delivered(hooks) == []
        now_ns += 10**9
        (begin,) = delivered(hooks)
        assert isinstance(begin, SpanBegin)
        assert delivered(hooks) == []
    hooks.iteration(0)
    end, iteration = delivered(hooks)
    assert isinstance(end, SpanEnd)
    assert isinstance(iteration, Iteration)
    assert (end.duration_s, iteration.data_wait_s, iteration.duration_s) == (1.0, 1.0, 1.0)
    hooks.wait.end()
    assert delivered(hooks) == [], "nobody waited"


@pytest.mark.usefixtures("go_on")
def test_every_odd_micro_step_costs_a_message_and_not_the_hooks(hooks: Hooks) -> None:
    for _ in range(30):
        hooks.micro_step("x")  # type: ignore[arg-type]
        (message,) = delivered(hooks)
        assert isinstance(message, Message)
    assert hooks.alive


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


def test_a_callback_without_a_run_says_once_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    class Callback:
        hooks = None

        @guard.guarded_method
        def on_train_begin(self) -> None:
            raise AttributeError("eval_strategy")

    for _ in range(2):
        Callback().on_train_begin()
    assert capsys.readouterr().err.count("AttributeError: eval_strategy") == 1


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


def run(script: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a trainer to its end; `hooks` is there, and its recording's path is the last line printed."""
    head = "import os, sys\nimport itermon\nhooks = itermon.Hooks('run')\nprint(hooks.recording, flush=True)\n"
    result = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if check:
        assert result.returncode == 0, result.stderr
    return result


def lines_of(result: subprocess.CompletedProcess[str]) -> bytes:
    return Path(result.stdout.splitlines()[0]).read_bytes()


@pytest.mark.parametrize(
    ("last_line", "reason"),
    [
        ("pass", "finished"),
        ("raise ValueError('nan')", "failed"),
        ("raise KeyboardInterrupt", "interrupted"),
        ("sys.exit(0)", "finished"),
        ("hooks.close('failed')", "failed"),
    ],
)
def test_the_end_is_told_with_its_reason(last_line: str, reason: str) -> None:
    result = run(f"hooks.iteration(0)\n{last_line}", check=False)
    *_, iteration, end = map(decode, lines_of(result).splitlines())
    assert isinstance(iteration, Iteration)
    assert isinstance(end, End)
    assert end.reason == reason


def test_an_exit_without_a_word_leaves_what_was_flushed_and_no_end() -> None:
    result = run("""
        import time
        hooks.iteration(0)
        while b'"index":0' not in open(hooks.recording, 'rb').read(): time.sleep(0.01)
        os._exit(0)
        """)
    assert b'"index":0' in lines_of(result)
    assert b'"end"' not in lines_of(result)


def test_a_forked_child_neither_emits_nor_ends_the_run() -> None:
    result = run("""
        hooks.iteration(0)
        child = os.fork()
        if child == 0:
            hooks.iteration(666)
            hooks.close()
            assert not hooks.alive
            sys.exit(0)  # runs what is registered for the exit
        assert os.waitpid(child, 0)[1] == 0
        assert os.path.exists(hooks.address)
        hooks.iteration(1)
        """)
    assert b'"index":666' not in lines_of(result)
    assert lines_of(result).count(b'"type":"end"') == 1
    assert b'"index":1' in lines_of(result)


def test_a_killed_trainers_children_do_not_keep_its_socket_open(run_folders: Path) -> None:
    script = """
        if os.fork() == 0:
            os.close(1), os.close(2)
            signal.pause()
        hooks.iteration(0)
        print('up', os.getpid(), flush=True)
        signal.pause()
        """
    head = "import os, signal\nimport itermon\nhooks = itermon.Hooks('run')\n"
    trainer = subprocess.Popen(
        [sys.executable, "-c", head + textwrap.dedent(script)], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert trainer.stdout is not None
        assert trainer.stdout.readline().startswith(b"up")
        (path,) = (run_folders / "sockets").iterdir()
        trainer.kill()
        trainer.wait()

        def refused() -> bool:
            with run_files.address(path) as address, socket.socket(socket.AF_UNIX) as viewer:
                return viewer.connect_ex(address) == errno.ECONNREFUSED

        eventually(refused)  # once the child has run, which a busy machine may delay
    finally:
        os.killpg(trainer.pid, signal.SIGKILL)
        trainer.stdout.close()


def test_importing_the_hooks_loads_no_module_but_ours_and_msgspec() -> None:
    script = """
        import sys
        import msgspec
        before = set(sys.modules)
        import itermon.trainer_hooks
        new = {name.partition(".")[0] for name in set(sys.modules) - before}
        print(*sorted(name for name in new if name not in sys.stdlib_module_names))
        """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.split() == ["itermon"]
