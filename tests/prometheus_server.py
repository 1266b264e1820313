"""A real Prometheus server (Debian's package `prometheus`) on loopback, for as long as a test lasts."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from waiting import eventually

needs_prometheus = pytest.mark.skipif(
    not (shutil.which("prometheus") and shutil.which("promtool")),
    reason="Prometheus' server and promtool are not installed (Debian's package `prometheus`)",
)


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=120, check=False)


class Server:
    """Asked over HTTP, as whoever uses it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def get(self, path: str, **parameters: str) -> dict[str, Any]:
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"{self.url}{path}?{query}", timeout=30) as answer:
                found: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:  # 400 and 422 say why, as JSON
            found = json.load(error)
        return found

    def query(self, expr: str) -> dict[str, Any]:
        return self.get("/api/v1/query", query=expr)

    def values(self, expr: str) -> dict[tuple[str, ...], float]:
        """By the values of the labels, in the order of their names, `__name__`, `instance` and `job` apart."""
        apart = {"__name__", "instance", "job"}
        return {
            tuple(value for name, value in sorted(row["metric"].items()) if name not in apart): float(
                row["value"][1]
            )
            for row in self.query(expr)["data"]["result"]
        }

    def is_ready(self) -> bool:
        try:
            return urllib.request.urlopen(f"{self.url}/-/ready", timeout=5).status == 200
        except OSError:
            return False


@contextmanager
def prometheus(folder: Path, config: str) -> Iterator[Server]:
    """The server with this configuration; it is gone when the block ends, however that ends."""
    folder.mkdir(exist_ok=True)
    (folder / "prometheus.yml").write_text(config)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*command, f"--web.listen-address={address}"], stdout=log, stderr=log)
    server = Server(f"http://{address}")
    try:
        eventually(lambda: process.poll() is not None or server.is_ready())
        assert process.poll() is None, (folder / "log").read_text()
        yield server
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
