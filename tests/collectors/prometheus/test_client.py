"""Whatever answers at the address: the series, or one line that says which server and why there are none."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import zlib
from pathlib import Path

import fake_prometheus
import msgspec
import pytest
from certificates import needs_openssl, signed, stranger
from fake_prometheus import Asked, Reply, packed, refused, said, vector

from itermon.collectors.prometheus.access import Access, access
from itermon.collectors.prometheus.client import AskingError, Client, step_for

RANKS = vector(({"rank": "0"}, 0.5), ({"rank": "1"}, 0.25))


def of_tls(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, reason)
    error.reason = reason
    return error


def why_not(reply: Reply, timeout_s: float = 10.0) -> str:
    """What the error says behind the server's address."""
    with fake_prometheus.fake(lambda _: reply) as server, pytest.raises(AskingError) as error:
        Client(access(server.url), timeout_s=timeout_s).query("up")
    said = str(error.value)
    assert "\n" not in said
    assert said.startswith(f"{server.url}: ")
    return said.removeprefix(f"{server.url}: ")


@pytest.mark.parametrize("reply", [RANKS, packed(RANKS)], ids=["plain", "packed"])
def test_an_answer_is_its_series(reply: Reply) -> None:
    with fake_prometheus.fake(lambda _: reply) as server:
        client = Client(access(server.url))
        answer = client.query("up", at_s=1_000.0)
        assert [(one.labels, one.value) for one in answer.series] == [({"rank": "0"}, 0.5), ({"rank": "1"}, 0.25)]
        assert server.asked[0].form == {"query": "up", "time": "1000.000", "timeout": "30s"}
        assert client.received_bytes == len(reply.body)
        client.close()


def test_a_connection_is_kept_and_made_anew_when_the_server_has_closed_it() -> None:
    connections: list[str] = []

    def answer(asked: Asked) -> Reply:
        connections.append(asked.path)
        # The third says goodbye with its answer half sent: nothing is known of it, and it is asked once more.
        return Reply(b"HTTP/1.1", cut=1) if len(connections) == 3 else RANKS

    with fake_prometheus.fake(answer) as server:
        client = Client(access(server.url))
        for _ in range(3):
            assert len(client.query("up").series) == 2
        assert len(server.asked) == 4
        client.close()


def test_a_long_question_is_posted() -> None:
    with fake_prometheus.fake(lambda _: RANKS) as server:
        client = Client(access(server.url))
        client.query("x" * 1_500)
        client.query("x" * 1_501)
        client.close()
    assert [asked.method for asked in server.asked] == ["GET", "POST"]
    assert server.asked[1].form["query"] == "x" * 1_501


def test_warnings_are_kept_and_made_harmless() -> None:
    reply = vector(({"rank": "0"}, 1), warnings=["store \x1b]0;me\x07gone", "PromQL info: two"])
    with fake_prometheus.fake(lambda _: reply) as server:
        client = Client(access(server.url))
        assert client.query("up").notes == ("store gone", "PromQL info: two")
        client.close()


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (refused("execution", "query processing would load too many samples", 422), "refuses (execution): query pro"),
        (refused("bad_data", 'invalid parameter "query"', 400), 'refuses (bad_data): invalid parameter "query"'),
        (refused("timeout", "query timed out in expression evaluation", 503), "refuses (timeout): query timed out"),
        (Reply(b"<html><title>Sign in</title>"), "a web page, no data: a login page"),
        (Reply(b"<!DOCTYPE html>", 503), "a web page, no data: a login page, or another program's address (status 503)"),
        (Reply(b"# HELP up\nup 1\n"), "metrics, no answers: this is an exporter"),
        (Reply(b""), "an empty answer"),
        (Reply(b"\x00\xff\xfe" * 50), "no JSON"),
        (Reply(b'{"status":"success"'), "something that is no answer of Prometheus"),
        (Reply(b"[" * 5_000), "something that is no answer of Prometheus"),
        (said({"resultType": "vector", "result": 7}), "something that is no answer of Prometheus"),
        (said(None), "something that is no answer of Prometheus"),
        (Reply(b"", 401), "asks who you are: --token-file"),
        (Reply(b"", 403), "does not let you read"),
        (Reply(b"404 page not found", 404), "no Prometheus there (status 404)"),
        (Reply(b"", 302, {"Location": "https://login.example/\x1b[2J"}), "is elsewhere: https://login.example/"),
        (Reply(b"not gzip", headers={"Content-Encoding": "gzip"}), "an answer whose compression is broken"),
        (Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", cut=1), "an answer that breaks off in its middle"),
        (Reply(b"SSH-2.0-OpenSSH_9.2\r\n", cut=1), "closes the connection without an answer"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_one_line_that_says_what_it_is(reply: Reply, words: str) -> None:
    line = why_not(reply)
    assert line.startswith(words)
    assert "\x1b" not in line


def test_a_hundred_megabytes_are_refused_unread_and_so_is_what_unpacks_to_them() -> None:
    assert why_not(Reply(b"{", headers={"Content-Length": "100000000"})).startswith(
        "an answer of more than 32 MiB"
    )
    assert why_not(Reply(b" " * (1 << 20), endless=True)).startswith("an answer of more than 32 MiB")
    bomb = zlib.compressobj(9, wbits=31)
    body = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(64)) + bomb.flush()
    assert len(body) < 1 << 17
    assert why_not(Reply(body, headers={"Content-Encoding": "gzip"})).startswith("an answer of more than 32 MiB")


def test_who_does_not_answer_is_not_waited_for() -> None:
    assert why_not(Reply(b"{", hang=True), timeout_s=0.05) == "no answer within 0.05 s"


def test_who_is_not_there_is_one_line() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and nobody listens
        url = f"http://127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(AskingError, match="Connection refused"):
            Client(access(url)).query("up")


def test_one_series_that_is_none_does_not_lose_the_others() -> None:
    result = [
        {"metric": {"rank": "0"}, "value": [1_000, "0.5"]},
        {"metric": {"rank": "1"}, "value": [1_000, "NaN"]},
        {"metric": {"rank": "2"}, "value": [1_000, 7]},
        {"metric": {"rank": 3}, "value": [1_000, "1"]},
        {"metric": {"rank": "4"}, "histogram": [1_000, {}]},
        {"metric": {"rank": "5"}, "value": [1_000, "1e9999"]},
        {"metric": {"rank": "6"}, "value": [1_000, "six"]},
        {"metric": {"rank": "7" * 5_000}, "value": [1_000, "1"]},
        {"metric": {"rank": "8"}, "value": [1_000, "8"]},
    ]
    with fake_prometheus.fake(lambda _: said({"resultType": "vector", "result": result})) as server:
        client = Client(access(server.url))
        answer = client.query("up")
        client.close()
    assert [one.labels["rank"] for one in answer.series] == ["0", "8"]
    assert answer.notes == ("5 series left out: no number that can be read",)


def of_victoria(words: str) -> Reply:
    """As VictoriaMetrics 1.79.5 refused, asked by hand: the status is the kind, and the question comes first."""
    return refused("422", 'error when executing query="sum({run=\\"gpt2\\"})" on the time range ' + words, 422)


TOO_MANY = of_victoria(
    "(start=1795403874000, end=1795404774000, step=1000): too many points for the given step=1000,"
    " start=1795403874000 and end=1795404774000: 901; cannot exceed -search.maxPointsPerTimeseries=100"
)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (TOO_MANY, "refuses (422): error when executing the question on the time range (start=1795403874000,"),
        (
            Reply(b'requestURI: /x; unsupported path requested: "/x"', 400),
            "no Prometheus at that path; behind Mimir",
        ),
        (Reply(b"no org id\n", 401), "asks for a tenant: --tenant"),
    ],
)
def test_what_others_than_prometheus_say_in_their_own_way(reply: Reply, words: str) -> None:
    line = why_not(reply)
    assert line.startswith(words)
    assert "gpt2" not in line
    assert (reply is not TOO_MANY) or line.endswith("cannot exceed -search.maxPointsPerTimeseries=100")


def test_an_answer_of_a_part_of_the_storage_is_said_to_be_one() -> None:
    whole = json.loads(RANKS.body) | {"isPartial": True}  # VictoriaMetrics' cluster; Thanos has a warning
    with fake_prometheus.fake(lambda _: Reply(json.dumps(whole).encode())) as server:
        client = Client(access(server.url))
        answer = client.query("up")
        client.close()
    assert (len(answer.series), answer.notes) == (
        2, ("the answer is partial: a part of the server's storage did not answer",)
    )  # fmt: skip


@pytest.mark.parametrize(
    "too_much",
    [refused("execution", "query processing would load too many samples into memory", 422), TOO_MANY],
    ids=["Prometheus", "VictoriaMetrics"],
)
def test_where_a_range_is_too_much_the_step_is_doubled_and_said(too_much: Reply) -> None:
    steps: list[float] = []

    def answer(asked: Asked) -> Reply:
        steps.append(float(asked.form["step"]))
        if len(steps) < 3:
            return too_much
        return said({"resultType": "matrix", "result": [{"metric": {}, "values": [[0, "1"], [60, "2"]]}]})

    with fake_prometheus.fake(answer) as server:
        client = Client(access(server.url))
        found, step_s = client.query_range("up", 0, 3_600, 15)
        assert steps == [15, 30, 60]
        assert step_s == 60
        assert found.series[0].points == [(0, 1), (60, 2)]
        client.query_range("up", 0, 30 * 86_400, 1)  # a month in seconds: more points than a series may have
        assert 30 * 86_400 / steps[-1] < 11_000
        client.close()


def test_a_range_that_is_always_too_much_ends() -> None:
    reply = refused("bad_data", "exceeded maximum resolution of 11,000 points per timeseries", 400)
    with fake_prometheus.fake(lambda _: reply) as server:
        client = Client(access(server.url))
        with pytest.raises(AskingError, match="maximum resolution"):
            client.query_range("up", 0, 3_600, 15)
        assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("window_s", "columns", "step_s"),
    [(3_600, 160, 23), (60, 160, 1), (0, 10, 1), (1e6, 10**9, 91), (77_000, 11_000, 8)],
)
def test_a_step_is_whole_seconds_and_gives_no_more_points_than_asked(
    window_s: float, columns: int, step_s: float
) -> None:
    assert step_for(window_s, columns) == step_s


@needs_openssl
def test_over_tls_a_certificate_lets_one_in_and_without_it_is_said_what_is_missing(tmp_path: Path) -> None:
    ca, server, mine = signed(tmp_path)
    asks = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(ca))
    asks.load_cert_chain(*server)
    with fake_prometheus.fake(lambda _: RANKS, asks) as fake:
        place = msgspec.structs.replace(access(fake.url), authority=ca)
        known = msgspec.structs.replace(place, certificate=mine.certificate, key=mine.key)
        client = Client(known)
        assert len(client.query("up").series) == 2
        client.close()
        assert len(fake.asked) == 1

        def why(access: Access) -> str:
            with pytest.raises(AskingError) as error:
                Client(access).query("up")
            return str(error.value).removeprefix(f"{fake.url}: ")

        asks.verify_mode = ssl.CERT_REQUIRED
        client = Client(known)
        assert len(client.query("up").series) == 2
        client.close()
        words = ": --cert and --key say who you are"
        assert why(place).endswith(words)
        other = stranger(tmp_path)
        assert words in why(msgspec.structs.replace(place, certificate=other.certificate, key=other.key))
        assert why(access(fake.url)).endswith("--ca FILE names who signed it")
        assert why(access(fake.url.replace("https", "http"))).endswith("closes the connection without an answer")
        assert len(fake.asked) == 2


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ssl.SSLEOFError(8, "EOF occurred"),
            "closes the connection without an answer. One that does not know who",
        ),
        (
            ssl.SSLZeroReturnError(6, "closed"),
            "closes the connection without an answer. One that does not know who",
        ),
        (of_tls("TLSV13_ALERT_CERTIFICATE_REQUIRED"), "does not let you in (certificate required): --cert and"),
        (of_tls("TLSV1_ALERT_UNKNOWN_CA"), "does not let you in (unknown ca): --cert and --key say who you are"),
        (of_tls("WRONG_VERSION_NUMBER"), "no TLS there (WRONG_VERSION_NUMBER): is it http://?"),
    ],
)
def test_what_tls_says_only_with_the_answer(
    error: ssl.SSLError, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of them is seen, is the order in which two packets come."""

    def fails(*_: object) -> None:
        raise error

    connected = http.client.HTTPConnection("127.0.0.1")
    monkeypatch.setattr(connected, "request", fails)
    client = Client(access("https://prom"))
    monkeypatch.setattr(client._wire, "_connected", lambda: connected)
    connected.sock = socket.socket()
    with pytest.raises(AskingError) as why_not:
        client.query("up")
    assert str(why_not.value).startswith(f"https://prom:443: {said}")
