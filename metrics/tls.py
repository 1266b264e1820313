"""How a server of metrics proves who it is."""

from __future__ import annotations

from typing import NamedTuple


class Tls(NamedTuple):
    """Files of a server that proves who it is, and (with `client_ca`) asks the same of whoever scrapes."""

    certificate: str
    key: str
    client_ca: str | None = None
