"""A server that answers as a test wants: an error, half an answer, none. Only for what goes wrong."""

from __future__ import annotations

import gzip
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit


class Asked(NamedTuple):
    method: str
    path: str
    form: dict[str, str]
    headers: dict[str, str]


class Reply(NamedTuple):
    """What is sent; `hang`: and then nothing, `endless`: again and again, `cut`: as it is, and goodbye."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = {}  # noqa: RUF012 - read alone
    hang: bool = False
    endless: bool = False
    cut: int = 0


def vector(*series: tuple[dict[str, str], float | str], warnings: list[str] | None = None) -> Reply:
    result = [{"metric": labels, "value": [1_000.0, str(value)]} for labels, value in series]
    return said({"resultType": "vector", "result": result}, warnings)


def said(data: Any, warnings: list[str] | None = None) -> Reply:
    whole = {"status": "success", "data": data} | ({"warnings": warnings} if warnings else {})
    return Reply(json.dumps(whole).encode(), headers={"Content-Type": "application/json"})


def refused(kind: str, words: str, status: int) -> Reply:
    return Reply(json.dumps({"status": "error", "errorType": kind, "error": words}).encode(), status)


def packed(reply: Reply) -> Reply:
    return reply._replace(body=gzip.compress(reply.body), headers={**reply.headers, "Content-Encoding": "gzip"})


class Fake:
    """Where it listens, and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.closing = threading.Event()


@contextmanager
def fake(answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> Iterator[Fake]:
    """A server on loopback, until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(urlsplit(self.path).query)

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def _answer(self, query: str) -> None:
            form = {name: values[0] for name, values in parse_qs(query).items()}
            asked = Asked(self.command, urlsplit(self.path).path, form, dict(self.headers))
            one.asked.append(asked)
            reply = answer(asked)
            if reply.cut:
                self.wfile.write(reply.body)
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if not reply.endless and "Content-Length" not in reply.headers:
                self.send_header("Content-Length", str(len(reply.body) + reply.hang))
            self.end_headers()
            try:
                self.wfile.write(reply.body)
                while reply.endless:
                    self.wfile.write(reply.body)
            except OSError:
                self.close_connection = True
            if reply.hang:
                one.closing.wait(60)
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    one = Fake(f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield one
    finally:
        one.closing.set()
        server.shutdown()
        server.server_close()
        thread.join(10)
