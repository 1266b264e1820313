"""Where the server is and how one is let in: its URL, a token, a password, certificates, a tenant."""

from __future__ import annotations

import base64
import os
import ssl
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from ...opening import open_file, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

_MOST_SECRET_BYTES = 1 << 16
_MOST_CERTIFICATE_BYTES = 1 << 22
_PASTED = ("/graph", "/query", "/targets", "/alerts", "/api/v1/query_range", "/api/v1/query", "/api/v1")
"""Ends of addresses that people copy from a browser or a script: what stands before them is the server's."""


class AccessError(ValueError):
    """What was given cannot be used, and the message says why in one line."""


class Access(msgspec.Struct, frozen=True):
    """How to reach a server. The files are read anew for each request: tokens are renewed while one watches.

    base: the path before `/api/v1` (Mimir's is `/prometheus`).
    tenant: the `X-Scope-OrgID` of Mimir and Thanos.
    """

    host: str
    port: int
    base: str = ""
    secure: bool = False
    token_file: Path | None = None
    user: str = ""
    password_file: Path | None = None
    tenant: str = ""
    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None

    @property
    def shown(self) -> str:
        """The server as a message names it: nothing secret is in it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}{self.base}"

    def headers(self) -> dict[str, str]:
        """What each request carries. Raises `AccessError` or `OSError`, where a file of it cannot be read."""
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "itermon"}
        if self.tenant:
            headers["X-Scope-OrgID"] = _sendable(self.tenant, "the tenant")
        if self.token_file is not None:
            headers["Authorization"] = f"Bearer {_secret(self.token_file)}"
        elif self.user:
            password = _secret(self.password_file) if self.password_file else ""
            both = base64.b64encode(f"{self.user}:{password}".encode()).decode()
            headers["Authorization"] = f"Basic {both}"
        return headers

    def context(self) -> ssl.SSLContext | None:
        """What TLS needs; `None` without it. Raises `AccessError` or `OSError`."""
        if not self.secure:
            return None
        try:
            known = read_bytes(self.authority, _MOST_CERTIFICATE_BYTES).decode() if self.authority else None
            context = ssl.create_default_context(cadata=known)
            if self.certificate is not None:
                for path in filter(None, (self.certificate, self.key)):
                    os.close(open_file(path))  # the library would wait for a pipe
                context.load_cert_chain(self.certificate, self.key)
        except (ssl.SSLError, UnicodeDecodeError) as error:
            said = getattr(error, "reason", None) or error
            raise AccessError(f"the certificates cannot be used: {said}") from None
        return context


def access(url: str) -> Access:
    """The server at `url`, as a person typed or pasted it. Raises `AccessError`."""
    if "://" not in url:
        raise AccessError(f"{url}: no URL. Write http://HOST:9090")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AccessError(f"{url}: no URL: {error}") from None
    if parts.username or parts.password:
        raise AccessError("a password in a URL is seen by everybody in `ps`: give --user and --password-file")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AccessError(f"{url}: no URL of a server. Write http://HOST:9090")
    if any(character <= " " or character > "~" for character in parts.path):
        raise AccessError(f"{url}: a path of a URL has letters of ASCII and no blanks")
    base = parts.path.rstrip("/")
    for end in _PASTED:
        base = base.removesuffix(end)
    secure = parts.scheme == "https"
    return Access(parts.hostname, port or (443 if secure else 80), base.rstrip("/"), secure)


def _secret(path: Path) -> str:
    return _sendable(read_bytes(path, _MOST_SECRET_BYTES).decode(errors="replace").strip(), str(path))


def _sendable(text: str, where: str) -> str:
    """A header is one line of visible characters: whatever else would begin a second one."""
    if not text or not text.isascii() or not text.isprintable():
        raise AccessError(f"{where}: empty, or not one line of visible characters")
    return text
