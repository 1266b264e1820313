"""What is served is read by Prometheus' own parsers, whatever the labels hold."""

from __future__ import annotations

import socket
import ssl
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import needs_openssl, signed, stranger

pytest.importorskip("prometheus_client", reason="the extra itermon[prometheus] is not installed")

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain_text

from itermon.metrics import names
from itermon.metrics.exposition import Shown, serve
from itermon.metrics.names import METRICS
from itermon.metrics.series import Series
from itermon.metrics.tls import Tls

ODD = 'a"b\\c\nd=}{,é'


def one_of_each() -> list[Series]:
    return [
        Series(metric, tuple(f"{label}-{ODD}" for label in metric.labels), 1 if metric is names.INFO_OF_RUN else n)
        for n, metric in enumerate(METRICS)
    ]


def shown(*series: Series) -> Shown:
    made = Shown()
    made.show(series)
    return made


def test_prometheus_reads_every_metric_back_from_its_text_format() -> None:
    read = [sample for family in plain_text(shown(*one_of_each()).text()) for sample in family.samples]
    assert [(s.name, s.value) for s in read] == [(each.metric.name, each.value) for each in one_of_each()]
    for sample, each in zip(read, one_of_each(), strict=True):
        assert sample.labels == dict(zip(each.metric.labels, each.labels, strict=True))


def test_a_server_answers_in_open_metrics_to_whoever_asks_for_it() -> None:
    server = serve(shown(*one_of_each()), "127.0.0.1", 0)
    try:
        accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
        asked = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/metrics", headers=accept)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            families = list(open_metrics(answer.read().decode()))
    finally:
        server.shutdown()
        server.server_close()
    assert [(f.name, f.type, f.unit) for f in families] == [(m.family, m.kind, m.unit) for m in METRICS]


def test_series_of_one_metric_stand_together_in_whatever_order_they_came() -> None:
    a, b = Series(names.LOSS, ("a", "0"), 1.0), Series(names.LOSS, ("b", "0"), 2.0)
    text = shown(a, Series(names.ITERATIONS, ("a", "0"), 5), b).text()
    assert text.count("# TYPE") == 2
    assert text.index("itermon_iterations_total") < text.index('itermon_loss{rank="0",run="a"}')


def test_nothing_is_known_and_nothing_is_said() -> None:
    assert shown().text() == ""


def asked(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def test_an_answer_is_made_when_the_values_change_and_not_when_somebody_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, collect = [], Shown.collect

    def counted(self: Shown) -> object:
        made.append(1)
        return collect(self)

    monkeypatch.setattr(Shown, "collect", counted)
    values = shown(Series(names.LOSS, ("a", "0"), 1.0))
    server = serve(values, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.server_port}/metrics"
    try:
        assert 'itermon_loss{rank="0",run="a"} 1.0' in asked(url)
        values.show([Series(names.LOSS, ("a", "0"), 2.0)])
        before = len(made)
        assert {asked(url) for _ in range(3)} == {values.text()}
        assert 'itermon_loss{rank="0",run="a"} 2.0' in asked(url)
        assert len(made) == before + 1  # for `text` alone
        for number in range(100):
            asked(f"{url}?a={number}")
        assert len(values.answers[0]._unasked) <= 8
        for _ in range(100):
            values.show([])
        assert not values.answers[0]._unasked
        assert asked(url) == ""
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(params=[False, True], ids=["TLS", "mutual TLS"])
def secure(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[int, ssl.SSLContext, bool]]:
    """A server's port, what its client needs, and whether it asks who that is."""
    ca, server, client = signed(tmp_path)
    asks = bool(request.param)
    tls = Tls(str(server.certificate), str(server.key), str(ca) if asks else None)
    trusted = ssl.create_default_context(cafile=str(ca))
    if asks:
        trusted.load_cert_chain(client.certificate, client.key)
    served = serve(shown(*one_of_each()), "127.0.0.1", 0, tls)
    yield served.server_port, trusted, asks
    served.shutdown()
    served.server_close()


def over_tls(port: int, context: ssl.SSLContext) -> str:
    with urllib.request.urlopen(f"https://127.0.0.1:{port}/metrics", timeout=10, context=context) as answer:
        return answer.read().decode()


@needs_openssl
def test_who_is_let_in_reads_all_and_nobody_else(
    secure: tuple[int, ssl.SSLContext, bool], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    port, trusted, asks = secure
    assert over_tls(port, trusted) == shown(*one_of_each()).text()
    unknown = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    for pair in (None, stranger(tmp_path)):
        if pair is not None:
            unknown.load_cert_chain(*pair)
        if asks:
            with pytest.raises(OSError):  # noqa: PT011 - an alert, or the end of the connection
                over_tls(port, unknown)
        else:
            assert over_tls(port, unknown)
    with pytest.raises(OSError):  # noqa: PT011 - as above
        asked(f"http://127.0.0.1:{port}/metrics")
    assert over_tls(port, trusted)
    assert capfd.readouterr() == ("", "")


@needs_openssl
def test_who_says_nothing_keeps_nobody_out(secure: tuple[int, ssl.SSLContext, bool]) -> None:
    port, trusted, _ = secure
    with socket.create_connection(("127.0.0.1", port)):
        assert over_tls(port, trusted)
