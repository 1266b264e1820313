"""What a shell is told when a person presses Tab."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner, Result

from itermon.cli.command_names import COMMANDS, COMPLETE
from itermon.cli.main import main
from itermon.events import RunInfo, encode_all

RUN_ID = "gpt-small.20260101-120000.4242"


@pytest.fixture(autouse=True)
def a_run_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for what in ("runs", "sockets", "here"):
        (tmp_path / what).mkdir(mode=0o700)
        monkeypatch.setenv(f"ITERMON_{what.upper()}_DIR", str(tmp_path / what))
    (tmp_path / "runs" / f"{RUN_ID}.jsonl").write_bytes(encode_all([RunInfo(name="gpt-small", pid=4242)]))
    for name in ("gpt.log", "train.log", ".gpt"):
        (tmp_path / "here" / name).touch()
    (tmp_path / "here" / "gpt-old").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def itermon(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment)


def completed(*typed: str) -> list[str]:
    """What bash is given for a command line whose last word is being typed."""
    words = " ".join(["itermon", *typed])
    told = itermon(**{COMPLETE: "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(typed))})
    assert told.exit_code == 0
    return told.output.split()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_clicks_own_for_our_name(shell: str) -> None:
    said = itermon("completion", shell)
    script = get_completion_class(shell)
    assert script is not None
    assert said.stdout == script(main, {}, "itermon", COMPLETE).source().rstrip("\n") + "\n"
    assert f"{COMPLETE}={shell}_complete" in said.stdout
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=said.stdout, text=True, check=True, timeout=60)


def test_no_other_shell_is_offered() -> None:
    assert itermon("completion", "tcsh").exit_code == 2


def test_commands_and_options_are_completed() -> None:
    assert completed("rep") == ["plain,replay", "plain,report"]
    assert completed("") == [f"plain,{name}" for name in sorted(COMMANDS)] or len(completed("")) == len(COMMANDS)
    assert completed("report", "--js") == ["plain,--json"]
    assert completed("train.log", "--asc") == ["plain,--ascii"], "itermon PATH is itermon watch PATH"


@pytest.mark.parametrize("command", ["attach", "stream", "report", "watch", "plan", "compare", "record", "replay"])
def test_names_of_runs_are_completed_beside_files(command: str) -> None:
    assert completed(command, "gpt") == ["plain,gpt-small", "plain,gpt-old/", "plain,gpt.log"]
    assert completed(command, "tr") == ["file,tr"]


def test_the_first_word_may_be_a_path() -> None:
    assert completed("tra") == ["file,tra"]
    assert completed("gpt-s") == ["plain,gpt-small"]


def test_every_argument_that_names_a_run_is_completed() -> None:
    ctx = click.Context(main, info_name="itermon")
    for name in COMMANDS:
        for parameter in main.get_command(ctx, name).params:  # type: ignore[attr-defined]
            if parameter.name in ("path", "paths", "run", "a", "b", "sources"):
                items = parameter.shell_complete(ctx, "gpt-s")
                assert [item.value for item in items] == ["gpt-small"], (name, parameter.name)
