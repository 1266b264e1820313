"""What asks us to end before there is an app."""

import signal

import pytest

from itermon.tui.drawing import leaving


@pytest.mark.parametrize(("name", "code"), [("INT", 130), ("TERM", 143), ("HUP", 129)])
def test_it_ends_with_its_code_also_where_a_module_is_just_made(name: str, code: int) -> None:
    """A KeyboardInterrupt within an `exec` would end the process by the signal, although it is caught."""
    number = getattr(signal, f"SIG{name}")
    before = signal.getsignal(number)
    with leaving._asked_to_end(), pytest.raises(SystemExit) as end:
        exec(f"import signal\nsignal.raise_signal({int(number)})")
    assert end.value.code == code
    assert signal.getsignal(number) is before
