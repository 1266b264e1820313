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
    "completion",
    "manpage",
)
"""In the order in which `--help` lists them. The first is what `itermon PATH` means."""

COMPLETE = "_ITERMON_COMPLETE"
"""What a shell sets that asks how a command line could go on: see `itermon completion`."""
