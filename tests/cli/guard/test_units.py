"""What `itermon guard --install` prints: as systemd and a shell read it."""

import shlex

import pytest

from itermon.cli.guard.units import quoted, unit

ARGUMENTS = ["train log.txt", "--on", "failed", 'tell "me" 100% $HOME \\']


def test_a_shell_reads_the_lines_as_they_were_typed() -> None:
    lines = unit("/usr/bin/python3", ARGUMENTS, "/home/a", {}).splitlines()
    nohup = next(line for line in lines if "# nohup" in line or line.startswith("#   nohup"))
    assert shlex.split(nohup.removeprefix("#   nohup ").partition(" > ")[0]) == [
        "/usr/bin/python3", "-m", "itermon", "guard", *ARGUMENTS,
    ]  # fmt: skip
    tmux = next(line for line in lines if "tmux new-session" in line)
    inside = shlex.split(tmux.removeprefix("#   "))[-1]
    assert shlex.split(inside)[4:] == ARGUMENTS


def test_systemd_reads_each_word_as_it_was() -> None:
    assert quoted('a "b" 100% $X \\') == r'"a \"b\" 100%% $$X \\"'
    text = unit("/usr/bin/python3", ARGUMENTS, "/home/50%", {"ITERMON_RUNS_DIR": "/r", "ITERMON_NOTIFY": "ntfy x"})
    assert 'ExecStart="/usr/bin/python3" "-m" "itermon" "guard" "train log.txt"' in text
    assert "WorkingDirectory=/home/50%%" in text
    assert 'Environment="ITERMON_RUNS_DIR=/r"' in text
    assert "ntfy" not in text, "a secret stands in no unit"


@pytest.mark.parametrize("words", [["a\nExecStart=evil"], ["a\rb"]])
def test_a_line_break_is_refused(words: list[str]) -> None:
    with pytest.raises(ValueError, match="line break"):
        unit("python", words, "/", {})
