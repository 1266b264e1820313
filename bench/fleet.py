"""What a run of 1,024 ranks costs on the screen: from a real Prometheus that has 500 steps of it.

    python bench/fleet.py                          # 256 ranks on 32 hosts, 120 steps: a minute
    python bench/fleet.py --ranks 1024 --hosts 128 --steps 500
    python bench/fleet.py --ranks 10000 --hosts 1250 --steps 40

For each size of the terminal: seconds from the first question to the first picture, and how much of that was the
server's; bytes that the server sends for the first picture and for a refresh; bytes to the terminal a second and
CPU of the screen's own process, for refreshes as often as the server is scraped; scrapes until a rank that becomes
slow stands on top. The server, its database and the exporters run here, and nothing of them stays behind.
"""

from __future__ import annotations

import argparse
import statistics
import time

from stand_in_exporter import PROMETHEUS, Cluster, history, prometheus

from itermon.analysis.fleet.standing import standing
from itermon.collectors.prometheus.access import access
from itermon.collectors.prometheus.client import Client
from itermon.collectors.prometheus.fleet import FleetReader
from itermon.tui.drawing.cells import Painter
from itermon.tui.drawing.lines import fit
from itermon.tui.drawing.theme import TRUE_COLOUR, theme_for
from itermon.tui.fleet.screen import FleetScreen, Seen

SCRAPE_S = 15
SIZES = ((80, 24), (200, 50))
REFRESHES = 12


class Timed(Client):
    """A client that knows how long it waited for the server."""

    waited_s = 0.0
    waited_cpu_s = 0.0

    def _ask(self, *given: object, **more: object) -> object:  # type: ignore[override]
        begun_s = time.perf_counter()
        try:
            return super()._ask(*given, **more)  # type: ignore[arg-type]
        finally:
            self.waited_s += time.perf_counter() - begun_s


def measured(url: str, now_s: float, size: tuple[int, int], slow_rank: int, slow_s: float) -> None:
    client = Timed(access(url), timeout_s=120)
    reader = FleetReader(client, "gpt2", window_s=3_600, columns=160)
    theme = theme_for(TRUE_COLOUR)
    painter, screen = Painter(theme), FleetScreen(theme, url, lambda _: None)
    width, height = size

    def picture(at_s: float) -> tuple[int, int | None]:
        """Bytes to the terminal, and the rank on top."""
        reading = reader.read(at_s)
        stands = standing(reading, reader.course)
        screen.seen = Seen(reading, stands, reader.course.copied())
        lines = [*screen.lines((width, height - 1)), fit((), width)]
        top = stands.rows[0].member.rank if stands.rows and stands.rows[0].state else None
        return len(painter.difference(lines).encode()), None if top is None else int(top)

    begun_s, cpu_s = time.perf_counter(), time.process_time()
    first_bytes, _ = picture(now_s)
    first_s, first_cpu_s = time.perf_counter() - begun_s, time.process_time() - cpu_s
    waited_s, sent = client.waited_s, client.received_bytes
    server, terminal, cpu, on_top = [], [], [], None
    for refresh in range(1, REFRESHES + 1):
        before, cpu_s = client.received_bytes, time.process_time()
        written, top = picture(now_s + refresh * SCRAPE_S)
        cpu.append(time.process_time() - cpu_s)
        server.append(client.received_bytes - before)
        terminal.append(written)
        at_s = now_s + refresh * SCRAPE_S
        if on_top is None and top == slow_rank and at_s >= slow_s:
            on_top = int((at_s - slow_s) / SCRAPE_S) + 1
    client.close()
    print(f"{width} x {height}")
    print(f"  first picture {first_s:.2f} s, of which until the server's last answer {waited_s:.2f} s;"
          f" after it {first_s - waited_s:.2f} s (CPU {first_cpu_s:.2f} s)")  # fmt: skip
    print(f"  server: {sent / 1e3:.1f} kB for the first, {statistics.median(server) / 1e3:.1f} kB a refresh"
          f" (most {max(server) / 1e3:.1f})")  # fmt: skip
    seconds = REFRESHES * SCRAPE_S
    print(f"  terminal: {first_bytes / 1e3:.1f} kB for the first, then {sum(terminal) / seconds:.0f} B/s")
    share = sum(cpu) / seconds
    print(f"  CPU: {1e3 * statistics.median(cpu):.0f} ms a refresh, {100 * share:.2f} % of a core")
    print(f"  the slow rank stands on top after {on_top} scrape(s) that saw it")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=256)
    parser.add_argument("--hosts", type=int, default=32)
    parser.add_argument("--steps", type=int, default=120)
    given = parser.parse_args()
    if PROMETHEUS is None:
        raise SystemExit("no Prometheus server here: apt install prometheus")
    end_s = float(int(time.time()) // SCRAPE_S * SCRAPE_S)
    now_s = end_s - REFRESHES * SCRAPE_S
    cluster = Cluster(given.ranks, given.hosts, end_s - 1e6)
    slow_rank, slow_s = given.ranks // 3, now_s + 4 * SCRAPE_S
    cluster.slow[slow_rank] = (0.05, slow_s)
    begun_s = time.perf_counter()
    past = history([cluster], end_s - (given.steps - 1) * SCRAPE_S, end_s, SCRAPE_S)
    with prometheus(past) as url:
        print(f"{given.ranks:,} ranks on {given.hosts:,} hosts, {given.steps} scrapes of {SCRAPE_S} s"
              f" (made in {time.perf_counter() - begun_s:.0f} s)")  # fmt: skip
        for size in SIZES:
            measured(url, now_s, size, slow_rank, slow_s)


if __name__ == "__main__":
    main()
