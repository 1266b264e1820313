"""What every channel is: it takes a message, or says why not, and never raises anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .message import Message


class NotDeliveredError(Exception):
    """The message did not arrive; its words say why, without an address or a secret.

    Args:
        why: in words.
        again: is it worth to try again?
        wait_s: what the other side asked to wait for.
    """

    def __init__(self, why: str, *, again: bool = True, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.again = again
        self.wait_s = wait_s


class Channel(Protocol):
    """A way to a person."""

    @property
    def name(self) -> str:
        """Which it is, on the screen and in the state file: there is no secret in it."""

    def takes(self, message: Message) -> bool:
        """Is this message for this channel?"""

    def deliver(self, message: Message) -> None:
        """Give it to whoever carries it. Raises `NotDeliveredError`; blocks for as long as that takes."""
