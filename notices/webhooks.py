"""A POST to an address of the person's: ntfy, Slack, Discord, or plain JSON for a program of one's own.

Standard library alone. No answer is trusted: it has a time limit, a few hundred bytes of it are read, and nobody
is sent on to another address. What an error says never holds the address: it is the secret.
"""

from __future__ import annotations

import http.client
import json
import math
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from ..collectors.clean import clean
from ..events import Severity
from .channel import NotDeliveredError
from .message import Phase, as_data, lines, text, title

if TYPE_CHECKING:
    from collections.abc import Callable

    from .message import Message

TIMEOUT_S = 10.0
"""Of each step of a connection: a cluster's way out through a proxy takes a few."""

_MOST_ANSWER_BYTES = 300
_MOST_WAIT_S = 3_600.0
_MOST_DISCORD = 1_900  # it takes 2,000 characters
_TRY_AGAIN = (408, 425, 429)  # besides those from 500 on
_NTFY_PRIORITY = {Severity.INFO: 3, Severity.WARNING: 4, Severity.ERROR: 5}


def ntfy(message: Message, address: str) -> tuple[str, dict[str, Any]]:
    """As JSON, to the server itself: a title in a header would have to be ASCII."""
    parts = urlsplit(address)
    above, _, topic = parts.path.rstrip("/").rpartition("/")
    body = {
        "topic": topic,
        "title": title(message),
        "message": "\n".join(lines(message)) or title(message),
        "priority": 3 if message.phase == Phase.ENDED else _NTFY_PRIORITY[message.severity],
    }
    return urlunsplit(parts._replace(path=f"{above}/")), body


def slack(message: Message, address: str) -> tuple[str, dict[str, Any]]:
    """`<!channel>` in a text would call everybody: its three signs are written as Slack asks for."""
    said = text(message).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return address, {"text": said}


def discord(message: Message, address: str) -> tuple[str, dict[str, Any]]:
    """Nobody is mentioned, whatever the text says."""
    return address, {"content": text(message)[:_MOST_DISCORD], "allowed_mentions": {"parse": []}, "flags": 4}


def plain_json(message: Message, address: str) -> tuple[str, dict[str, Any]]:
    """All that is known, for a program."""
    return address, as_data(message)


FORMS: dict[str, Callable[[Message, str], tuple[str, dict[str, Any]]]] = {
    "ntfy": ntfy,
    "slack": slack,
    "discord": discord,
    "json": plain_json,
}


class Webhook(NamedTuple):
    """An address, and the form that it takes. With a `token`, it is sent as a bearer's."""

    name: str
    form: str
    address: str
    token: str = ""
    timeout_s: float = TIMEOUT_S

    def takes(self, message: Message) -> bool:  # noqa: ARG002 - as every channel
        """Each."""
        return True

    def deliver(self, message: Message) -> None:
        """Send it. Raises `NotDeliveredError`."""
        address, body = FORMS[self.form](message, self.address)
        headers = {"Content-Type": "application/json", "User-Agent": "itermon"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        post(address, json.dumps(body).encode(), headers, self.timeout_s)


def check_address(address: str) -> None:
    """Raises `ValueError`, whose words hold nothing of the address, for what is no web address."""
    try:
        parts = urlsplit(address)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not whole or not address.isprintable() or " " in address:
        raise ValueError("its address is none: write https://HOST/PATH")


class _NoWayOn(urllib.request.HTTPRedirectHandler):
    """What is sent on goes to somebody whom the person did not name."""

    def redirect_request(self, *_: Any) -> None:
        return None


def post(address: str, body: bytes, headers: dict[str, str], timeout_s: float = TIMEOUT_S) -> None:
    """Send `body`. Raises `NotDeliveredError`."""
    host = urlsplit(address).hostname or ""
    address = quote(address, safe="%/:=&?~#+!$,;'@()*[]")  # letters that are no ASCII
    request = urllib.request.Request(address, body, headers, method="POST")  # noqa: S310 - checked to be http(s)
    try:
        with urllib.request.build_opener(_NoWayOn).open(request, timeout=timeout_s):
            return  # what it answers is nothing to us, and may be long
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(error, host) from None
    except urllib.error.URLError as error:
        raise NotDeliveredError(f"{host}: {_reason(error.reason)}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotDeliveredError(f"{host}: {_reason(error)}") from None


def _refused(error: urllib.error.HTTPError, host: str) -> NotDeliveredError:
    if 300 <= error.code < 400:
        return NotDeliveredError(f"{host} answers {error.code}: it is at another address", again=False)
    again = error.code in _TRY_AGAIN or error.code >= 500
    return NotDeliveredError(f"{host} answers {error.code}{_said(error)}", again=again, wait_s=_wait_s(error))


def _said(error: urllib.error.HTTPError) -> str:
    """What it says of it, as far as that comes at once."""
    try:
        said = clean(error.fp.read1(_MOST_ANSWER_BYTES).decode(errors="replace"), 120).strip()  # type: ignore[attr-defined]
    except (OSError, http.client.HTTPException, ValueError, AttributeError):
        return ""
    return f": {said}" if said and not said.startswith(("<", "{")) else ""


def _wait_s(error: urllib.error.HTTPError) -> float | None:
    try:
        wait_s = float(error.headers.get("Retry-After", ""))
    except (ValueError, AttributeError):
        return None
    return min(wait_s, _MOST_WAIT_S) if math.isfinite(wait_s) and wait_s > 0 else None


def _reason(error: object) -> str:
    """In words that hold no address: an exception's own may."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__ if isinstance(error, BaseException) else "it cannot be reached"
