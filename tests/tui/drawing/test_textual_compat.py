"""What we use of Textual and it does not promise."""

from types import SimpleNamespace

import pytest
from textual.drivers import _writer_thread

from itermon.tui.drawing.textual_compat import never_block


def test_no_write_blocks_however_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_writer_thread, "MAX_QUEUED_WRITES", 30)
    never_block()
    for _ in range(2):  # one from the start, one after SIGCONT
        writer = _writer_thread.WriterThread(SimpleNamespace())  # never started: as if a closed terminal killed it
        for _ in range(100):
            writer._queue.put("x", block=False)
