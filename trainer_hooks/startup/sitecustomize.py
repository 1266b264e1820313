"""Python imports this first of all where `itermon run --hooks` has put its folder on `PYTHONPATH`.

Switches the automatic mode on, for the case that this process trains; whatever goes wrong, the process goes on as
if nothing had been asked. The environment's own `sitecustomize`, which this one hides, is run as well.
"""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib costs 5 ms in every process


def _run_the_hidden_one() -> None:
    elsewhere = [path for path in sys.path if os.path.abspath(path) != _HERE]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _watch() -> None:
    if importlib.util.find_spec("itermon") is None:
        sys.path.append(os.environ.get("ITERMON_PATH", ""))  # last: nothing of the trainer's own is hidden
    try:
        from itermon.trainer_hooks.automatic import watch_when_it_trains  # noqa: PLC0415

        watch_when_it_trains()
    except Exception as error:  # noqa: BLE001 - the trainer comes first
        text = f"itermon: no hooks in this process: {type(error).__name__}: {error}"
        print(text, file=sys.stderr)  # noqa: T201 - nothing else is there yet


_watch()
_run_the_hidden_one()
