"""Mail, Telegram and a hundred services more by Apprise, the extra `itermon[notify]`: one address says which."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..events import Severity
from .channel import NotDeliveredError
from .message import lines, title

if TYPE_CHECKING:
    from .message import Message

MISSING = "Apprise is not installed: pip install 'itermon[notify]'"
_TYPES = {Severity.INFO: "info", Severity.WARNING: "warning", Severity.ERROR: "failure"}


class Service(NamedTuple):
    """An address as Apprise writes it: `mailto://`, `tgram://`, ..."""

    name: str
    address: str

    def takes(self, message: Message) -> bool:  # noqa: ARG002 - as every channel
        """Each."""
        return True

    def deliver(self, message: Message) -> None:
        """Send it. Raises `NotDeliveredError`: Apprise says no more than that it did not arrive."""
        try:
            import apprise  # noqa: PLC0415 - an extra, and 200 ms
        except ImportError:
            raise NotDeliveredError(MISSING, again=False) from None
        service = apprise.Apprise()
        if not service.add(self.address):
            raise NotDeliveredError("Apprise does not know this address", again=False)
        body = "\n".join(lines(message)) or title(message)
        try:
            arrived = service.notify(body=body, title=title(message), notify_type=_TYPES[message.severity])
        except Exception as error:  # noqa: BLE001 - a hundred plugins of others
            raise NotDeliveredError(f"Apprise: {type(error).__name__}") from None
        if not arrived:
            raise NotDeliveredError("Apprise could not deliver it")
