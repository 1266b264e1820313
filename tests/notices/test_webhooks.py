"""Webhooks, against a server of our own that answers well, badly, too much, or not at all."""

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from itermon.events import Severity
from itermon.notices.channel import NotDeliveredError
from itermon.notices.message import Message, Phase
from itermon.notices.webhooks import Webhook, check_address

SECRET = "hunter2"
MESSAGE = Message(
    id="a/1",
    run="gpt <!channel> @everyone",
    phase=Phase.BEGAN,
    kind="failed",
    severity=Severity.ERROR,
    state="failed & over",
    action="look",
)


class Server(ThreadingHTTPServer):
    """Keeps what it was sent, and answers by the path: `/500`, `/hangs`, ..."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.got: list[tuple[str, dict[str, str], Any]] = []
        self.over = threading.Event()

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"


class Answers(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), json.loads(body)))
        how = self.path.rstrip("/").rpartition("/")[2].partition("-")[0]
        if how == "hangs":
            self.server.over.wait(60)
        elif how == "garbage":
            self.wfile.write(b"\x00\xff\x1b]0;x\x07" * 100 + b"\r\n\r\n")
        elif how == "huge":
            self.send_response(200)
            self.end_headers()
            for _ in range(100):
                if self.server.over.is_set():
                    break
                self.wfile.write(b"x" * 1_000_000)
        elif how == "away":
            self.send_response(302)
            self.send_header("Location", self.server.address("elsewhere"))
            self.end_headers()
        else:
            self.send_response(int(how) if how.isdigit() else 200)
            self.send_header("Retry-After", "1e9" if how == "429" else "soon")
            self.end_headers()
            self.wfile.write(b"no\x1b[2J such topic")

    def log_message(self, *_: Any) -> None:
        pass

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            super().handle()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = Server()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.over.set()
    server.shutdown()
    server.server_close()


def sent(
    server: Server, form: str, path: str = f"{SECRET}/topic", token: str = ""
) -> tuple[str, dict[str, str], Any]:
    Webhook(form, form, server.address(path), token).deliver(MESSAGE)
    return server.got[-1]


def test_ntfy_gets_json_and_a_priority(server: Server) -> None:
    path, headers, body = sent(server, "ntfy", token="tk_1")
    assert path == f"/{SECRET}/"
    assert headers["Authorization"] == "Bearer tk_1"
    assert (body["topic"], body["priority"]) == ("topic", 5)
    assert body["title"].endswith("failed & over")
    assert body["message"] == "next: look"


def test_slack_calls_nobody(server: Server) -> None:
    _, headers, body = sent(server, "slack")
    assert "Authorization" not in headers
    assert body == {"text": "itermon · gpt &lt;!channel&gt; @everyone: failed &amp; over\nnext: look"}


def test_discord_calls_nobody(server: Server) -> None:
    _, _, body = sent(server, "discord")
    assert body["allowed_mentions"] == {"parse": []}
    assert "failed & over" in body["content"]


def test_a_program_gets_all_that_is_known(server: Server) -> None:
    _, _, body = sent(server, "json")
    assert (body["id"], body["kind"], body["phase"], body["severity"]) == ("a/1", "failed", "began", "error")
    assert body["text"].endswith("next: look")


def refused(address: str, timeout_s: float = 5.0) -> NotDeliveredError:
    with pytest.raises(NotDeliveredError) as error:
        Webhook("json", "json", address, timeout_s=timeout_s).deliver(MESSAGE)
    assert SECRET not in str(error.value)
    return error.value


def test_what_a_server_refuses_is_said_and_what_may_pass_is_tried_again(server: Server) -> None:
    refusal = refused(server.address(f"{SECRET}/500"))
    assert str(refusal) == "127.0.0.1 answers 500: no such topic"
    assert (refusal.again, refusal.wait_s) == (True, None)
    assert refused(server.address(f"{SECRET}/404")).again is False
    busy = refused(server.address(f"{SECRET}/429"))
    assert (busy.again, busy.wait_s) == (True, 3_600.0), "it may ask for a while, not for years"


def test_a_server_that_does_not_answer_is_not_waited_for_for_long(server: Server) -> None:
    assert str(refused(server.address(f"{SECRET}/hangs"), 0.1)) == "127.0.0.1: no answer in time"


def test_garbage_is_no_answer(server: Server) -> None:
    assert refused(server.address(f"{SECRET}/garbage")).again


def test_of_a_huge_answer_nothing_is_read(server: Server) -> None:
    Webhook("json", "json", server.address("huge")).deliver(MESSAGE)
    assert len(server.got) == 1


def test_nobody_is_sent_on_to_another_address(server: Server) -> None:
    refusal = refused(server.address(f"{SECRET}/away"))
    assert not refusal.again
    assert [path for path, _, _ in server.got] == [f"/{SECRET}/away"]


def test_a_server_that_is_not_there_is_said_without_its_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert str(refused(f"http://127.0.0.1:{port}/{SECRET}")) == "127.0.0.1: Connection refused"


@pytest.mark.parametrize(
    "address",
    ["", "ftp://a/b", "file:///etc/passwd", "https://", "http://a b/c", "http://[x/", "http://a:99999/", "x"],
)
def test_what_is_no_web_address_is_refused_before(address: str) -> None:
    with pytest.raises(ValueError, match=r"^its address is none: write https://HOST/PATH$"):
        check_address(address)


def test_letters_of_any_language_may_stand_in_an_address(server: Server) -> None:
    Webhook("ntfy", "ntfy", server.address("주제")).deliver(MESSAGE)
    assert server.got[-1][2]["topic"] == "주제"
    Webhook("json", "json", server.address("주제")).deliver(MESSAGE)
