"""Python imports this first of all where `itermon run --hooks` has put its folder on `PYTHONPATH`.

Switches the automatic mode on when the process imports what is watched, so that helpers (pip, compilers, hooks of
git) load and see nothing. Whatever goes wrong, the process goes on as if nothing had been asked. The environment's
own `sitecustomize`, which this one hides, is run as well.

Whatever Python runs below the training reads this file: the syntax is that of 2.7, and at its start it imports
nothing that Python has not loaded already.
"""

# mypy: ignore-errors

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_WATCHED = ("torch", "safetensors")  # all that the automatic mode takes hold of lies in them
_OLDEST = (3, 10)


class _Watch(object):
    """Asked first for every import: sees that the process begins to train."""

    def __init__(self):
        self.waits = True

    def find_spec(self, name, path=None, target=None):
        if not self.waits or name not in _WATCHED or self._of_others(name, path, target) is None:
            return None
        self.waits = False
        _watch()
        return self._of_others(name, path, target)  # anew: the hooks wait for this module too by now

    def _of_others(self, name, path, target):
        others = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        return next((spec for spec in (one.find_spec(name, path, target) for one in others) if spec), None)


class _Last(object):
    """Asked last for every import: itermon and msgspec as they are where `itermon run` runs.

    For a trainer whose environment has neither. Nothing of its own is hidden, and no folder is searched.
    """

    def __init__(self):
        ours = os.path.dirname(os.path.dirname(_HERE))
        self._folders = {"itermon": ours, "msgspec": os.environ.get("ITERMON_MSGSPEC")}

    def find_spec(self, name, path=None, target=None):
        folder = self._folders.get(name)
        if not folder:
            return None
        from importlib.util import spec_from_file_location

        path = os.path.join(folder, "__init__.py")
        return spec_from_file_location(name, path, submodule_search_locations=[folder])


def _watch():
    try:
        if sys.version_info < _OLDEST:
            raise ImportError("this is Python %d.%d; itermon needs %d.%d" % (sys.version_info[:2] + _OLDEST))
        from itermon.trainer_hooks.automatic import watch_when_it_trains

        watch_when_it_trains()
    except Exception as error:
        _complain("itermon: no hooks in this training: %s\n" % error)


def _complain(text):
    """One line a run, from whichever process is first: the file of this name is made but once."""
    try:
        os.close(os.open(os.environ.get("ITERMON_COMPLAINED", ""), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        sys.stderr.write(text)
    except Exception:
        pass


def _run_the_hidden_one():
    elsewhere = [path for path in sys.path if os.path.abspath(path) != _HERE]
    found = (one.find_spec("sitecustomize", elsewhere) for one in list(sys.meta_path) if hasattr(one, "find_spec"))
    spec = next((spec for spec in found if spec is not None and spec.loader is not None), None)
    if spec is not None:
        from importlib.util import module_from_spec

        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _run_the_hidden_one_of_old():
    """The same before 3.6, where imports went another way."""
    try:
        import imp

        found = imp.find_module("sitecustomize", [path for path in sys.path if os.path.abspath(path) != _HERE])
    except ImportError:
        return
    imp.load_module("sitecustomize", *found)


if sys.version_info < (3, 6):  # nobody trains with it
    _run_the_hidden_one_of_old()
else:
    _run_the_hidden_one()
    sys.meta_path.insert(0, _Watch())
    if sys.version_info >= _OLDEST:
        sys.meta_path.append(_Last())
