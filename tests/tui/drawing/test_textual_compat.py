"""What we use of Textual and it does not promise."""

from types import SimpleNamespace

import pytest
from textual.drivers import _writer_thread, linux_driver

from itermon.tui.drawing.textual_compat import never_block, take_any_bytes


def test_no_write_blocks_however_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_writer_thread, "MAX_QUEUED_WRITES", 30)
    never_block()
    for _ in range(2):  # one from the start, one after SIGCONT
        writer = _writer_thread.WriterThread(SimpleNamespace())  # never started: as if a closed terminal killed it
        for _ in range(100):
            writer._queue.put("x", block=False)


def test_a_key_that_is_no_utf8_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_driver, "getincrementaldecoder", linux_driver.getincrementaldecoder)
    take_any_bytes()
    decode = linux_driver.getincrementaldecoder("utf-8")().decode
    assert [decode(typed) for typed in (b"\xe9l", b"\xc3", b"\xa9", b"\xff\xfe")] == [
        "\ufffdl",
        "",
        "\u00e9",
        "\ufffd\ufffd",
    ]
