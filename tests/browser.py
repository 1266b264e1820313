"""A real browser without a window, for the tests of the page: Chromium, driven through a pipe (DevTools protocol).

One for all tests of a process: to start it takes a second. It has a folder of its own, and no test asks a network.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "no chromium here (Debian: apt-get install chromium)"

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_PATIENCE_S = 60.0


class Browser:
    """A page in it: what it shows, what it complains of, what it asks for."""

    def __init__(self) -> None:
        assert PROGRAM is not None
        self._folder = tempfile.mkdtemp(prefix="itermon-browser-")
        (theirs_in, self._to), (self._from, theirs_out) = os.pipe(), os.pipe()
        for fd in (theirs_in, theirs_out):
            os.set_inheritable(fd, True)
        # The browser reads its orders from descriptor 3 and answers on 4.
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = ["bash", "-c", shell, "bash", PROGRAM, *_FLAGS, f"--user-data-dir={self._folder}", "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer = b""
        self._number = 0
        self.complaints: list[str] = []
        self.asked_for: list[str] = []
        self._session = ""
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End it, and remove what it wrote."""
        for fd in (self._to, self._from):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def open(self, url: str, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Show `url` and wait until it is loaded; complaints and requests are those of this page."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 640,
        )
        self.complaints, self.asked_for = [], []
        self.call("Page.navigate", url=url)
        self._wait_for("Page.loadEventFired")

    def value(self, expression: str) -> Any:
        """What a line of JavaScript gives in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return found["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, buttons: int = 0) -> None:
        """Move or press the mouse."""
        button = "left" if kind != "mouseMoved" else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    def key(self, key: str) -> None:
        """Press a key."""
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **(text if kind == "keyDown" else {}))

    def picture(self) -> bytes:
        """All of the page as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One order, and its answer."""
        self._number += 1
        order: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            order["sessionId"] = self._session
        os.write(self._to, json.dumps(order).encode() + b"\0")
        while True:
            message = self._next()
            if message.get("id") == self._number:
                assert "error" not in message, message["error"]
                return dict(message["result"])

    def _wait_for(self, event: str) -> None:
        while self._next().get("method") != event:
            pass

    def _next(self) -> dict[str, Any]:
        """The next message; what the page complains of and asks for is noted on the way."""
        end_s = time.monotonic() + _PATIENCE_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end_s - time.monotonic()))
            data = os.read(self._from, 1 << 16) if ready else b""
            assert data, "the browser says nothing any more"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, said: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.asked_for.append(said["request"]["url"])
        elif method == "Log.entryAdded":
            self.complaints.append(said["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(
                said["exceptionDetails"].get("exception", {}).get("description", "an exception")
            )
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(said["args"]))
