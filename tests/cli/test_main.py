"""The commands: what they take, how they end, and what they must not import."""

import errno
import gzip
import os
import subprocess
import sys
import threading
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from itermon.cli import exits, options, streams
from itermon.cli.command_names import COMMANDS
from itermon.cli.main import Commands, main
from itermon.events import Config

LOG = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(20))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text(LOG)
    return path


def itermon(*arguments: object, **more: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="itermon", **more)


def imported_by(code: str) -> set[str]:
    """The names of the modules that are loaded after `code` ran in a Python of its own."""
    code += "\nimport sys; print('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines())


def test_a_path_is_watched_and_a_pipe_gets_the_report(log: Path) -> None:
    short, long = itermon(log), itermon("watch", log)
    assert short.exit_code == 0
    assert "20 iterations" in short.output
    assert short.output == long.output
    assert "20 iterations" in itermon("--batch-size", 4, log).output


def test_json_has_a_schema_version_and_the_iterations(log: Path) -> None:
    found = msgspec.json.decode(itermon("report", log, "--json").stdout)
    assert found["schema_version"] >= 1
    assert found["progress"]["iterations_seen"] == 20


def test_of_a_damaged_log_the_report_is_printed_and_the_exit_code_says_so(log: Path) -> None:
    packed = log.with_suffix(".gz")
    packed.write_bytes(gzip.compress(LOG.encode())[:-5])
    result = itermon("report", packed)
    assert result.exit_code == exits.NOT_A_LOG
    assert "20 iterations" in result.stdout
    assert result.stdout.count("train.gz: cut: it ends at byte ") == 1
    assert result.stderr.count("\n") == 1
    found = msgspec.json.decode(itermon("report", packed, "--json").stdout)
    assert "cut: it ends at byte" in found["messages"][0]["text"]
    packed.write_bytes(gzip.compress(LOG.encode()) + bytes(9_000))
    assert itermon("report", packed).exit_code == 0


def test_the_screen_has_no_json(log: Path) -> None:
    result = itermon(log, "--json")
    assert result.exit_code == 2
    assert "--json" in result.output


def test_flags_win_over_the_log_and_over_the_config_file(log: Path, tmp_path: Path) -> None:
    config = tmp_path / "train_gpt2.py"
    config.write_text("max_iters = 600000\nbatch_size = 12\n")
    found = msgspec.json.decode(itermon("report", log, "--json", "--config", config, "--batch-size", "4").stdout)
    assert found["config"]["max_iterations"] == 600_000
    assert found["config"]["micro_batch_size"] == 4


def test_every_flag_of_the_run_is_a_field_of_the_config() -> None:
    fields = {field.name for field in msgspec.structs.fields(Config)}
    assert {setting.field for setting in options._SETTINGS} <= fields


@pytest.mark.parametrize(("typed", "rate"), [("989.4T", 989.4e12), ("989.4e12", 989.4e12), ("1.979p", 1.979e15)])
def test_a_peak_is_given_with_or_without_its_unit(typed: str, rate: float) -> None:
    assert options.flops_rate(typed) == pytest.approx(rate)


@pytest.mark.parametrize("typed", ["989.4", "fast", "nan", "-1T", "inf", "T", ""])
def test_a_peak_that_no_gpu_has_is_refused_with_the_way_to_write_it(typed: str, log: Path) -> None:
    result = itermon("report", log, "--peak-flops", typed)
    assert result.exit_code == 2
    assert "989.4T" in result.output


def test_what_cannot_be_read_ends_with_one_line_and_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "train.log").touch()
    for path, says in [
        (tmp_path / "trian.log", f"no such file. Did you mean {tmp_path / 'train.log'}?"),
        (tmp_path / "none" / "of" / "this", "no such file."),
        ("reprot", "no such file. Did you mean the command `itermon report`?"),
        ("nul\0byte", "embedded null"),
    ]:
        for command in ([], ["report"]):
            result = itermon(*command, path)
            assert result.exit_code == exits.NO_INPUT
            assert says in result.output
            assert result.output.count("\n") == 1
            assert result.output.rstrip("\n").isprintable()


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (KeyboardInterrupt(), exits.INTERRUPTED),
        (click.Abort(), exits.INTERRUPTED),  # Ctrl-C at a question
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 0),
        (OSError(errno.ENOSPC, "No space left on device"), exits.NOT_WRITTEN),
        (exits.NotALogError("no log"), exits.NOT_A_LOG),
        (click.UsageError("no such option"), 2),
        (SystemExit(143), 143),
    ],
)
def test_however_a_command_ends_its_exit_code_is_the_documented_one(
    raised: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(Commands, "_invoke", fail)
    monkeypatch.setattr(streams, "_let_go", lambda stream: None)
    result = itermon("gpus")
    assert result.exit_code == code
    assert len(result.output.strip().splitlines()) <= 4
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("formats", "new", "mine", "--to", "{folder}/file/below"), exits.NOT_WRITTEN),
        (("formats", "test", "{folder}/file.toml", "{folder}/file"), exits.NOT_A_LOG),
        (("run", "--detach", "--", "true"), exits.NOT_WRITTEN),
        (("record", "{folder}/file", "-o", "{folder}/file"), 2),
    ],
)
def test_what_is_not_our_fault_is_not_to_be_reported_to_us(
    arguments: tuple[str, ...], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1 is for faults of itermon alone."""
    for name in ("file", "file.toml"):
        (tmp_path / name).write_text("no format\n")
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "file" / "runs"))
    assert itermon(*(each.format(folder=tmp_path) for each in arguments)).exit_code == code


def test_names_in_an_error_cannot_command_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x1b[31mtrain\x9b31m.log"
    for arguments in (
        [evil],
        ["report", evil],
        ["compare", evil, evil],
        ["attach", evil],
        ["formats", "test", evil, evil],
    ):
        result = CliRunner().invoke(main, arguments, prog_name="itermon", color=True)  # as on a terminal
        assert result.exit_code
        assert "train" in result.output
        assert result.output.replace("\n", "").isprintable()


def test_a_log_of_a_run_that_failed_before_its_first_iteration_says_why(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "Overriding: max_iters = 9\nTraceback (most recent call last):\n  File\nValueError: no such split\n"
    )
    result = itermon("report", log)
    assert result.exit_code == exits.NOT_A_LOG
    assert "ValueError: no such split" in result.output


def test_several_files_are_one_run_whichever_has_the_iterations(log: Path, tmp_path: Path) -> None:
    errors = tmp_path / "train.err"
    errors.write_text("torch.OutOfMemoryError: CUDA out of memory.\n")
    for paths in ((log, errors), (errors, log)):
        result = itermon("report", *paths)
        assert "20 iterations" in result.output
        assert "line 1: train.err: torch.OutOfMemoryError" in result.output


def test_a_directory_means_the_newest_log_in_it(log: Path) -> None:
    folder = log.parent
    assert "20 iterations" in itermon("report", folder).output
    (folder / "newer.log").write_text(LOG * 2)
    (folder / "newest.pt").write_text("no log")
    os.utime(log, (1, 1))
    os.utime(folder / "newest.pt", (2e9, 2e9))
    assert "40 iterations" in itermon("report", folder).output
    (folder / "train.py").write_text("print('hello')\n")
    os.utime(folder / "train.py", (2e9, 2e9))
    (folder / "stderr.log").write_text("warning: nothing\n")
    os.utime(folder / "stderr.log", (2e9, 2e9))
    result = itermon("report", folder)
    assert "40 iterations" in result.output
    assert f"{folder}: the newest log in it is newer.log (nanoGPT log)" in result.stderr
    (folder / "empty").mkdir()
    result = itermon("report", folder / "empty")
    assert result.exit_code == exits.NO_INPUT
    assert "Name the log" in result.output


def test_a_file_without_permission_ends_with_its_exit_code(log: Path) -> None:
    log.chmod(0)
    root = os.geteuid() == 0  # whom no permission stops
    if root:
        os.seteuid(65534)
    try:
        result = itermon("report", log)
    finally:
        if root:
            os.seteuid(0)
    assert result.exit_code == exits.NO_INPUT
    assert "no permission to read it" in result.output


def test_a_named_pipe_is_read_as_it_comes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feeder = threading.Thread(target=pipe.write_text, args=(LOG,), daemon=True)
    feeder.start()
    assert "20 iterations" in itermon("report", pipe).output


def test_what_cannot_be_opened_in_whatever_place_gets_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = itermon("formats", "recognise", tmp_path / "pipe")
    assert (result.exit_code, result.output) == (
        exits.NO_INPUT,
        f"Error: {tmp_path / 'pipe'}: a named pipe, not a file.\n",
    )


def test_a_config_file_that_is_no_file_is_a_wrong_argument(log: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "train_gpt2.py")
    result = itermon("report", log, "--config", tmp_path / "train_gpt2.py")
    assert result.exit_code == 2
    assert "train_gpt2.py: a named pipe, not a file" in result.output


@pytest.mark.parametrize("command", ["report", "replay", "plan", "compare", "record", "stream", "attach"])
def test_a_device_is_no_log(log: Path, tmp_path: Path, command: str) -> None:
    rest = {"compare": [log], "record": ["-o", tmp_path / "out.jsonl"]}.get(command, [])
    result = itermon(command, "/dev/zero", *rest)
    assert result.exit_code == exits.NO_INPUT
    assert "/dev/zero: a device, n" in result.output
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "exit_code", "says"),
    [
        (b"", exits.NOT_A_LOG, "empty"),
        (b"\0\xff\xfe" * 999, exits.NOT_A_LOG, "no line of a known log format"),
        (b"x" * (9 << 20) + b"\n" + LOG.encode(), 0, "20 iterations"),
        (LOG.encode().replace(b"iter 7:", b"it\0er\xff 7:"), 0, "19 iterations"),
        (LOG.encode().replace(b"loss 3.5", b"loss nan", 1), 0, "20 iterations"),
        (LOG.encode() + b"iter 20: loss 3.5, time 20", 0, "20 iterations"),
        (LOG.encode() + LOG.encode(), 0, "2 trainings"),
        (b"\x1b]0;evil\x07\x1b[2J" + LOG.encode(), 0, "20 iterations"),
    ],
)
def test_bad_input_gets_one_clear_line_or_the_right_report(
    content: bytes, exit_code: int, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.log"
    path.write_bytes(content)
    result = itermon("report", path)
    assert result.exit_code == exit_code
    assert says in result.output
    assert "\x1b" not in result.output
    if exit_code:
        assert result.output.count("\n") == 1


def test_a_file_that_is_no_log_ends_with_its_own_exit_code(tmp_path: Path) -> None:
    path = tmp_path / "poem.txt"
    path.write_text("Shall I compare thee to a summer's day?\n" * 50)
    assert itermon("report", path).exit_code == exits.NOT_A_LOG


def test_help_names_every_command_and_every_exit_code() -> None:
    text = itermon("--help").output
    for word in (*COMMANDS, *map(str, exits.EXIT_CODES)):
        assert word in text
    for command in COMMANDS:
        assert itermon(command, "--help").exit_code == 0


def test_who_has_no_run_yet_is_told_how_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """In fewer lines than a screen of 80×24 has."""
    monkeypatch.setattr("itermon.cli.main._is_on_a_terminal", lambda: True)
    monkeypatch.setattr("itermon.cli.main._can_choose", lambda: False)
    result = CliRunner().invoke(main, [])
    assert result.exit_code == 66
    assert result.stdout.startswith(
        "No run yet, and no training log of a known format in this folder. Begin with:\n"
    )
    assert "itermon train.log" in result.stdout
    assert "itermon --help" in result.stdout
    assert len(result.stdout.splitlines()) <= 14


def test_help_imports_only_what_is_light() -> None:
    code = "from itermon.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    heavy = {"textual", "rich", "msgspec", "psutil", "watchdog", "pynvml", "asyncio", "itermon.events"}
    assert not heavy & imported_by(code)


def test_the_report_never_imports_textual(log: Path) -> None:
    for extra in ("", ", '--json'"):
        code = f"from itermon.cli.main import main\ntry: main(['report', {str(log)!r}{extra}])\n"
        code += "except SystemExit: pass"
        loaded = imported_by(code)
        assert "itermon.analysis.run" in loaded
        assert "textual" not in loaded


@pytest.mark.parametrize("package", ["collectors", "trainer_hooks", "analysis"])
def test_no_module_outside_the_screen_imports_textual(package: str) -> None:
    code = f"""
import importlib, pkgutil, itermon.{package} as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not {{"huggingface", "lightning", "keras"}} & {{*module.name.split(".")}}:  # these import a framework
        importlib.import_module(module.name)
"""
    assert not {"textual", "torch", "numpy"} & imported_by(code)
