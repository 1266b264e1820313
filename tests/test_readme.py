"""The README says what is so."""

import re
from pathlib import Path

from itermon.cli.command_names import COMMANDS
from itermon.cli.exits import EXIT_CODES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MEASURED = (ROOT / "bench" / "README.md").read_text(encoding="utf-8")


def test_every_exit_code_stands_in_it() -> None:
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in README


def test_every_command_it_names_is_one() -> None:
    named = set(re.findall(r"`itermon (?:--ascii )?([a-z]+)\b(?!\.)", README))
    assert {"plan", "report", "attach"} <= named
    assert named <= set(COMMANDS)


def test_every_file_it_names_is_there() -> None:
    for name in re.findall(r"\]\(([^)#:]+)\)|`(bench/\w+\.py)`", README):
        assert (ROOT / "".join(name)).exists(), name


def test_every_measured_row_names_its_bench() -> None:
    rows = [line for line in (README + MEASURED).splitlines() if re.search(r"`\w+\.py[^`]*` \|$", line)]
    assert len(rows) > 60
    for row in rows:
        name = re.findall(r"`(\w+\.py)", row)[-1]
        assert (ROOT / "bench" / name).exists(), name


def test_every_row_of_the_readme_stands_among_all_that_was_measured() -> None:
    rows = [line for line in README.splitlines() if line.endswith(".py` |")]
    assert len(rows) > 10
    assert {row for row in rows if row not in MEASURED} == set()


def test_every_make_target_it_names_is_one() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", README, re.MULTILINE):
        assert re.search(rf"^{''.join(target)}:", makefile, re.MULTILINE), target
