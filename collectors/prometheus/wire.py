"""One request and its answer over HTTP: never longer than its time, never larger than its bound, no redirects."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import zlib
from typing import TYPE_CHECKING, NamedTuple

from ..clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .access import Access

MOST_BYTES = 32 << 20
"""Of an answer, unpacked: 10,000 ranks in 160 columns at 20 bytes."""

_CHUNK_BYTES = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS
_CERTIFICATE = "--cert and --key say who you are"


class WireError(Exception):
    """No answer came, and the message says why, without the server's name."""


class Reply(NamedTuple):
    """The status, the body as it was before it was packed, and where another status sends one."""

    status: int
    body: bytes
    location: str = ""


class Wire:
    """A connection that is kept for the next request.

    Args:
        access: the server.
        timeout_s: for the whole of a request, however slowly the server speaks.
    """

    def __init__(self, access: Access, timeout_s: float) -> None:
        self._access, self._timeout_s = access, timeout_s
        self._connection: http.client.HTTPConnection | None = None
        self.received_bytes = 0
        """The bodies so far, as they came over the wire."""

    def request(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        """Ask; once more on a new connection, if the kept one was closed meanwhile. Raises `WireError`."""
        kept = self._connection is not None
        try:
            return self._once(method, path, body, headers)
        except (ConnectionError, http.client.BadStatusLine):
            self.close()
            if not kept:
                raise WireError(self._closed) from None
        try:
            return self._once(method, path, body, headers)
        except (ConnectionError, http.client.BadStatusLine):
            self.close()
            raise WireError(self._closed) from None

    @property
    def _closed(self) -> str:
        """Over TLS the reason may be lost on its way: who wants a certificate closes while we still ask."""
        why = f". One that does not know who you are may do so: {_CERTIFICATE}" if self._access.secure else ""
        return f"closes the connection without an answer{why}"

    def close(self) -> None:
        """Let the connection go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()

    def _once(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        connection = self._connection or self._connected()
        with self._in_time(connection.sock) as is_late:
            try:
                connection.request(method, path, body, dict(headers))
                reply = self._read(connection.getresponse())
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.close()
                if is_late.is_set() or isinstance(error, TimeoutError):
                    raise WireError(f"no answer within {self._timeout_s:g} s") from None
                if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
                    raise ConnectionResetError from None
                if isinstance(error, ssl.SSLError):  # since TLS 1.3 said only with the first answer
                    raise WireError(_why_not(error, self._timeout_s)) from None
                if isinstance(error, ConnectionError | http.client.BadStatusLine):
                    raise
                broken = isinstance(error, http.client.IncompleteRead)
                odd = f"speaks no HTTP that can be read ({type(error).__name__})"
                raise WireError("an answer that breaks off in its middle" if broken else odd) from None
        if is_late.is_set():  # the rest may be missing
            self.close()
            raise WireError(f"no answer within {self._timeout_s:g} s")
        return reply

    def _connected(self) -> http.client.HTTPConnection:
        access, context = self._access, self._access.context()
        if context is None:
            connection = http.client.HTTPConnection(access.host, access.port, timeout=self._timeout_s)
        else:
            connection = http.client.HTTPSConnection(
                access.host, access.port, timeout=self._timeout_s, context=context
            )
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise WireError(_why_not(error, self._timeout_s)) from None
        except (UnicodeError, ValueError):  # a name that cannot be one
            raise WireError("no such host") from None
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        return connection

    @contextlib.contextmanager
    def _in_time(self, sock: socket.socket) -> Iterator[threading.Event]:
        """Ends the conversation when its time is over: a server that sends a byte a second never times out."""
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            with contextlib.suppress(OSError):
                socket.socket.shutdown(sock, socket.SHUT_RDWR)  # of TLS too, without its goodbye

        timer = threading.Timer(self._timeout_s, end)
        timer.daemon = True
        timer.start()
        try:
            yield is_late
        finally:
            timer.cancel()

    def _read(self, response: http.client.HTTPResponse) -> Reply:
        """The body, unpacked; what is too large is refused before it is read, or where it becomes so."""
        packed = response.getheader("Content-Encoding", "").lower()
        unpacker = zlib.decompressobj(_GZIP) if packed == "gzip" else None
        parts, size = [], 0
        if int(response.getheader("Content-Length") or 0) > MOST_BYTES:
            size = MOST_BYTES + 1
        while size <= MOST_BYTES and (data := response.read1(_CHUNK_BYTES)):
            self.received_bytes += len(data)
            try:
                part = unpacker.decompress(data, MOST_BYTES + 1 - size) if unpacker else data
            except zlib.error:
                self.close()
                raise WireError("an answer whose compression is broken") from None
            parts.append(part)
            size += len(part)
        if size > MOST_BYTES:
            self.close()
            raise WireError(f"an answer of more than {MOST_BYTES >> 20} MiB: ask for less (--window, --run)")
        if response.length:
            raise http.client.IncompleteRead(b"")
        response.close()
        if response.will_close:
            self.close()
        return Reply(response.status, b"".join(parts), clean(response.getheader("Location", ""), 200))


def _why_not(error: OSError, timeout_s: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout_s:g} s"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message}): --ca FILE names who signed it"
    if isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or ""):
        said = error.reason.rpartition("ALERT_")[2].replace("_", " ").lower()
        return f"does not let you in ({said}): {_CERTIFICATE}"
    if isinstance(error, ssl.SSLError):
        return f"no TLS there ({error.reason or 'unreadable'}): is it http://?"
    if isinstance(error, socket.gaierror):
        return f"no such host ({error.strerror})"
    return error.strerror or type(error).__name__
