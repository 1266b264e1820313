"""The screen's own options."""

import sys
from pathlib import Path

from click.testing import CliRunner
from on_a_terminal import OnATerminal

from itermon.cli import exits
from itermon.cli.main import main

LOG = "".join(f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(30))


def files(folder: Path) -> tuple[str, str]:
    """A log and a poem."""
    (folder / "train.log").write_text(LOG)
    (folder / "poem.txt").write_text("Shall I compare thee to a summer's day?\n" * 9)
    return str(folder / "train.log"), str(folder / "poem.txt")


def test_a_file_to_compare_with_that_is_no_log_is_one_line_and_a_code(tmp_path: Path) -> None:
    log, poem = files(tmp_path)
    result = CliRunner().invoke(main, [log, "--compare", poem])
    assert result.exit_code == exits.NOT_A_LOG
    assert "no line of a known log format" in result.output
    assert result.output.count("\n") == 1


def test_on_the_screen_the_page_says_why_there_is_nothing_to_compare(tmp_path: Path) -> None:
    log, poem = files(tmp_path)
    terminal = OnATerminal([sys.executable, "-m", "itermon", log, "--compare", poem, "--no-machine"])
    try:
        assert terminal.says(b"verdict"), terminal.written[-2000:]
        terminal.press(b"c")
        assert terminal.says(b"poem.txt: no"), terminal.written[-500:]
        terminal.press(b"q")
        assert b"Traceback" not in terminal.written
    finally:
        terminal.close()
