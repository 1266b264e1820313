"""The terminal itself as a channel: the one that needs no account, and reaches through ssh and tmux."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from .channel import NotDeliveredError
from .message import lines, title

if TYPE_CHECKING:
    from collections.abc import Callable

    from .message import Message
    from .terminals import Terminal


class TerminalChannel(NamedTuple):
    """`terminal`, reached by `write`: a screen that is drawn there writes between two of its frames."""

    terminal: Terminal
    write: Callable[[str], None]
    name: str = "terminal"

    def takes(self, message: Message) -> bool:  # noqa: ARG002 - as every channel
        """Each."""
        return True

    def deliver(self, message: Message) -> None:
        """Write it. Raises `NotDeliveredError`."""
        said = lines(message)
        self.write(self.terminal.notification(title(message), "; ".join(said[:3]), f"itermon-{message.run}"))


def write_to_own(text: str) -> None:
    """To the terminal behind standard error, which may be gone or stalled: it is not waited for.

    Raises `NotDeliveredError`.
    """
    try:
        descriptor = os.open(os.ttyname(2), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        raise NotDeliveredError("there is no terminal any more", again=False) from None
    try:
        os.write(descriptor, text.encode())
    except OSError as error:
        raise NotDeliveredError(error.strerror or "it cannot be written to") from None
    finally:
        os.close(descriptor)
