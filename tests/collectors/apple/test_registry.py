"""What `ioreg` prints: read where it is a list of GPUs, and refused with a reason where it is anything else."""

import plistlib

import pytest

from itermon.collectors.apple.registry import COMMAND, Registry, RegistryError


def registry(told, trouble=""):
    def run(command, longest_s, most_bytes):
        assert command == COMMAND
        if isinstance(told, Exception):
            raise told
        return told, trouble

    return Registry(run=run)


def test_each_gpu_is_an_entry():
    entries = [{"model": "Apple M3 Pro"}, "no entry", {"model": "AMD"}]
    assert registry(plistlib.dumps(entries)).gpus() == [entries[0], entries[2]]
    assert registry(b"").gpus() == []
    assert len(registry(plistlib.dumps([{}] * 40)).gpus()) == 16


@pytest.mark.parametrize(
    ("told", "trouble", "why"),
    [
        (FileNotFoundError(2, "No such file or directory"), "", "cannot be asked: No such file"),
        (b"<plist", "", "cannot be read"),
        (b"no list at all", "", "cannot be read"),
        (plistlib.dumps({"model": "x"}), "", "no list of GPUs"),
        (b"", "ioreg: bad option", "bad option"),
    ],
)
def test_what_cannot_be_read_says_why_and_is_of_all(told, trouble, why):
    asked = registry(told, trouble)
    with pytest.raises(RegistryError, match=why) as error:
        asked.gpus()
    assert error.value.is_of_all
    assert asked.under_way is None
    assert "ioreg" in asked.took_s


def test_how_long_it_took_is_known_though_it_failed():
    for told in (b"", FileNotFoundError(2, "No such file or directory")):
        asked, times = registry(told), iter([10.0, 12.5])
        asked.clock = lambda times=times: next(times)
        try:
            asked.gpus()
        except RegistryError:
            assert told
        assert asked.took_s == {"ioreg": 2.5}


def test_of_a_long_complaint_the_beginning_is_told():
    with pytest.raises(RegistryError, match=r"^ioreg: x{200}$"):
        registry(b"", "x" * 300).gpus()
