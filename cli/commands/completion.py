"""`itermon completion SHELL`: the script with which a shell completes commands, options, runs and files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from ..command_names import COMPLETE
from ..printing import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELLS = ("bash", "zsh", "fish")
_MOST = 200  # more names than these help nobody choose


@click.command(name="completion")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands, options, names of runs, and files.

    \b
    bash: itermon completion bash > ~/.local/share/bash-completion/completions/itermon
    zsh:  itermon completion zsh > ~/.zfunc/_itermon    (with ~/.zfunc in fpath, before compinit)
    fish: itermon completion fish > ~/.config/fish/completions/itermon.fish

    A new shell then knows it. bash needs its package bash-completion, or the script in ~/.bashrc.
    """
    script = get_completion_class(shell)
    assert script is not None  # noqa: S101 - click has all three
    print_text(script(ctx.find_root().command, {}, "itermon", COMPLETE).source().rstrip("\n"))


def runs_and_files(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The names of runs that go on from `begun`, and the files; where no run does, the shell's own files.

    A shell that gets names and its own files takes only one of the two.
    """
    from ...collectors.runs.listing import run_names

    names = sorted(name for name in run_names() if name.startswith(begun))
    if not names:
        return [CompletionItem(begun, type="file")]
    return [CompletionItem(each) for each in [*names, *_files(begun)][:_MOST]]


def _files(begun: str) -> Sequence[str]:
    folder, start = os.path.split(begun)
    try:
        with os.scandir(folder or ".") as entries:
            found = [(entry.name, entry.is_dir()) for entry in entries if entry.name.startswith(start or "")]
    except OSError:
        return []
    hidden = start.startswith(".")
    return sorted(
        os.path.join(folder, name) + ("/" if is_dir else "")  # noqa: PTH118 - as it was typed
        for name, is_dir in found
        if hidden or not name.startswith(".")
    )
