"""The trainer's share of a GPU's memory, and when nobody can say it."""

import os

import pytest

from itermon.collectors.gpus.usage import Usage, host_ids

NOBODY = 1 << 30  # no process has this id
ME = os.getpid()


@pytest.mark.parametrize(
    ("memory_bytes", "trainer", "believed", "found"),
    [
        ({5: 100, 6: 20, 7: 3}, [5, 7], True, (103, "")),
        ({5: 100}, [5, 9], True, (100, "")),
        ({5: 100}, [], True, (None, "the trainer's process is not known: name it with --pid")),
        ({5: 100}, [6], True, (None, "the trainer does not compute on this GPU")),
        ({}, [6], False, (None, "the trainer does not compute on this GPU")),
        ({5: 100, 6: None}, [5, 6], True, (None, "the driver does not report memory by process")),
        ({5: 100, 6: None}, [5], True, (100, "")),
        ({ME: 100}, [ME], False, (100, "")),  # each id is one of ours: so is the numbering
        ({ME: 100, NOBODY: 5}, [ME], False, (None, "in a container the driver gives the host's process ids")),
        ({ME: 100, NOBODY: 5}, [ME], True, (100, "")),
    ],
)
def test_memory_is_the_trainers_where_the_ids_are_believed(memory_bytes, trainer, believed, found):
    assert Usage(memory_bytes).of(trainer, believed=believed) == found


def test_ids_are_the_hosts_in_its_own_namespace_and_where_there_are_none():
    def no_such_file():
        raise FileNotFoundError

    assert host_ids(lambda: "pid:[4026531836]")
    assert not host_ids(lambda: "pid:[4026531837]")
    assert host_ids(no_such_file)
