"""The values as Prometheus reads them: its text format and OpenMetrics, made and served by its own library."""

from __future__ import annotations

import contextlib
import ssl
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from .names import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from http.server import BaseHTTPRequestHandler
    from wsgiref.simple_server import WSGIServer

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from .series import Series
    from .tls import Tls

_PLACE = {metric: place for place, metric in enumerate(METRICS)}


class Shown(Collector):
    """What is served: the newest values that were shown, whole, to whoever asks and in whatever thread."""

    def __init__(self) -> None:
        self._series: list[Series] = []
        self.answers: list[Answers] = []
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(self)

    def show(self, series: Iterable[Series]) -> None:
        """Serve these from now on."""
        self._series = sorted(series, key=lambda each: _PLACE[each.metric])
        for answers in self.answers:
            answers.renew()

    def collect(self) -> Iterator[Family]:
        """What the library asks for at each scrape."""
        for metric, series in groupby(self._series, key=lambda each: each.metric):
            family = Family(metric.family, metric.help, metric.kind, metric.unit)
            for each in series:
                family.add_sample(metric.name, dict(zip(metric.labels, each.labels, strict=True)), each.value)
            yield family

    def text(self) -> str:
        """All of it in Prometheus' text format, as node_exporter reads it from a file."""
        return generate_latest(self.registry).decode()


class Answers:
    """The answers of a server, made when the values change: no scrape waits for the 14 ms that 400 series take.

    `app` is the library's own, which knows the formats. Renewed is what was asked for lately.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        self._unasked: dict[tuple[str, ...], int] = {}  # since it was asked for, how often it was renewed
        self._made: dict[tuple[str, ...], Answer] = {}

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> list[bytes]:
        """As a server calls it."""
        key = tuple(str(environ.get(name, "")) for name in _ASKED_BY)
        if key in self._unasked or len(self._unasked) < _MOST_KEPT:
            self._unasked[key] = 0
        answer = self._made.get(key) or self._make(key)
        start(answer.status, answer.headers)
        return answer.body

    def renew(self) -> None:
        """The values are others now."""
        self._unasked = {key: n + 1 for key, n in list(self._unasked.items()) if n < _MOST_UNASKED}
        self._made = {key: self._make(key) for key in list(self._unasked)}

    def _make(self, key: tuple[str, ...]) -> Answer:
        said: list[tuple[str, list[tuple[str, str]]]] = []

        def start(status: str, headers: list[tuple[str, str]], _: object = None) -> Any:
            said.append((status, headers))

        body = list(self._app(dict(zip(_ASKED_BY, key, strict=True)), start))
        return Answer(*said[0], body)


class Answer(NamedTuple):
    """What a server says to one kind of question."""

    status: str
    headers: list[tuple[str, str]]
    body: list[bytes]


_ASKED_BY = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING")
_MOST_KEPT, _MOST_UNASKED = 8, 60


def serve(shown: Shown, host: str, port: int, tls: Tls | None = None) -> WSGIServer:
    """Serve in threads of their own, until `shutdown()` of what is returned.

    Raises `OSError`: the address is not there or taken, or a file of `tls` cannot be read (`ssl.SSLError`, too).
    """
    files: dict[str, Any] = {}
    if tls is not None:
        files = {"certfile": tls.certificate, "keyfile": tls.key, "client_cafile": tls.client_ca}
        files["client_auth_required"] = tls.client_ca is not None
    server = start_http_server(port, host, shown.registry, **files)[0]
    app = server.get_app()
    assert app is not None  # noqa: S101 - it has just been given
    answers = Answers(app)
    server.set_app(answers)
    shown.answers.append(answers)
    server.RequestHandlerClass = _patient(server.RequestHandlerClass)
    if isinstance(server.socket, ssl.SSLSocket):
        # Else the thread that takes connections waits for who says nothing, and all others with it.
        server.socket.do_handshake_on_connect = False  # type: ignore[attr-defined]
    return server


_PATIENCE_S = 10.0  # with whoever connects and says nothing: Prometheus waits as long for an answer


def _patient(library: Any) -> type[BaseHTTPRequestHandler]:
    """Of the library's handler one that does not wait for ever, and says nothing of who was not let in."""

    class Handler(library):  # type: ignore[misc]
        timeout = _PATIENCE_S

        def handle(self) -> None:
            with contextlib.suppress(OSError):  # no TLS, no certificate, nothing said in time, gone
                super().handle()

    handler: type[BaseHTTPRequestHandler] = Handler
    return handler
