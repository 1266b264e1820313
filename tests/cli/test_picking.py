"""Which run is meant: chosen on a terminal from one list, printed without one, named in the same words by all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from itermon.cli import exits, main, picking
from itermon.collectors.runs.listing import KnownRun
from itermon.events import End, Iteration, RunInfo, encode_all

if TYPE_CHECKING:
    from itermon.tui.pages.runs_page import Choice
    from itermon.tui.picker import Looked

RUNS = {name: f"{name}.20260101-12000{number}.{number}" for number, name in enumerate(("gpt", "bert"), 1)}
REMOTE = KnownRun(RUNS["gpt"], "gpt", 1, alive=True, socket="/tmp/itermon-0/gpt.sock")  # type: ignore[call-arg]


def itermon(*arguments: object) -> Result:
    return CliRunner().invoke(main.main, [str(a) for a in arguments], prog_name="itermon")


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("itermon.collectors.host.written.files_written", lambda _: {})
    monkeypatch.setattr("itermon.cli.home.logs._NEW_S", 60.0)
    (tmp_path / "runs").mkdir()
    for number, (name, run_id) in enumerate(RUNS.items()):
        events = [RunInfo(name=name), *(Iteration(i, 0.1 + number, at_s=1e9 + i) for i in range(30)), End()]
        (tmp_path / "runs" / f"{run_id}.jsonl").write_bytes(encode_all(events))
    return tmp_path / "runs"


class Terminal:
    """One with a person who takes what they are told to; it keeps what they saw."""

    def __init__(self) -> None:
        self.takes: list[str | None] = []
        self.headings: list[str] = []
        self.seen: Sequence[Choice] = ()

    def pick(self, look: Callable[[], Looked], heading: str, **_: object) -> tuple[str, ...]:
        self.headings.append(heading)
        while (seen := look()).has_more:  # until all is read
            pass
        self.seen = seen.choices
        taken = self.takes.pop(0)
        return () if taken is None else (taken,)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    here = Terminal()
    monkeypatch.setattr(picking, "can_draw", lambda: True)
    monkeypatch.setattr("itermon.cli.home.screen.can_draw", lambda: True)
    monkeypatch.setattr("itermon.tui.picker.pick", here.pick)
    monkeypatch.setattr("itermon.collectors.runs.ssh.runs_of", lambda _: [REMOTE])
    return here


def test_a_chosen_run_is_named_as_a_person_could_and_shown_with_what_is_known_of_it(terminal: Terminal) -> None:
    terminal.takes = [RUNS["gpt"]]
    assert "30 iterations seen" in itermon("report").output
    lines = [(c.key, c.name, c.state, c.line) for c in terminal.seen]
    assert {(key, name, state, line.iteration, line.iteration_s) for key, name, state, line in lines if line} == {
        (RUNS["gpt"], "gpt", "finished", 29, 0.1),
        (RUNS["bert"], "bert", "finished", 29, 1.1),
    }
    assert {c.path for c in terminal.seen} == {f"~/runs/{run_id}.jsonl" for run_id in RUNS.values()}
    assert all(c.host and c.seen_at_s for c in terminal.seen)


@pytest.mark.parametrize("command", ["attach", "watch", "report"])
def test_one_list_for_every_command_and_to_leave_it_is_no_error(command: str, terminal: Terminal) -> None:
    back = [None] if command == "watch" else []  # the home screen again, once the run is left
    terminal.takes = [RUNS["bert"], *back, None]
    assert "30 iterations" in itermon(command).output
    left = itermon(command)
    assert (left.exit_code, left.output) == (0, "")


def test_the_runs_of_a_comparison_are_chosen_one_after_the_other(terminal: Terminal) -> None:
    terminal.takes = [RUNS["gpt"], RUNS["bert"], RUNS["bert"], RUNS["gpt"], None]
    chosen = itermon("compare")
    assert chosen.exit_code == 0
    assert chosen.output == itermon("compare", RUNS["gpt"], RUNS["bert"]).output
    assert [heading[:10] for heading in terminal.headings] == ["compare: w", "compare gp"]
    assert itermon("compare", RUNS["gpt"]).exit_code == 0
    left = itermon("compare")
    assert left.exit_code == 0


def test_the_runs_of_another_machine_are_chosen_from_the_same_list(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("itermon.cli.commands.attach.attach_to", lambda run, *_: opened.append(run))
    terminal.takes = [f"ssh://gpu-box/{RUNS['gpt']}"] * 2
    for text in ("ssh://gpu-box", "ssh://gpu-box/"):
        assert itermon("attach", text).exit_code == 0
    assert opened == [f"ssh://gpu-box/{RUNS['gpt']}"] * 2
    (choice,) = terminal.seen
    assert (choice.key, choice.host, choice.state) == (opened[0], "gpu-box", "running")


def test_without_a_terminal_the_list_is_printed_and_how_to_name_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.collectors.runs.ssh.runs_of", lambda _: [REMOTE])
    for arguments, code, usage in (
        (("attach",), 0, "itermon attach RUN"),
        (("attach", "ssh://gpu-box"), 0, "itermon attach ssh://gpu-box/RUN"),
        (("report",), 2, "itermon report RUN"),
        (("compare",), 2, "itermon compare A B"),
    ):
        done = itermon(*arguments)
        assert done.exit_code == code, done.output
        assert " gpt " in done.output
        assert f"to choose one: {usage}" in done.output


def test_itermon_alone_lists_runs_on_a_terminal_and_says_how_to_begin_where_there_is_none(
    terminal: Terminal, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs)
    assert "Usage: itermon" in itermon().output
    monkeypatch.setattr("itermon.cli.screen.can_draw", lambda: True)
    terminal.takes = [None]
    assert (itermon().exit_code, terminal.headings) == (0, ["all runs"])
    for recording in runs.iterdir():
        recording.unlink()
    assert itermon().output.startswith("No run yet, ")


def test_what_another_machine_does_not_list_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(host: str) -> list[KnownRun]:
        raise OSError(f"{host}: Permission denied (publickey).")

    monkeypatch.setattr("itermon.collectors.runs.ssh.runs_of", fails)
    done = itermon("attach", "ssh://gpu-box", "--json")
    assert done.exit_code == exits.NO_INPUT
    assert done.output == "Error: gpu-box: Permission denied (publickey).\n"


def test_the_logs_of_the_folder_are_in_the_list_too(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    log = "".join(f"iter {i}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for i in range(40))
    (folder / "train.log").write_text(log)
    (folder / "requirements.txt").write_text("torch==2.4\n")
    (folder / "empty.log").touch()
    terminal.takes = ["./train.log"] * 2 + [None] * 2
    assert "40 iterations" in itermon("report").output
    (choice,) = (choice for choice in terminal.seen if choice.key.startswith("./"))
    assert choice.line
    assert (choice.name, choice.line.source_format, choice.path) == (
        "train.log",
        "nanoGPT log",
        "~/work/train.log",
    )
    assert "40 iterations" in itermon("watch").output
    assert itermon("attach").exit_code == 0
    assert {choice.key for choice in terminal.seen} == set(RUNS.values()), "a log is attached to by nobody"
