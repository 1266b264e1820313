"""`itermon export`: the runs of this host as metrics that Prometheus scrapes, or in a file for node_exporter."""

from __future__ import annotations

import contextlib
import ipaddress
import signal
import time
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...metrics.tls import Tls
from ...private import own_name
from ...words import plural
from ..commands.completion import runs_and_files
from ..exits import NotWrittenError
from ..options import ExistingFile, Number
from ..printing import print_note

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...metrics.exporter import Exporter
    from ...metrics.exposition import Shown

INSTALL = "itermon export needs prometheus_client: pip install 'itermon[prometheus]'"
_LISTEN = "127.0.0.1:9464"
_EVERY_S = 15.0
_READING_S = 0.01  # a thread that reads a log wants its turn
_NEW_S = 5.0
"""Of looking into new files at a time: nobody waits for the list."""


def _tls_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a server that proves who it is. The command gets them as `tls`, or `None`."""

    @wraps(function)
    def with_tls(tls_cert: Path | None, tls_key: Path | None, client_ca: Path | None, **arguments: Any) -> Any:
        tls = None
        if tls_cert and tls_key:
            tls = Tls(str(tls_cert), str(tls_key), str(client_ca) if client_ca else None)
        elif tls_cert or tls_key or client_ca:
            raise click.UsageError("--tls-cert and --tls-key belong together; --client-ca needs both.")
        return function(tls=tls, **arguments)

    decorated: Callable[..., Any] = with_tls
    for flag, words in (
        ("--client-ca", "with --tls-cert: serve only who has a certificate of this CA"),
        ("--tls-key", "the key of --tls-cert"),
        ("--tls-cert", "serve HTTPS with this certificate"),
    ):
        decorated = click.option(flag, type=ExistingFile(), metavar="FILE", help=words)(decorated)
    return decorated


@click.command(name="export")
@click.argument("runs", nargs=-1, metavar="[RUN]...", shell_complete=runs_and_files)
@click.option("--all", "every_run", is_flag=True, help="all runs of yours on this machine, and those to come")
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help=f"where to serve; {_LISTEN} if not given, which only this machine can read",
)
@click.option(
    "--textfile",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    metavar="DIR",
    help="write a file there for node_exporter's textfile collector, and open no port (unless --listen)",
)
@_tls_options
@click.option(
    "--every",
    type=Number(min=1, max=3600),
    default=_EVERY_S,
    metavar="SECONDS",
    help="how often the recordings are read; 15 if not given",
)
@click.option("--no-machine", "gpus", flag_value=False, default=True, help="do not ask the driver for the GPUs")
def command(
    runs: tuple[str, ...],
    *,
    every_run: bool,
    listen: str | None,
    textfile: Path | None,
    tls: Tls | None,
    every: float,
    gpus: bool,
) -> None:
    """Serve what is known of living runs to Prometheus: one process a host, beside the trainers.

    RUN is a run's name, its PID, or a log; --all takes every run of yours here, and logs that grow. Each rank has
    its series: newest and usual iteration time, lost seconds by cause, local seconds by phase, loss, and so on, as
    far as its source says them. They vanish when the run ends. What trainers record is read; one that does not
    record is listened to at its socket.

    \b
      itermon export --all
      itermon prometheus scrape-config

    Prometheus' own scraping, rules and dashboard: see itermon prometheus.
    """
    if bool(runs) == every_run:
        raise click.UsageError("name the runs, or say --all." if not runs else "name runs, or --all, not both.")
    try:
        from ...metrics.exposition import Shown
    except ImportError:
        raise click.UsageError(INSTALL) from None
    from ...metrics.exporter import Exporter
    from ..home.logs import Logs
    from .living import Living

    shown, exporter = Shown(), Exporter(runs, gpus=gpus, live=Living(Logs(new_s=_NEW_S)))
    with contextlib.ExitStack() as open_now:
        open_now.callback(exporter.close)
        if textfile is None or listen is not None:
            _serve(open_now, shown, listen or _LISTEN, tls)
        file = None if textfile is None else textfile / f"{own_name()}.prom"
        if file is not None:
            open_now.callback(file.unlink, missing_ok=True)  # what nobody renews would be scraped for ever
            print_note(f"writing {file} every {every:g} s")
        open_now.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _leave))
        follow(exporter, shown, file, every)


def follow(
    exporter: Exporter,
    shown: Shown,
    file: Path | None,
    every_s: float,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Read and show, again and again, until somebody ends it; say what changes."""
    from ..writing import write_whole

    said: tuple[list[str], str] | None = None
    while True:
        caught_up = exporter.refresh()
        shown.show(exporter.series())
        if file is not None:
            write_whole(file, shown.text())
        if caught_up and (now := (exporter.runs, exporter.trouble)) != said:
            said = now
            print_note(now[1] or _what(now[0]))
        sleep(every_s if caught_up else _READING_S)


def _what(runs: list[str]) -> str:
    if not runs:
        return "no such run lives here now: waiting for one (its first iteration)"
    return f"{plural(len(runs), 'run')}: {', '.join(runs[:8])}{', ...' if len(runs) > 8 else ''}"


def _serve(open_now: contextlib.ExitStack, shown: Shown, listen: str, tls: Tls | None) -> None:
    from ...metrics.exposition import serve

    host, port = address(listen)
    if not is_loopback(host):
        who = (
            "whoever has a certificate of that CA" if tls and tls.client_ca else "anybody who reaches this address"
        )
        print_note(f"{listen} is no loopback address: {who} can read names, losses and times of these runs")
    try:
        server = serve(shown, host, port, tls)
    except (OSError, OverflowError) as error:
        raise NotWrittenError(f"{listen}: {getattr(error, 'strerror', None) or error}") from None
    open_now.callback(server.server_close)
    open_now.callback(server.shutdown)
    scheme = "https" if tls else "http"
    shown_host = f"[{host}]" if ":" in host else host
    print_note(f"serving {scheme}://{shown_host}:{server.server_port}/metrics")


def address(text: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`; an IPv6 address in brackets. Raises `click.BadParameter`."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not (colon and host and port.isdecimal() and int(port) < 65_536) or (":" in host and "[" not in text):
        raise click.BadParameter(f"{text!r}: write HOST:PORT, as {_LISTEN} or [::1]:9464", param_hint="--listen")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Can only this machine reach it?"""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _leave(*_: object) -> None:
    """On SIGTERM: the file is removed, the port is closed."""
    raise SystemExit(0)
