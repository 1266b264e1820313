"""The names of the commands, each that of its module in `commands/` or another room, and how some are used."""

COMMANDS = (
    "watch",
    "demo",
    "attach",
    "run",
    "replay",
    "runs",
    "report",
    "plan",
    "compare",
    "stream",
    "record",
    "stack",
    "guard",
    "notify",
    "gpus",
    "export",
    "prometheus",
    "fleet",
    "formats",
    "completion",
    "manpage",
)
"""In the order in which `--help` lists them. The first is what `itermon PATH` means."""

ROOMS = {
    "guard": "guard",
    "notify": "notices",
    "export": "cluster",
    "prometheus": "cluster",
    "fleet": "cluster",
    "runs": "home",
}
"""The folder of those that do not stand in `commands/`."""

COMPLETE = "_ITERMON_COMPLETE"
"""What a shell sets that asks how a command line could go on: see `itermon completion`."""

EXAMPLES = (
    ("itermon train.log", "watch a log, live"),
    ("python train.py | itermon -", "watch what a trainer prints"),
    ("itermon report train.log", "the same findings as text; --json for programs"),
    ("itermon replay old.log", "play an old log as if it were live, 50 times as fast"),
    ("itermon attach", "a running trainer with hooks: choose one, or name it"),
    ("itermon demo", "see it work on a small model that trains right here"),
)
"""What the help and the manual page show first."""
