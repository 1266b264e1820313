"""`--host`: the machines whose runs are listed too."""

from __future__ import annotations

import click

host_option = click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="in the list of all runs: those of this machine too, over ssh; repeated for each;"
    " ~/.config/itermon/hosts names those of always, a line each",
)
