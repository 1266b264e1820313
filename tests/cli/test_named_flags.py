"""A hint that names a flag must name one that there is."""

import re
from pathlib import Path

import click

from itermon.cli.command_names import COMMANDS
from itermon.cli.main import main

ROOT = Path(__file__).parents[2]
OTHERS = {
    "--batch_size",
    "--log_period",
    "--num_passes",
    "--long",
    "--multiprocessing-fork",
    "--parent",
    "--silent",
    "--query-gpu",
    "--format",
    "--nonblocking",
    "--me",
    "--noheader",
    "--pid",
    "--cap-add",
    "--user",
    "--now",
}  # of trainers, Python, zstd, nvidia-smi, py-spy, docker, systemctl


def test_every_flag_that_a_text_names_is_an_option_of_a_command() -> None:
    context = click.Context(main)
    options = {"--help", "--version"}
    commands = [main.get_command(context, name) for name in COMMANDS]
    assert None not in commands
    commands += [below for one in commands if isinstance(one, click.Group) for below in one.commands.values()]
    options |= {flag for command in commands if command for one in command.params for flag in one.opts}
    rooms = ("analysis", "cli", "collectors", "launch", "metrics", "notices", "reports", "trainer_hooks", "tui")
    for folder in rooms:
        for file in (ROOT / folder).rglob("*.py"):
            for flag in re.findall(r"(?<![\w-])--[a-z][a-z_-]+", file.read_text(encoding="utf-8")):
                assert flag in options | OTHERS, f"{file}: {flag}"
