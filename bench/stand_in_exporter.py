"""What the exporters of many hosts would say, and a real Prometheus that has it: for tests and for `fleet.py`.

    python bench/stand_in_exporter.py --ranks 1024 --hosts 128     # a server on loopback, until Ctrl-C

The past is put into the server's own database by `promtool tsdb create-blocks-from openmetrics`; what goes on is
scraped from here. Loopback alone, and nothing stays behind.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
USUAL_S, LOCAL_S = 0.5, 0.4


class Cluster:
    """A run of so many ranks on so many hosts, as a function of time.

    slow: what a rank does more than the others, in seconds, by rank, from a time on.
    dead: when a rank ended its last iteration, by rank; its exporter goes on.
    gone: when a rank was exported for the last time, by rank.
    behind: how many iterations a rank is behind the others, by rank.
    stages: of its pipeline, which the ranks say; 0: they say none.
    clock_off_s: by how much the clock of a host is wrong, by host.
    """

    def __init__(self, ranks: int, hosts: int, begin_s: float, run: str = "gpt2") -> None:
        self.ranks, self.hosts, self.begin_s, self.run = ranks, hosts, begin_s, run
        self.slow: dict[int, tuple[float, float]] = {}
        self.dead: dict[int, float] = {}
        self.gone: dict[int, float] = {}
        self.behind: dict[int, int] = {}
        self.clock_off_s: dict[str, float] = {}
        self.prefix = "host"
        self.stages = 0

    def host_of(self, rank: int) -> str:
        return f"{self.prefix}-{rank * self.hosts // self.ranks:03}"

    def series(self, rank: int, now_s: float) -> Iterator[tuple[str, str, float]]:
        """Name, labels, value."""
        if now_s > self.gone.get(rank, now_s):
            return
        run = self.run.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        of = f'run="{run}",rank="{rank}"'
        at_s = min(now_s, self.dead.get(rank, now_s))
        done = int((at_s - self.begin_s) / USUAL_S) - self.behind.get(rank, 0)
        more_s, since_s = self.slow.get(rank, (0.0, 0.0))
        more_s = more_s if now_s >= since_s else 0.0
        compute = LOCAL_S * (1 + ((rank * 7919 + int(now_s) // 15 * 104729) % 1000 - 500) / 50_000) + more_s
        info = f'{of},run_id="gpt2.20261122-120000.{1000 + rank}",host="{self.host_of(rank)}",framework="torch"'
        if self.stages:
            info += f',stage="{rank * self.stages // self.ranks}"'
        yield "itermon_run_info", f'{info},gpu="NVIDIA H100",world_size="{self.ranks}"', 1
        yield "itermon_iteration_usual_seconds", of, USUAL_S
        yield "itermon_iterations_total", of, done
        yield "itermon_iteration_number", of, done
        yield "itermon_iteration_number_last", of, 1_000_000
        yield "itermon_local_seconds", f'{of},phase="compute"', compute
        yield "itermon_local_seconds", f'{of},phase="data"', 0.01
        yield "itermon_sync_seconds", of, max(0.0, USUAL_S - compute - 0.01)
        yield "itermon_last_iteration_timestamp_seconds", of, at_s + self.clock_off_s.get(self.host_of(rank), 0.0)
        yield "itermon_lost_seconds_total", f'{of},cause="data"', 0.02 * done
        if rank == 0:
            yield "itermon_eta_timestamp_seconds", of, self.begin_s + 1_000_000 * USUAL_S
            yield "itermon_mfu_ratio", of, 0.41
        gpu = f'gpu="{rank % 8}",UUID="GPU-{rank:08x}"'
        yield "itermon_gpu_power_watts", f"{of},{gpu}", 650
        yield "itermon_gpu_clock_hertz", f"{of},{gpu}", 1.7e9
        yield "itermon_gpu_clock_boost_hertz", f"{of},{gpu}", 1.98e9
        of = f'{gpu},Hostname="{self.host_of(rank)}"'
        yield "DCGM_FI_DEV_GPU_TEMP", of, 61
        yield "DCGM_FI_DEV_XID_ERRORS", of, 79 if rank in self.dead else 0

    def page(self, host: str, now_s: float) -> str:
        """What the exporter of a host says."""
        lines = [
            f"{name}{{{labels}}} {value!r}"
            for rank in range(self.ranks)
            if self.host_of(rank) == host
            for name, labels, value in self.series(rank, now_s)
        ]
        return "\n".join([*lines, ""])


def history(clusters: Iterable[Cluster], begin_s: float, end_s: float, step_s: float) -> Iterator[str]:
    """OpenMetrics with time stamps, a family after the other, as the format has it."""
    families: dict[str, list[str]] = {}
    at_s = begin_s
    while at_s <= end_s:
        for cluster in clusters:
            for rank in range(cluster.ranks):
                instance = f'instance="{cluster.host_of(rank)}:9464",job="itermon"'
                for name, labels, value in cluster.series(rank, at_s):
                    line = f"{name}{{{labels},{instance}}} {value!r} {at_s:.3f}\n"
                    families.setdefault(name, []).append(line)
        at_s += step_s
    for name, lines in families.items():
        yield f"# TYPE {name} unknown\n"
        yield from lines
    yield "# EOF\n"


@contextlib.contextmanager
def exporter(cluster: Cluster, clock: Callable[[], float] = time.time) -> Iterator[int]:
    """The exporters of all hosts at one port of loopback: `/metrics?host=NAME`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = parse_qs(urlsplit(self.path).query).get("host", [""])[0].partition(":")[0]
            body = cluster.page(host, clock()).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


CONFIG = """\
global: {{scrape_interval: {scrape_s}s, evaluation_interval: 1h}}
scrape_configs:
- job_name: itermon
  static_configs: [{{targets: [{targets}]}}]
  relabel_configs:
  - {{source_labels: [__address__], target_label: __param_host}}
  - {{source_labels: [__address__], target_label: instance}}
  - {{target_label: __address__, replacement: "127.0.0.1:{port}"}}
"""


@contextlib.contextmanager
def prometheus(past: Iterable[str] = (), config: str = "") -> Iterator[str]:
    """The URL of a server that knows the history: killed at the end, and its database with it."""
    assert PROMETHEUS
    assert PROMTOOL
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "config.yml").write_text(config or "scrape_configs: []\n")
        with (place / "history.txt").open("w") as file:
            file.writelines(past)
        if (place / "history.txt").stat().st_size:
            made = [PROMTOOL, "tsdb", "create-blocks-from", "openmetrics", "-q", "history.txt", "data"]
            subprocess.run(made, cwd=place, check=True, capture_output=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with (place / "log").open("wb") as log:
            process = subprocess.Popen(
                [PROMETHEUS, "--config.file=config.yml", "--storage.tsdb.path=data",
                 "--storage.tsdb.retention.time=10y",
                 f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"],
                cwd=place, stdout=log, stderr=log,
            )  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}", process, place / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline_s = time.monotonic() + 60
    while time.monotonic() < deadline_s:
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/-/ready", timeout=1) as reply:
            if reply.status == 200:
                return
        time.sleep(0.05)
    raise TimeoutError(log.read_text())


def config_of(cluster: Cluster, port: int, scrape_s: int) -> str:
    hosts = dict.fromkeys(map(cluster.host_of, range(cluster.ranks)))
    return CONFIG.format(scrape_s=scrape_s, targets=", ".join(f'"{host}:9464"' for host in hosts), port=port)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--scrape", type=int, default=5, metavar="SECONDS")
    given = parser.parse_args()
    now_s = time.time()
    cluster = Cluster(given.ranks, given.hosts, now_s - 3_600)
    cluster.slow[given.ranks // 2] = (0.06, now_s - 600)
    with (
        exporter(cluster) as port,
        prometheus(history([cluster], now_s - 900, now_s, 15), config_of(cluster, port, given.scrape)) as url,
    ):
        print(url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
