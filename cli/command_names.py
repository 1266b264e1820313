"""The names of the commands, each that of its module in `commands/`."""

COMMANDS = (
    "watch",
    "demo",
    "attach",
    "run",
    "replay",
    "report",
    "plan",
    "compare",
    "stream",
    "record",
    "gpus",
    "formats",
)
"""In the order in which `--help` lists them. The first is what `itermon PATH` means."""
