"""Builds the library that stands in for NVML, and a child process that plays scenes against it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from itermon.events import AnyEvent, GpuSample, Message

from . import standin

HERE = Path(__file__).parent
HEALTHY = standin.HEALTHY


def build(folder: Path, **options: object) -> Path:
    """The library in `folder` (see `standin.build`). Skips where there is no compiler."""
    try:
        return standin.build(folder, **options)
    except standin.NoCompilerError as error:
        pytest.skip(str(error))


class Played(msgspec.Struct):
    """What came of a scene: the events of each pass, the calls made up to it, what is still lent at the end."""

    passes: list[list[AnyEvent]]
    calls: list[int]
    lent: dict[str, int]
    memory: list[int] = []

    def samples(self, gpu: int = 0) -> list[GpuSample]:
        """Of one GPU, in order."""
        return [e for events in self.passes for e in events if isinstance(e, GpuSample) and e.gpu == gpu]

    def messages(self) -> list[str]:
        return [e.text for events in self.passes for e in events if isinstance(e, Message)]


Play = Callable[..., Played]


class Player:
    """The child process: one per build of the library, many scenes."""

    def __init__(self, folder: Path) -> None:
        self._child = subprocess.Popen(
            [sys.executable, HERE / "player.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=standin.environment(folder, folder / "script"),
            text=True,
        )

    def play(self, script: str = HEALTHY, times: Sequence[float] = range(4), **scene: object) -> Played:
        """Sample at `times` what `script` says."""
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.write(json.dumps({"script": script, "times": list(times), **scene}) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        assert answer, f"the player died with {self._child.wait(10)}"
        return msgspec.json.decode(answer, type=Played)

    def close(self) -> None:
        assert self._child.stdin
        assert self._child.stdout
        self._child.stdin.close()
        self._child.stdout.close()
        assert self._child.wait(10) == 0


@pytest.fixture(scope="session")
def library_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library lies that stands in for NVML: for LD_LIBRARY_PATH."""
    return build(tmp_path_factory.mktemp("nvml"))


@pytest.fixture(scope="session")
def play(library_folder: Path) -> Iterator[Play]:
    """`play(script, times, ...)` against a driver that has every function."""
    player = Player(library_folder)
    yield player.play
    player.close()


@pytest.fixture
def old_driver(tmp_path: Path) -> Iterator[Callable[..., Player]]:
    """`old_driver("function", ...)`: a player whose driver lacks these functions."""
    players: list[Player] = []

    def make(*without: str) -> Player:
        folder = tmp_path / str(len(players))
        folder.mkdir()
        players.append(Player(build(folder, without=without)))
        return players[-1]

    yield make
    for player in players:
        player.close()
