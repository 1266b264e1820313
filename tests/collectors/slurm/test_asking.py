"""A Slurm program is asked in bounded time, and for a bounded answer."""

import sys
from pathlib import Path

import pytest

from itermon.collectors.slurm.asking import answer_of


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_what_it_printed() -> None:
    assert answer_of(python("print('4199|4199|RUNNING|gpt')"), patience_s=60.0) == "4199|4199|RUNNING|gpt\n"


def test_without_the_program_or_where_it_fails_there_is_nothing(tmp_path: Path) -> None:
    assert answer_of(["itermon-has-no-such-program"]) is None
    assert answer_of(python("print('half'); raise SystemExit(1)"), patience_s=60.0) is None


def test_one_that_does_not_answer_is_left() -> None:
    assert answer_of(python("import time; time.sleep(600)"), patience_s=0.05) is None


def test_of_too_much_the_beginning_in_whole_lines() -> None:
    said = answer_of(python("while True: print('x' * 99)"), patience_s=60.0, most_bytes=250)
    assert said == "\n".join(["x" * 99] * 2)


def test_their_own_variables_do_not_change_the_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQUEUE_FORMAT2", "name")
    code = "import os; print([name for name in os.environ if name.startswith('SQUEUE')], os.environ['LC_ALL'])"
    assert answer_of(python(code), patience_s=60.0) == "[] C\n"
