"""Which channels a person has: in a file that nobody else can read, or the environment; never in an argument.

A line is a channel: `ntfy https://ntfy.sh/TOPIC`, `slack ADDRESS`, `discord ADDRESS`, `json ADDRESS token=TOKEN`,
`apprise ADDRESS`, `terminal`; or `quiet 22:00-07:00`. A line that begins with # counts not.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..opening import open_file
from .services import Service
from .terminals import PROTOCOLS
from .webhooks import FORMS, Webhook, check_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .channel import Channel

VARIABLE = "ITERMON_NOTIFY"
"""The environment variable with such lines."""

FILE_VARIABLE = "ITERMON_NOTIFY_FILE"
TERMINAL = "terminal"
EXAMPLE = "ntfy https://ntfy.sh/TOPIC"
_MOST_BYTES = 65_536
_MOST_CHANNELS = 16
_DAY_MINUTES = 24 * 60


class SettingsError(ValueError):
    """They cannot be used; the words say why and where, and hold nothing of what may be secret."""


class Settings(NamedTuple):
    """The channels, the terminal's own `protocol` (`None`: the terminal is not asked for), and quiet hours."""

    channels: tuple[Channel, ...] = ()
    terminal: str | None = None
    quiet: tuple[int, int] | None = None
    """Begin and end, in minutes since midnight, local time."""


def joined(first: Settings, second: Settings) -> Settings:
    """Both; what the second says of the terminal and of quiet hours counts."""
    terminal = first.terminal if second.terminal is None else second.terminal
    return Settings((*first.channels, *second.channels)[:_MOST_CHANNELS], terminal, second.quiet or first.quiet)


def file_of(environment: Mapping[str, str]) -> Path:
    """Where the person's file lies: `itermon/notify` in `$XDG_CONFIG_HOME` (`~/.config`), if no other is named."""
    if named := environment.get(FILE_VARIABLE):
        return Path(named)
    config = environment.get("XDG_CONFIG_HOME", "")
    if not config.startswith("/"):
        config = os.path.join(environment.get("HOME", "/"), ".config")  # noqa: PTH118 - a home that may not be there
    return Path(config) / "itermon" / "notify"


def load(environment: Mapping[str, str]) -> Settings:
    """What the file and the environment say together. Raises `SettingsError`."""
    path = file_of(environment)
    kept = Settings()
    try:
        kept = parse(_read(path), str(path))
    except FileNotFoundError:
        if environment.get(FILE_VARIABLE):
            raise SettingsError(f"{path}: no such file") from None
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from None
    return joined(kept, parse(environment.get(VARIABLE, ""), f"${VARIABLE}"))


def _read(path: Path) -> str:
    fd = open_file(path)
    try:
        found = os.fstat(fd)
        if found.st_uid not in (0, os.geteuid()):
            raise SettingsError(f"{path}: it belongs to another user (uid {found.st_uid})")
        if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise SettingsError(f"{path}: others may read it, and it holds secrets: chmod 600 {path}")
        return os.read(fd, _MOST_BYTES).decode(errors="replace")
    finally:
        os.close(fd)


def parse(text: str, where: str = "") -> Settings:
    """The channels in `text`, a line each; `where` it stands is said in an error. Raises `SettingsError`."""
    settings = Settings()
    names: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            continue
        names[word] = names.get(word, 0) + 1
        name = word if names[word] == 1 else f"{word}-{names[word]}"
        try:
            settings = joined(settings, _one(word.lower(), rest.strip(), name))
        except ValueError as error:
            raise SettingsError(f"{where}, line {number}: {error}") from None
    return settings


def _one(word: str, rest: str, name: str) -> Settings:
    if word == TERMINAL:
        if rest not in ("", *PROTOCOLS):
            raise ValueError(f"a terminal takes {', '.join(PROTOCOLS)}")
        return Settings(terminal=rest)
    if word == "quiet":
        return Settings(quiet=quiet_hours(rest))
    if word == "apprise":
        if "://" not in rest:
            raise ValueError("an address of Apprise has :// in it")
        return Settings((Service(name, rest),))
    if word not in FORMS:
        words = ", ".join((*FORMS, "apprise", TERMINAL, "quiet"))
        raise ValueError(f"the first word is none of {words}; for example: {EXAMPLE}")
    address, *others = rest.split()[:2] or [""]
    check_address(address)
    return Settings((Webhook(name, word, address, _token(others)),))


def _token(words: list[str]) -> str:
    found = re.fullmatch(r"token=([\x21-\x7e]{1,500})", words[0]) if words else None
    if words and not found:
        raise ValueError("behind the address only token=TOKEN may stand")
    return found[1] if found else ""


def quiet_hours(text: str) -> tuple[int, int]:
    """`22:00-07:00` in minutes since midnight. Raises `ValueError`."""
    found = re.fullmatch(r"(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})", text.strip(), re.ASCII)
    if not found or any(int(found[at]) > most for at, most in ((1, 24), (2, 59), (3, 24), (4, 59))):
        raise ValueError("quiet hours are written 22:00-07:00")
    begin, end = (60 * int(found[at]) + int(found[at + 1]) for at in (1, 3))
    if begin % _DAY_MINUTES == end % _DAY_MINUTES:
        raise ValueError("quiet hours that never end: write 22:00-07:00")
    return begin % _DAY_MINUTES, end % _DAY_MINUTES


def is_quiet(quiet: tuple[int, int] | None, minute: int) -> bool:
    """Does the `minute` since midnight lie in the quiet hours, which may go over midnight?"""
    if quiet is None:
        return False
    begin, end = quiet
    return begin <= minute < end if begin < end else minute >= begin or minute < end
