"""`itermon export`: what it refuses, what it warns of, what it serves and what it leaves behind."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from metric_recordings import BEGAN_S, Recorder, head, trained
from waiting import eventually

from itermon.cli.cluster.export import address, follow, is_loopback
from itermon.cli.exits import NOT_WRITTEN
from itermon.cli.main import main

pytest.importorskip("prometheus_client", reason="the extra itermon[prometheus] is not installed")

from itermon.metrics.exporter import Exporter
from itermon.metrics.exposition import Shown


@pytest.fixture
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    return Recorder(tmp_path / "runs")


@pytest.mark.parametrize("arguments", [[], ["a", "--all"]])
def test_either_runs_or_all(arguments: list[str]) -> None:
    ended = CliRunner().invoke(main, ["export", *arguments])
    assert (ended.exit_code, "--all" in ended.output) == (2, True)


def test_a_certificate_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cert").write_text("")
    ended = CliRunner().invoke(main, ["export", "--all", "--tls-cert", str(tmp_path / "cert")])
    assert (ended.exit_code, "belong together" in ended.output) == (2, True)


def test_without_the_library_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "itermon.metrics.exposition")
    ended = CliRunner().invoke(main, ["export", "--all"])
    assert (ended.exit_code, "pip install 'itermon[prometheus]'" in ended.output) == (2, True)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("127.0.0.1:9464", ("127.0.0.1", 9464)), ("[::1]:0", ("::1", 0)), ("node7:80", ("node7", 80))],
)
def test_an_address_is_a_host_and_a_port(text: str, meant: tuple[str, int]) -> None:
    assert address(text) == meant


@pytest.mark.parametrize("text", ["9464", ":9464", "::1:9464", "a:b", "a:65536", "a:-1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        address(text)


def test_only_this_machine_reaches_a_loopback_address() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.9.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "node7", "127.0.0.1.example")))


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        listen = f"127.0.0.1:{other.getsockname()[1]}"
        ended = CliRunner().invoke(main, ["export", "--all", "--listen", listen])
    assert (ended.exit_code, ended.output) == (NOT_WRITTEN, f"Error: {listen}: Address already in use\n")


class EnoughError(Exception):
    pass


def test_the_file_for_node_exporter_is_whole_and_renewed(recorder: Recorder, tmp_path: Path) -> None:
    path = recorder.begin("gpt2", 10, *head("gpt2"), *trained(0, 5, BEGAN_S))
    file, seen = tmp_path / "itermon.prom", []

    def sleep(_: float) -> None:
        seen.append('itermon_iterations_total{rank="0",run="gpt2"} ' in file.read_text())
        if seen[-2:] == [True, True]:
            raise EnoughError
        if seen[-1]:
            recorder.write(path, *trained(5, 3, BEGAN_S))

    with pytest.raises(EnoughError):
        follow(Exporter(gpus=False), Shown(), file, 10.0, sleep)
    assert 'itermon_iterations_total{rank="0",run="gpt2"} 8.0' in file.read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["itermon.prom", "runs"]


def test_served_until_sigterm_and_then_the_file_and_the_port_are_gone(recorder: Recorder, tmp_path: Path) -> None:
    recorder.begin("gpt2", 10, *head("gpt2"), *trained(0, 5, BEGAN_S))
    folder = tmp_path / "textfiles"
    folder.mkdir()
    command = [sys.executable, "-m", "itermon", "export", "gpt2", "--no-machine", "--listen", "127.0.0.1:0"]
    with subprocess.Popen([*command, "--textfile", str(folder)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = process.stderr.readline().split()[-1]
        eventually(lambda: b"itermon_iterations_total" in urllib.request.urlopen(url, timeout=10).read())
        eventually(lambda: [f for f in folder.glob("*.prom") if "itermon_iterations" in f.read_text()])
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert list(folder.iterdir()) == []
        assert "no loopback" not in process.stderr.read()


def test_another_address_than_loopback_is_warned_of(recorder: Recorder) -> None:
    command = [sys.executable, "-m", "itermon", "export", "--all", "--no-machine", "--listen", "0.0.0.0:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "anybody who reaches this address can read names, losses and times" in process.stderr.readline()
        process.terminate()
