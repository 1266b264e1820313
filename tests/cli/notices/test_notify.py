"""`itermon notify`: which channels there are, and a test message."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from itermon.cli.exits import NO_INPUT
from itermon.cli.main import main

KEEPS = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("ITERMON_NOTIFY", raising=False)
    monkeypatch.delenv("ITERMON_NOTIFY_FILE", raising=False)


def test_without_a_channel_it_says_how_to_have_one(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["notify", "--test"])
    assert result.exit_code == NO_INPUT
    assert str(tmp_path / "itermon" / "notify") in result.output
    assert "ntfy https://ntfy.sh/TOPIC" in result.output


def test_the_channels_are_listed_without_their_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_NOTIFY", "ntfy https://ntfy.sh/secret")
    result = CliRunner().invoke(main, ["notify"])
    assert result.exit_code == 0
    assert "ntfy: set up" in result.output
    assert "secret" not in result.output


def test_a_test_message_goes_by_each_channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ITERMON_NOTIFY", "ntfy http://127.0.0.1:9/secret")
    line = f'{sys.executable} -c "{KEEPS}" {tmp_path / "kept"}'
    result = CliRunner().invoke(main, ["notify", "--test", "--on", "finished,test", line])
    assert result.exit_code == 1
    assert "--on: sent" in result.output
    assert "ntfy: not sent: 127.0.0.1:" in result.output
    assert json.loads((tmp_path / "kept").read_text())["kind"] == "test"


def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "itermon" / "notify"
    path.parent.mkdir()
    path.write_text("ntfy https://ntfy.sh/secret")
    path.chmod(0o644)
    result = CliRunner().invoke(main, ["notify", "--test"])
    assert result.exit_code == 1
    assert "chmod 600" in result.output


def test_a_command_that_is_not_there_is_a_wrong_argument() -> None:
    result = CliRunner().invoke(main, ["notify", "--on", "failed", "/nowhere/tell me"])
    assert result.exit_code == 2
    assert "no such command" in result.output
