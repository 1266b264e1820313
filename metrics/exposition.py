"""The values as Prometheus reads them: its text format and OpenMetrics, made and served by its own library."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest, start_http_server
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from .names import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from wsgiref.simple_server import WSGIServer

    from .series import Series
    from .tls import Tls

_PLACE = {metric: place for place, metric in enumerate(METRICS)}


class Shown(Collector):
    """What is served: the newest values that were shown, whole, to whoever asks and in whatever thread."""

    def __init__(self) -> None:
        self._series: list[Series] = []
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(self)

    def show(self, series: Iterable[Series]) -> None:
        """Serve these from now on."""
        self._series = sorted(series, key=lambda each: _PLACE[each.metric])

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


def serve(shown: Shown, host: str, port: int, tls: Tls | None = None) -> WSGIServer:
    """Serve in threads of their own, until `shutdown()` of what is returned.

    Raises `OSError`: the address is not there or taken, or a file of `tls` cannot be read (`ssl.SSLError`, too).
    """
    if tls is None:
        return start_http_server(port, host, shown.registry)[0]
    return start_http_server(
        port,
        host,
        shown.registry,
        certfile=tls.certificate,
        keyfile=tls.key,
        client_cafile=tls.client_ca,
        client_auth_required=tls.client_ca is not None,
    )[0]
