"""How a guard outlives the session that started it: a systemd unit of the user's, tmux, or nohup. Text alone."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLES = ("ITERMON_RUNS_DIR", "ITERMON_SOCKETS_DIR", "ITERMON_NOTIFY_FILE", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
"""What a guard has to know that was set here. `ITERMON_NOTIFY` is not among them: it holds secrets."""

_UNIT = """\
# A guard that outlives this session. With systemd:
#   itermon guard --install {line} > ~/.config/systemd/user/itermon-guard.service
#   systemctl --user daemon-reload && systemctl --user enable --now itermon-guard
#   loginctl enable-linger      (without it, it ends when you log out)
# Or in tmux:
#   tmux new-session -d -s itermon-guard {in_tmux}
# Or with nohup:
#   nohup {command} > /dev/null 2>&1 &
[Unit]
Description=itermon guard: tells of training runs

[Service]
ExecStart={start}
WorkingDirectory={folder}
{variables}Restart=on-failure
RestartSec=30
Nice=10

[Install]
WantedBy=default.target
"""


def unit(python: str, arguments: Sequence[str], folder: str, environment: Mapping[str, str]) -> str:
    """A unit for `itermon guard ARGUMENTS`, the other ways as comments. Raises `ValueError` for a line break."""
    words = [python, "-m", "itermon", "guard", *arguments]
    kept = {name: environment[name] for name in VARIABLES if environment.get(name)}
    if any("\n" in word or "\r" in word for word in (*words, folder, *kept.values())):
        raise ValueError("a line break cannot stand in a unit")
    command = shlex.join(words)
    return _UNIT.format(
        line=shlex.join(arguments),
        in_tmux=shlex.quote(command),
        command=command,
        start=" ".join(map(quoted, words)),
        folder=folder.replace("%", "%%"),
        variables="".join(
            f"Environment={quoted(f'{name}={value}', dollar='$')}\n" for name, value in kept.items()
        ),
    )


def quoted(word: str, dollar: str = "$$") -> str:
    """As systemd reads a word: `%` and `$` mean something to it."""
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", dollar)
    return f'"{text}"'
