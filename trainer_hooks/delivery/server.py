"""The trainer's socket: any number of viewers, each fed from the recording at its own pace.

Runs on the daemon thread, but for `wake`. Data flows out only: the reading half of every connection is shut at
once, so nothing that a viewer sends is ever received, let alone obeyed. A viewer that reads slowly, or not at all,
costs one file descriptor and an integer.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from typing import TYPE_CHECKING

from ... import private, run_files
from ...events import Message, Severity, encode

if TYPE_CHECKING:
    from pathlib import Path

    from .recording import Recording

MOST_VIEWERS = 128
_ROUNDS_AT_ONCE = 4  # sends of up to 1 MiB to one viewer before the others and the events have their turn
_BACKLOG = 64


class _Viewer:
    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.offset = 0
        self.waits = False  # its socket is full: the poll says when there is room again


class Server:
    """Listens at `path` and feeds who connects. No method raises for what a viewer or the file system does."""

    def __init__(self, path: Path | None, recording: Recording) -> None:
        self.path = path
        self.trouble = ""
        self._recording = recording
        self._overflows = 0
        self._viewers: dict[int, _Viewer] = {}
        self._poll = select.poll()
        self._pipe = self._made_pipe()
        self._listener: socket.socket | None = None
        self._inode: int | None = None
        self.listen()

    def __len__(self) -> int:
        """How many viewers are attached."""
        return len(self._viewers)

    def listen(self) -> None:
        """Serve at the path, unless we do already: called again now and then, it heals a directory swept away."""
        if self.path is None or (self._listener is not None and self._is_ours(self.path)):
            return
        try:
            private.make_folder(self.path.parent)
            self._replace_listener(self._bind(self.path))
            self._inode = self.path.lstat().st_ino
            self.trouble = ""
        except OSError as error:
            self.trouble = f"{error.filename or self.path}: {error.strerror or error}"

    def wait(self, until_s: float) -> None:
        """Serve viewers until `until_s` (monotonic clock), or until `wake`."""
        while True:
            left_s = until_s - time.monotonic()
            woken = False
            ready = self._poll.poll(max(0.0, left_s) * 1000)
            for fd, what in ready:
                if self._pipe is not None and fd == self._pipe[0]:
                    woken = True
                elif self._listener is not None and fd == self._listener.fileno():
                    self._accept()
                elif (viewer := self._viewers.get(fd)) is not None:
                    self._serve(fd, viewer, what)
            if woken or not ready or left_s <= 0:  # nothing ready: that was the time-out
                return

    def feed(self) -> None:
        """Send what is new to every viewer whose socket has room. Follows every append to the recording."""
        if self._overflows != self._recording.overflows:
            self._overflows = self._recording.overflows
            for viewer in self._viewers.values():
                viewer.offset = self._recording.relocate(viewer.offset)
        for fd, viewer in list(self._viewers.items()):
            if not viewer.waits:
                self._send(fd, viewer)

    def wake(self) -> None:
        """End a `wait` that is under way; for any thread."""
        if (pipe := self._pipe) is not None:
            with contextlib.suppress(OSError):  # a full pipe wakes as well
                os.write(pipe[1], b"!")

    def finish(self, until_s: float) -> None:
        """Give viewers until `until_s` (monotonic clock) to take the rest, then let all go and leave no trace."""
        self._quit_listening()
        if self._pipe is not None:
            self._poll.unregister(self._pipe[0])
        self.feed()
        while self._lagging() and (left_s := until_s - time.monotonic()) > 0:
            for fd, what in self._poll.poll(left_s * 1000):
                if (viewer := self._viewers.get(fd)) is not None:
                    self._serve(fd, viewer, what)
        self.abandon()

    def abandon(self) -> None:
        """Close our copies of all descriptors and touch nothing else: what a forked child does."""
        for viewer in self._viewers.values():
            viewer.connection.close()
        self._viewers.clear()
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        # Forgotten first: what is closed or woken once more, as in a child that is forked after the end, would
        # otherwise be whatever file of the trainer's has the number by then.
        pipe, self._pipe = self._pipe, None
        for fd in pipe or ():
            with contextlib.suppress(OSError):
                os.close(fd)

    def _made_pipe(self) -> tuple[int, int] | None:
        """What ends a `wait`. A process that has no descriptors left waits to the end of the tick."""
        try:
            read, write = os.pipe()
        except OSError:
            return None
        os.set_blocking(write, False)
        self._poll.register(read, select.POLLIN)
        return read, write

    def _lagging(self) -> bool:
        return any(viewer.offset < self._recording.size for viewer in self._viewers.values())

    def _is_ours(self, path: Path) -> bool:
        try:
            return path.lstat().st_ino == self._inode
        except OSError:
            return False

    def _bind(self, path: Path) -> socket.socket:
        """A socket that listens at `path`; it gets that name when it is private and listens, not before."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        nascent = path.with_name(path.name + ".new")
        try:
            listener.setblocking(False)  # noqa: FBT003 - the socket's own signature
            with run_files.address(nascent) as address:
                listener.bind(address)
            nascent.chmod(0o600)
            listener.listen(_BACKLOG)
            nascent.rename(path)
        except OSError:
            listener.close()
            raise
        return listener

    def _replace_listener(self, listener: socket.socket) -> None:
        if self._listener is not None:
            self._poll.unregister(self._listener)
            self._listener.close()
        self._listener = listener
        self._poll.register(listener, select.POLLIN)

    def _quit_listening(self) -> None:
        if self._listener is None or self.path is None:
            return
        if self._is_ours(self.path):
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._poll.unregister(self._listener)
        self._listener.close()
        self._listener = None

    def _accept(self) -> None:
        if self._listener is None:
            return
        try:
            connection, _ = self._listener.accept()
        except OSError as error:  # it left already, or this process has no descriptors left
            self.trouble = str(error)
            time.sleep(0.01)  # this thread alone: without it, no free descriptor would mean a busy loop
            return
        try:
            connection.setblocking(False)  # noqa: FBT003
            refusal = self._refusal(connection)
            if refusal:
                connection.send(encode(Message(text=refusal, level=Severity.ERROR)))
                connection.close()
                return
            connection.shutdown(socket.SHUT_RD)
        except OSError:
            connection.close()
            return
        viewer = _Viewer(connection)
        self._viewers[connection.fileno()] = viewer
        self._poll.register(connection, 0)
        self._send(connection.fileno(), viewer)

    def _refusal(self, connection: socket.socket) -> str:
        """Why this peer gets nothing: the directory's mode keeps others out, and this holds where it does not."""
        if run_files.peer_uid(connection) not in (os.geteuid(), 0):
            return "this trainer belongs to another user"
        if len(self._viewers) >= MOST_VIEWERS:
            return f"this trainer has {MOST_VIEWERS} viewers already: close one, or replay its recording"
        return ""

    def _serve(self, fd: int, viewer: _Viewer, what: int) -> None:
        if what == select.POLLOUT:
            self._send(fd, viewer)
        else:  # nothing else is asked for: it has gone
            self._drop(fd)

    def _send(self, fd: int, viewer: _Viewer) -> None:
        recording = self._recording
        try:
            for _ in range(_ROUNDS_AT_ONCE):
                if viewer.offset >= recording.size:
                    self._watch(fd, viewer, waits=False)
                    return
                viewer.offset += recording.send(viewer.connection, viewer.offset)
        except BlockingIOError:
            pass
        except OSError:
            self._drop(fd)
            return
        self._watch(fd, viewer, waits=True)

    def _watch(self, fd: int, viewer: _Viewer, *, waits: bool) -> None:
        if waits is not viewer.waits:
            viewer.waits = waits
            self._poll.modify(fd, select.POLLOUT if waits else 0)

    def _drop(self, fd: int) -> None:
        viewer = self._viewers.pop(fd, None)
        if viewer is not None:
            with contextlib.suppress(KeyError, OSError):
                self._poll.unregister(fd)
            viewer.connection.close()
