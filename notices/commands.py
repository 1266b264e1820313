"""A command of the person's: an argument list, no shell, and the message as JSON on its standard input."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from .channel import NotDeliveredError
from .message import as_data

if TYPE_CHECKING:
    from .message import Message

TIMEOUT_S = 60.0
SECRETS = ("ITERMON_NOTIFY",)
"""Variables of ours with addresses in them: not every program is to know them."""

EVERY = "all"


class Command(NamedTuple):
    """`argv`, for messages of these `kinds`."""

    name: str
    argv: tuple[str, ...]
    kinds: frozenset[str] = frozenset((EVERY,))
    timeout_s: float = TIMEOUT_S

    def takes(self, message: Message) -> bool:
        """Is it of one of its kinds?"""
        return EVERY in self.kinds or message.kind in self.kinds

    def deliver(self, message: Message) -> None:
        """Run it to its end; after `timeout_s` it is killed, with all that it started.

        Raises `NotDeliveredError`. What has begun is not run again: it may have done the half of its work.
        """
        data = json.dumps(as_data(message)).encode() + b"\n"
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        try:
            process = subprocess.Popen(  # noqa: S603 - the person's own command, without a shell
                self.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,  # Ctrl-C is for us alone, and all of it can be ended
            )
        except (OSError, ValueError) as error:
            raise NotDeliveredError(f"{self.argv[0]}: {getattr(error, 'strerror', None) or error}") from None
        try:
            process.communicate(data, self.timeout_s)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise NotDeliveredError(f"{self.argv[0]}: no end after {self.timeout_s:.0f} s", again=False) from None
        if process.returncode:
            raise NotDeliveredError(f"{self.argv[0]}: exit code {process.returncode}", again=False)
