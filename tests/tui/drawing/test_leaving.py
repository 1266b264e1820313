"""What asks us to end before there is an app."""

import signal

import pytest

from itermon.tui.drawing import leaving


@pytest.mark.parametrize(("name", "code"), [("INT", 130), ("TERM", 143), ("HUP", 129)])
def test_it_ends_with_its_code_also_where_a_module_is_just_made(name: str, code: int) -> None:
    """A KeyboardInterrupt within an `exec` would end the process by the signal, although it is caught."""
    number = getattr(signal, f"SIG{name}")
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as end, leaving._asked_to_end():
        exec(f"import signal\nsignal.raise_signal({int(number)})")
    assert end.value.code == code
    assert signal.getsignal(number) is before


class _Unreferenced:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGHUP)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_who_is_asked_while_a_destructor_runs_or_a_library_catches_it_ends_all_the_same() -> None:
    """Python drops what is raised in a destructor, and in the callbacks of weak references that imports make."""
    with pytest.raises(SystemExit) as end, leaving._asked_to_end():
        _Unreferenced()
    assert end.value.code == 129
