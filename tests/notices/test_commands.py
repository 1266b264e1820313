"""A command of the person's: its arguments, its input, its end."""

import json
import sys
from pathlib import Path

import pytest

from itermon.notices.channel import NotDeliveredError
from itermon.notices.commands import Command
from itermon.notices.message import Message, Phase

MESSAGE = Message(id="a/1", run="gpt", phase=Phase.BEGAN, kind="failed", state="it failed")
KEEPS = (
    "import os, sys; open(sys.argv[1], 'w').write(sys.stdin.read() + str(sys.argv[2:]) + str(sorted(os.environ)))"
)


def python(code: str, *arguments: str, timeout_s: float = 60.0) -> Command:
    return Command("--on", (sys.executable, "-c", code, *arguments), timeout_s=timeout_s)


def test_it_gets_the_message_as_json_and_its_arguments_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_NOTIFY", "ntfy https://ntfy.sh/secret")
    python(KEEPS, str(tmp_path / "kept"), "$HOME; rm *").deliver(MESSAGE)
    data, _, rest = (tmp_path / "kept").read_text().partition("\n")
    assert json.loads(data)["state"] == "it failed"
    assert rest.startswith("['$HOME; rm *']")
    assert "ITERMON_NOTIFY" not in rest


def test_only_its_kinds_are_for_it() -> None:
    assert Command("a", ("true",)).takes(MESSAGE)
    assert Command("a", ("true",), frozenset({"failed"})).takes(MESSAGE)
    assert not Command("a", ("true",), frozenset({"finished"})).takes(MESSAGE)


@pytest.mark.parametrize(
    ("command", "why", "again"),
    [
        (python("raise SystemExit(3)"), "exit code 3", False),
        (python("import time; time.sleep(99)", timeout_s=0.5), "no end after", False),
        (Command("a", ("/nowhere/notify",)), "/nowhere/notify: No such file or directory", True),
        (Command("a", ("a\0b",)), "embedded null byte", True),
    ],
)
def test_what_goes_wrong_is_said(command: Command, why: str, again: bool) -> None:
    with pytest.raises(NotDeliveredError, match=why) as error:
        command.deliver(MESSAGE)
    assert error.value.again is again


def test_one_that_reads_nothing_is_no_fault() -> None:
    python("import os; os.close(0)").deliver(MESSAGE)
