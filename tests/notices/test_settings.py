"""Which channels a person has: their lines, and that nobody else can read them."""

from pathlib import Path

import pytest

from itermon.notices.services import Service
from itermon.notices.settings import SettingsError, file_of, is_quiet, load, parse, quiet_hours
from itermon.notices.webhooks import Webhook

LINES = """
# mine
ntfy https://ntfy.sh/secret
NTFY https://ntfy.sh/other token=tk_1
apprise mailto://me:secret@example.org
terminal osc777
quiet 22:00-07:00
"""


def test_each_line_is_a_channel() -> None:
    found = parse(LINES)
    assert found.channels == (
        Webhook("ntfy", "ntfy", "https://ntfy.sh/secret"),
        Webhook("NTFY", "ntfy", "https://ntfy.sh/other", "tk_1"),
        Service("apprise", "mailto://me:secret@example.org"),
    )
    assert (found.terminal, found.quiet) == ("osc777", (22 * 60, 7 * 60))
    assert [one.name for one in parse("json http://a\njson http://b\n").channels] == ["json", "json-2"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("https://ntfy.sh/secret", "the first word is none of"),
        ("ntfy secret", "its address is none"),
        ("ntfy", "its address is none"),
        ("ntfy https://a/secret secret", "token=TOKEN"),
        ("ntfy https://a/secret token=a\x01secret", "token=TOKEN"),
        ("apprise secret", "://"),
        ("terminal osc52", "a terminal takes"),
        ("quiet always", "22:00-07:00"),
    ],
)
def test_a_wrong_line_is_told_by_its_number_and_without_what_is_secret(line: str, why: str) -> None:
    with pytest.raises(SettingsError, match=r"here, line 2: .*" + why) as error:
        parse(f"\n{line}\n", "here")
    assert "secret" not in str(error.value)


def home(tmp_path: Path, mode: int = 0o600) -> dict[str, str]:
    path = tmp_path / ".config" / "itermon" / "notify"
    path.parent.mkdir(parents=True)
    path.write_text("ntfy https://ntfy.sh/secret\n")
    path.chmod(mode)
    return {"HOME": str(tmp_path)}


def test_the_file_and_the_environment_count_together(tmp_path: Path) -> None:
    environment = home(tmp_path) | {"ITERMON_NOTIFY": "slack https://hooks.slack.com/x\nquiet 1:00-2:00"}
    found = load(environment)
    assert [one.name for one in found.channels] == ["ntfy", "slack"]
    assert found.quiet == (60, 120)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_may_read_is_refused_with_what_to_do(tmp_path: Path, mode: int) -> None:
    with pytest.raises(SettingsError, match="chmod 600"):
        load(home(tmp_path, mode))


def test_without_a_file_there_are_no_channels_but_one_that_is_named_must_be_there(tmp_path: Path) -> None:
    assert load({"HOME": str(tmp_path)}).channels == ()
    with pytest.raises(SettingsError, match="no such file"):
        load({"ITERMON_NOTIFY_FILE": str(tmp_path / "none")})
    with pytest.raises(SettingsError, match="a directory"):
        load({"ITERMON_NOTIFY_FILE": str(tmp_path)})


def test_where_the_file_lies() -> None:
    assert file_of({"HOME": "/h"}) == Path("/h/.config/itermon/notify")
    assert file_of({"HOME": "/h", "XDG_CONFIG_HOME": "/c"}) == Path("/c/itermon/notify")
    assert file_of({"HOME": "/h", "ITERMON_NOTIFY_FILE": "/f"}) == Path("/f")


@pytest.mark.parametrize("text", ["22:00", "25:00-1:00", "22:60-1:00", "7:00-7:00", "0:00-24:00", "a-b"])
def test_what_are_no_quiet_hours(text: str) -> None:
    with pytest.raises(ValueError, match="quiet hours"):
        quiet_hours(text)


def test_quiet_hours_may_go_over_midnight() -> None:
    night = quiet_hours("22:00-07:00")
    assert [is_quiet(night, 60 * hour) for hour in (21, 22, 23, 0, 6, 7, 12)] == [
        False, True, True, True, True, False, False,
    ]  # fmt: skip
    noon = quiet_hours("12:00 – 13:30")
    assert [is_quiet(noon, minute) for minute in (719, 720, 809, 810)] == [False, True, True, False]
    assert not is_quiet(None, 0)
